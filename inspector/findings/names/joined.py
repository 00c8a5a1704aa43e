"""The finding on projections that are stored joined although the class has them separately, or the reverse."""

from __future__ import annotations

import msgspec

from inspector.findings.finding import ContentFinding, Remedy, Rows
from inspector.findings.words import count, listed, number


class JointProjection(msgspec.Struct, frozen=True):
    """A joint matrix and the matrices that it consists of, with their shapes."""

    whole: str
    parts: tuple[str, ...]


class ProjectionsJoined(ContentFinding, frozen=True, kw_only=True):
    """Projections are stored in one matrix where the class has several, or the other way round.

    What it means
        Query, key and value (or gate and up) of a layer have the same input. Some programs store them as one matrix
        with all their outputs, others apart. These weights have the other form than the class of the config; nothing
        is lost. `joined`: whether they are stored in one matrix; `like`: another model type with exactly these names.

    Why it matters
        Loaders look for the names of their own form: they leave these projections randomly initialized and ignore
        the stored ones.

    Example
        error[N441] projections-joined: 3 projections are stored as one matrix, in 32
          tensors
          stored    model.layers.{layer}.self_attn.qkv_proj.weight [6144, 4096]
          expected  model.layers.{layer}.self_attn.q_proj.weight [4096, 4096],
                    model.layers.{layer}.self_attn.k_proj.weight [1024, 4096],
                    model.layers.{layer}.self_attn.v_proj.weight [1024, 4096]
          help      split each into its parts with the program that joined them: only it
                    knows the order of the rows

    What to do
        Convert the weights with the program that wrote them: headers do not show whether the rows of a joint matrix
        are query, key and value in turn or interleaved by head. If the weights are of the model type whose names they
        have, use its config. `inspector mend` never changes tensor data, and so does not split or join.
    """

    code = "N441"

    joined: bool
    joints: tuple[JointProjection, ...]
    tensors: int
    parameters: int
    like: str | None = None
    roles: dict[str, int] = msgspec.field(default_factory=dict)
    """Role that the definition expects -> parameters of it in the stored matrices."""

    def headline(self) -> str:
        stored = count(self.tensors, "tensor")
        parts = number(len(self.joints[0].parts))
        if len(self.joints) > 1:
            return f"projections are stored {'joined' if self.joined else 'apart'}, in {stored}"
        if self.joined:
            return f"{parts} projections are stored as one matrix, in {stored}"
        return f"a joint projection is stored as {parts}, in {stored}"

    def rows(self) -> Rows:
        wholes = listed([one.whole for one in self.joints], 4)
        parts = listed([part for one in self.joints for part in one.parts], 6)
        rows = [("stored", wholes), ("expected", parts)] if self.joined else [("stored", parts), ("expected", wholes)]
        return [*rows, ("names", f"those of {self.like}")] if self.like else rows

    def remedy(self) -> Remedy:
        if self.joined:
            return Remedy(
                "split each into its parts with the program that joined them: only it knows the order of the rows"
            )
        return Remedy("join them with the converter of this class: only it knows the order of the rows")


class ExpertsApart(ProjectionsJoined, frozen=True, kw_only=True):
    """The experts are stored one by one where the class has one tensor for all of them.

    What it means
        The class of the config keeps the matrices of all experts of a layer in one tensor. These weights have a matrix
        for each expert, as a quantization tool or a converter writes them; nothing is lost.

    Why it matters
        transformers looks for the tensor of all experts: it leaves the experts random and ignores the stored ones.

    Example
        error[N533] experts-apart: the experts are stored one by one, in 99 tensors
          stored    model.layers.{layer}.mlp.experts.{expert}.gate_proj.weight [92, 48],
                    model.layers.{layer}.mlp.experts.{expert}.up_proj.weight [92, 48],
                    model.layers.{layer}.mlp.experts.{expert}.down_proj.weight [48, 92]
          expected  model.layers.{layer}.mlp.input_linear.weight [11, 184, 48],
                    model.layers.{layer}.mlp.output_linear.weight [11, 48, 92]
          help      save them as one tensor for all experts of a layer with the program
                    that wrote them, or load them with a program that reads them apart

    What to do
        Save them as the class has them. `inspector mend` never changes tensor data, and so does not join.
    """

    code = "N533"

    def headline(self) -> str:
        return f"the experts are stored one by one, in {count(self.tensors, 'tensor')}"

    def remedy(self) -> Remedy:
        return Remedy(
            "save them as one tensor for all experts of a layer with the program that wrote them, or load them with "
            "a program that reads them apart"
        )
