"""Findings on many differences with one cause."""

from __future__ import annotations

from typing import Any

import msgspec

from inspector.findings.finding import ContentFinding, Finding, Remedy, Rows, Step
from inspector.findings.words import complete_as, count, listed, number, of_other_type, restored, shape, value


class KeyValues(msgspec.Struct, frozen=True):
    """A key of the config, its value there (None if it is absent) and the value that the weights show.

    others: other keys or values explain the weights as well.
    """

    key: str
    stated: Any = msgspec.field(name="config")
    solved: Any = msgspec.field(name="weights")
    absent: bool
    others: bool

    def step(self, file: str) -> Step:
        """The step that changes the config. The key of a GGUF file is a single name with dots."""
        old = msgspec.UNSET if self.absent else self.stated
        key = (self.key,) if file.endswith(".gguf") else tuple(self.key.split("."))
        return Step(action="set", file=file, key=key, old=old, new=self.solved)


class ConfigOfAnotherSize(ContentFinding, frozen=True, kw_only=True):
    """The config is of another size of this model family.

    What it means
        Several sizes in the config differ from the weights, and with other values of these keys the weights are
        complete: the config, or the weights, were taken from another model of the family. Without keys, the names are
        those of the config while most of the shapes are not. A params.json of Meta or Mistral under the name of the
        config has none of the keys that the class reads.

    Why it matters
        Loaders build the model from the config and fail on the first shape.

    Example
        error[C315] config-of-another-size: config.json describes a model of
          8,030,261,248 parameters, the weights are of 70,553,706,496
          hidden_size          4096 in the config, 8192 in the weights
          intermediate_size    14336 in the config, 28672 in the weights
          num_key_value_heads  8 in the config, 4 fits, or other keys instead
          num_hidden_layers    32 in the config, 80 in the weights
          size of              llama-3-70b
          help                 use the config.json that belongs to these weights: that
                               of llama-3-70b

    What to do
        Use the config.json that belongs to the weights, or the weights that belong to the config.
    """

    code = "C315"

    file: str
    described: int | None
    stored: int
    published: tuple[str, ...]
    keys: tuple[KeyValues, ...]
    differing: int | None = None
    tensors: int | None = None
    absent: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()
    """Keys that no shape shows, and that the class refuses together with the values of the weights."""
    of_params: tuple[str, ...] = ()
    """Keys that are those of a params.json, as Meta and Mistral write it, in place of the class's."""

    def headline(self) -> str:
        if self.of_params:
            return f"{self.file} has the keys of a params.json: {listed(self.of_params)}"
        described = f"of {number(self.described)} parameters" if self.described is not None else "of another size"
        return f"{self.file} describes a model {described}, the weights are of {number(self.stored)}"

    def rows(self) -> Rows:
        if self.of_params:  # values are solved for one key after another, and here all of them are absent
            defaults = [f"{one.key} {_stated(one)}" for one in self.keys if one.absent]
            return [("class", f"takes its own sizes, such as {listed(defaults, 2)}")]
        rows = [(one.key, f"{_stated(one)}, {_shown(one)}") for one in self.keys]
        if self.differing is not None and self.tensors is not None:
            rows.append(
                ("shapes", f"{self.differing:,} of {count(self.tensors, 'tensor')} are not as the config gives")
            )
        if self.absent:
            rows.append(("absent", f"{listed(self.absent)}: the class takes its defaults for the sizes in it"))
        return [*rows, ("size of", listed(self.published, 4))] if self.published else rows

    def remedy(self) -> Remedy:
        of = f": that of {self.published[0]}" if len(self.published) == 1 else ""
        if self.of_params:
            return Remedy(f"use the {self.file} of these weights for transformers{of}; name this file params.json")
        own = f"use the {self.file} that belongs to these weights{of}"
        if self.unseen:
            verb, its = ("needs", "its") if len(self.unseen) == 1 else ("need", "their")
            return Remedy(f"{own}: {listed(self.unseen)} {verb} another value too, and no shape shows {its} value")
        steps = () if any(one.others for one in self.keys) else tuple(one.step(self.file) for one in self.keys)
        if steps and not self.published:
            return Remedy(f"{own}, or set these values in the present one", steps)
        return Remedy(own, steps)


class ConfigKeysAbsent(ContentFinding, frozen=True, kw_only=True):
    """The config lacks keys that these weights need.

    What it means
        The keys are absent, so that loaders use the defaults of the class, which differ from the weights.

    Why it matters
        Loaders build another model than the stored one and fail on the shapes.

    Example
        error[C316] config-keys-absent: q_lora_rank, kv_lora_rank
          q_lora_rank   absent, the class default is 1536; 768 in the weights
          kv_lora_rank  absent, the class default is 512; 256 in the weights
          help          add "q_lora_rank": 768, "kv_lora_rank": 256 to config.json

    What to do
        Add the keys with the values of the weights, or use the original config.json.
    """

    code = "C316"

    file: str
    keys: tuple[KeyValues, ...]
    explains: int
    families: tuple[str, ...]

    def headline(self) -> str:
        return listed([one.key for one in self.keys], 4)

    def rows(self) -> Rows:
        return [
            (one.key, f"absent, the class default is {value(one.stated)}; {value(one.solved)} in the weights")
            for one in self.keys
        ]

    def remedy(self) -> Remedy:
        added = ", ".join(f'"{one.key}": {value(one.solved)}' for one in self.keys)
        return Remedy(f"add {added} to {self.file}", tuple(one.step(self.file) for one in self.keys))


class OneRankOfSeveral(ContentFinding, frozen=True, kw_only=True):
    """The weights are one rank of a parallel save.

    What it means
        Each split matrix has the same fraction of its rows or columns, while norms and other small tensors are whole
        (tensor parallelism); or every tensor has the same fraction of its rows (FSDP): the file holds what one GPU of
        several held. `tables`: whether only the tables of tokens are split, and the rest was gathered; `padded`: the
        rows of all ranks, if the vocabulary was padded before the split.

    Why it matters
        The other ranks hold the rest of each matrix. No config makes this file a model.

    Example
        error[D503] one-rank-of-several: one of 2 ranks
          split  9 families, each to 1/2: model.embed_tokens.weight,
                 model.layers.{layer}.self_attn.q_proj.weight and 7 more
          first  [2048, 4096] of [4096, 4096]
          whole  3 families
          help   merge it with the other rank, with the tool that saved them

    What to do
        Merge all ranks with the tool that saved them (Megatron, NeMo, DeepSpeed, Meta's conversion script, accelerate
        merge-weights for FSDP); or save again with the whole state dict gathered.
    """

    code = "D503"

    ranks: int
    families: tuple[str, ...]
    tensors: int
    whole: int
    stored: tuple[int, ...]
    expected: tuple[int | None, ...]
    tables: bool = False
    padded: int | None = None

    headline_text = "one of {ranks} ranks"

    def rows(self) -> Rows:
        split = f"{_families(len(self.families))}, each to 1/{number(self.ranks)}: {listed(self.families, 2)}"
        rows = [("split", split), ("first", f"{shape(self.stored)} of {shape(self.expected)}")]
        if self.whole:
            rows.append(("whole", _families(self.whole)))
        if self.padded is not None:
            of_all = f"{number(self.ranks)} x {number(self.stored[0])} = {number(self.padded)} rows"
            rows.append(("because", f"{of_all}: the vocabulary as padded before the split"))
        return rows

    def remedy(self) -> Remedy:
        others = "the other rank" if self.ranks == 2 else f"the other {number(self.ranks - 1)} ranks"
        if self.tables:
            cut = f", cut to {number(self.expected[0] or 0)} rows" if self.padded is not None else ""
            return Remedy(
                f"save it again with the tables of tokens gathered, or join {listed(self.families, 2)} with the rows "
                f"of {others}{cut}; leave the config as it is"
            )
        return Remedy(f"merge it with {others}, with the tool that saved them")


def _families(several: int) -> str:
    return f"{number(several)} {'family' if several == 1 else 'families'}"


class TextModelKept(msgspec.Struct, frozen=True):
    """The text model of a multimodal model, if nothing else is stored. key: of its config. prefix: before its names."""

    key: str
    class_name: str = msgspec.field(name="class")
    prefix: str


class WeightsIncomplete(ContentFinding, frozen=True, kw_only=True):
    """A large part of the model is not stored.

    What it means
        Tensors of many modules are missing, and no value of the config explains it: a shard was copied alone, or a
        save was interrupted. `alone_in`: the GGUF file, which is not part of a split model. `of_shards`: whether other
        shards of the model exist, by the numbers in the names.

    Why it matters
        Loaders fill what is missing with random values.

    Example
        error[N426] weights-incomplete: 191 of 291 tensors are missing, 6,959,398,912
          parameters
          missing  mlp of layers 0-31; lm_head.weight;
                   model.layers.{layer}.self_attn.k_proj.weight (layers 2-31);
                   model.layers.{layer}.self_attn.v_proj.weight (layers 0-31);
                   model.layers.{layer}.self_attn.o_proj.weight (layers 0-31)
          stored   layers 0-31
          help     no file contains these tensors: take them from the original
                   checkpoint, or repair the conversion or the save that left them out

    What to do
        Take the whole checkpoint from where it comes from, with all shards and their index; or save it again. The files
        that are here are complete, so that the same download has no more.
    """

    code = "N426"
    incomplete = True

    tensors: int
    of: int
    parameters: int
    parts: tuple[str, ...]
    parts_in_all: int
    layers: str
    families: tuple[str, ...]
    alone_in: str = ""
    everywhere: bool = False
    """True if every layer that should have one of them lacks it."""
    of_shards: bool = False
    from_first: bool = False
    """True if of the layers only the first ones lack tensors, and tensors outside the layers are missing, too."""
    left_out: tuple[str, ...] = ()
    """Files that the numbers in the names of the others leave out."""
    kept: TextModelKept | None = None
    complete_as: tuple[str, ...] = ()
    """The model types under which the same config gives the name and the shape of every stored tensor."""

    def headline(self) -> str:
        missing = f"{number(self.tensors)} of {count(self.of, 'tensor')} are missing"
        return f"{missing}, {number(self.parameters)} parameters"

    def rows(self) -> Rows:
        more = f" and {self.parts_in_all - len(self.parts):,} more" if self.parts_in_all > len(self.parts) else ""
        rows = [("missing", "; ".join(self.parts) + more)]
        if self.layers:
            rows.append(("stored", f"layers {self.layers}"))
        return [*rows, ("or", complete_as(self.complete_as))] if self.complete_as else rows

    def remedy(self) -> Remedy:
        if self.alone_in and all(family.endswith(".bias") for family in self.families):
            other = f"or, if the model has no such biases, state the architecture that has none in {self.alone_in}"
            return Remedy(f"convert the model again: no file contains these tensors; {other}")
        if self.alone_in:
            return Remedy("download or convert the whole model again: no file contains these tensors")
        if self.of_shards and not self.everywhere:
            return Remedy("fetch the other shards or the whole checkpoint: no file contains these tensors")
        if self.everywhere and all(family.endswith(".bias") for family in self.families):
            other = "or, if the model has no such biases, state the architecture that has none in config.json"
            return Remedy(f"convert the model again: no file contains these tensors; {other}")
        again = restored(self.tensors, self.left_out)
        if self.kept is not None:
            alone = f'make {self.kept.key} the config.json, with "architectures": ["{self.kept.class_name}"]'
            names = f'remove "{self.kept.prefix}" from the start of every name'
            return Remedy(f"{again}; or, for the text model alone, {alone}, and {names}", choice=True)
        return Remedy(f"{again}; {of_other_type(self.complete_as)}" if self.complete_as else again)

    def after_loading(self, loader: str, outcome: str, because: str) -> Finding | None:
        """None if the loader finds every tensor under a name that the definition does not have."""
        return None if outcome == "complete" else self


class PartOfAnotherKind(ContentFinding, frozen=True, kw_only=True):
    """A part of the model is stored as another kind of module than the config's.

    What it means
        All differences are inside one part, such as the projector of a vision model, which has other modules than
        the architecture defines: it is of another release or kind (linear instead of two layers, a resampler).

    Why it matters
        Loaders leave the expected modules random and ignore the stored ones.

    Example
        error[N428] part-of-another-kind: multi_modal_projector
          expected  linear_1.weight [48, 72], linear_1.bias [48], linear_2.weight [48,
                    48], linear_2.bias [48]
          stored    weight [48, 72], bias [48]
          help      use the config and the class that this part was saved with

    What to do
        Use the config and the class that the part was saved with, or take the part from the original checkpoint.
    """

    code = "N428"

    part: str
    family: str | None = None
    expected: tuple[str, ...]
    stored: tuple[str, ...]
    tensors: int
    key: str | None = None
    claimed: str | None = None
    fitting: tuple[str, ...] = ()
    more: bool = False

    def headline(self) -> str:
        return f"{self.part} holds the weights of {self.family}" if self.family else self.part

    def rows(self) -> Rows:
        rows = [("expected", listed(self.expected, 4)), ("stored", listed(self.stored, 4))]
        if self.key is not None:
            rows.append(("config", f'"{self.key}" is "{self.claimed}"'))
        return [row for row in rows if row[1]]

    def remedy(self) -> Remedy:
        if self.key is None:
            return Remedy("use the config and the class that this part was saved with")
        types = [f'"{one}"' for one in self.fitting]
        fitting = f"{types[0]} and other types" if self.more else " and ".join(types)
        words = f'set "{self.key}" to the type that this part was saved with'
        return Remedy(f"{words}: all names and shapes fit with {fitting}, which compute differently")


def _shown(one: KeyValues) -> str:
    """The value of the weights; if other keys explain them as well, a value that depends on these."""
    return f"{value(one.solved)} fits, or other keys instead" if one.others else f"{value(one.solved)} in the weights"


def _stated(one: KeyValues) -> str:
    return f"{value(one.stated)} {'by default' if one.absent else 'in the config'}"
