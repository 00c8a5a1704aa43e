"""Findings on whole layers or experts: missing ones, and those under wrong numbers."""

from __future__ import annotations

from typing import Any

import msgspec

from inspector.findings.finding import ContentFinding, Remedy, Rows, Step
from inspector.findings.words import listed, number, restored, value


class FewerLayers(msgspec.Struct, frozen=True, kw_only=True):
    """The config of a model without some layers that are missing.

    key: its number of layers, or a list with one entry for each layer; layers: the value without the layers. removed,
    numbers: the layers, in words and one by one. lists: further lists that then lack the entries of these layers.
    renumbered: (stored number, number in the smaller model) of the layers above a gap.
    """

    key: str
    layers: Any
    removed: str
    numbers: tuple[int, ...]
    lists: tuple[str, ...] = ()
    renumbered: tuple[tuple[int, int], ...] = ()

    def words(self) -> str:
        """What to do if the layers were removed on purpose."""
        key = self.key.rpartition(".")
        change = f'set "{self.key}": {value(self.layers)} in config.json'
        if self.lists:
            lists = listed([f'"{key[0]}{key[1]}{one}"' for one in self.lists])
            change = f"{change} and remove the entries of {self.removed} from {lists}"
        if not self.renumbered:
            return f"if the model has no {self.removed}, {change}"
        verb = "was" if len(self.numbers) == 1 else "were"
        moves = listed([f"{old} to {new}" for old, new in self.renumbered], 4)
        return f"if {self.removed} {verb} pruned, number the others in order ({moves}) and {change}"


class LayersMissing(ContentFinding, frozen=True, kw_only=True):
    """A whole layer or expert is missing.

    What it means
        All required tensors of a layer or expert are missing, while others of its kind are stored.

    Why it matters
        The model cannot run, or runs with random values in this layer.

    Example
        error[N404] layers-missing: layer 17
          within   model.layers.{layer}
          missing  9 tensors, 218,112,000 parameters
          present  layers 0-16, 18-31
          help     no file contains these tensors: take them from the original
                   checkpoint, or repair the conversion or the save that left them out;
                   or, if layer 17 was pruned, number the others in order (18 to 17, 19
                   to 18, 20 to 19, 21 to 20 and 10 more) and set "num_hidden_layers":
                   31 in config.json

    What to do
        Take its tensors from the checkpoint that was converted, trained or downloaded, or repair the conversion that
        dropped it: the files are complete without them, so that the same download has them no more. A program that
        saves or merges the text model alone drops the tower of images or sound, and the projector, each time: copy
        their tensors from the base model, if the training left them as they were, or else from the checkpoint of the
        training. If the layer was removed on purpose, the remaining ones need consecutive numbers, and the config their
        number. Where another module is stored in place of the missing part, as in hybrids of attention and state
        spaces, load the model with the code that builds it. The same holds where a key of the config lists the layers
        without the part, as programs write that drop attention or MLPs: nothing was lost.
        A component of diffusers without one whole module, with everything else complete, may be of a class of another
        project: CCSR's ControlNet, for example, reads latents and has no `controlnet_cond_embedding`. Its own code
        loads it.
    """

    code = "N404"

    what: str
    tensors: int
    parameters: int
    families: int
    present: str
    groups: int
    part: str | None
    fewer: tuple[FewerLayers, ...] = ()
    instead: str = ""
    """Another module, which is stored exactly where this part is missing."""
    listed_in: str = ""
    """A key of the config, unknown to its class, that lists exactly these layers."""
    also: tuple[str, ...] = ()
    """Further families that are missing there."""
    tower: bool = False
    """True for a whole tower of images or sound, or its projector, which many trainings leave as it was."""
    another_kind: str = ""
    """The class of diffusers, if all else fits it exactly: the weights may be of a class without this module."""
    left_out: tuple[str, ...] = ()
    """Files that the numbers in the names of the others leave out."""

    headline_text = "{what}"
    row_texts = (
        ("within", "{place.family}"),
        ("missing", "{tensors:count tensor}, {parameters} parameters"),
        ("also", "{also:listed}", "also"),
        ("instead", "{instead}.*", "instead"),
        ("because", "{listed_in} in config.json lists these layers", "listed_in"),
        ("present", "{present}", "present"),
        ("rest", "everything else is that of {another_kind}", "another_kind"),
    )

    def remedy(self) -> Remedy:
        if self.another_kind:
            return Remedy(
                "take this module from the original checkpoint, or repair the conversion or the save that left it out; "
                "if the model of its authors has no such module, load it with their code: diffusers would fill the "
                "module with random values"
            )
        if self.listed_in:
            code = f"load it with the code that reads {self.listed_in}, named by auto_map if it is in the folder"
            return Remedy(f"{code}: the class of transformers builds this part in every layer")
        if self.instead:
            code = f"load it with the code that builds {self.instead} in place of {self.part}"
            return Remedy(f"{code}: the class of the config has no such layers; or use the weights of that class")
        words = restored(self.tensors, self.left_out)
        if self.tower:
            words = (
                f"{words}; or, if the program that saved it leaves out {self.place.family}, copy "
                f"{'this tensor' if self.tensors == 1 else f'these {number(self.tensors)} tensors'} from the base "
                "model, or from the checkpoint of the training if they were trained, under the same names into one of "
                "its files, and into its index"
            )
        return Remedy("; or, ".join((words, *(one.words() for one in self.fewer))))

    @property
    def repeated_parts(self) -> int:
        """Number of missing families in several places or in each layer, which may be due to a switch or a list."""
        if self.place.indices and self.part is not None:
            return self.families
        return self.families * (self.groups - 1)


class LayersMisnumbered(ContentFinding, frozen=True, kw_only=True):
    """Layers or experts are stored under wrong numbers.

    What it means
        Layers or experts are missing, and as many with the same number of parameters are stored under numbers
        that the architecture does not have.

    Why it matters
        Loaders use random values for the missing numbers and ignore the stored ones.

    Example
        error[N425] layers-misnumbered: layer 17 stored as layer 40 (likely)
          within   model.layers.{layer}
          tensors  9, 218,112,000 parameters
          first    model.layers.40.input_layernorm.weight
          help     renumber layer 40 to layer 17 if the two match

    What to do
        Compare them with the source, and renumber the tensors.
    """

    code = "N425"

    missing: str
    stored: str
    shift: int | None
    tensors: int
    parameters: int
    families: tuple[str, ...]
    names: tuple[str, ...]
    renumbered: tuple[tuple[int, int], ...] = ()
    module: str = ""

    def rows(self) -> Rows:
        below = f"{self.place.family}.{self.module}" if self.module else str(self.place.family)
        tensors = f"{self.tensors:,}, {self.parameters:,} parameters"
        return [("within", below), ("tensors", tensors), ("first", self.names[0])]

    def headline(self) -> str:
        if self.module and self.shift is not None:
            return (
                f"the layer numbers of {self.module} are {abs(self.shift):,} too {'high' if self.shift > 0 else 'low'}"
            )
        if self.shift is None:
            gaps = f"{self.missing} missing, {self.stored} stored: the numbers have gaps"
            return gaps if self.renumbered else f"{self.missing} stored as {self.stored}"
        return f"all numbers are {abs(self.shift):,} too {'high' if self.shift > 0 else 'low'}"

    def remedy(self) -> Remedy:
        below = str(self.place.family).rpartition(".")[0]
        rest = f"{self.module}.*" if self.module else "*"
        steps = tuple(
            Step(action="rename", old=f"{below}.{old}.{rest}", new=f"{below}.{new}.{rest}")
            for old, new in self.renumbered
        )
        if self.renumbered and self.shift is None:
            changes = listed([f"{old} to {new}" for old, new in self.renumbered], 4)
            return Remedy(f"number the layers in their order: {changes}", steps)
        if self.shift is None:
            return Remedy(f"renumber {self.stored} to {self.missing} if the two match")
        change = f"subtract {self.shift:,} from" if self.shift > 0 else f"add {-self.shift:,} to"
        where = f"after {below.rpartition('.')[2]} " if "{" in below else ""
        if self.module:
            where = f"before .{self.module}. "
        return Remedy(f"{change} each number {where}in the names", steps)
