"""The renaming of a file's tensors to those of the model, as in transformers 5 and 4.57.

Source: transformers 5.23, `core_model_loading.py` (`WeightTransform`, `rename_source_key`,
`convert_and_load_state_dict_in_model`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence

from msgspec import Struct


class Transform(Struct, frozen=True):
    """A renaming, or a converter that computes tensors of the model from one or more of the file.

    kind: "rename", "group" (a renaming that only applies where its first source occurs), "offset", "convert". pattern:
    a group `g0`, `g1` ... for each source. scope: the prefix below which it applies, None for everywhere. base: the
    prefix that may precede the scope. offset: number that is added to an index.
    """

    kind: str
    pattern: re.Pattern[str]
    targets: tuple[str, ...]
    scope: str | None = None
    base: str = ""
    offset: int = 0

    def matched(self, name: str) -> tuple[str, str, re.Match[str]] | None:
        """(the prefix outside of the scope, the rest of the name, the match); None if the transform does not apply."""
        prefix = ""
        if self.scope is not None:
            scope = f"{self.scope}." if self.scope else ""
            base = f"{self.base}." if self.base else ""
            prefix = next((one for one in (base + scope, scope) if name.startswith(one)), None) or ""
            if not name.startswith(scope) and not name.startswith(base + scope):
                return None
        found = self.pattern.search(name[len(prefix) :])
        return None if found is None else (prefix, name[len(prefix) :], found)

    def renamed(self, name: str, begun: Collection[int] = ()) -> tuple[str, int | None]:
        """(the new name, the number of the matching source). begun: identities of groups that apply."""
        matched = self.matched(name)
        if matched is None:
            return name, None
        prefix, inner, found = matched
        group = next(key for key, value in found.groupdict().items() if value is not None)
        source, first = int(group[1:]), self.pattern.groupindex[group]
        if self.kind == "group":
            if source and id(self) not in begun:
                return name, None
            text = re.sub(r"\\(\d+)", lambda back: found.group(first + int(back[1])), self.targets[source])
        elif self.kind == "offset":
            text = self.targets[0].replace(r"\1", str(int(found.group(first + 1)) + self.offset))
        else:
            text = self.targets[0]
            if r"\1" in text:
                text = text.replace(r"\1", found.group(first + 1))
        return prefix + inner.replace(found.group(0), text, 1), source


class Renamed(Struct, frozen=True):
    """The tensors of the model that a tensor of the file becomes. source: number of the converter's source, if any."""

    names: tuple[str, ...]
    converter: Transform | None = None
    source: int = 0


def renamed(
    name: str,
    transforms: Sequence[Transform],
    prefix: str,
    held: Callable[[str], bool],
    begun: Collection[int] = (),
) -> Renamed:
    """The renamed name. prefix: the model's base prefix. held: True for names of tensors that the model has."""
    new, converter, source = name, None, 0
    for one in transforms:
        if one.kind != "convert":
            new = one.renamed(new, begun)[0]
    for one in transforms:
        if one.kind == "convert":
            changed, number = one.renamed(new)
            if number is not None:
                new, converter, source = changed, one, number
                break
    new = based(new, prefix, held)
    if not held(new) and held(name):
        new, converter = based(name, prefix, held), None
    if converter is None or len(converter.targets) == 1:
        return Renamed((new,), converter, source)
    first = converter.targets[0]
    return Renamed(tuple(new.replace(first, target) for target in converter.targets), converter, source)


def based(name: str, prefix: str, held: Callable[[str], bool]) -> str:
    """A name with the base prefix removed or added, if the model has a tensor of that name."""
    if not prefix:
        return name
    bare = re.sub(f"^{prefix}.", "", name, count=1)
    if name.startswith(prefix) and held(bare):
        return bare
    return f"{prefix}.{name}" if held(f"{prefix}.{name}") else name


LEGACY = (
    ("LayerNorm.beta", "LayerNorm.bias"),
    ("LayerNorm.gamma", "LayerNorm.weight"),
    ("weight_g", "parametrizations.weight.original0"),
    ("weight_v", "parametrizations.weight.original1"),
)
"""Ends of names and their replacements in transformers 4.57 (`_fix_state_dict_key_on_load`)."""


def older_name(name: str, mapping: Mapping[str, str]) -> str:
    """A name after the renamings of transformers 4.57."""
    new = next((name.replace(old, now) for old, now in LEGACY if name.endswith(old)), name)
    for pattern, replacement in mapping.items():
        new, changed = re.subn(pattern, replacement, new)
        if changed:
            break
    return new
