"""What names and shapes show of a config: for definitions whose sizes are lists, one entry a stage.

A definition with `shows=` says for a config key where its value can be seen, were the config not there. Each text is a
list of family keys (`down_blocks.#.resnets.#.conv2.weight`), those of one kind, so that a lost or misshapen tensor
does not decide. What is found is a hypothesis only: the definition bound with it must fit what is stored.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

NEUTRAL = "neutral"


class Shown(Struct, frozen=True):
    """Where a value can be seen. how: the function of this module that made it, where each is explained."""

    how: str
    keys: tuple[str, ...] = ()
    axis: int = 0
    others: tuple[str, ...] = ()
    words: Mapping[str, object] = {}
    value: object = None
    parts: tuple[Shown, ...] = ()


def dim(keys: str, axis: int) -> Shown:
    """The commonest length of an axis; nothing where no such tensor is stored."""
    return Shown("dim", tuple(keys.split()), axis)


def dim_or_null(keys: str, axis: int) -> Shown:
    """As `dim`, but null where no such tensor is stored."""
    return Shown("dim", tuple(keys.split()), axis, words={"": None})


def dims(keys: str, axis: int, *, every: int = 1, turned: bool = False) -> Shown:
    """A list: the commonest length of an axis at each (or every n-th) first index. turned: the last index first."""
    return Shown("dims", tuple(keys.split()), axis, value=-1 if turned else every)


def dim_or_dims(keys: str, axis: int, *, stages: str, middle: str) -> Shown:
    """As `dims`, but one number where all agree; a last stage without one has the middle's."""
    others = (Shown("", tuple(stages.split())), Shown("", tuple(middle.split())))
    return Shown("dims", tuple(keys.split()), axis, words={"alike": True}, parts=others)


def numbers(keys: str, *, stages: str = "", middle: str = "", reverse_of: str = "", less: int = 0) -> Shown:
    """How many last indices there are at each first index of the stages, less so many; by second index if they differ.

    One number where all agree. Stages that have none have one; the last of them as many as `middle` has.
    reverse_of: null where the numbers are those of these keys, turned round.
    """
    parts = (Shown("", tuple(stages.split() or keys.split())), Shown("", tuple(reverse_of.split())))
    return Shown("numbers", tuple(keys.split()), others=tuple(middle.split()), parts=parts, value=less)


def word(words: Mapping[str, object], otherwise: object = None) -> Shown:
    """The word of the first key that is stored; `key/2` must be a matrix."""
    return Shown("word", words=words, value=otherwise)


def words(holders: str, at: Mapping[str, object], otherwise: object, *, turned: bool = False) -> Shown:
    """A list: at each first index of the holders, the word of the first key (or keys, `one and other`) stored there.

    turned: the last index first.
    """
    return Shown("words", tuple(holders.split()), int(turned), words=at, value=otherwise)


def indices(keys: str) -> Shown:
    """A list of the first indices."""
    return Shown("indices", tuple(keys.split()))


def there(keys: str) -> Shown:
    """Whether any of the keys is stored."""
    return Shown("there", tuple(keys.split()))


def flat(keys: str) -> Shown:
    """Whether the tensors are matrices."""
    return Shown("flat", tuple(keys.split()))


def unlike(keys: str, axis: int, others: str, word: object = True, otherwise: object = False) -> Shown:
    """At each first index, whether an axis is otherwise long than the first of other tensors."""
    return Shown("unlike", tuple(keys.split()), axis, tuple(others.split()), {"": word}, otherwise)


def listed(*parts: Shown) -> Shown:
    """One list of several."""
    return Shown("listed", parts=parts)


def neutral(value: object) -> Shown:
    """A value that leaves the shapes as the other keys have them: the weights do not show it."""
    return Shown(NEUTRAL, value=value)
