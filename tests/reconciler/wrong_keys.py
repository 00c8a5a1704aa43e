"""Audits every record with one wrong key in its config and prints how well the findings name it.

python -m tests.reconciler.wrong_keys [FOLDER OF RECORDS] [every N-th case]
"""

from __future__ import annotations

import gzip
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

from inspector.auditing.result import Audit
from inspector.loader.config_file import Config
from inspector.matcher.claim import claim_of
from inspector.notation.trace import Leaf
from tests.judged import FIXTURES, judged, spec_of


class WrongKey(NamedTuple):
    """A record whose config has one other value. leaf: where; right, wrong: the values there."""

    record: Mapping[str, Any]
    leaf: Leaf
    right: Any
    wrong: Any

    @property
    def name(self) -> str:
        """The name of the case."""
        return f"{self.record['model_type']}: {'.'.join(map(str, self.leaf))} {self.right} -> {self.wrong}"


def leaves(value: Any, path: Leaf = ()) -> Iterator[tuple[Leaf, Any]]:
    """Every number and switch of a config."""
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, inner in entries:
        yield from leaves(inner, (*path, step))
    if isinstance(value, int | float):
        yield path, value


def with_other(value: Any, path: Leaf, other: Any) -> Any:
    """A config with one leaf replaced."""
    if not path:
        return other
    copy: Any = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = with_other(value[path[0]], path[1:], other)
    return copy


def wrong_values(right: Any) -> list[Any]:
    """A number doubled, halved and increased by one; a switch flipped."""
    if isinstance(right, bool):
        return [not right]
    if isinstance(right, float):
        return [right * 2]
    return list(dict.fromkeys(value for value in (right * 2, right // 2, right + 1) if value > 0 and value != right))


def config_of(record: Mapping[str, Any]) -> dict[str, Any]:
    """The config of a record, with its class and type."""
    named = (
        {"_class_name": record["class"]}
        if record.get("diffusers")
        else {
            "architectures": [record["class"]],
            "model_type": record["model_type"],
        }
    )
    return {**named, **record["config"]}


def keys_read(audited: Audit, config: Mapping[str, Any]) -> set[Leaf]:
    """The leaves that determine the shapes of a clean audit, with the config's spelling."""
    if audited.case is None:
        return set()
    aliases = claim_of(Config("config.json", dict(config), "config")).settings.aliases
    read = {leaf for row in audited.case.plan.rows for leaf in row.reads}
    return read | {(other, *leaf[1:]) for leaf in read for other, own in aliases.items() if own == leaf[0]}


def keys_stated(config: Mapping[str, Any], prefix: str = "") -> set[str]:
    """The dotted keys of a config and its parts, also under the names of the config class."""
    aliases = claim_of(Config("config.json", dict(config), "config")).settings.aliases if not prefix else {}
    found = {prefix + aliases.get(key, key) for key in config} | {prefix + key for key in config}
    for key, value in config.items():
        if isinstance(value, dict):
            found |= keys_stated(value, f"{prefix}{key}.")
    return found


def wrong_keys(record: Mapping[str, Any], most: int | None = None) -> Iterator[tuple[WrongKey, Audit]]:
    """Each case of a record that changes a shape, with its audit. most: maximum number of leaves."""
    config, spec = config_of(record), spec_of(record)
    healthy = judged(spec, config)
    read = keys_read(healthy, config) if healthy.verdict == "clean" else set()
    decisive = [one for one in leaves(record["config"]) if one[0] in read]
    for leaf, right in decisive[:: max(1, -(-len(decisive) // (most or len(decisive) or 1)))]:
        for wrong in wrong_values(right):
            audited = judged(spec, with_other(config, leaf, wrong))
            if audited.verdict == "findings":
                yield WrongKey(record, leaf, right, wrong), audited


def outcome(case: WrongKey, audited: Audit) -> str:
    """How well the audit names the wrong key: exact, among the stated values, another key, or none.

    A value that transformers refuses is named without the right one.
    """
    reported = [one for one in audited.findings if one.code == "C310"]
    config = config_of(case.record)
    steps = next((at for at, step in enumerate(case.leaf) if isinstance(step, int)), len(case.leaf))
    key = ".".join(map(str, case.leaf[:steps]))
    aliases = claim_of(Config("config.json", dict(config), "config")).settings.aliases
    names = {key, *(own for other, own in aliases.items() if other == key)}
    right: Any = config
    for step in case.leaf[:steps]:
        right = right[step]
    if not reported and any(one.code == "C311" and not names.isdisjoint(one.facts["keys"]) for one in audited.findings):
        return "exact"
    if not reported:
        ties = any(one.code == "P701" for one in audited.findings)
        return "among" if ties and case.leaf[-1] == "tie_word_embeddings" else "none"
    first = reported[0].facts
    if first["key"] in names and same(first["weights"], right):
        return "exact" if len(reported) == 1 else "exact of several"
    for one in reported:
        facts = one.facts
        if facts["key"] in names and holds(facts, right):
            return "among"
        if any(alternative["key"] in names and holds(alternative, right) for alternative in facts["rivals"]):
            return "among"
    return "another key" if not any(one.facts["key"] in names for one in reported) else "another value"


def same(found: Any, right: Any) -> bool:
    """Whether a value is right; an absent switch counts as off."""
    return bool(found == right) or (found is None and right is False)


def holds(facts: Mapping[str, Any], right: Any) -> bool:
    """Whether a stated value or interval holds the right one."""
    if same(facts["weights"], right):
        return True
    interval: Any = facts.get("interval")
    element: Any = facts.get("element")
    if interval and element is not None and isinstance(right, list):
        found: Any = facts["weights"]
        others = len(found) == len(right) and all(found[at] == item for at, item in enumerate(right) if at != element)
        return others and isinstance(right[element], int) and interval[0] <= right[element] <= interval[1]
    return interval is not None and isinstance(right, int) and bool(interval[0] <= right <= interval[1])


def records_of(folder: Path, every: int = 1) -> Iterator[dict[str, Any]]:
    """The base records of every so many files of a folder: the fixtures' or others of the same format.

    Files are chosen by the checksum of their names, so that new files do not change the choice.
    """
    for path in (one for one in sorted(folder.glob("*.gz")) if crc32(one.name.encode()) % every == 0):
        text = gzip.decompress(path.read_bytes()).decode()
        found = (
            [json.loads(line) for line in text.splitlines()] if ".jsonl" in path.name else json.loads(text)["records"]
        )
        name = path.name.partition(".json")[0]
        base = [record for record in found if not record["variant"]] or found[:1]
        diffusers = folder.name == "diffusers"
        yield from ({"class": name, "model_type": name, **record, "diffusers": diffusers} for record in base[:1])


def main() -> None:
    """Print the figures and each case that is not exact."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FIXTURES / "oracle"
    every = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    counts: Counter[str] = Counter()
    started = time.process_time()
    for record in records_of(folder, every):
        for case, audited in wrong_keys(record):
            found = outcome(case, audited)
            counts[found] += 1
            if found != "exact":
                messages = [
                    (
                        one.code,
                        one.facts.get("key"),
                        one.facts.get("weights"),
                        one.facts.get("interval"),
                        one.facts.get("rivals"),
                    )
                    for one in audited.findings
                    if one.severity != "note"
                ]
                print(f"{found}\t{case.name}\t{messages[:4]!s:.300}", flush=True)
    total = counts.total()
    print(f"{total} cases, {time.process_time() - started:.0f} s CPU: {dict(counts)}")


if __name__ == "__main__":
    main()
