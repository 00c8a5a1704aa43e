"""The findings on a GGUF file from the view of llama.cpp: what it needs, refuses or does not know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from inspector.algebra.names import key_of
from inspector.auditing.gguf.causes import one_for_each_cause
from inspector.auditing.gguf.no_architecture import architecture_absent
from inspector.auditing.gguf.other_writer import of_another_model
from inspector.auditing.gguf.tensors import (
    ONE_BY_ONE,
    absent_tensors,
    further_layers,
    has_other_names,
    has_towers,
    joined_experts,
    name_read_instead,
    surplus_tensors,
)
from inspector.dialects.gguf_further import NEEDED, OLDER
from inspector.dialects.gguf_kinds import CONTROL
from inspector.dialects.llama_cpp import architectures_of, needed, source
from inspector.findings.finding import NAMES_SHOWN, ContentFinding, Finding, Place
from inspector.loader.weight_sets import shard_number
from inspector.loading.outcome import REFUSES
from inspector.loading.registries import knows
from inspector.reconciler.wording import family_name

if TYPE_CHECKING:
    from inspector.auditing.result import Audit
    from inspector.findings.header.gguf import GgufLaterPart
    from inspector.findings.types.gguf_heads import GgufArchitectureDisagrees
    from inspector.loader.checkpoint import Checkpoint
    from inspector.loading.outcome import Load

ROUTER: Final = ".ffn_gate_inp."
MLP: Final = ".ffn_"
"""Part of the names of a router, and of all matrices of an MLP or of experts."""
OLLAMA: Final = "Ollama"
OPTIMIZER: Final = "optimizer."
"""Beginning of the names of an optimizer's state in the checkpoints of llama.cpp's training programs."""
OF_COMFYUI: Final = frozenset({
    "flux", "sd1", "sdxl", "sd3", "aura", "hidream", "cosmos", "ltxv", "hyvid", "wan", "lumina2", "qwen_image",
})  # fmt: skip
"""Architectures of ComfyUI-GGUF's converter that are not used with llama.cpp (`loader.py`, IMG_ARCH_LIST)."""
OF_CLASS: Final[Mapping[str, str]] = {
    "WanTransformer3DModel": "wan", "WanVACETransformer3DModel": "wan", "FluxTransformer2DModel": "flux",
    "HunyuanVideoTransformer3DModel": "hyvid", "LTXVideoTransformer3DModel": "ltxv",
    "SD3Transformer2DModel": "sd3", "AuraFlowTransformer2DModel": "aura", "HiDreamImageTransformer2DModel": "hidream",
    "Lumina2Transformer2DModel": "lumina2", "QwenImageTransformer2DModel": "qwen_image",
    "CosmosTransformer3DModel": "cosmos",
}  # fmt: skip
"""Class of diffusers -> the architecture under which ComfyUI-GGUF stores its weights in their authors' names."""
READ_BY: Final[Mapping[str, str]] = {"mllama": OLLAMA, "gptoss": OLLAMA, "qwen25vl": OLLAMA, "pig": "gguf-node"}
"""Architectures that only other programs write and read: Ollama's own engine, and a node of ComfyUI."""


def for_llama_cpp(audited: Audit, findings: Sequence[Finding], load: Load) -> list[Finding]:
    """Adapts the findings to llama.cpp; names of another program become one finding that replaces all that follow from
    it.
    """
    if (later := _later_part(audited)) is not None:
        return [*(one for one in findings if not isinstance(one, ContentFinding)), later]
    findings = [*map(_milder_without_ones(audited), one_for_each_cause(audited, findings)), *_unknown(audited)]
    findings = _with_older_builds(audited, findings)
    other = of_another_architecture(audited) or of_another_model(audited, findings)
    if other is not None:
        return [*(one for one in findings if not isinstance(one, ContentFinding)), other]
    if not has_other_names(audited):
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


def _milder_without_ones(audited: Audit) -> Callable[[Finding], Finding]:
    """A function that makes the finding on other dims a note if only dims of 1 are left out in an image model."""
    from inspector.findings.shapes import OnesLeftOut, StoredReshaped

    values: Mapping[str, object] = {} if audited.checkpoint.metadata is None else audited.checkpoint.metadata.values
    placed = () if audited.case is None else audited.case.placement.mismatched
    others = [one for one in placed if one.reshaped]
    ones = all(one.layout.shape == tuple(dim for dim in one.block.shape if dim != 1) for one in others)

    def milder(finding: Finding) -> Finding:
        if not isinstance(finding, StoredReshaped) or not ones or values.get("general.architecture") not in OF_COMFYUI:
            return finding
        return OnesLeftOut(**finding.stated_fields())

    return milder


def of_another_architecture(audited: Audit) -> GgufArchitectureDisagrees | None:
    """The finding on metadata with the sizes of exactly one other architecture than the stated one."""
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


def part_of_split(checkpoint: Checkpoint) -> int | None:
    """The number of the part, from 1, that the first file is of a split model; None if the model is not split."""
    values = {} if checkpoint.metadata is None else checkpoint.metadata.values
    number, count = values.get("split.no"), values.get("split.count")
    return number + 1 if type(number) is int and type(count) is int and count > 1 else None


def _later_part(audited: Audit) -> GgufLaterPart | None:
    """The finding on a part other than the first that was given by itself, which has no sizes of the model."""
    checkpoint = audited.checkpoint
    part = part_of_split(checkpoint) if checkpoint.partial else None
    numbered = shard_number(checkpoint.set_name)
    if part is None or part < 2 or numbered is None or numbered[0] != part:
        return None
    from inspector.findings.header.gguf import GgufLaterPart

    first = checkpoint.set_name.replace(f"-{part:05d}-of-", "-00001-of-")
    return GgufLaterPart(place=Place(file=checkpoint.set_name), part=part, of=numbered[1], first=first)


def _unknown(audited: Audit) -> Iterator[Finding]:
    """The finding on an architecture that is not stated or that llama.cpp does not know, if it is unclear which program
    reads it.
    """
    if (absent := architecture_absent(audited)) is not None:
        yield absent
        return
    metadata = audited.checkpoint.metadata
    if metadata is None or not audited.checkpoint.tensors:
        return
    named = metadata.values.get("general.architecture")
    stated = named if isinstance(named, str) else ""
    if not stated and (part_of_split(audited.checkpoint) or 1) > 1:  # only the first part states it
        return
    if knows("llama.cpp", stated) or stated in OF_COMFYUI or stated == CONTROL:
        return
    if metadata.values.get("general.type", "model") != "model":
        return
    from inspector.findings.names.gguf_projector import GgufArchitectureUnknown, ProjectorAlone

    if any(isinstance(one, ProjectorAlone) for one in audited.findings):
        return

    place = Place(file=metadata.file, key="general.architecture")
    reading = None if audited.case is None else audited.case.reading
    meant = "" if reading is None or not reading.writer else OF_CLASS.get(reading.definition.name, "")
    yield GgufArchitectureUnknown(
        place=place, stated=stated, source=source(), read_by=READ_BY.get(stated, ""), meant=meant
    )


def _needed(audited: Audit) -> list[Finding]:
    """The finding on tensors that llama.cpp needs in every file and that no definition has."""
    names, metadata = absent_tensors(audited), audited.checkpoint.metadata
    if not names or metadata is None:
        return []
    from inspector.findings.names.gguf_architecture import TensorsNeeded

    kept, layers = _without_further(audited)
    kept = kept if len(layers) == len(names) else None
    place = Place(tensor=names[0]) if len(names) == 1 else Place()
    return [TensorsNeeded(place=place, names=tuple(names), without=kept)]


def _without_further(audited: Audit) -> tuple[dict[str, int] | None, list[int]]:
    """(the keys of the metadata with their values for a model without layers that predict further tokens, these layers)
    if none of their tensors is stored.
    """
    values: Mapping[str, object] = {} if audited.checkpoint.metadata is None else audited.checkpoint.metadata.values
    layers, name = further_layers(values, audited.checkpoint.tensors), values.get("general.architecture")
    return {f"{name}.block_count": layers[0], f"{name}.nextn_predict_layers": 0} if layers else None, layers


def _with_older_builds(audited: Audit, findings: list[Finding]) -> list[Finding]:
    """Adds the builds of llama.cpp that refuse the file to the note on absent layers for further tokens."""
    kept, layers = _without_further(audited)
    if kept is None or audited.checkpoint.metadata is None:
        return findings
    from inspector.findings.names.components import ComponentAbsent

    name = str(audited.checkpoint.metadata.values.get("general.architecture"))
    older, key = OLDER.get(name), f"{name}.nextn_predict_layers"
    absent = [replace(one, key=key) if isinstance(one, ComponentAbsent) else one for one in findings]
    if name in NEEDED:  # the tensors are one finding
        return [one for one in findings if not isinstance(one, ComponentAbsent)]
    if older is None:
        return absent
    builds = {"refused_until": older.refuses, "loaded_from": older.loads, "without": kept}
    first = f"blk.{layers[0]}.{older.first}"
    return [replace(one, first=first, **builds) if isinstance(one, ComponentAbsent) else one for one in absent]


def _one_by_one(audited: Audit) -> list[Finding]:
    """The finding on experts that are stored as separate tensors."""
    absent = joined_experts(audited)
    if not absent:
        return []
    from inspector.findings.names.gguf_architecture import ExpertsOneByOne

    apart = sorted(name for name in audited.checkpoint.tensors if key_of(name)[0] in ONE_BY_ONE)
    return [ExpertsOneByOne(place=Place(), example=apart[0], tensors=len(apart), absent=absent)]


def _without_read(audited: Audit, findings: Sequence[Finding]) -> list[Finding]:
    """Removes findings that call tensors unexpected if llama.cpp needs them; other tensors of the same
    kind are absent.
    """
    from inspector.findings.names.tensors import TensorUnexpected

    metadata = audited.checkpoint.metadata
    own = needed(None if metadata is None else metadata.values.get("general.architecture"))
    return [
        one
        for one in findings
        if not (isinstance(one, TensorUnexpected) and own.issuperset(key_of(name)[0] for name in one.names))
    ]


def _with_surplus(audited: Audit, findings: Sequence[Finding], load: Load) -> list[Finding]:
    """Replaces findings on unexpected tensors by the finding that llama.cpp refuses these tensors."""
    from inspector.findings.names.gguf_architecture import TensorsOfNoArchitecture
    from inspector.findings.names.joined import ProjectionsJoined
    from inspector.findings.names.renamed import TensorRenamed
    from inspector.findings.names.tensors import PartUnexpected, TensorMissing, TensorUnexpected
    from inspector.findings.single_causes import WeightsIncomplete

    renamed = {stored for one in findings if isinstance(one, TensorRenamed) for stored, _ in one.renames}
    joints = [joint for one in findings if isinstance(one, ProjectionsJoined) for joint in one.joints]
    joined = {joint.whole.partition(" [")[0] for joint in joints}  # to leave these out would lose their parts
    surplus = [
        one for one in (surplus_tensors(audited) if load.outcome == REFUSES else ())
        if one not in renamed and family_name(key_of(one)[0]) not in joined
    ]  # fmt: skip
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
        program=OLLAMA if has_towers(audited, surplus) else "",
        meant=name_read_instead(audited, surplus),
        training=all(name.startswith(OPTIMIZER) for name in surplus),
    )
    rest = (
        one
        for one in findings
        if not (isinstance(one, TensorUnexpected | PartUnexpected) and names.issuperset(one.names))
        and not (routed and isinstance(one, TensorMissing) and all(MLP in name for name in one.names))
        and not (routed and isinstance(one, WeightsIncomplete) and all(MLP in name for name in one.families))
    )
    return [*rest, refused]
