"""The base of an adapter that another tool than PEFT made: a model, a pipeline, or Stable Diffusion in
a single file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from inspector.adapters.author_names import AUTHOR_NAMES, Shape
from inspector.adapters.base import base_tensors, modules_of_class
from inspector.adapters.image_projection import other_images
from inspector.adapters.names import tuner_name
from inspector.adapters.tool_base import BaseModules, own_names, plain, spelled_shapes
from inspector.adapters.tools import ToolTensor
from inspector.adapters.unknown_modules import unknown_modules
from inspector.algebra.boxes import tuples
from inspector.algebra.names import name_of
from inspector.architectures.catalog import definition_of
from inspector.auditing.model import audit_model
from inspector.auditing.result import Audit
from inspector.budget import allow_tensors
from inspector.dialects.catalog import is_single_file
from inspector.findings.adapters.tools import AdapterModulesUnmatched
from inspector.findings.finding import NAMES_SHOWN, Finding
from inspector.loader.checkpoint import Checkpoint, load_within
from inspector.loading.integers import INTEGERS
from inspector.matcher.claim import claim_of
from inspector.matcher.families import Families
from inspector.notation.binding import bind_slots
from inspector.notation.scope import Scope
from inspector.notation.slots import unroll
from inspector.notation.spelling import Spelling
from inspector.reconciler.wording import family_name

_Modules = tuple[dict[str, Shape], frozenset[str], dict[str, str]]
"""The shapes of a part's modules under all their names, its embeddings, and the names in its class."""
IMAGE_ENCODER: Final = "image_encoder"
CLASS_OF_COMPONENT: Final = "_class_name"
"""Key of a config in which diffusers names a component's class."""
LAYER: Final = re.compile(r"blk[._](\d{1,9})[._]")
"""The layer of a module in llama.cpp's names, plain or not."""


def read_parts(checkpoint: Checkpoint) -> Audit | None:
    """The audit of a base that has components; None for a base that is one model."""
    if checkpoint.pipeline is not None:
        from inspector.auditing.pipeline.audit import audit_pipeline

        return audit_pipeline(checkpoint, lambda name: load_within(checkpoint, name), audit_base)
    if checkpoint.readable and is_single_file(checkpoint.tensors) and claim_of(checkpoint.config).definition is None:
        from inspector.auditing.pipeline.single_file import audit_single_file

        return audit_single_file(checkpoint, audit_base)
    return None


def audit_base(checkpoint: Checkpoint, *, like: str | None = None) -> Audit:
    """The audit of a base or of one of its components. like: the type to use if it has no config."""
    allow_tensors(len(checkpoint.tensors))
    return audit_model(checkpoint, like=like)


def modules_of_base(
    source: str, audited: Audit, families: Families, tensors: Mapping[str, ToolTensor]
) -> BaseModules | None:
    """The modules of a base and of its components; None if no definition reads any part of it.

    families: the adapter's. tensors: the meaning of each name; the module names of MLX show how it stacks experts.
    """
    parts = audited.components or {"": audited}
    named = {f"{one.module}.weight": families[key] for key, one in tensors.items() if one.writer == "MLX"}
    read = {name: made for name, part in parts.items() if (made := _shapes(source, part, named)) is not None}
    spelled = {name: shapes for name, (shapes, _, _) in read.items()}
    found = {name: {plain(one): shape for one, shape in shapes.items()} for name, shapes in spelled.items()}
    tables = frozenset(name for _, own, _ in read.values() for name in own)
    if any(key.startswith("blk.") for key in families):
        found = {name: {**shapes, **dict(_of_llama_cpp(parts[name]))} for name, shapes in found.items()}
    name = audited.class_name or (audited.architecture.name if audited.architecture is not None else "") or source
    authors = frozenset(name for name, part in parts.items() if _kind(part) in AUTHOR_NAMES or _layers(part))
    kinds = {name: _kind(parts[name]) for name in read}
    own = {name: names for name, (_, _, names) in read.items()}
    return BaseModules(name, source, found, authors, tables, kinds, own, _listed(audited), spelled) if found else None


def of_other_images(families: Families, base: Audit | None, laid: BaseModules) -> Finding | None:
    """The finding on an IP-Adapter that was trained for another image encoder than the one in the pipeline."""
    part = None if base is None else base.components.get(IMAGE_ENCODER)
    config = None if part is None else part.checkpoint.config
    return None if config is None else other_images(families, config.values, laid.name, laid.source)


def _listed(audited: Audit) -> frozenset[str]:
    """The components listed in the index of a pipeline."""
    index = audited.checkpoint.pipeline
    entries = {} if index is None else index.values
    return frozenset(name for name, entry in entries.items() if isinstance(entry, list) and entry and entry[-1])


def _kind(part: Audit) -> str:
    """The class or model type that the definition of a part describes."""
    definition = claim_of(part.checkpoint.config).definition
    if definition is None and part.case is not None:
        definition = part.case.reading.definition
    return "" if definition is None else definition.names[0]


def _of_llama_cpp(part: Audit) -> Iterator[tuple[str, Shape]]:
    """(plain name in llama.cpp, shape) of each matrix of a model."""
    from inspector.dialects.gguf import LLAMA_CPP
    from inspector.dialects.respelling import respelled

    claim = claim_of(part.checkpoint.config)
    if claim.definition is None:
        return
    scope = Scope(claim.definition, claim.settings, definition_of)
    slots = respelled(unroll(scope, claim.head or claim.definition.default_head).slots, LLAMA_CPP, "", True)
    for block in bind_slots(scope, Spelling(""), slots, lambda key: [()]):
        if block.key.endswith(".weight") and len(block.shape) in (2, 3) and None not in block.shape:
            module, shape = block.key.removesuffix(".weight"), tuple(dim for dim in block.shape if dim is not None)
            yield from ((plain(name_of(module, index)), shape) for index in tuples(block.axes))


def refused_by_llama_cpp(
    checkpoint: Checkpoint, base: Audit | None, laid: BaseModules, unchecked: Sequence[str]
) -> list[Finding]:
    """The finding on a GGUF adapter that llama.cpp refuses for this base. unchecked: modules that have no counterpart
    there.
    """
    if checkpoint.metadata is None or base is None:
        return []
    from inspector.dialects.gguf_kinds import refused_by_base

    layers = {int(found[1]) for part in laid.modules.values() for name in part if (found := LAYER.match(name))}
    beyond = [one for one in unchecked if (found := LAYER.match(one)) and layers and int(found[1]) > max(layers)]
    refused = refused_by_base(checkpoint.metadata, base.checkpoint.metadata, tuple(beyond))
    return [] if refused is None else [refused]


def not_refused(checkpoint: Checkpoint, findings: Sequence[Finding]) -> list[Finding]:
    """Removes the findings on tensors for which another finding says that llama.cpp refuses the file."""
    from inspector.findings.adapters.tools import AdapterTensorUnknown
    from inspector.findings.names.gguf_kinds import GgufAdapterRefused

    names = {name for one in checkpoint.findings if isinstance(one, GgufAdapterRefused) for name in one.names}
    return [one for one in findings if not (isinstance(one, AdapterTensorUnknown) and names.issuperset(one.names))]


def _layers(part: Audit) -> int:
    """The number of layers in each block of a UNet; 0 for other models, and if the blocks differ."""
    found = claim_of(part.checkpoint.config).settings.values.get("layers_per_block")
    return found if isinstance(found, int) and "UNet" in _kind(part) else 0


def _shapes(source: str, part: Audit, named: Families) -> _Modules | None:
    """The names and shape of each module of a part, the names of its embeddings, and the names in its class.

    None without a definition.

    named: weights as the adapter names them; they show in which of several forms the base held a tensor.
    """
    claim = claim_of(part.checkpoint.config)
    base = base_tensors(source, claim, part.case, named, {})
    inner = part.checkpoint.names_in_file or {}
    stored = {
        spelled.removeprefix("model.diffusion_model."): layout.shape
        for name, layout in part.checkpoint.tensors.items()
        if layout.dtype not in INTEGERS  # quantized and packed: its shape is not the module's
        for spelled in {name, inner.get(name, name)}
    }
    if base is None:
        return None
    config = part.checkpoint.config
    component = config is not None and CLASS_OF_COMPONENT in config.values  # its tables are not a text encoder's
    tables = frozenset(plain(one.module) for one in base.tensors if one.kind == "table" and not component)
    elsewhere = () if part.case is None else modules_of_class(part.case)
    tensors = (*elsewhere, *base.tensors)
    return spelled_shapes(_kind(part), tensors, stored, _layers(part)), tables, own_names(tensors)


def of_no_component(
    source: str, base: Audit | None, families: Families, values: Mapping[str, Any]
) -> AdapterModulesUnmatched | None:
    """The finding on an adapter of PEFT if no component of the pipeline has any of its modules.

    None for any other base, and if a component has no definition.
    """
    parts = () if base is None else tuple(base.components.values())
    found = [base_tensors(source, claim_of(one.checkpoint.config), one.case, families, values) for one in parts]
    tuned = list(
        dict.fromkeys(name.module for key in families if (name := tuner_name(key)) is not None and name.module)
    )
    if not found or not tuned:
        return None
    for one in found:
        if one is None or len([name for name in unknown_modules(families, one) if name in tuned]) < len(tuned):
            return None
    names = tuple(map(family_name, tuned[:NAMES_SHOWN]))
    return AdapterModulesUnmatched(base=source, names=names, modules=len(tuned), of=len(tuned))
