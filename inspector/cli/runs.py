"""Runs what a command requests, with a progress bar if it takes time."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeVar, Unpack

from inspector.cli.table import LEVELS
from inspector.loading import unknown_loader

if TYPE_CHECKING:
    from inspector.auditing.result import Audit
    from inspector.loader.sources.address import Where
    from inspector.loader.sources.traffic import Progress
    from inspector.reconciler.stated_total import Stated

USAGE = 2


class Failure(Exception):
    """Raised for a call that cannot be carried out. message: for the user. code: the exit code."""

    def __init__(self, message: str, code: int = USAGE) -> None:
        super().__init__(message)
        self.message, self.code = message, code


def run(
    source: str,
    weights: str | None,
    config: str | None,
    claim: Stated | None = None,
    base: Sequence[str] = (),
    with_base: bool = False,
    **where: Unpack[Where],
) -> Audit:
    """The audit, with a progress bar on standard error while waiting for a network."""
    if config is not None and not os.path.lexists(config):
        raise Failure(f"--config: '{config}' does not exist")
    from inspector.auditing.start import audit as run_audit

    audited = partial(
        run_audit, source, weights=weights, config=config, claim=claim, base=base or None, with_base=with_base, **where
    )
    if not with_base and all(os.path.exists(one) for one in (source, *base)):
        return audited()
    from inspector.report.progress import Bar

    with Bar() as bar:
        return audited(progress=bar)


def check_loader(loader: str | None) -> None:
    """Refuses an unknown name of a loader."""
    problem = unknown_loader(loader)
    if problem is not None:
        raise Failure(f"--for: {problem}")


def run_for(loader: str | None, audited: Audit, again: Callable[[str], Audit]) -> Audit:
    """The audit of the weights that a loader takes. again: audits the weights with a name."""
    if loader is None:
        return audited
    from inspector.auditing.loads.one_loader import of_own_set

    return of_own_set(audited, loader, again)


def for_loader(audited: Audit, loader: str | None) -> Audit:
    """The audit from the view of one loader; unchanged if none is named."""
    if loader is None:
        return audited
    from inspector.auditing.loads.one_loader import judged_for

    return judged_for(audited, loader)


Reported = TypeVar("Reported")


def read(
    read: Callable[[Reported, Sequence[str], Progress], Reported], reported: Reported, tensor: Sequence[str]
) -> Reported:
    """Reads values too, with a progress bar on standard error."""
    from inspector.report.progress import Bar
    from inspector.values.result import NotNamed

    with Bar(what="reading values") as bar:
        try:
            return read(reported, tensor, bar)
        except NotNamed as problem:
            words = f"--values: '{problem}' is remote: pass --tensor to choose what to fetch, or download it"
            raise Failure(words) from None


def severe(severities: Sequence[str], fail_on: str) -> int:
    """1 if any finding is as severe as `fail_on` or worse."""
    if fail_on == "never":
        return 0
    limit = LEVELS.index(fail_on)
    return int(any(LEVELS.index(severity) <= limit for severity in severities))
