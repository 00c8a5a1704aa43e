"""Determines which tensors of a GGUF file llama.cpp does not read, and which tensors it needs that are not stored."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from inspector.algebra.names import key_of
from inspector.dialects.gguf import LLAMA_CPP
from inspector.dialects.gguf_config import counts_layers
from inspector.dialects.gguf_further import NEEDED
from inspector.dialects.gguf_layers import MOST_LAYERS
from inspector.dialects.llama_cpp import needed, reads
from inspector.findings.types.gguf_heads import GgufListsDisagree
from inspector.loading.registries import names_tensor
from inspector.reconciler.ledger import BUFFER, COPY, UNEXPLAINED, Line

if TYPE_CHECKING:
    from inspector.auditing.result import Audit

FIRST: Final = "token_embd.weight"
"""The tensor that llama.cpp asks for first in every architecture."""
COMPUTED: Final = ("rope_freqs.weight",)
"""Tensors that are computed from the config, so that no definition has them."""
IN_PLACE: Final = (
    (re.compile(r"\.attn_[qkv]\."), ".attn_qkv."),
    (re.compile(r"\.attn_qkv\."), ".attn_q."),
    (re.compile(r"\.attn_[kv]_b\."), ".attn_kv_b."),
)
"""(pattern of a tensor that llama.cpp needs, the tensor that it reads instead), for every architecture."""
OMITTED: Final = frozenset({*LLAMA_CPP.omits, "head.token"})
"""Roles of tensors that the converter omits; the last one only in architectures with the embedding as the head."""
ENDS: Final = (".weight", ".bias")
"""Endings of names that some converters write and others omit."""
OF_TOWERS: Final = ("v.", "a.", "mm.")
"""Beginnings of the names of towers and projectors."""
ONE_BY_ONE: Final = frozenset({f"blk.#.ffn_{name}.#.weight" for name in ("gate", "up", "down")})
JOINED_EXPERTS: Final = "blk.0.ffn_down_exps.weight"
"""Name of a layer's stacked experts, which llama.cpp asks for first if a file of 2023 stores each expert on its own
(measured).
"""
LAYERS: Final = ("blk.", "enc.blk.", "dec.blk.")
"""Beginnings of the names of tensors in layers."""


def has_other_names(audited: Audit) -> bool:
    """True if the tensors of a model have names that llama.cpp does not look up."""
    names = audited.checkpoint.tensors
    if audited.checkpoint.config is None or not names:
        return False
    return FIRST not in names and not any(name.startswith(LAYERS) for name in names)


def is_vocabulary(audited: Audit) -> bool:
    """True if a file states the config of a model and has no tensors."""
    checkpoint = audited.checkpoint
    metadata = {} if checkpoint.metadata is None else checkpoint.metadata.values
    return not checkpoint.tensors and metadata.get("general.type", "model") == "model"


def joined_experts(audited: Audit) -> str:
    """The tensor with all experts of a layer that llama.cpp looks for, if each expert is stored on its own; else ""."""
    families = {line.family for line in audited.lines if line.kind != UNEXPLAINED}
    return JOINED_EXPERTS if not families.isdisjoint(ONE_BY_ONE) else ""


def absent_tensors(audited: Audit) -> list[str]:
    """The tensors that llama.cpp needs and that are not stored, although they are optional in the model.

    llama.cpp's converter computes them, or they are all of a kind that is optional in the architecture of transformers.
    """
    checkpoint, case = audited.checkpoint, audited.case
    if checkpoint.metadata is None or case is None or not checkpoint.tensors:
        return []
    if checkpoint.partial or any(one.severity == "error" for one in checkpoint.findings):
        return []  # files are lost, or keys
    own = needed(checkpoint.metadata.values.get("general.architecture"))
    computed = [name for name in COMPUTED if name in own and name not in checkpoint.tensors]
    values = checkpoint.metadata.values
    layers, first = further_layers(values, checkpoint.tensors), NEEDED.get(str(values.get("general.architecture")))
    computed += [f"blk.{at}.{first}" for at in layers if first is not None]
    if joined_experts(audited) or any(one.severity == "error" for one in audited.findings):
        return computed
    families = {key_of(name)[0] for name in checkpoint.tensors}
    others = [pattern for pattern, other in IN_PLACE if any(other in name for name in families)]
    absent = (name for name in own - families if not any(pattern.search(name) for pattern in others))
    return [*computed, *sorted(name.replace("#", "{layer}") for name in absent if name not in computed)]


def further_layers(values: Mapping[str, object], names: Mapping[str, object]) -> list[int]:
    """The layers that predict further tokens if the metadata announce them and none of their tensors is stored."""
    architecture = values.get("general.architecture")
    layers, further = (values.get(f"{architecture}.{key}") for key in ("block_count", "nextn_predict_layers"))
    if type(layers) is not int or type(further) is not int or layers > MOST_LAYERS:
        return []
    return [at for at in range(layers - further, layers) if not any(name.startswith(f"blk.{at}.") for name in names)]


def surplus_tensors(audited: Audit) -> list[str]:
    """The tensors that the architecture does not have: tensors of a layer beyond its last one, or tensors that it does
    not read.

    For an architecture that was not measured: tensors that no architecture has. llama.cpp also counts buffers of other
    libraries.
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
    """True if the converter would omit a stored tensor; layers that predict further tokens are read."""
    further = line.block is not None and line.block.slot.extra
    return not further and (line.kind == COPY or line.role in OMITTED)


def _is_read(name: str, architecture: object) -> bool:
    """True if llama.cpp reads a tensor of this name, or may read it."""
    found = reads(architecture, name)
    return names_tensor(name, architecture) if found is None else found


def _is_wrong_count(audited: Audit) -> bool:
    """True if a finding says that the stated number of layers is wrong, so that the stored layers are not too many."""
    from inspector.findings.config import ConfigDisagrees

    kind = None if audited.architecture is None else audited.architecture.model_type
    return any(
        (isinstance(one, GgufListsDisagree) and one.lists_fit)
        or (isinstance(one, ConfigDisagrees) and counts_layers(kind, one.key))
        for one in audited.findings
    )


def _is_beyond(name: str, layers: object) -> bool:
    """True if a tensor belongs to a layer beyond the number in the metadata."""
    before, _, rest = name.partition(".")
    number = rest.partition(".")[0]
    return before == "blk" and number.isdecimal() and isinstance(layers, int) and int(number) >= layers


def has_towers(audited: Audit, surplus: Sequence[str]) -> bool:
    """True if Ollama's converter wrote the file: towers next to the text model, and keys that describe the towers."""
    values: Mapping[str, object] = {} if audited.checkpoint.metadata is None else audited.checkpoint.metadata.values
    described = f"{values.get('general.architecture')}.vision.block_count" in values
    return described and bool(surplus) and all(name.startswith(OF_TOWERS) for name in surplus)


def name_read_instead(audited: Audit, surplus: Sequence[str]) -> str:
    """The name that llama.cpp reads instead of the first superfluous name, if all differ only by their endings; else
    "".
    """
    metadata, tensors = audited.checkpoint.metadata, audited.checkpoint.tensors
    architecture = None if metadata is None else metadata.values.get("general.architecture")
    found = []
    for name in surplus:
        bare = next((name.removesuffix(end) for end in ENDS if name.endswith(end)), name)
        others = [other for other in (bare, *(bare + end for end in ENDS)) if other != name and other not in tensors]
        found.append(next((other for other in others if reads(architecture, other)), ""))
    return found[0] if all(found) else ""
