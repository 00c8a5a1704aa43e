"""The finding on names that lost their first characters."""

from __future__ import annotations

from msgspec import Struct

from inspector.findings.finding import ContentFinding, Remedy, Step


class OddName(Struct, frozen=True):
    """A name that lost other characters than most, as it is stored and as the model has it."""

    stored: str
    name: str


class NamesCut(ContentFinding, frozen=True, kw_only=True):
    """All tensor names lack the same number of first characters.

    What it means
        Each name is the end of a name of a known model. A program removed the prefix of a wrapper by its length from
        names that did not have this prefix.

    Why it matters
        No loader finds any of its names: every parameter keeps a random value, or the file is refused.

    Example
        error[N683] names-cut: the first 10 characters of the names of llama are missing
          tensors  30
          such as  model.laye, of most names
          help     put them back: "model.laye" + key; "ight" is lm_head.weight;
                   "d_tokens.weight" is model.embed_tokens.weight; ".weight" is
                   model.norm.weight; or save the model again

    What to do
        Put the characters back in front of the names, or save the model again without cutting its names.
    """

    code = "N683"

    model_type: str
    characters: int
    usual: str
    """What most names lost."""
    odd: tuple[OddName, ...]
    equal: int
    """Number of names that several names of the model may have become: of those, one tensor is left."""
    tensors: int

    headline_text = "the first {characters} characters of the names of {model_type} are missing"
    row_texts = (
        ("tensors", "{tensors}"),
        ("such as", "{usual}, of most names"),
        ("equal", "{equal:count name} may be those of several tensors, of which one was kept", "equal"),
    )

    def remedy(self) -> Remedy:
        if self.equal:
            return Remedy("save the model again without cutting its names: names that became equal replaced each other")
        others = [f'"{one.stored}" is {one.name}' for one in self.odd]
        words = "; ".join([f'put them back: "{self.usual}" + key', *others, "or save the model again"])
        steps = [Step(action="rename", old=_pattern(one.stored), new=_pattern(one.name)) for one in self.odd]
        return Remedy(words, (*steps, Step(action="rename", old="*", new=f"{self.usual}*")))


def _pattern(key: str) -> str:
    """The key of a family as the pattern of a change of names."""
    return key.replace("#", "*")
