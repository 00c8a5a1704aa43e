"""What llama.cpp and ollama do with the GGUF files of an audit."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from inspector.algebra.names import key_of
from inspector.dialects.gguf import LLAMA_CPP
from inspector.dialects.gguf_config import counts_layers, depends_on, tensors_behind
from inspector.dialects.gguf_contradictions import decides_shapes
from inspector.dialects.llama_cpp import architectures_of, is_required, needed, reads, source, spares
from inspector.findings.finding import NAMES_SHOWN, ContentFinding, Finding, Place
from inspector.findings.header.gguf import GgufPartRenamed, GgufPartsJoined
from inspector.findings.shards.files import ShardMissing
from inspector.findings.types.gguf_heads import (
    GgufKeysMissing,
    GgufListsDisagree,
    GgufPreTokenizerUnknown,
    GgufRotaryWidth,
)
from inspector.loading.outcome import ALTERED, REFUSES, UNKNOWN
from inspector.loading.registries import documented, knows, names_tensor, of_gguf
from inspector.loading.ties import first_name
from inspector.reconciler.ledger import BUFFER, COPY, UNEXPLAINED, Line

if TYPE_CHECKING:
    from inspector.auditing.result import Audit
    from inspector.findings.types.gguf_heads import GgufArchitectureDisagrees
    from inspector.loading.outcome import Load

FIRST: Final = "token_embd.weight"
"""The tensor that llama.cpp asks for first, whatever the architecture."""
OF_EVERYTHING: Final = (
    ".block_count", ".embedding_length", ".expert_count", ".attention.head_count", ".attention.key_length",
    ".attention.sliding_window_pattern", ".expert_feed_forward_length", "tokenizer.ggml.token_type_count",
    "kimi-linear.attention.head_count_kv",
)  # fmt: skip
"""Ends of keys without which hardly any tensor can be compared, or the kind of a layer or a model is not known."""
OF_HEADS: Final = (".attention.key_length", ".attention.head_count", ".embedding_length")
"""Ends of keys from which the width of a head follows."""
NOT_COMPARED: Final = ".interleave_moe_layer_step"
"""The end of a key that no shape depends on: layers without experts by this number are computed without an MLP."""
ADAPTER: Final = "adapter"
"""What `general.type` states of a LoRA. Measured: llama.cpp loads none with a finding of `_refused_adapter`."""
COMPUTED: Final = ("rope_freqs.weight",)
"""Tensors that follow from the config, so that no definition has them."""
IN_PLACE: Final = (
    (re.compile(r"\.attn_[qkv]\."), ".attn_qkv."),
    (re.compile(r"\.attn_qkv\."), ".attn_q."),
    (re.compile(r"\.attn_[kv]_b\."), ".attn_kv_b."),
)
"""Tensors that llama.cpp needs, and what it reads in place of them, whatever the architecture."""
OMITTED: Final = frozenset({*LLAMA_CPP.omits, "head.token"})
"""Roles of tensors that the converter leaves out, the last one of architectures whose head is always the embedding."""
ENDS: Final = (".weight", ".bias")
"""Ends of names that some converters write and others do not."""
OF_TOWERS: Final = ("v.", "a.", "mm.")
"""Beginnings of the names of towers and projectors."""
ROUTER: Final = ".ffn_gate_inp."
MLP: Final = ".ffn_"
"""In the names of a router, and of all matrices of an MLP or of experts."""
ONE_BY_ONE: Final = frozenset({f"blk.#.ffn_{name}.#.weight" for name in ("gate", "up", "down")})
JOINED_EXPERTS: Final = "blk.0.ffn_down_exps.weight"
"""Families of experts as files of 2023 have them, and the tensor that llama.cpp asks for first instead (measured)."""
OLLAMA: Final = "Ollama"
OF_COMFYUI: Final = frozenset({
    "flux", "sd1", "sdxl", "sd3", "aura", "hidream", "cosmos", "ltxv", "hyvid", "wan", "lumina2", "qwen_image",
})  # fmt: skip
"""Architectures of ComfyUI-GGUF's converter, which nobody runs with llama.cpp (`loader.py`, IMG_ARCH_LIST)."""
READ_BY: Final[Mapping[str, str]] = {"mllama": OLLAMA, "gptoss": OLLAMA, "qwen25vl": OLLAMA, "pig": "gguf-node"}
"""Architectures that other programs alone write and read: Ollama's own engine, and a node of ComfyUI."""
LAYERS: Final = ("blk.", "enc.blk.", "dec.blk.")
"""Beginnings of the names of tensors in layers."""


def loads_of_gguf(audited: Audit) -> tuple[Load, ...]:
    """What both programs do, of which files are made for llama.cpp."""
    causes = _without_derived(audited, _of_heads(audited.findings))
    audited = audited if len(causes) == len(audited.findings) else audited.with_findings(tuple(causes))
    metadata = audited.checkpoint.metadata
    named = None if metadata is None else metadata.values.get("general.architecture")
    files = tuple(file.name for file in audited.checkpoint.files)
    case = audited.case
    missing = FIRST if _has_other_names(audited) else ""
    wrong = spared = ""
    if case is not None and not missing and any(one.severity == "error" for one in audited.findings):
        absent = [first_name(one.block.key, one.boxes) for one in case.placement.missing]
        missing = next((one for one in absent if not spares(named, one)), "")
        spared = next(iter(absent), "")
        wrong = next((first_name(one.block.key, one.boxes) for one in case.placement.mismatched), "")
    missing = missing or next(iter(_computed(audited)), "") or _joined_experts(audited)
    beyond = _surplus(audited)
    surplus = next(iter(beyond), "")
    other = _of_another_architecture(audited)
    unread = _unread_key(audited) or _refused_adapter(audited)
    if other is not None:
        because = f"no key of its metadata is of {other.stated or 'its architecture'}"
        found = tuple(documented(loader, REFUSES, because, files) for loader in ("llama.cpp", "ollama"))
    elif unread:
        found = tuple(documented(loader, REFUSES, unread, files) for loader in ("llama.cpp", "ollama"))
    elif not (missing or wrong) and (size := _wrong_size(audited)):
        outcome = ALTERED if size.partition(" ")[0].endswith(NOT_COMPARED) else REFUSES
        found = tuple(documented(loader, outcome, size, files) for loader in ("llama.cpp", "ollama"))
    elif pre := next((one for one in audited.findings if isinstance(one, GgufPreTokenizerUnknown)), None):
        because = f"{pre.source}, does not know the pre-tokenizer {pre.stated}"
        found = tuple(documented(loader, UNKNOWN, because, files) for loader in ("llama.cpp", "ollama"))
    else:
        found = of_gguf(named if isinstance(named, str) else None, files, missing, wrong, surplus, spared)
    if _has_towers(audited, beyond):
        own = documented("ollama", UNKNOWN, "its own engine reads towers in the file of the text model", files)
        found = tuple(own if one.loader == "ollama" else one for one in found)
    return tuple(replace(one, intended=one.loader == "llama.cpp") for one in found)


def _refused_adapter(audited: Audit) -> str:
    """Why llama.cpp refuses an adapter: half of a pair, other names or ranks, no architecture; "" where it does not."""
    metadata = audited.checkpoint.metadata
    if metadata is None or metadata.values.get("general.type") != ADAPTER:
        return ""
    wrong = next((one for one in audited.findings if one.severity == "error"), None)
    if wrong is not None:
        return f"failed to apply lora adapter: {wrong.headline()}"
    return "" if "general.architecture" in metadata.values else "model arch and LoRA arch mismatch"


def _unread_key(audited: Audit) -> str:
    """What llama.cpp says of a file or a key that it needs and cannot read; "" where there is none."""
    for one in audited.findings:
        if isinstance(one, GgufPartsJoined):
            return f"invalid split file name: {one.place.file}"
        if isinstance(one, GgufPartRenamed) and one.part == 1:
            return f"invalid split file name: {one.place.file}"
        if isinstance(one, GgufPartRenamed):
            return f"illegal split file idx: {one.part - 1}, model must be loaded with the first split"
        if isinstance(one, ShardMissing):
            return f"failed to load GGUF split from {one.place.file or 'the parts that are absent'}"
        if isinstance(one, GgufKeysMissing):
            return f"{one.keys[0]} is absent{one.unfit * ', and its default does not fit the tensors'}"
        if isinstance(one, GgufListsDisagree):
            return f"key {one.keys[0]} has wrong array length"
    return ""


def _wrong_size(audited: Audit) -> str:
    """The key of a size that the tensors contradict, whose shapes llama.cpp compares; "" where there is none."""
    if all(one.severity != "error" for one in audited.findings):
        return ""
    from inspector.findings.config import ConfigDisagrees, ConfigImpossible
    from inspector.findings.single_causes import ConfigKeysAbsent
    from inspector.findings.types.gguf_heads import (
        GgufHeadsDisagree,
        GgufKeysContradict,
        GgufSizeDisagrees,
    )

    kinds = ConfigDisagrees | ConfigImpossible | ConfigKeysAbsent | GgufHeadsDisagree | GgufSizeDisagrees
    rotary = next((one for one in audited.findings if isinstance(one, GgufRotaryWidth)), None)
    if rotary is not None:
        return f"invalid n_rot: {rotary.stated}, expected {rotary.length}"
    contradicted = next((one for one in audited.findings if isinstance(one, GgufKeysContradict)), None)
    if contradicted is not None:
        return f"assertion failed: {contradicted.key} is {contradicted.stated} and must be {contradicted.rule}"
    wrong = next((one for one in audited.findings if isinstance(one, kinds) and one.severity == "error"), None)
    return "" if wrong is None else f"{wrong.headline()} does not fit the tensors"


def _of_another_architecture(audited: Audit) -> GgufArchitectureDisagrees | None:
    """The finding on metadata whose sizes belong to one other architecture than the stated one."""
    values: Mapping[str, object] = {} if audited.checkpoint.metadata is None else audited.checkpoint.metadata.values
    keys = Counter(key.partition(".")[0] for key in values)
    stated = values.get("general.architecture")
    if stated is not None and (not isinstance(stated, str) or stated in keys):
        return None
    named = [name for name in keys if f"{name}.block_count" in values and knows("llama.cpp", name)]
    if len(named) != 1:
        return None
    from inspector.findings.types.gguf_heads import GgufArchitectureDisagrees

    place = Place(file=audited.checkpoint.set_name)
    return GgufArchitectureDisagrees(place=place, stated=stated, named=named[0], keys=keys[named[0]])


def with_names(audited: Audit, findings: Sequence[Finding], load: Load) -> list[Finding]:
    """The findings; where the names are another program's, that instead of all that follows from it."""
    findings = _without_derived(audited, _without_followed(_with_keys(audited, _with_lists(audited, findings))))
    findings = [*findings, *_unknown(audited)]
    other = _of_another_architecture(audited)
    if other is not None:
        return [*(one for one in findings if not isinstance(one, ContentFinding)), other]
    if not _has_other_names(audited):
        absent = _needed(audited)
        return [
            *_with_surplus(audited, _without_read(audited, findings) if absent else findings, load),
            *absent,
            *_one_by_one(audited),
        ]
    from inspector.findings.names.architecture import NamesOfAnotherProgram

    named = NamesOfAnotherProgram(
        place=Place(file=audited.checkpoint.set_name),
        writer=audited.case.reading.writer or "transformers" if audited.case is not None else "",
        example=next(iter(audited.checkpoint.tensors)),
        exporter="llama.cpp's convert_hf_to_gguf.py, from the model of transformers",
        because=f"{load.loader}: {load.because}",
    )
    return [*(one for one in findings if not isinstance(one, ContentFinding)), named]


def _without_derived(audited: Audit, findings: Sequence[Finding]) -> Sequence[Finding]:
    """The findings without those on config keys that follow from tensors that are themselves missing or misshaped."""
    config = audited.checkpoint.config
    if len(findings) < 2 or config is None:
        return findings
    from inspector.findings.config import ConfigDisagrees, ConfigImpossible
    from inspector.findings.names.tensors import TensorMissing
    from inspector.findings.shapes import UnexpectedShape
    from inspector.findings.types.gguf_heads import GgufSizeDisagrees

    kind = str(config.values.get("model_type"))
    damaged = [one.place.tensor or one.place.family or "" for one in findings
               if isinstance(one, TensorMissing | UnexpectedShape)]  # fmt: skip

    ends = {one.key: one.family.rpartition("}.")[2] for one in findings if isinstance(one, GgufSizeDisagrees)}
    sizes = [key for key, end in ends.items() if any(name == end or name.endswith(f".{end}") for name in damaged)]

    def follows(one: Finding) -> bool:
        if isinstance(one, GgufSizeDisagrees):
            return one.key in sizes
        if not isinstance(one, ConfigDisagrees | ConfigImpossible) or getattr(one, "file_key", None):
            return False
        if any(depends_on(kind, one.place.key or "", key.partition(".")[2]) for key in sizes):
            return True
        behind = tensors_behind(kind, one.place.key or "")
        return any(name == end or name.endswith(f".{end}") for name in damaged for end in behind)

    return [one for one in findings if not follows(one)]


def _without_followed(findings: Sequence[Finding]) -> Sequence[Finding]:
    """The findings without those on two keys of which the tensors show that the other one is wrong or absent."""
    from inspector.findings.config import ConfigDisagrees
    from inspector.findings.shapes import UnexpectedShape
    from inspector.findings.types.gguf_heads import GgufKeysContradict

    findings = _of_heads(findings)
    wrong = {one.file_key or "" for one in findings if isinstance(one, ConfigDisagrees)}
    shapes = any(isinstance(one, UnexpectedShape) for one in findings)
    width = any(key.endswith(OF_HEADS) for key in wrong)
    return [
        one
        for one in findings
        if not (isinstance(one, GgufRotaryWidth) and width)
        and not (isinstance(one, GgufKeysContradict) and (one.other in wrong or (shapes and decides_shapes(one.other))))
    ]


def _of_heads(findings: Sequence[Finding]) -> Sequence[Finding]:
    """The findings without the one of two on numbers of heads that follows from the other.

    Key heads that are no whole number follow from a number of heads by which no width can be divided; with a number of
    key heads that the tensors show, what cannot be divided by the stated one is right.
    """
    from inspector.findings.config import ConfigImpossible
    from inspector.findings.types.gguf_heads import GgufHeadsDisagree

    heads = next((one for one in findings if isinstance(one, GgufHeadsDisagree)), None)
    undivided = [one for one in findings if isinstance(one, ConfigImpossible) and one.kind == "remainder"]
    if heads is None or not undivided:
        return findings
    followed = [one for one in undivided if heads.key in one.keys] if heads.shown else [heads]
    return [one for one in findings if one not in followed]


def _unknown(audited: Audit) -> Iterator[Finding]:
    """The note on an architecture that llama.cpp does not know, where the program that reads it is not plain."""
    metadata = audited.checkpoint.metadata
    if metadata is None or not audited.checkpoint.tensors:
        return
    named = metadata.values.get("general.architecture")
    stated = named if isinstance(named, str) else ""
    if knows("llama.cpp", stated) or stated in OF_COMFYUI or metadata.values.get("general.type", "model") != "model":
        return
    from inspector.findings.names.gguf_projector import GgufArchitectureUnknown, ProjectorAlone

    if any(isinstance(one, ProjectorAlone) for one in audited.findings):
        return

    place = Place(file=metadata.file, key="general.architecture")
    yield GgufArchitectureUnknown(place=place, stated=stated, source=source(), read_by=READ_BY.get(stated, ""))


def _with_lists(audited: Audit, findings: Sequence[Finding]) -> Sequence[Finding]:
    """The findings; lists of another length are one cause with what follows from them, or from the number of layers."""
    lists = _lists(findings)
    if lists is None or audited.architecture is None or lists.lists_fit:
        return findings
    from inspector.findings.config import ConfigDisagrees

    kind = audited.architecture.model_type
    disagreeing = [one for one in findings if isinstance(one, ConfigDisagrees)]
    if len(set(lists.lengths)) == 1 and any(counts_layers(kind, one.key) for one in disagreeing):
        return [one for one in findings if one is not lists]
    return _without_followers(kind, findings, lists.keys)


def _with_keys(audited: Audit, findings: Sequence[Finding]) -> Sequence[Finding]:
    """The findings; keys that are absent are one cause with the config keys that follow from them.

    Where only shapes tell that a key is absent, and one value of it fits them, that is the finding.
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
    return _without_followers(audited.architecture.model_type, findings, absent.keys)


def _without_followers(kind: str | None, findings: Sequence[Finding], keys: Sequence[str]) -> list[Finding]:
    """The findings without those on config keys that follow from keys of the file."""
    from inspector.findings.config import ConfigDisagrees
    from inspector.findings.single_causes import ConfigKeysAbsent

    words = [key.partition(".")[2] for key in keys]

    def follows(one: Finding) -> bool:
        named = [one.key] if isinstance(one, ConfigDisagrees) else []
        named += [each.key for each in one.keys] if isinstance(one, ConfigKeysAbsent) else []
        return any(depends_on(kind, name, word) for name in named for word in words)

    return [one for one in findings if not follows(one)]


def _lists(findings: Iterable[Finding]) -> GgufListsDisagree | None:
    """The finding on lists of another length than there are layers."""
    return next((one for one in findings if isinstance(one, GgufListsDisagree)), None)


def _needed(audited: Audit) -> list[Finding]:
    """The finding on tensors that llama.cpp needs in every file and that no definition has."""
    names = _computed(audited)
    if not names:
        return []
    from inspector.findings.names.gguf_architecture import TensorsNeeded

    return [TensorsNeeded(place=Place(tensor=names[0]) if len(names) == 1 else Place(), names=tuple(names))]


def _one_by_one(audited: Audit) -> list[Finding]:
    """The finding on experts that are stored one by one."""
    absent = _joined_experts(audited)
    if not absent:
        return []
    from inspector.findings.names.gguf_architecture import ExpertsOneByOne

    apart = sorted(name for name in audited.checkpoint.tensors if key_of(name)[0] in ONE_BY_ONE)
    return [ExpertsOneByOne(place=Place(), example=apart[0], tensors=len(apart), absent=absent)]


def _joined_experts(audited: Audit) -> str:
    """The tensor of all experts of a layer that llama.cpp looks for, where each expert has its own; "" elsewhere."""
    families = {line.family for line in audited.lines if line.kind != UNEXPLAINED}
    return JOINED_EXPERTS if not families.isdisjoint(ONE_BY_ONE) else ""


def _without_read(audited: Audit, findings: Sequence[Finding]) -> list[Finding]:
    """The findings without those that call tensors unexpected that llama.cpp needs: others of their kind are absent."""
    from inspector.findings.names.tensors import TensorUnexpected

    metadata = audited.checkpoint.metadata
    own = needed(None if metadata is None else metadata.values.get("general.architecture"))
    return [
        one
        for one in findings
        if not (isinstance(one, TensorUnexpected) and own.issuperset(key_of(name)[0] for name in one.names))
    ]


def _computed(audited: Audit) -> list[str]:
    """The tensors that llama.cpp needs and that are not stored, although the model may do without.

    Its converter computes them, or they are all of a kind that the architecture of transformers has by choice.
    """
    checkpoint, case = audited.checkpoint, audited.case
    if checkpoint.metadata is None or case is None or not checkpoint.tensors:
        return []
    if checkpoint.partial or any(one.severity == "error" for one in checkpoint.findings):
        return []  # files are lost, or keys
    own = needed(checkpoint.metadata.values.get("general.architecture"))
    computed = [name for name in COMPUTED if name in own and name not in checkpoint.tensors]
    if _joined_experts(audited) or any(one.severity == "error" for one in audited.findings):
        return computed
    families = {key_of(name)[0] for name in checkpoint.tensors}
    others = [pattern for pattern, other in IN_PLACE if any(other in name for name in families)]
    absent = (name for name in own - families if not any(pattern.search(name) for pattern in others))
    return [*computed, *sorted(name.replace("#", "{layer}") for name in absent if name not in computed)]


def _surplus(audited: Audit) -> list[str]:
    """The tensors that the architecture does not have: of a layer beyond its last, or that it does not read.

    Of an architecture that was not measured, those that no architecture has. llama.cpp counts buffers of other
    libraries as well.
    """
    keys = {line.family for line in audited.lines if line.kind in (BUFFER, UNEXPLAINED) or _is_left_out(line)}
    metadata = audited.checkpoint.metadata
    if not keys or metadata is None or audited.case is None:
        return []
    architecture = metadata.values.get("general.architecture")
    layers = None if _is_wrong_count(audited) else metadata.values.get(f"{architecture}.block_count")
    names = (name for name in audited.checkpoint.tensors if key_of(name)[0] in keys)
    return [name for name in names if not _is_read(name, architecture) or _is_beyond(name, layers)]


def _is_left_out(line: Line) -> bool:
    """Whether a stored tensor is one that the converter leaves out; layers that predict further tokens are read."""
    further = line.block is not None and line.block.slot.extra
    return not further and (line.kind == COPY or line.role in OMITTED)


def _is_read(name: str, architecture: object) -> bool:
    """Whether llama.cpp reads a tensor of this name, or may read it."""
    found = reads(architecture, name)
    return names_tensor(name, architecture) if found is None else found


def _has_towers(audited: Audit, surplus: Sequence[str]) -> bool:
    """Whether the file is as Ollama's converter writes it: towers beside the text model, and keys that state them."""
    values: Mapping[str, object] = {} if audited.checkpoint.metadata is None else audited.checkpoint.metadata.values
    described = f"{values.get('general.architecture')}.vision.block_count" in values
    return described and bool(surplus) and all(name.startswith(OF_TOWERS) for name in surplus)


def _is_wrong_count(audited: Audit) -> bool:
    """Whether a finding says that the stated number of layers is wrong: the stored layers are none too many then."""
    from inspector.findings.config import ConfigDisagrees

    kind = None if audited.architecture is None else audited.architecture.model_type
    return any(
        (isinstance(one, GgufListsDisagree) and one.lists_fit)
        or (isinstance(one, ConfigDisagrees) and counts_layers(kind, one.key))
        for one in audited.findings
    )


def _is_beyond(name: str, layers: object) -> bool:
    """Whether a tensor is of a layer that the metadata does not count."""
    before, _, rest = name.partition(".")
    number = rest.partition(".")[0]
    return before == "blk" and number.isdecimal() and isinstance(layers, int) and int(number) >= layers


def _with_surplus(audited: Audit, findings: Sequence[Finding], load: Load) -> list[Finding]:
    """The findings; where llama.cpp refuses tensors, that instead of those that call them unexpected."""
    from inspector.findings.names.gguf_architecture import TensorsOfNoArchitecture
    from inspector.findings.names.renamed import TensorRenamed
    from inspector.findings.names.tensors import PartUnexpected, TensorMissing, TensorUnexpected

    renamed = {stored for one in findings if isinstance(one, TensorRenamed) for stored, _ in one.renames}
    surplus = [one for one in _surplus(audited) if one not in renamed] if load.outcome == REFUSES else []
    if not surplus:
        return list(findings)

    names = set(surplus)
    routed = any(ROUTER in name for name in surplus)
    refused = TensorsOfNoArchitecture(
        place=Place(tensor=surplus[0]) if len(surplus) == 1 else Place(),
        names=tuple(surplus[:NAMES_SHOWN]),
        tensors=len(surplus),
        read_by=architectures_of(audited.checkpoint.tensors),
        experts=routed,
        program=OLLAMA if _has_towers(audited, surplus) else "",
        meant=_meant(audited, surplus),
    )
    rest = (
        one
        for one in findings
        if not (isinstance(one, TensorUnexpected | PartUnexpected) and names.issuperset(one.names))
        and not (routed and isinstance(one, TensorMissing) and all(MLP in name for name in one.names))
    )
    return [*rest, refused]


def _meant(audited: Audit, surplus: Sequence[str]) -> str:
    """The name that llama.cpp reads in place of the first surplus one, where all differ by their ends alone."""
    metadata, tensors = audited.checkpoint.metadata, audited.checkpoint.tensors
    architecture = None if metadata is None else metadata.values.get("general.architecture")
    found = []
    for name in surplus:
        bare = next((name.removesuffix(end) for end in ENDS if name.endswith(end)), name)
        others = [other for other in (bare, *(bare + end for end in ENDS)) if other != name and other not in tensors]
        found.append(next((other for other in others if reads(architecture, other)), ""))
    return found[0] if all(found) else ""


def _has_other_names(audited: Audit) -> bool:
    """Whether the tensors of a model have names that llama.cpp does not look up."""
    names = audited.checkpoint.tensors
    if audited.checkpoint.config is None or not names:
        return False
    return FIRST not in names and not any(name.startswith(LAYERS) for name in names)
