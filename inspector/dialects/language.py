"""The language in which another framework's names are written down: one `Dialect` for each way of naming tensors.

An architecture definition names tensors as transformers does and gives each a role ("attention.query"). Another
framework keeps the roles and changes the rest: the names, which matrices are stored as one, how a tensor is laid
out, how far the vocabulary is padded. A dialect states these differences; what a tensor is and how large it is
stays the definition's word. So one dialect serves every definition whose roles it names.

Keys of `Dialect.names`, the most specific that fits a tensor is used:

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

A value is a path: `{0}` is the outermost index and `{1}` the next, `*` means "weight" or "bias" where that is
not simply the last segment, and a path that ends in `=` is the whole name. `stored(path, form)` adds how the tensor
is laid out (`FORMS` in `inspector.dialects.respelling`). A tuple lists alternatives, of which the file decides.

Where a dialect names both a role of several modules ("attention.qkv") and its parts, or an expert both alone and
stacked, either way of storing them is accepted; where it names only one, that one is required.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from inspector.notation.definition import Part


class Name(msgspec.Struct, frozen=True):
    """A path and how the tensor under it is laid out. forms: keys of `FORMS`, applied in this order."""

    path: str
    forms: tuple[str, ...]


UNUSED = "unused"
"""The extra component of what a writer stores beside the tensors of the class."""
Names = str | Name | tuple[str | Name, ...]
"""The name of a role, or alternatives."""


def stored(path: str, *forms: str) -> Name:
    """A path whose tensor is laid out otherwise than the definition's."""
    return Name(path, forms)


class Dialect(msgspec.Struct, frozen=True, eq=False, kw_only=True):
    """How one writer names and stores tensors.

    writer: who it is, as findings print it. names: role -> name, see the module. signs: groups of keys (names with `#`
    for numbers); the dialect is recognised where all keys of one group are stored. types: model types that are tried
    when there is no config, the likeliest first; empty where a file always states its type. exclusive: whether no other
    model is in these names, so that an absent family is missing and not the mark of a related model. only: the model
    types that this variant of a writer's names is for, empty for all. prefixes: what the writer may put before every
    name. replaces: the names of the definition that no role gives, as prefix replacements (`*`: anywhere, see the
    dialects of a definition); for definitions of submodels, which `only` lists, they are all that differs. interleaved:
    joined roles whose rows alternate by group of kv heads, each group with its share of every part, instead of one part
    after the other. either: joined roles of which the writer's program reads the parts as well, whatever the definition
    has. omits: roles that the writer may leave out. exporter: what makes transformers' names and order of
    rows of the writer's, or diffusers'. own_configs: files beside the weights from which the writer's own program loads
    them. own_files: how the names of its files begin, empty where it takes any. own_types: model types that only the
    writer's program has. names_alone: whether the tensors are those of transformers but for their names. beside: what
    the writer stores and the class does not have. dims: symbols of the definition that are other numbers in the
    writer's files. elsewhere: parts of the model, as a family key of the definition begins, that the writer's program
    loads from the repository that a key of its config names.
    """

    writer: str
    names: Mapping[str, Names]
    signs: tuple[tuple[str, ...], ...]
    types: tuple[str, ...] = ()
    exclusive: bool = False
    only: tuple[str, ...] = ()
    beside: tuple[Part, ...] = ()
    dims: Mapping[str, str] = {}
    prefixes: tuple[str, ...] = ("",)
    replaces: Mapping[str, str] = {}
    interleaved: tuple[str, ...] = ()
    either: tuple[str, ...] = ()
    omits: tuple[str, ...] = ()
    exporter: str = ""
    own_configs: tuple[str, ...] = ()
    own_files: tuple[str, ...] = ()
    own_types: tuple[str, ...] = ()
    names_alone: bool = False
    elsewhere: Mapping[str, str] = {}

    @property
    def pads_vocabulary(self) -> bool:
        """True if the writer rounds the rows of the vocabulary up."""
        name = self.names.get("embed.token")
        return isinstance(name, Name) and "padded" in name.forms

    @property
    def extras(self) -> frozenset[str]:
        """The components beyond the model that the dialect names."""
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
"""Role of one matrix -> the roles of the modules whose outputs it holds, in order, and what each part is called."""

PARTNERS: Mapping[str, str] = {
    "mlp.up": "mlp.gate", "attention.query": "attention.key", "norm.mlp": "norm.attention.post",
}  # fmt: skip
"""A role that may have another name, `role.alone`, where this partner is absent."""

DECODERS = (
    "llama", "qwen2", "qwen3", "mixtral", "qwen3_moe", "gemma", "gemma2", "gemma3_text", "phi3", "phi", "gpt_neox",
    "falcon", "olmo2", "stablelm", "deepseek_v3", "qwen2_moe",
)  # fmt: skip
"""Model types that training frameworks are used for, the likeliest first."""
