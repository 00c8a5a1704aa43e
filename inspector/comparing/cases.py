"""Cases: findings with the families that they explain, and names for the places on both sides."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from inspector.algebra.boxes import Box, count
from inspector.comparing.names import FileNames
from inspector.comparing.pieces import Identity, Piece, Side
from inspector.comparing.tally import Carried, Tally
from inspector.comparing.ties import is_unsettled, is_untied
from inspector.findings.finding import Finding
from inspector.notation.roles import label
from inspector.reconciler.wording import family_name

DROPPED, INVENTED = "dropped", "invented"


class Case(Struct, frozen=True):
    """A finding, and the families of source and target that it explains; findings of the audits on these are not
    repeated.
    """

    finding: Finding
    source: frozenset[str]
    target: frozenset[str]


class OpenTensors(Struct):
    """Tensors of one side that no cause explains yet."""

    piece: Piece
    boxes: tuple[Box, ...]

    @property
    def parameters(self) -> int:
        return count(self.boxes) * self.piece.elements


class Namer:
    """Words for places: roles, indices, names in the files, and families on either side."""

    __slots__ = ("after", "before", "found", "keys", "source", "target")

    def __init__(self, source: Side, target: Side, found: Tally) -> None:
        self.source, self.target, self.found = source, target, found
        self.before, self.after = FileNames(source.audited), FileNames(target.audited)
        self.keys = [{key for listed in side.expected.values() for key in listed} for side in (source, target)]

    def names(self, kind: str) -> FileNames:
        return self.before if kind == DROPPED else self.after

    def is_unsettled(self, kind: str, piece: Piece) -> bool:
        """True if it is unknown whether a tensor of one side is a copy of a tensor that both sides have."""
        own, other = (self.source, self.target) if kind == DROPPED else (self.target, self.source)
        return is_unsettled(own, other, piece)

    def is_copied(self, kind: str, identity: Identity) -> bool:
        """True if the side that lacks a tensor as a parameter has it as a copy."""
        side = self.target if kind == DROPPED else self.source
        return any((one.identity.role, one.identity.tensor) == (identity.role, identity.tensor) for one in side.copies)

    def is_untied(self, kind: str) -> bool:
        """True if the config of the side that lacks parameters states that nothing is tied."""
        return is_untied((self.target if kind == DROPPED else self.source).audited)

    def is_stored(self, kind: str, name: str) -> bool:
        """True if the side that lacks parameters has a tensor of this name."""
        side = self.target if kind == DROPPED else self.source
        return name in side.audited.checkpoint.tensors

    def siblings(self, kind: str, identity: Identity) -> list[Piece]:
        """Pieces with this identity on the side that lacks the tensors."""
        both = [one for one in self.found.carried if one.identity == identity]
        return [one.target if kind == DROPPED else one.source for one in both]

    def expected(self, kind: str, open_: OpenTensors) -> list[str]:
        """The names that the missing tensors would have on the side that lacks them, if known."""
        names = self.after if kind == DROPPED else self.before
        siblings = self.siblings(kind, open_.piece.identity)
        if siblings:
            return names.of(siblings[0], open_.boxes)
        return [names.spelled(family_name(key)) for key in self.families(kind, open_)[:3]]

    def families(self, kind: str, open_: OpenTensors) -> list[str]:
        """The families in which the missing tensors would be stored on the side that lacks them."""
        side = self.target if kind == DROPPED else self.source
        siblings = [piece.line.family for piece in self.siblings(kind, open_.piece.identity)]
        own = replace(open_.piece.identity, place="") if open_.piece.row else open_.piece.identity
        found = [*siblings, *side.expected.get(own, ())]
        family = open_.piece.line.family
        if family in self.keys[side is self.target]:
            found.append(family)
        return list(dict.fromkeys(found))


def case_of(kind: str, finding: Finding, opened: Sequence[OpenTensors], namer: Namer) -> Case:
    own = frozenset(one.piece.line.family for one in opened)
    other = frozenset(family for one in opened for family in namer.families(kind, one))
    source, target = (own, other) if kind == DROPPED else (other, own)
    return Case(finding, source, target)


def key_of_identity(identity: Identity) -> str:
    """The position of a role in a model, as a key with a `#` for each index."""
    within = (identity.component, *identity.scope, identity.tower)
    leaf = f"{identity.role}/{identity.tensor}/{identity.place}".replace(".", "/")
    return ".".join([*filter(None, within), *(f"{axis}.#" for axis in identity.axes), leaf])


def roles_of(opened: Iterable[OpenTensors]) -> list[str]:
    return list(dict.fromkeys(role_of(one.piece) for one in opened))


def role_of(piece: Piece) -> str:
    """A piece's role in words: 'attention query bias'."""
    role = label(piece.identity.role) if piece.identity.role else family_name(piece.line.family)
    tensor = piece.identity.tensor
    return role if tensor == "weight" or role.endswith(tensor) or not piece.identity.role else f"{role} {tensor}"


def families_of_members(members: Sequence[Carried]) -> tuple[frozenset[str], frozenset[str]]:
    return frozenset(one.source.line.family for one in members), frozenset(one.target.line.family for one in members)
