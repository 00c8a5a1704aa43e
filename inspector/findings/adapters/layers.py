"""Findings on the layers of an adapter, compared with each other."""

from __future__ import annotations

from inspector.findings.finding import Finding


class AdapterLayerOdd(Finding, frozen=True, kw_only=True):
    """Some layers lack an adapter module that all others have.

    What it means
        Without its base, the layers of an adapter are compared with each other: some inner layers have no
        tensor of a module that the others have.

    Why it matters
        The adapter has no effect in these layers, and loaders do not report it.

    Example
        warning[A909] adapter-layer-odd: model.layers.{layer}.self_attn.v_proj (likely)
          missing  layers 7, 9
          others   30 of 32 layers have it
          help     audit it with --base; download or save the adapter again if the base
                   has this module

    What to do
        Audit the adapter with its base; download or save it again if the base has the module in these layers.
    """

    code = "A909"
    severity = "warning"

    module: str | None
    modules: int
    agreeing: int
    siblings: int
    layers: str

    headline_text = "{place.name}"
    row_texts = (("missing", "{layers}"), ("others", "{agreeing} of {siblings} layers have it"))
    remedy_text = "audit it with --base; download or save the adapter again if the base has this module"
