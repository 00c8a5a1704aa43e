"""Findings on models that were pruned layer by layer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from inspector.findings.finding import ContentFinding, Rows
from inspector.findings.words import listed

REMEDY: Final = "load it with the program that pruned it, or take the original weights"
_MOST: Final = 8
"""Most numbers that are shown, each with its layers."""


class LayerHeads(msgspec.Struct, frozen=True):
    """Layers and the number of attention heads that they have."""

    layers: str
    heads: int

    @property
    def number(self) -> int:
        """The number of heads."""
        return self.heads


class HeadsPruned(ContentFinding, frozen=True, kw_only=True):
    """Attention heads were pruned from some layers.

    What it means
        Query, key, value and output matrices of some layers have fewer heads than the config states, and the same
        number in each of these matrices. Everything else is as expected.

    Why it matters
        Loaders build every layer with the configured number of heads and fail on the shapes.

    Example
        error[D504] heads-pruned: layers 3, 7
          heads     24 of 32 in layer 3; 28 of 32 in layer 7
          families  2: model.layers.{layer}.self_attn.q_proj.weight,
                    model.layers.{layer}.self_attn.o_proj.weight
          help      load it with the program that pruned it, or take the original
                    weights

    What to do
        Load the model with the program that pruned it (BERT's config may list `pruned_heads`, which transformers 4
        reads), or use the weights before pruning.
    """

    code = "D504"

    heads: int
    stored: tuple[LayerHeads, ...]
    families: tuple[str, ...]
    tensors: int

    headline_text = "{place.indices:or all layers}"
    remedy_text = REMEDY

    def rows(self) -> Rows:
        return [("heads", _in_layers(self.heads, self.stored)), _families(self.families)]


class LayerWidth(msgspec.Struct, frozen=True):
    """Layers and the inner width of their MLPs."""

    layers: str
    width: int

    @property
    def number(self) -> int:
        """The width."""
        return self.width


class MlpsPruned(ContentFinding, frozen=True, kw_only=True):
    """The MLPs of some layers have another inner width.

    What it means
        The matrices of the MLP agree with each other in each layer, on a width that is not the configured one and not
        the same in all layers: the model was pruned layer by layer. Everything else is as expected.

    Why it matters
        Loaders build every layer with the configured width and fail on the shapes.

    Example
        error[D506] mlps-pruned: layers 3, 7
          width     9216 of 14336 in layer 3; 7168 of 14336 in layer 7
          families  3: model.layers.{layer}.mlp.down_proj.weight,
                    model.layers.{layer}.mlp.gate_proj.weight and 1 more
          help      load it with the program that pruned it, or take the original
                    weights

    What to do
        Load the model with the program that pruned it, whose class builds each layer in its own width, or use the
        weights before pruning.
    """

    code = "D506"

    width: int
    stored: tuple[LayerWidth, ...]
    families: tuple[str, ...]
    tensors: int

    headline_text = "{place.indices:or all layers}"
    remedy_text = REMEDY

    def rows(self) -> Rows:
        return [("width", _in_layers(self.width, self.stored)), _families(self.families)]


class BlocksRemoved(msgspec.Struct, frozen=True):
    """The layers from which a block was removed wholly."""

    block: str
    layers: str


class LayersPruned(ContentFinding, frozen=True, kw_only=True):
    """The layers were pruned to different sizes: heads, MLP widths, whole blocks.

    What it means
        The tensors of each layer agree on a number of heads and on the width of the MLP, and these are smaller than
        the config states and not the same in all layers. Blocks may be absent from some layers, and the hidden size
        may be narrower everywhere: the model was pruned, as LLM-Pruner or CoFi does it. Everything else is as
        expected.

    Why it matters
        Loaders build every layer with the numbers of the config and fail on the shapes; no numbers fit all layers.

    Example
        error[D510] layers-pruned: layers 3, 7
          heads     24 of 32 in layer 3; 28 of 32 in layer 7
          width     9216 of 14336 in layer 3; 7168 of 14336 in layer 7
          families  5: model.layers.{layer}.self_attn.q_proj.weight,
                    model.layers.{layer}.self_attn.o_proj.weight and 3 more
          help      load it with the program that pruned it, whose class takes the
                    widths of each layer, or take the original weights; no values of the
                    config fit all layers

    What to do
        Load the model with the code of the program that pruned it, or with a class that takes the widths of each
        layer (LLM-Pruner saves the model object for this, CoFi has a class of its own), or use the weights before
        pruning. Editing the config does not help: the class cannot hold layers of different widths.
    """

    code = "D510"

    hidden: int | None = None
    stored_hidden: int | None = None
    heads: int | None = None
    stored_heads: tuple[LayerHeads, ...] = ()
    width: int | None = None
    stored_widths: tuple[LayerWidth, ...] = ()
    removed: tuple[BlocksRemoved, ...] = ()
    families: tuple[str, ...]
    tensors: int

    headline_text = "{place.indices:or all layers}"
    remedy_text = (
        "load it with the program that pruned it, whose class takes the widths of each layer, or take the original "
        "weights; no values of the config fit all layers"
    )

    def rows(self) -> Rows:
        rows: Rows = []
        if self.hidden is not None:
            rows.append(("hidden", f"{self.stored_hidden} of {self.hidden}"))
        if self.heads is not None:
            rows.append(("heads", _in_layers(self.heads, self.stored_heads)))
        if self.width is not None:
            rows.append(("width", _in_layers(self.width, self.stored_widths)))
        if self.removed:
            rows.append(("removed", "; ".join(f"{one.block} of {one.layers}" for one in self.removed)))
        return [*rows, _families(self.families)]


def _in_layers(configured: int, stored: Sequence[LayerHeads | LayerWidth]) -> str:
    """In words: how many of the configured number exist in which layers."""
    shown = "; ".join(f"{one.number} of {configured} in {one.layers}" for one in stored[:_MOST])
    return shown + (f" and {len(stored) - _MOST:,} more" if len(stored) > _MOST else "")


def _families(families: Sequence[str]) -> tuple[str, str]:
    return "families", f"{len(families)}: {listed(families, 2)}"
