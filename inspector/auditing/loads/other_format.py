"""Creates the finding on a checkpoint in a format that the loader reads only after a conversion, and on what the
converter needs first.
"""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from inspector.auditing.files.absent_tokenizer import has_tokenizer
from inspector.auditing.layouts_of_mlx import is_of_mlx
from inspector.auditing.loads.given_facts import given_of
from inspector.auditing.result import Audit
from inspector.findings.finding import Finding
from inspector.findings.words import listed
from inspector.loader.checkpoint import SIBLINGS_KEPT
from inspector.loading.tables import NEWEST, names_of
from inspector.loading.tokenizer_files import ADDED, WORDS
from inspector.reconciler.ledger import COPY

if TYPE_CHECKING:
    from inspector.findings.other_format import FormatNotRead
    from inspector.loader.checkpoint import Checkpoint

READS: Final = {
    "diffusers": "pipelines and models of diffusers",
    "llama.cpp": "only GGUF files",
    "peft": "adapters with an adapter_config.json",
}
"""Loaders that read only one kind of checkpoint -> that kind. Other loaders convert or wrap what they read."""


CONFIG: Final = "config.json"
WITH_CONFIG: Final = ("mlx", "transformers", "vllm")
"""Loaders that open config.json. Without it transformers 5.23 and mlx-lm 0.32 refuse a folder; vLLM 0.33 also takes
params.json beside consolidated*.safetensors (`get_config` in `transformers_utils/config.py`).
"""
OF_MISTRAL: Final = ("params.json", "consolidated*.safetensors")
READ_MISTRAL: Final = "vLLM or mistral-inference"
FOR_VLLM: Final = f"it reads {' and '.join(OF_MISTRAL)}; what it does with these was not recorded"
WHISPER: Final = "whisper"
OF_WHISPER: Final = "WhisperForConditionalGeneration"
OF_OPENAI: Final = "encoder.positional_embedding"
"""A tensor of OpenAI's code that no class of transformers has under this name."""


def not_read(audited: Audit, loader: str) -> Finding:
    """The error that a loader does not read the format of an audited checkpoint."""
    found = _not_read(audited, loader)
    return _of_whisper(found, audited) if loader == "llama.cpp" else found


def without_config_json(audited: Audit, loader: str) -> Finding | None:
    """The error that a loader refuses a folder of another program; None for a folder that it may read."""
    checkpoint = audited.checkpoint
    config = checkpoint.config
    if loader not in WITH_CONFIG or not checkpoint.folder or config is None or checkpoint.is_gguf:
        return None
    if config.kind == "config" or audited.components or checkpoint.adapter is not None or not checkpoint.set_name:
        return None
    if CONFIG in checkpoint.siblings or len(checkpoint.siblings) >= SIBLINGS_KEPT:
        return None
    mistral = in_format_of_mistral(checkpoint)
    if mistral and loader == "vllm":
        return None
    from inspector.auditing.loads.other_names import converter_of_towers
    from inspector.findings.other_format import OF_TRANSFORMERS, FormatNotRead

    return FormatNotRead(
        loader=loader,
        reads=OF_TRANSFORMERS,
        instead=config.file,
        exporter=converter_of_towers(checkpoint),
        readers=READ_MISTRAL if mistral else "",
        lacks_config=True,
    )


def in_format_of_mistral(checkpoint: Checkpoint) -> bool:
    """True for a folder from which vLLM reads Mistral's own format."""
    config, (params, weights) = checkpoint.config, OF_MISTRAL
    return config is not None and config.file == params and fnmatchcase(checkpoint.set_name, weights)


def _of_whisper(found: FormatNotRead, audited: Audit) -> FormatNotRead:
    """The finding with the converter of whisper.cpp that reads the names of a Whisper.

    Source: `models/convert-h5-to-ggml.py` of whisper.cpp, which opens vocab.json and added_tokens.json, and
    `models/convert-pt-to-ggml.py`, which opens a file of torch with `dims` and `model_state_dict`.
    """
    from inspector.findings.other_format import FROM_FILE, FROM_FOLDER

    checkpoint, case = audited.checkpoint, audited.case
    if case is None or case.reading.name != WHISPER:
        return found
    if found.class_name == OF_WHISPER and checkpoint.folder and OF_OPENAI not in checkpoint.tensors:
        absent = tuple(one for one in (WORDS, ADDED) if one not in checkpoint.siblings)
        return replace(found, whisper=FROM_FOLDER, unread_by_whisper=FROM_FILE, tokenizer=listed(absent))
    if OF_OPENAI in checkpoint.tensors and checkpoint.kind == "pytorch":
        return replace(found, whisper=FROM_FILE, unread_by_whisper=FROM_FOLDER)
    return found


def _not_read(audited: Audit, loader: str) -> FormatNotRead:
    from inspector.findings.other_format import FormatNotRead
    from inspector.loading.registries import converter_of

    config = audited.checkpoint.config
    own = next((one.loader for one in audited.loads if one.intended), None)
    if config is None or config.kind != "config" or "_class_name" in config.values:
        return FormatNotRead(loader=loader, reads=READS[loader], own=own, lacks_config=config is None)
    class_name = given_of(audited, config.values).class_name
    converter, converts = converter_of(loader, class_name) or (None, None)
    found = FormatNotRead(
        loader=loader,
        reads=READS[loader],
        own=own,
        class_name=class_name,
        converter=converter,
        converts=converts,
        quantization=_not_converted(audited, config.values) if converter is not None else None,
        meant="" if class_name or converts else _class_of_names(audited, config.values, loader),
    )
    return _with_copy(_with_vocabulary(_with_stop(found, audited), audited), audited) if converts else found


def _with_copy(found: FormatNotRead, audited: Audit) -> FormatNotRead:
    """The finding for a copy that MLX wrote and that the converter does not read as it is."""
    from inspector.loading.converter_mlx import spoiled_copy

    checkpoint = audited.checkpoint
    if checkpoint.config is None or not is_of_mlx(checkpoint):
        return found
    shapes = {name: tensor.shape for name, tensor in checkpoint.tensors.items()}
    return replace(found, rewritten=spoiled_copy(checkpoint.config.values.get("model_type"), shapes))


def _with_vocabulary(found: FormatNotRead, audited: Audit) -> FormatNotRead:
    """The finding for a folder without the tokenizer that the converter reads from the same folder."""
    from inspector.loading.converter import tokenizer_wanted

    checkpoint = audited.checkpoint
    if not checkpoint.folder or len(checkpoint.siblings) >= SIBLINGS_KEPT:
        return found
    wanted = tokenizer_wanted(found.class_name, checkpoint.siblings, has_tokenizer(checkpoint))
    return replace(found, tokenizer=wanted)


def _class_of_names(audited: Audit, values: Mapping[str, Any], loader: str) -> str:
    """The class for generation of a model type of which the head is stored or tied, if the converter supports it."""
    from inspector.loading.registries import converter_of

    base = names_of(NEWEST).bases.get(str(values.get("model_type")), "")
    name = f"{base.removesuffix('Model')}ForCausalLM"
    known = converter_of(loader, name)
    settings = None if audited.case is None else audited.case.claim.settings
    tied = settings is not None and bool({**settings.defaults, **settings.values}.get("tie_word_embeddings"))
    headed = tied or any(line.role.startswith("head.token") for line in audited.lines)
    return name if base and headed and known is not None and known[1] else ""


def _with_stop(found: FormatNotRead, audited: Audit) -> FormatNotRead:
    """The finding with the head at which the converter stops, and whether it is a copy of the embedding; or with a tied
    head without the embedding, which it writes alone (measured for Qwen2).
    """
    from inspector.findings.totals import HeadAloneOfTie
    from inspector.loading.converter import ADDED, HEAD, stopped_at

    alone = next((one for one in audited.findings if isinstance(one, HeadAloneOfTie)), None)
    if alone is not None:
        return replace(found, alone=alone.stored, embedding=alone.wanted)
    tied = any(line.family == HEAD and line.kind == COPY for line in audited.lines)
    stops = stopped_at(found.class_name, audited.checkpoint.tensors)
    found = replace(found, stopped_at=stops, tied=tied, added_head=stops.startswith(ADDED))
    return _with_further(found, audited)


def _with_further(found: FormatNotRead, audited: Audit) -> FormatNotRead:
    """The finding with the layers for further tokens that the converter counts although none is stored."""
    from inspector.dialects.gguf_further import counted_alone

    config = audited.checkpoint.config
    values: Mapping[str, Any] = {} if config is None else config.values
    counted = counted_alone(found.class_name or "", values, audited.checkpoint.tensors)
    return found if counted is None else replace(found, further=counted[0], refusing=counted[1])


def _not_converted(audited: Audit, values: Mapping[str, Any]) -> str | None:
    """The quantization of an audited checkpoint that llama.cpp's converter does not read."""
    from inspector.loading.converter import not_converted

    schemes = {} if audited.unpacked is None else audited.unpacked.schemes
    packed = [scheme for scheme, modules in schemes.items() if modules]
    return not_converted(values, max(packed, key=lambda one: schemes[one]) if packed else None)
