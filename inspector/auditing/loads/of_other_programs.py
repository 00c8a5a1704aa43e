"""What a loader does with weights that are made for another program, where the reports of the weights say that it does
not read them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from inspector.adapters.names import PREFIX as PEFT_PREFIX
from inspector.auditing.result import FLAT, Audit
from inspector.findings.finding import NO_PROMPTS, Finding
from inspector.loader.loaders import DIFFUSERS, OF_MLX, TRANSFORMERS
from inspector.loading.lists import lists_of
from inspector.loading.outcome import REFUSES, UNSUPPORTED, Load
from inspector.loading.peft import is_of_prompts
from inspector.loading.tables import NEWEST, version_of

if TYPE_CHECKING:
    from inspector.findings.adapters.unread import AdapterNamesUnread
    from inspector.findings.adapters.whole import Adapter
    from inspector.loader.checkpoint import Checkpoint

READS_PEFT: Final = frozenset({"peft", "llama.cpp", "vllm"})
"""Loaders of PEFT's adapters, or their converters."""
OF_PEFT: Final = "it reads adapters.safetensors with its own lora_a and lora_b, and PEFT stores their transposes"
"""Why mlx-lm reads no adapter of PEFT: `load_adapters` in `tuner/utils.py` of mlx-lm 0.32 asks for num_layers and
lora_parameters in adapter_config.json, and refuses other names.
"""
COMFYUI: Final = "ComfyUI"
SPLIT: Final = frozenset({"FluxTransformer2DModel"})
"""Classes of which `from_single_file` of diffusers 0.42 was measured to refuse flat 4-bit matrices: it divides the
matrices of its authors by rows.
"""
FLUX_2: Final = "Flux2Transformer2DModel"
OF_TEXT: Final = "txt_in.weight"
OF_DEV: Final = 6144
"""Width of FLUX.2-dev, whose config `from_single_file` takes for each FLUX.2 (`infer_diffusers_model_type` in
`loaders/single_file_utils.py` of 0.42).
"""
OWN_CONFIG: Final = "from_single_file(FILE, config=FOLDER) with the folder of this model"
TEXTUAL_INVERSION: Final = "textual inversion"
OF_WEB_UI: Final = "string_to_param"
"""Beginning of the vectors' name in a file of AUTOMATIC1111's web UI, which diffusers reads among others (measured with
0.42: it raises ValueError for several vectors under other names).
"""
OF_SDXL: Final = frozenset({"clip_l", "clip_g"})
"""The vectors of a textual inversion for both encoders of SDXL."""
BY_PART: Final = (
    'load_textual_inversion(load_file(FILE)["clip_l"], token=NAME, text_encoder=pipe.text_encoder,'
    ' tokenizer=pipe.tokenizer), and then the same with "clip_g", text_encoder_2 and tokenizer_2'
)
"""What loads each of both (measured with 0.42); `load_file` is that of safetensors.torch."""
BELOW_PEFT: Final = re.compile(rf"{re.escape(PEFT_PREFIX)}(?:down_blocks|mid_block|up_blocks)\.")
"""Beginnings of PEFT's names for a UNet, of which 0.42 applies no module, with a warning (measured)."""
ON_UNET: Final = "PeftModel.from_pretrained(pipe.unet, FOLDER)"
UNAPPLIED: Final = f"load_lora_weights applies no tensor below {PEFT_PREFIX}, only those below unet."
VLLM: Final = "vllm"
OF_A_MODEL: Final = "its config.json makes the folder a model"
WITH_BASE: Final = "PEFT (PeftModel.from_pretrained with a base)"
READS_FLAT: Final = "ComfyUI with ComfyUI_bitsandbytes_NF4, or Forge"


class NotRead(Struct, frozen=True):
    """What a loader does, and what reads the weights, or "". elsewhere: False if only the program that wrote them is
    known to read them.
    """

    load: Load
    reads: str
    elsewhere: bool = True


def refused_by(audited: Audit, loader: str, major: str = "") -> NotRead | None:
    """What a loader does with weights of another program that it does not read; None for any other weights.

    major: the version, or "" for the newest.
    """
    if loader in READS_PEFT and (of_mlx := _of_mlx(audited)):
        return NotRead(Load(loader=loader, version=None, outcome=UNSUPPORTED, because=of_mlx), OF_MLX)
    if loader == "mlx" and is_of_peft(audited):
        prompts = audited.checkpoint.adapter is not None and is_of_prompts(audited.checkpoint.adapter.values)
        because = NO_PROMPTS if prompts else OF_PEFT
        return NotRead(Load(loader=loader, version=None, outcome=REFUSES, because=because, source="documented"), "")
    if loader == TRANSFORMERS.name and (unnamed := _without_named_base(audited.findings)):
        return NotRead(Load(loader=loader, version=None, outcome=REFUSES, because=unnamed), WITH_BASE)
    if major in ("", NEWEST) and (as_model := _as_model(audited, loader)) is not None:
        return as_model
    return _by_diffusers(audited) if loader == DIFFUSERS.name else None


def _as_model(audited: Audit, loader: str) -> NotRead | None:
    """What loaders do with a folder of PEFT that also has the config of its base: they take it for a model.

    vLLM 0.33 never reads adapter_config.json of the model that it serves: it loads each *.safetensors of the folder
    (`_prepare_weights` in `default_loader.py`). transformers 5.23 takes the base from adapter_config.json only if the
    folder has no config.json, or is not local (`maybe_load_adapters`; measured). With 4.57, PEFT decides.
    """
    checkpoint = audited.checkpoint
    config, base = checkpoint.config, _named_base(checkpoint)
    if not is_of_peft(audited) or config is None or config.kind != "config" or checkpoint.other_sets or not base:
        return None
    if loader == VLLM:
        because = f"{OF_A_MODEL}, which has no modules of these names"
        reads = f"vllm serve {base} --enable-lora --lora-modules NAME={checkpoint.address}"
        version = lists_of(VLLM)["version"]
        return NotRead(
            Load(loader=loader, version=version, outcome=REFUSES, because=because, source="documented"), reads
        )
    if loader != TRANSFORMERS.name or not os.path.exists(checkpoint.address):
        return None
    because = f"{OF_A_MODEL}, of which there are no weights here"
    return NotRead(Load(loader=loader, version=version_of(NEWEST), outcome=REFUSES, because=because), WITH_BASE)


def _named_base(checkpoint: Checkpoint) -> str:
    """The name of the base in an adapter's config; "" without one."""
    base = {} if checkpoint.adapter is None else checkpoint.adapter.values
    named = base.get("base_model_name_or_path")
    return named if isinstance(named, str) else ""


def _without_named_base(findings: Sequence[Finding]) -> str:
    """Why transformers finds no base for an adapter; "" for any other folder (measured with 5.23)."""
    from inspector.findings.adapters.of_config import AdapterBaseUnnamed

    if not any(isinstance(one, AdapterBaseUnnamed) for one in findings):
        return ""
    return "it loads the base that adapter_config.json names, and there is no name"


def is_of_peft(audited: Audit) -> bool:
    """True for an adapter in a folder of PEFT, by the config that names its method."""
    config = audited.checkpoint.adapter
    return config is not None and isinstance(config.values.get("peft_type"), str) and not _of_mlx(audited)


def unread_names(findings: Sequence[Finding]) -> AdapterNamesUnread | None:
    """The note that diffusers finds no tensor of an adapter by its name."""
    from inspector.findings.adapters.unread import AdapterNamesUnread

    return next((one for one in findings if isinstance(one, AdapterNamesUnread) and not one.partly), None)


def _by_diffusers(audited: Audit) -> NotRead | None:
    from inspector.findings.unread_by_diffusers import UnreadByDiffusers
    from inspector.loading.diffusers import VERSION

    def made(outcome: str, because: str, reads: str) -> NotRead:
        return NotRead(Load(loader=DIFFUSERS.name, version=VERSION, outcome=outcome, because=because), reads)

    kind = "" if audited.architecture is None else audited.architecture.name
    if audited.checkpoint.config is None and kind in SPLIT and any(one.because == FLAT for one in audited.skipped):
        return made(REFUSES, "from_single_file divides matrices by rows, and 4-bit ones are stored flat", READS_FLAT)
    if audited.checkpoint.config is None and kind == FLUX_2:
        text = next((one for name, one in audited.checkpoint.tensors.items() if name.endswith(OF_TEXT)), None)
        if text is not None and text.shape[0] != OF_DEV:
            return made(REFUSES, "from_single_file takes the config of FLUX.2-dev, which is wider", OWN_CONFIG)
    adapter, names = lone_adapter(audited), audited.checkpoint.tensors
    several = len(names) > 1 and not any(name.startswith(OF_WEB_UI) for name in names)
    if several and adapter is not None and adapter.type == TEXTUAL_INVERSION:
        reads = BY_PART if names.keys() == OF_SDXL else COMFYUI
        return made(REFUSES, "load_textual_inversion reads a file of one embedding alone", reads)
    if names and all(name.startswith(PEFT_PREFIX) for name in names) and any(map(BELOW_PEFT.match, names)):
        return made(UNSUPPORTED, UNAPPLIED, ON_UNET)
    unread = [one for one in audited.findings if isinstance(one, UnreadByDiffusers) and one.applies()]
    if not unread:
        return None
    first = min(unread, key=lambda one: one.of_all_names)
    made_of = made(REFUSES if first.is_refused() else UNSUPPORTED, first.because(), first.reader())
    return replace(made_of, elsewhere=first.is_read_elsewhere())


def lone_adapter(audited: Audit) -> Adapter | None:
    """What is known of an adapter, which has no config of its own in diffusers; None for a model."""
    from inspector.findings.adapters.whole import Adapter

    return next((one for one in audited.findings if isinstance(one, Adapter)), None)


def _of_mlx(audited: Audit) -> str:
    """Why programs for PEFT's adapters do not read one of MLX; "" for any other checkpoint."""
    found = lone_adapter(audited)
    if found is None or found.writer != "MLX":
        return ""
    return "it reads PEFT's lora_A and lora_B, and MLX stores their transposes as lora_a and lora_b"
