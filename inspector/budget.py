"""Limits the cost of one audit: steps of work, bytes held, requests.

Every loop whose length comes from a file spends steps of the running audit's budget. Steps are counted, never timed, so
that a verdict does not depend on the machine. Reading values and hashing, which a user requests, cost nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

STEPS: Final = 430_000
"""Steps of an audit, each up to five microseconds. Of 1,760 recorded checkpoints damaged at random (wrong keys, lost,
renamed and renumbered layers, another model's config, none) a video autoencoder of 126 tensors with blocks that are
numbered from 1 comes nearest, with 319,000; most take less than 10,000.
"""
STEPS_A_TENSOR: Final = 550
"""Additional steps for each stored tensor."""
MOST_FOR_TENSORS: Final = 390_000
"""Most additional steps for the tensors of an audit."""
FEW_TENSORS: Final = 2_000
"""A file with no more tensors, as that of every UNet, has the steps of the next two constants instead."""
STEPS_A_TENSOR_OF_FEW: Final = 1_400
"""Additional steps for each stored tensor: the UNet of Stable Diffusion 1.5 with its 686 tensors takes 963,000 under
the config of Stable Diffusion XL as diffusers 0.42 writes it, that of XL with its 1,680 tensors 1,077,000 under the
config of 1.5, DeepSeek-V3 with its 91,991 tensors 7,000 under its own. A search may take four fifths.
"""
MOST_FOR_FEW: Final = 960_000
BYTES: Final = 96_000_000
"""Most bytes that may be held for decoded data."""
BYTES_A_HEADER_BYTE: Final = 4
"""Bytes that may be held for each byte of the headers."""
HEADER_BYTES_A_STEP: Final = 64
_KEPT: Final = 5
"""A search leaves one part in this many of the steps to the audit: naming 16,000 misshapen tensors takes a sixth."""
REQUESTS: Final = 2_000
"""Most requests over a network. A repository of 191 shards takes about 400."""


class Exceeded(Exception):
    """Raised if the budget is spent. what: what was too large. resource: "work", "memory" or "requests"."""

    def __init__(self, what: str, resource: str) -> None:
        super().__init__(f"{what}: more {resource} than one audit may take")
        self.what, self.resource = what, resource


class Budget:
    """The remaining budget of one audit.

    reported: the excess that a finding reports. given_up: a search ended without a result.
    """

    __slots__ = ("bytes", "for_tensors", "given_up", "reported", "requests", "steps")

    def __init__(self, steps: int = STEPS, held: int = BYTES, requests: int = REQUESTS) -> None:
        self.steps, self.bytes, self.requests = steps, held, requests
        self.for_tensors = MOST_FOR_TENSORS
        self.reported: Exceeded | None = None
        self.given_up = False

    def takes_request(self) -> bool:
        """Counts a request, from any thread. Returns True if it is within the budget."""
        self.requests -= 1
        return self.requests >= 0


_CURRENT: ContextVar[Budget | None] = ContextVar("budget", default=None)


@contextmanager
def one_budget(budget: Budget | None = None) -> Iterator[Budget]:
    """Gives the block a budget: that of the enclosing audit if there is one, else a new one."""
    current = _CURRENT.get()
    if current is not None and budget is None:
        yield current
        return
    own = Budget() if budget is None else budget
    token = _CURRENT.set(own)
    try:
        yield own
    finally:
        _CURRENT.reset(token)


def unspent() -> Callable[[], None]:
    """A function that restores the present budget, for work that is repeated in another way."""
    budget = _CURRENT.get()
    steps, held = (0, 0) if budget is None else (budget.steps, budget.bytes)

    def take_back() -> None:
        if budget is not None:
            budget.steps, budget.bytes = steps, held

    return take_back


def spend(steps: int, what: str) -> None:
    """Takes steps from the budget. Raises Exceeded if none are left. Without an audit nothing is counted."""
    budget = _CURRENT.get()
    if budget is not None:
        budget.steps -= steps
        if budget.steps < 0:
            raise Exceeded(what, "work")


def spend_at_once(steps: int, what: str) -> None:
    """Takes the steps of one piece of work. If there are too few, raises Exceeded and keeps the rest."""
    budget = _CURRENT.get()
    if budget is not None:
        if steps > budget.steps:
            raise Exceeded(what, "work")
        budget.steps -= steps


@contextmanager
def searching(what: str) -> Iterator[None]:
    """Gives a search all but a fifth of the steps. The fifth is left for the audit if the search raises Exceeded.

    Any later search then raises Exceeded at once.
    """
    budget = _CURRENT.get()
    if budget is None:
        yield
        return
    if budget.given_up:
        raise Exceeded(what, "work")
    kept = budget.steps // _KEPT
    budget.steps -= kept
    try:
        yield
    except Exceeded:
        budget.given_up = True
        raise
    finally:
        budget.steps = max(budget.steps, 0) + kept


def hold(size: int, what: str) -> None:
    """Takes bytes that stay in memory from the budget. Raises Exceeded if too few are left."""
    budget = _CURRENT.get()
    if budget is not None:
        if size > budget.bytes:
            raise Exceeded(what, "memory")
        budget.bytes -= size


def has_room(size: int) -> bool:
    """True if this number of bytes can be held for a moment."""
    budget = _CURRENT.get()
    return budget is None or size <= budget.bytes


def current() -> Budget | None:
    """The budget of the running audit, for its other threads."""
    return _CURRENT.get()


def allow_header(size: int) -> None:
    """Increases the budget by the cost of a header of `size` bytes."""
    budget = _CURRENT.get()
    if budget is not None:
        budget.steps += size // HEADER_BYTES_A_STEP
        budget.bytes += BYTES_A_HEADER_BYTE * size


def allow_tensors(count: int) -> None:
    """Increases the budget by the cost of `count` tensors."""
    budget = _CURRENT.get()
    if budget is not None:
        few = count <= FEW_TENSORS
        left = budget.for_tensors + (MOST_FOR_FEW - MOST_FOR_TENSORS if few else 0)
        more = min((STEPS_A_TENSOR_OF_FEW if few else STEPS_A_TENSOR) * count, max(left, 0))
        budget.for_tensors -= more
        budget.steps += more


def first_report(exceeded: Exceeded) -> tuple[Exceeded, bool]:
    """(the excess that this audit reports, True if it is new): the first one is reported."""
    budget = _CURRENT.get()
    if budget is None:
        return exceeded, True
    before = budget.reported
    if before is None:
        budget.reported = exceeded
    return before or exceeded, before is None
