"""Findings on prefixes of all names, including those of wrappers."""

from __future__ import annotations

from typing import Final

import msgspec

from inspector.findings.finding import ContentFinding, Finding, Remedy, Step


class BelowPrefix(ContentFinding, frozen=True, kw_only=True):
    """A prefix of tensor names. inside: it is not at their beginning. wrapper: the wrapper that added it, if known.

    tensors: number of tensors with the prefix. without: number without it.
    """

    prefix: str
    inside: bool
    wrapper: str = msgspec.field(name="from")
    tensors: int
    without: int


PADDLE: Final = "PaddlePaddle"
"""The framework whose code of ERNIE has a prefix of its own, and the matrices transposed."""


class PrefixOnNames(BelowPrefix, frozen=True, kw_only=True):
    """Unexpected prefix in tensor names.

    What it means
        A wrapper (torch.compile, DataParallel, FSDP, PEFT) was saved instead of the model inside it. Its prefix
        was added to all names, or to those of one submodel. The repositories of ERNIE 4.5 for PaddlePaddle have the
        prefix `ernie.`, and its matrices are transposed.

    Why it matters
        A loader looks up the names without the prefix, finds none, and uses random values.

    Example
        error[N402] prefix-on-names: _orig_mod.
          from     torch.compile
          tensors  291
          help     save the inner model, or rename: key.removeprefix("_orig_mod.")

    What to do
        Save the inner model (`model._orig_mod`, `model.module`, `merge_and_unload()`), or rename the tensors. Where a
        class of one's own has the base model under another name than the class of the library, give the names the
        prefix of that class.
    """

    code = "N402"

    root: str = ""
    other_type: str = ""
    """The model type whose own names these are, if the config fits it as well."""
    other_class: str = ""
    others: tuple[tuple[str, str], ...] = ()
    """Further prefixes, and the part of the model that each of them is before."""
    renames: tuple[tuple[str, str], ...] = ()
    """Stored and expected names, or patterns, of the parts below these."""

    headline_text = "{prefix}"
    row_texts = (
        ("from", "{wrapper:or an unknown wrapper}"),
        ("and", "{other_parts:joined}", "others"),
        ("tensors", "{tensors}"),
        ("without", "{without:count other tensor}", "without"),
        ("where", "inside the names", "inside"),
        ("or", "the names of {other_type}, which the config fits as well", "other_type"),
    )

    @property
    def other_parts(self) -> tuple[str, ...]:
        """The further prefixes in words."""
        return tuple(f"{prefix} before {part}" for prefix, part in self.others)

    @classmethod
    def milder(cls) -> type[Finding] | None:
        return PrefixReadPast

    def remedy(self) -> Remedy:
        if self.other_type:
            state = f'set "model_type": "{self.other_type}" and "architectures": ["{self.other_class}"] in config.json'
            own = f'if a class of one\'s own names this model so, begin the names with "{self.root}" in its place'
            return Remedy(f"if the weights are {self.other_type}'s, {state}; {own}")
        if self.root:
            also = "".join(f', and those of {part} in place of "{prefix}"' for prefix, part in self.others)
            words = f'begin these names with "{self.root}" in place of "{self.prefix}"{also}, as the class does'
            others = (Step(action="rename", old=stored, new=expected) for stored, expected in self.renames)
            return Remedy(words, (*others, Step(action="rename", old=f"{self.prefix}*", new=f"{self.root}*")))
        if self.wrapper == PADDLE:
            words = "take the repository of this model whose name ends with -PT, which is made for transformers"
            step = Step(action="rename", old=f"{self.prefix}*", new="*")
            return Remedy(f'{words}; or rename: key.removeprefix("{self.prefix}")', (step,))
        prefixes = self.prefix.split(" and ")
        changes = (f'replace(".{one}", ".")' if self.inside else f'removeprefix("{one}")' for one in prefixes)
        words = f"save the inner model, or rename: key.{'.'.join(changes)}"
        if self.without and not self.wrapper:
            return Remedy(words)
        if not self.inside:
            return Remedy(words, (Step(action="rename", old=f"{self.prefix}*", new="*"),))
        steps: list[Step] = []
        for one in prefixes:
            steps.append(Step(action="rename", old=f"*.{one}*", new="*.*"))
            steps.append(Step(action="rename", old=f"{one}*", new="*"))
        return Remedy(words, tuple(steps))


class PrefixOfMlxVlm(ContentFinding, frozen=True, kw_only=True):
    """The names have the prefix that mlx-vlm puts before those of every text model.

    What it means
        mlx-vlm 0.7 keeps each model as `language_model` and saves these names. The file is one of MLX, by its metadata
        or the quantization in the config.

    Why it matters
        mlx-vlm loads it completely. mlx-lm and transformers look for the names without the prefix, except in models
        that have it themselves.

    Example
        note[N631] prefix-of-mlx-vlm: language_model. before all names, as mlx-vlm saves
          them; mlx-lm does not read it
          tensors  36

    What to do
        Nothing, if mlx-vlm is to run the model. For mlx-lm convert the original checkpoint with mlx-lm, or remove the
        prefix.
    """

    code = "N631"
    severity = "note"

    prefix: str
    tensors: int

    headline_text = "{prefix} before all names, as mlx-vlm saves them; mlx-lm does not read it"
    row_texts = (("tensors", "{tensors}"),)


class PrefixReadPast(PrefixOnNames, frozen=True, kw_only=True):
    """All tensor names have a prefix that the folder's loader ignores.

    What it means
        All names begin with the name of a wrapping module. The loader for this folder tries the names with
        and without the base model's prefix, and loads every tensor.

    Why it matters
        Older versions and other programs do not find any of the names.

    Example
        note[N443] prefix-read-past: model.
          from     a wrapping module
          tensors  35
          help     nothing to do for the loader of this folder; for others, save the
                   inner model, or rename: key.removeprefix("model.")

    What to do
        Nothing for this loader; for others, save the inner model or rename the tensors. `inspector mend`
        renames them.
    """

    code = "N443"
    severity = "note"

    def remedy(self) -> Remedy:
        known = super().remedy()
        return Remedy(f"nothing to do for the loader of this folder; for others, {known.words}", known.steps)


class NamesBelowPrefix(BelowPrefix, frozen=True, kw_only=True):
    """The checkpoint is part of a larger model.

    What it means
        All names begin with the same prefix, like those of a module inside a model.

    Why it matters
        Nothing is wrong; the prefix is ignored.

    Example
        note[N415] names-below-prefix: encoder.attention.
          tensors  2

    What to do
        Nothing.
    """

    code = "N415"
    severity = "note"
    headline_text = "{prefix}"
    row_texts = (("tensors", "{tensors}"),)
