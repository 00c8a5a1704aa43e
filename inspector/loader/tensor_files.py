"""The files of tensors, as a mapping that is built when first used."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping


class TensorFiles(Mapping[str, str]):
    """Tensor -> file, built on first access from the tensors of each file."""

    __slots__ = ("_files", "_stored")

    def __init__(self, stored: Mapping[str, Collection[str]]) -> None:
        self._stored = stored
        self._files: dict[str, str] = {}

    def _spelled(self) -> dict[str, str]:
        if not self._files:
            for file, names in self._stored.items():
                self._files.update(dict.fromkeys(names, file))
        return self._files

    def __getitem__(self, name: str) -> str:
        return self._spelled()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._spelled())

    def __len__(self) -> int:
        return sum(map(len, self._stored.values()))
