"""The language that describes the tensor names of other frameworks: one `Dialect` for each naming scheme.

An architecture definition names tensors as transformers does and gives each a role ("attention.query"). Another
framework has the same roles but other names; it may also join matrices, change layouts and pad the vocabulary. A
dialect states these differences; the meaning and size of tensors come from the definition. One dialect therefore serves
every definition whose roles it names.

Keys of `Dialect.names`; the most specific key that fits a tensor is used:

| key | fits |
|---|---|
| `mlp.up` | the role |
| `mlp.up{}` | one of many experts, each in a separate tensor |
| `mlp.up[]` | all experts stacked in one tensor |
| `single/mlp.up` | the role in the tower or submodel `single` |
| `mtp:norm.final` | the role in the extra component `mtp` (layers that predict further tokens) |
| `mlp.up.alone` | the role where its usual partner is absent (an MLP without gate) |
| `norm.mlp.routed` | the role in layers of routed experts |
| `ssm.step=` | a bare parameter, without `.weight` or `.bias` |
| `@encoder.block.{}.norm` | this path of the definition, where roles do not distinguish two rows |

A value is a path: `{0}` is the outermost index and `{1}` the next, `*` means "weight" or "bias" where that is not
simply the last segment, and a path that ends in `=` is the whole name. `stored(path, form)` adds how the tensor is laid
out (`FORMS` in `inspector.dialects.respelling`). A tuple lists alternatives between which the file decides.

If a dialect names both a joint role ("attention.qkv") and its parts, or an expert both separately and stacked, either
way of storing them is accepted. If it names only one, that one is required.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from inspector.notation.definition import Part


class Name(msgspec.Struct, frozen=True):
    """A path and the layout of the tensor under it. forms: keys of `FORMS`, applied in this order."""

    path: str
    forms: tuple[str, ...]


UNUSED = "unused"
"""The extra component for tensors that a writer stores in addition to those of the class."""
Names = str | Name | tuple[str | Name, ...]
"""The name of a role, or alternatives."""


def stored(path: str, *forms: str) -> Name:
    """A path whose tensor has another layout than in the definition."""
    return Name(path, forms)


class Dialect(msgspec.Struct, frozen=True, eq=False, kw_only=True):
    """How one writer names and stores tensors.

    writer: its name, as findings print it. names: role -> name, as the module describes. signs: groups of keys (names
    with `#` for numbers); a dialect is recognised if all keys of one group are stored. types: model types to try
    without a config, the likeliest first; empty if files always state their type. exclusive: no other model has these
    names, so that an absent family is missing and no sign of a related model. only: the model types that this variant
    is for; empty for all. prefixes: prefixes that the writer may add to every name. replaces: names of the definition
    that no role gives, as prefix replacements (`*`: anywhere, see the dialects of a definition); the definitions of
    submodels in `only` need nothing else. interleaved: joint roles whose rows alternate by group of kv heads, with
    every part in each group, instead of one part after the other. either: joint roles of which the writer's program
    also reads the parts, whatever the definition has. omits: roles, or paths after `@`, that the writer may leave out.
    exporter: the tool that converts the writer's names and row order to transformers' or diffusers'. own_configs: files
    next to the weights from which the writer's program loads them. own_files: beginnings of its file names; empty for
    any. copies_config: the program copies the config.json of the original model next to its own, so that it shows
    no other loader. own_types: model types that only the writer's program has. names_alone: the tensors differ from
    transformers' only by name. numbers_last: an expert's number ends its name, `fc1.weight7` for `fc1.7.weight`, as
    it is read.
    beside: tensors that the writer stores and the class does not have. dims: symbols of the definition with other
    values in the writer's files. needs: `needs` of the definition in the writer's files. elsewhere: beginnings of
    family keys for parts of the model that the writer's program loads from another repository -> the
    config key that names it.
    """

    writer: str
    names: Mapping[str, Names]
    signs: tuple[tuple[str, ...], ...]
    types: tuple[str, ...] = ()
    exclusive: bool = False
    only: tuple[str, ...] = ()
    beside: tuple[Part, ...] = ()
    dims: Mapping[str, str] = {}
    needs: Mapping[str, str] = {}
    prefixes: tuple[str, ...] = ("",)
    replaces: Mapping[str, str] = {}
    interleaved: tuple[str, ...] = ()
    either: tuple[str, ...] = ()
    omits: tuple[str, ...] = ()
    exporter: str = ""
    own_configs: tuple[str, ...] = ()
    own_files: tuple[str, ...] = ()
    copies_config: bool = False
    own_types: tuple[str, ...] = ()
    names_alone: bool = False
    numbers_last: bool = False
    elsewhere: Mapping[str, str] = {}

    @property
    def pads_vocabulary(self) -> bool:
        """True if the writer rounds up the rows of the vocabulary."""
        name = self.names.get("embed.token")
        return isinstance(name, Name) and "padded" in name.forms

    @property
    def extras(self) -> frozenset[str]:
        """The components beyond the model that the dialect has names for."""
        named = frozenset(key.partition(":")[0] for key in self.names if ":" in key and not key.startswith("@"))
        return named | {UNUSED} if self.beside else named


JOINED: Mapping[str, Mapping[str, str]] = {
    "attention.qkv": {"attention.query": "q", "attention.key": "k", "attention.value": "v"},
    "attention.kv": {"attention.key": "k", "attention.value": "v"},
    "cross.qkv": {"cross.query": "q", "cross.key": "k", "cross.value": "v"},
    "attention.qkv_mlp": {"attention.query": "q", "attention.key": "k", "attention.value": "v", "mlp.up": "mlp.up"},
    "attention.kv.up": {"attention.key.up": "k", "attention.value.up": "v"},
    "cross.kv": {"cross.key": "k", "cross.value": "v"},
    "ssm.qkv": {"ssm.query": "query", "ssm.key": "key", "ssm.value": "value"},
    "ssm.qkvz": {"ssm.query": "query", "ssm.key": "key", "ssm.value": "value", "ssm.gate": "gate"},
    "mlp.gate_up": {"mlp.gate": "gate", "mlp.up": "up"},
    "mlp.shared.gate_up": {"mlp.shared.gate": "gate", "mlp.shared.up": "up"},
    "mlp.experts.gate_up": {"mlp.experts.gate": "gate", "mlp.experts.up": "up"},
}
"""Role of a joint matrix -> the roles of the modules whose outputs it contains, in order, with the name
of each part.
"""

PARTNERS: Mapping[str, str] = {
    "mlp.up": "mlp.gate", "attention.query": "attention.key", "norm.mlp": "norm.attention.post",
}  # fmt: skip
"""A role that may have another name, `role.alone`, if this partner is absent."""

DECODERS = (
    "llama", "qwen2", "qwen3", "mixtral", "qwen3_moe", "gemma", "gemma2", "gemma3_text", "phi3", "phi", "gpt_neox",
    "falcon", "olmo2", "stablelm", "deepseek_v3", "qwen2_moe",
)  # fmt: skip
"""Model types that training frameworks support, the likeliest first."""
