"""Suggestions for words that are not understood."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from inspector.cli.table import VERBS, Verb
from inspector.findings.words import count, either

MEANT: Final = {
    "audit": ("analyse", "analyze", "check", "doctor", "info", "inspect", "lint", "scan", "test", "validate", "verify"),
    "compare": ("cmp", "diff"),
    "count": ("params", "parameters", "size"),
    "explain": ("man", "why"),
    "mend": ("fix", "heal", "patch", "recover", "repair"),
    "tensors": ("keys", "list", "ls", "show"),
    "architectures": ("models", "types"),
}
"""Command -> the words that other programs use for it."""
MOST_PAGES: Final = 4


def close(word: str, words: list[str]) -> str:
    """'; did you mean …?' if a word is spelled similarly, else ""."""
    from difflib import get_close_matches

    near = get_close_matches(word, words, 3, 0.6)
    return f"; did you mean {either(near)}?" if near else ""


def no_verb(word: str) -> str:
    """The message for a first word that is neither a command nor a file."""
    meant = next((verb for verb, words in MEANT.items() if word.lower() in words), None)
    hint = f"; did you mean {meant}?" if meant else close(word, [verb.name for verb in VERBS])
    if hint:
        return f"unknown command '{word}'{hint}"
    return f"'{word}' is not a command, file or folder; to audit the Hub repository use hf://{word}"


def too_many(verb: Verb, arguments: Sequence[str]) -> str:
    """The message for more arguments than a command takes, such as the shards that a shell found for a pattern."""
    least = sum(not argument.optional for argument in verb.arguments)
    most = len(verb.arguments)
    takes = count(most, "argument") if least in (0, most) else f"{least} or {most} arguments"
    message = f"{verb.name} takes {takes}, not {len(arguments):,}"
    if verb.arguments[0].name != "source":
        return message
    two = "; to compare two, use `inspector compare`" if verb.name == "audit" and len(arguments) == 2 else ""
    return f"{message}: for the shards of one checkpoint pass their folder{two}"


def no_page(word: str) -> str:
    """The message for a word that is neither a finding nor a topic: similar words, or the pages that contain it."""
    from inspector.cli.topics import TOPICS
    from inspector.findings.registry import all_findings

    pages = list(_pages_with(word.lower().replace("-", "")))[:MOST_PAGES]
    words = [*TOPICS, *all_findings(), *(finding.code for finding in all_findings().values())]
    hint = f"; it is on the page{'s' * (len(pages) > 1)} {_series(pages)}" if pages else ""
    hint = hint or close(word.lower(), words) or close(word.upper(), words) or " ('inspector explain all' lists them)"
    return f"unknown finding '{word}'{hint}"


def _pages_with(word: str) -> Iterator[str]:
    """Topics and codes that contain the word: in the name of a finding, a topic, the first line of a
    page, or a page.
    """
    from inspector.cli.topics import TOPICS, topic_text
    from inspector.findings.registry import all_findings

    if len(word) < 3:  # "of" is on every page
        return
    pages = {name: topic_text(name) for name in TOPICS}
    found = {finding.code: (name, finding.__doc__ or "") for name, finding in all_findings().items()}
    yield from (code for code, (name, _) in found.items() if _has(word, name))
    yield from (name for name, page in pages.items() if _has(word, page))
    first = [code for code, (_, page) in found.items() if _has(word, page.partition("\n")[0])]
    rest = [code for code, (name, page) in found.items() if _has(word, page) and not _has(word, name)]
    yield from dict.fromkeys(code for code in (*first, *rest) if code in rest)


def _has(word: str, text: str) -> bool:
    """True if a word of the text begins with it: "lfs" in "git-lfs pointer", "zero3" in "ZeRO-3"."""
    plain = text.lower()
    return any(re.search(rf"(?<![a-z]){re.escape(word)}", one) for one in (plain, plain.replace("-", "")))


def _series(words: Iterable[str]) -> str:
    *before, last = words
    return f"{', '.join(before)} and {last}" if before else last
