"""What one audit may cost: steps of work, bytes held, requests.

Every loop with a length that comes from a file spends from the budget of the running audit. The budget is counted,
never timed, so that a verdict does not depend on the machine. Reading values and hashing, which a user asks for, are
not part of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

STEPS: Final = 430_000
"""Steps of an audit, each up to five microseconds. Of 1,760 recorded checkpoints damaged at random (wrong keys, lost,
renamed and renumbered layers, another model's config, none) a video autoencoder of 126 tensors whose blocks are
numbered from 1 comes nearest, with 319,000; most take less than 10,000."""
STEPS_A_TENSOR: Final = 550
"""Steps more for each stored tensor: the UNet of Stable Diffusion 1.5 with its 686 tensors takes 656,000 under the
config of Stable Diffusion XL, DeepSeek-V3 with its 91,991 tensors 7,000 under its own."""
MOST_FOR_TENSORS: Final = 390_000
"""Most steps that an audit gets for its tensors."""
BYTES: Final = 96_000_000
"""Bytes that may be held for what was decoded."""
BYTES_A_HEADER_BYTE: Final = 4
"""Bytes that may be held for each byte of the headers."""
HEADER_BYTES_A_STEP: Final = 64
_KEPT: Final = 5
"""The part of the steps that a search leaves, as a divisor: 16,000 misshapen tensors take a sixth to be named."""
REQUESTS: Final = 2_000
"""Requests over a network. A repository of 191 shards takes about 400."""


class Exceeded(Exception):
    """The budget is spent. what: what was too large; resource: "work", "memory" or "requests"."""

    def __init__(self, what: str, resource: str) -> None:
        super().__init__(f"{what}: more {resource} than one audit may take")
        self.what, self.resource = what, resource


class Budget:
    """What is left of the budget of one audit.

    reported: what a finding says of it. given_up: whether a search ended without a result.
    """

    __slots__ = ("bytes", "for_tensors", "given_up", "reported", "requests", "steps")

    def __init__(self, steps: int = STEPS, held: int = BYTES, requests: int = REQUESTS) -> None:
        self.steps, self.bytes, self.requests = steps, held, requests
        self.for_tensors = MOST_FOR_TENSORS
        self.reported: Exceeded | None = None
        self.given_up = False

    def takes_request(self) -> bool:
        """Takes a request, from any thread; whether one was left."""
        self.requests -= 1
        return self.requests >= 0


_CURRENT: ContextVar[Budget | None] = ContextVar("budget", default=None)


@contextmanager
def one_budget(budget: Budget | None = None) -> Iterator[Budget]:
    """Gives the block a budget: that of the audit around it where there is one, else a new one."""
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
    """A function that takes back what is spent and allowed from now on, for work that is done again in another way."""
    budget = _CURRENT.get()
    steps, held = (0, 0) if budget is None else (budget.steps, budget.bytes)

    def take_back() -> None:
        if budget is not None:
            budget.steps, budget.bytes = steps, held

    return take_back


def spend(steps: int, what: str) -> None:
    """Takes steps from the budget. Raises Exceeded where none are left; without an audit nothing is counted."""
    budget = _CURRENT.get()
    if budget is not None:
        budget.steps -= steps
        if budget.steps < 0:
            raise Exceeded(what, "work")


def spend_at_once(steps: int, what: str) -> None:
    """Takes the steps of one piece of work. Raises Exceeded where they are too many; then the rest is kept."""
    budget = _CURRENT.get()
    if budget is not None:
        if steps > budget.steps:
            raise Exceeded(what, "work")
        budget.steps -= steps


@contextmanager
def searching(what: str) -> Iterator[None]:
    """Gives a search all steps but a fifth, which is left for the audit where the search raises Exceeded.

    After that no other search is begun: it raises Exceeded at once.
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
    """Takes bytes that stay in memory from the budget. Raises Exceeded where too few are left."""
    budget = _CURRENT.get()
    if budget is not None:
        if size > budget.bytes:
            raise Exceeded(what, "memory")
        budget.bytes -= size


def has_room(size: int) -> bool:
    """True if bytes can be held for a moment."""
    budget = _CURRENT.get()
    return budget is None or size <= budget.bytes


def current() -> Budget | None:
    """The budget of the running audit, for its other threads."""
    return _CURRENT.get()


def allow_header(size: int) -> None:
    """Adds what the header of a file may cost by its bytes."""
    budget = _CURRENT.get()
    if budget is not None:
        budget.steps += size // HEADER_BYTES_A_STEP
        budget.bytes += BYTES_A_HEADER_BYTE * size


def allow_tensors(count: int) -> None:
    """Adds what the tensors of a checkpoint may cost by their number."""
    budget = _CURRENT.get()
    if budget is not None:
        more = min(STEPS_A_TENSOR * count, budget.for_tensors)
        budget.for_tensors -= more
        budget.steps += more


def first_report(exceeded: Exceeded) -> tuple[Exceeded, bool]:
    """(what a finding of this audit says, whether it is new): the first reason is the one to report."""
    budget = _CURRENT.get()
    if budget is None:
        return exceeded, True
    before = budget.reported
    if before is None:
        budget.reported = exceeded
    return before or exceeded, before is None
