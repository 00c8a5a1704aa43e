"""The finding on the prefix of torch's data parallel wrappers before names that no definition has."""

from __future__ import annotations

from inspector.findings.finding import ContentFinding, Remedy, Step


class PrefixOfParallel(ContentFinding, frozen=True, kw_only=True):
    """All names, or all of one part, begin with the prefix of torch's data parallel wrappers.

    What it means
        `DataParallel` and `DistributedDataParallel` keep the model as `module`. The state dict is that of the wrapper
        and not that of the model inside it. No definition has these names, so that nothing else was checked.

    Why it matters
        `load_state_dict` of the model itself raises an error; with `strict=False` it finds none of the names and keeps
        random values without one. Some programs remove the prefix.

    Example
        note[N758] prefix-of-parallel: module. before all 3 names
          such as  module.perceiver.latents
          loader   load_state_dict of the model raises; with strict=False it loads none
                   of them
          help     unless the program that reads it removes the prefix, rename:
                   key.removeprefix("module.")

    What to do
        Rename the tensors, or save `model.module.state_dict()`.
    """

    code = "N758"
    severity = "note"
    advises = True

    prefix: str
    part: str = ""
    """The part of the file before the prefix; "" if all names begin with it."""
    tensors: int
    such_as: str

    row_texts = (
        ("such as", "{such_as}"),
        ("loader", "load_state_dict of the model raises; with strict=False it loads none of them"),
    )

    def headline(self) -> str:
        names = f"{self.tensors:,} names"
        return (
            f"{self.prefix} before all {names} below {self.part}" if self.part else f"{self.prefix} before all {names}"
        )

    def remedy(self) -> Remedy:
        step = Step(action="rename", old=f"{self.part}{self.prefix}*", new=f"{self.part}*")
        old = f'key.removeprefix("{self.prefix}")'
        if self.part:
            old = f'key.replace("{self.part}{self.prefix}", "{self.part}")'
        return Remedy(f"unless the program that reads it removes the prefix, rename: {old}", (step,))
