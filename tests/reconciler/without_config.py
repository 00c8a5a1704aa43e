"""Audits every record without its config and prints how well names and shapes identify it.

python -m tests.reconciler.without_config [FOLDER OF RECORDS] [every N-th record]
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from inspector.auditing.result import Audit
from inspector.notation.trace import LENGTH, SYMBOL
from tests.judged import FIXTURES, judged, spec_of
from tests.reconciler.wrong_keys import records_of


def outcome(record: Mapping[str, Any], audited: Audit) -> str:
    """exact: identified, no error, and the exact count. open: identified, the count is not known.

    another: the names fit another type as well, or none. wrong: a false finding or count.
    """
    written = record["num_parameters"] - record.get("unwritten", 0)
    counts = audited.counts
    if any(finding.severity != "note" for finding in audited.findings):
        return "wrong"
    if audited.architecture is None or audited.case is None:
        return "unknown"
    if counts.expected_parameters is None:
        return "open"
    if counts.expected_parameters != written or counts.unique_parameters != written:
        return "wrong"
    names = {audited.architecture.name, *audited.case.reading.same_names}
    return "exact" if record["model_type"] in names else "exact as another type"


def numbers(record: Mapping[str, Any], audited: Audit) -> Counter[str]:
    """How many numbers of the config are solved: right, or wrong where the config states another number."""
    found: Counter[str] = Counter()
    case = audited.case
    for leaf, value in case.plan.scope.trace.solved.items() if case is not None else ():
        stated: Any = record["config"]
        for step in leaf:
            if isinstance(stated, dict):
                stated = stated.get(step)
            elif isinstance(stated, list):
                entries: dict[str | int, Any] = {LENGTH: len(stated), **dict(enumerate(stated))}
                stated = entries.get(step)
        if leaf[0] != SYMBOL and type(stated) is int and type(value) is int:
            found["right" if stated == value else "wrong"] += 1
    return found


def main() -> None:
    """Print the figures, and the outcome of each record with its CPU seconds."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FIXTURES / "oracle"
    every = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    counts: Counter[str] = Counter()
    solved: Counter[str] = Counter()
    started = time.process_time()
    for number, record in enumerate(records_of(folder)):
        if number % every:
            continue
        before = time.process_time()
        audited = judged(spec_of(record), None)
        found = outcome(record, audited)
        counts[found] += 1
        known = numbers(record, audited) if found.startswith("exact") else Counter[str]()
        solved += known
        reported = [(one.code, one.title[:80]) for one in audited.findings if one.severity != "note"]
        name = audited.architecture.name if audited.architecture else None
        seconds = time.process_time() - before
        print(
            f"{found}\t{record['model_type']}\t{name}\t{seconds:.2f}\t{reported[:3]!s:.300}\t{dict(known)}", flush=True
        )
    print(
        f"{counts.total()} records, {time.process_time() - started:.0f} s CPU: {dict(counts)}, numbers: {dict(solved)}"
    )


if __name__ == "__main__":
    main()
