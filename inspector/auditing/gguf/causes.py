"""Reports one finding for each cause in the metadata of a GGUF file, and removes findings that only follow from it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from inspector.dialects.gguf_config import counts_layers, depends_on, follows_from, tensors_behind
from inspector.dialects.gguf_contradictions import decides_shapes
from inspector.dialects.gguf_heads import STATED
from inspector.dialects.llama_cpp import is_required
from inspector.findings.finding import ContentFinding, Finding
from inspector.findings.types.gguf_heads import GgufKeysMissing, GgufListsDisagree, GgufRotaryWidth

if TYPE_CHECKING:
    from inspector.auditing.result import Audit

OF_EVERYTHING: Final = (
    ".block_count", ".embedding_length", ".expert_count", ".attention.head_count", ".attention.key_length",
    ".attention.sliding_window_pattern", ".expert_feed_forward_length", "tokenizer.ggml.token_type_count",
    "kimi-linear.attention.head_count_kv",
)  # fmt: skip
"""Endings of keys without which hardly any tensor can be compared, or the kind of a layer or a model is unknown."""
OWN_WIDTHS: Final = frozenset({"attention.key_length", "attention.value_length", "rope.dimension_count"})
"""Keys that state the width of a head."""
OF_HEADS: Final = (".attention.key_length", ".attention.head_count", ".embedding_length")
"""Endings of keys that determine the width of a head."""


def one_for_each_cause(audited: Audit, findings: Sequence[Finding]) -> Sequence[Finding]:
    """Removes findings that follow from a list, a key, a number of heads or a tensor with its own finding."""
    found = _without_followed_rules(_with_keys(audited, _with_lists(audited, findings)))
    return [_with_other_heads(audited, one) for one in _of_one_key(audited, without_followed_keys(audited, found))]


def _of_one_key(audited: Audit, findings: Sequence[Finding]) -> Sequence[Finding]:
    """Keeps one finding where several keys of a config follow from one list of the file, or from a key that another
    finding names.
    """
    from inspector.findings.config import ConfigDisagrees

    metadata = audited.checkpoint.metadata
    derived = [one for one in findings if isinstance(one, ConfigDisagrees) and not one.file_key]
    if metadata is None or audited.architecture is None or not derived:
        return findings
    kind = audited.architecture.model_type
    named = {one.file_key.partition(".")[2] for one in findings if isinstance(one, ConfigDisagrees) and one.file_key}
    widths = {word for word in named if f".{word}" in OF_HEADS}  # these reach keys that list the heads of each layer
    followed = [one for one in derived if any(follows_from(kind, one.key, word) for word in named)
                or any(depends_on(kind, one.key, word) for word in widths)]  # fmt: skip
    for word in (key.partition(".")[2] for key, value in metadata.values.items() if isinstance(value, list)):
        alike = sorted((one for one in derived if follows_from(kind, one.key, word)), key=lambda one: -one.explains)
        followed += alike[1:]
    return [one for one in findings if one not in followed]


def _with_other_heads(audited: Audit, finding: Finding) -> Finding:
    """The finding on a number of key heads, with the number of heads that fits as well where it alone states their
    width: the rows of the keys are a product of both.
    """
    from inspector.findings.config import ConfigDisagrees, Rival

    metadata = audited.checkpoint.metadata
    if metadata is None or not isinstance(finding, ConfigDisagrees) or finding.rivals:
        return finding
    start = f"{metadata.values.get('general.architecture')}."
    own = {key.removeprefix(start): value for key, value in metadata.values.items() if key.startswith(start)}
    width, heads = own.get("embedding_length"), own.get("attention.head_count")
    if finding.file_key != f"{start}{STATED}" or type(finding.stated) is not int or type(finding.solved) is not int:
        return finding
    if own.keys() & OWN_WIDTHS or type(width) is not int or type(heads) is not int or width % heads:
        return finding
    other, rest = divmod(heads * finding.stated, max(finding.solved, 1))
    if rest or other < 1 or width % other or other % max(finding.stated, 1):
        return finding
    return replace(finding, rivals=(Rival(f"{start}attention.head_count", other),))


def _with_lists(audited: Audit, findings: Sequence[Finding]) -> Sequence[Finding]:
    """Merges the findings that follow from lists of a wrong length, or from a wrong number of layers, into one."""
    lists = _lists(findings)
    if lists is None or audited.architecture is None or lists.lists_fit:
        return findings
    from inspector.findings.config import ConfigDisagrees

    kind = audited.architecture.model_type
    disagreeing = [one for one in findings if isinstance(one, ConfigDisagrees)]
    if len(set(lists.lengths)) == 1 and any(counts_layers(kind, one.key) for one in disagreeing):
        return [one for one in findings if one is not lists]
    return _without_keys_behind(kind, findings, lists.keys)


def _with_keys(audited: Audit, findings: Sequence[Finding]) -> Sequence[Finding]:
    """Merges the findings on config keys that follow from absent GGUF keys into the finding on these keys.

    If only shapes show that a key is absent, and one value of it fits them, the finding on that value remains.
    """
    absent = next((one for one in findings if isinstance(one, GgufKeysMissing)), None)
    if absent is None or audited.architecture is None:
        return findings
    from inspector.findings.config import ConfigDisagrees

    solved = {one.file_key for one in findings if isinstance(one, ConfigDisagrees)}
    if absent.unfit and any((key or "").endswith(OF_HEADS) for key in solved - {*absent.keys}):
        return [one for one in findings if one is not absent]  # defaults of a stated size that is wrong
    if solved.issuperset(absent.keys) and not any(is_required(key) for key in absent.keys):
        return [one for one in findings if one is not absent]
    if any(key.endswith(OF_EVERYTHING) for key in absent.keys):
        return [one for one in findings if one is absent or not isinstance(one, ContentFinding)]
    return _without_keys_behind(audited.architecture.model_type, findings, absent.keys)


def _without_keys_behind(kind: str | None, findings: Sequence[Finding], keys: Sequence[str]) -> list[Finding]:
    """Removes findings on config keys that follow from keys of the file."""
    from inspector.findings.config import ConfigDisagrees
    from inspector.findings.single_causes import ConfigKeysAbsent

    words = [key.partition(".")[2] for key in keys]

    def follows(one: Finding) -> bool:
        named = [one.key] if isinstance(one, ConfigDisagrees) else []
        named += [each.key for each in one.keys] if isinstance(one, ConfigKeysAbsent) else []
        return any(depends_on(kind, name, word) for name in named for word in words)

    return [one for one in findings if not follows(one)]


def _without_followed_rules(findings: Sequence[Finding]) -> Sequence[Finding]:
    """Removes findings on two keys of which, as the tensors show, one is wrong or absent."""
    from inspector.findings.config import ConfigDisagrees
    from inspector.findings.shapes import UnexpectedShape
    from inspector.findings.types.gguf_heads import GgufKeysContradict

    findings = without_followed_heads(findings)
    wrong = {one.file_key or "" for one in findings if isinstance(one, ConfigDisagrees)}
    shapes = any(isinstance(one, UnexpectedShape) for one in findings)
    width = any(key.endswith(OF_HEADS) for key in wrong)
    return [
        one
        for one in findings
        if not (isinstance(one, GgufRotaryWidth) and width)
        and not (isinstance(one, GgufKeysContradict) and (one.other in wrong or (shapes and decides_shapes(one.other))))
    ]


def without_followed_heads(findings: Sequence[Finding]) -> Sequence[Finding]:
    """Of two findings on numbers of heads, removes the one that follows from the other.

    A fractional number of key heads follows from a number of heads that divides no width; if the tensors show the
    number of key heads, the number that the stated one does not divide is right.
    """
    from inspector.findings.config import ConfigImpossible
    from inspector.findings.types.gguf_heads import GgufHeadsDisagree

    heads = next((one for one in findings if isinstance(one, GgufHeadsDisagree)), None)
    undivided = [one for one in findings if isinstance(one, ConfigImpossible) and one.kind == "remainder"]
    if heads is None or not undivided:
        return findings
    followed = [one for one in undivided if heads.key in one.keys] if heads.shown else [heads]
    return [one for one in findings if one not in followed]


def without_followed_keys(audited: Audit, findings: Sequence[Finding]) -> Sequence[Finding]:
    """Removes findings on config keys that follow from tensors that are missing or have a wrong shape themselves."""
    config = audited.checkpoint.config
    if len(findings) < 2 or config is None:
        return findings
    from inspector.findings.config import ConfigDisagrees, ConfigImpossible
    from inspector.findings.names.tensors import TensorMissing
    from inspector.findings.shapes import UnexpectedShape
    from inspector.findings.types.gguf_heads import GgufHeadsDisagree, GgufSizeDisagrees

    kind = str(config.values.get("model_type"))
    damaged = [one.place.tensor or one.place.family or "" for one in findings
               if isinstance(one, TensorMissing | UnexpectedShape)]  # fmt: skip

    ends = {one.key: one.family.rpartition("}.")[2] for one in findings if isinstance(one, GgufSizeDisagrees)}
    sizes = [key for key, end in ends.items() if any(name == end or name.endswith(f".{end}") for name in damaged)]

    heads = any(isinstance(one, GgufHeadsDisagree) for one in findings)

    def follows(one: Finding) -> bool:
        if isinstance(one, GgufSizeDisagrees):
            return one.key in sizes
        if heads and isinstance(one, ConfigDisagrees) and not one.file_key and depends_on(kind, one.key, STATED):
            return True
        if not isinstance(one, ConfigDisagrees | ConfigImpossible) or getattr(one, "file_key", None):
            return False
        if any(depends_on(kind, one.place.key or "", key.partition(".")[2]) for key in sizes):
            return True
        behind = tensors_behind(kind, one.place.key or "")
        return any(name == end or name.endswith(f".{end}") for name in damaged for end in behind)

    return [one for one in findings if not follows(one)]


def _lists(findings: Iterable[Finding]) -> GgufListsDisagree | None:
    """The finding on lists that do not have one item for each layer."""
    return next((one for one in findings if isinstance(one, GgufListsDisagree)), None)
