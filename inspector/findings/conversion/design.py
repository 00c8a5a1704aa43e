"""Changes of a model's design: another class, experts instead of an MLP, layers that were repeated or left out."""

from __future__ import annotations

import msgspec

from inspector.findings.finding import Finding, Remedy, Rows
from inspector.findings.words import count, listed, number


class ClassChanged(Finding, frozen=True, kw_only=True):
    """The two sides are of different classes of one architecture.

    What it means
        All that differs are the heads and poolers that only one of the two classes has. What both classes have is
        carried. Tensors that only the target's class has do not come from the source.

    Why it matters
        A head that was not trained is random. A generating model that was loaded as its base class and saved again has
        lost its head.

    Example
        error[V851] class-changed: BertForMaskedLM became BertModel
          dropped  cls.predictions.transform.dense.weight,
                   cls.predictions.transform.dense.bias and 3 more: 2,544 parameters
          added    pooler.dense.weight, pooler.dense.bias: 2,352 parameters
          help     no action needed if BertModel was intended and what was added is
                   trained; else convert again as BertForMaskedLM

    What to do
        Nothing if the change was intended and the new tensors are trained; otherwise load the source with its own
        class and convert again.
    """

    code = "V851"

    source: str
    target: str
    dropped: int
    added: int
    dropped_tensors: int
    added_tensors: int
    dropped_names: tuple[str, ...]
    added_names: tuple[str, ...]

    def headline(self) -> str:
        return f"{self.source} became {self.target}"

    def rows(self) -> Rows:
        sides = (
            ("dropped", self.dropped, self.dropped_tensors, self.dropped_names),
            ("added", self.added, self.added_tensors, self.added_names),
        )
        return [
            (word, f"{_some(names, tensors)}: {count(parameters, 'parameter')}")
            for word, parameters, tensors, names in sides
            if tensors
        ]

    def remedy(self) -> Remedy:
        trained = " and what was added is trained" if self.added_tensors else ""
        return Remedy(f"no action needed if {self.target} was intended{trained}; else convert again as {self.source}")


def _some(names: tuple[str, ...], tensors: int) -> str:
    shown = names[:2]
    more = tensors - len(shown)
    return f"{', '.join(shown)} and {number(more)} more" if more > 0 else ", ".join(shown)


class MlpBecameExperts(Finding, frozen=True, kw_only=True):
    """Each expert of the target has the shape of the source's MLP.

    What it means
        The source has one MLP in these layers, the target several experts with matrices of the same shapes, and a
        router: a dense model was made into a mixture of experts. `holds`: what the values showed, where they were read.

    Why it matters
        Experts that are copies of the MLP compute the same until they are trained. The router does not come from the
        source.

    Example
        error[V852] mlp-became-experts: layers 0-3, 3 experts each
          source  12 tensors, 46,080 parameters
          target  36 tensors, 138,240 parameters
          router  4 tensors, 576 parameters
          help    no action needed if the model was made into a mixture of experts;
                  train its router before use

    What to do
        Nothing if this was intended; the router must be trained.
    """

    code = "V852"

    where: str
    experts: int
    roles: tuple[str, ...]
    dropped: int
    dropped_tensors: int
    added: int
    added_tensors: int
    router: int
    router_tensors: int
    names: tuple[str, ...]
    holds: str = ""

    def headline(self) -> str:
        return f"{self.where}, {number(self.experts)} experts each"

    def rows(self) -> Rows:
        rows = [
            ("source", f"{count(self.dropped_tensors, 'tensor')}, {count(self.dropped, 'parameter')}"),
            ("target", f"{count(self.added_tensors, 'tensor')}, {count(self.added, 'parameter')}"),
            ("router", f"{count(self.router_tensors, 'tensor')}, {count(self.router, 'parameter')}"),
        ]
        return [*rows, ("values", self.holds)] if self.holds else rows

    def remedy(self) -> Remedy:
        return Remedy("no action needed if the model was made into a mixture of experts; train its router before use")


class LayerHolds(msgspec.Struct, frozen=True):
    """Adjacent layers of the target with the values of adjacent layers of the source, as first and last number."""

    target: tuple[int, int]
    source: tuple[int, int]


class LayersRearranged(Finding, frozen=True, kw_only=True):
    """Layers of the target hold the values of other layers of the source.

    What it means
        Each of these layers of the target is, value by value, a layer of the source with another number: layers were
        repeated, left out or put in another order. `unused`: layers of the source that are nowhere in the target.

    Why it matters
        A model with repeated or fewer layers computes something else than the source.

    Example
        error[V853] layers-rearranged: layers 2-4 of the target
          holds    layers 2-4 are layers 1-3 of the source
          tensors  27
          help     no action needed if layers were repeated or removed intentionally;
                   else convert again from the source

    What to do
        Nothing if the layers were repeated or removed intentionally; otherwise convert again.
    """

    code = "V853"

    place_of: str
    holds: tuple[LayerHolds, ...]
    unused: str
    tensors: int
    names: tuple[str, ...]

    def headline(self) -> str:
        return f"{self.place_of} of the target"

    def rows(self) -> Rows:
        rows = [("holds", listed([_pair(one) for one in self.holds], 4)), ("tensors", number(self.tensors))]
        return [*rows, ("left out", f"{self.unused} of the source")] if self.unused else rows

    def remedy(self) -> Remedy:
        return Remedy(
            "no action needed if layers were repeated or removed intentionally; else convert again from the source"
        )


def _pair(one: LayerHolds) -> str:
    (first, last), (own, end) = one.target, one.source
    if first == last:
        return f"layer {first} is layer {own} of the source"
    return f"layers {first}-{last} are layers {own}-{end} of the source"
