"""Names of an adapter's tensors under which diffusers finds no module, although other programs may.

Measured with diffusers 0.42 (`lora_state_dict` of FLUX, SD 1 and 3, Wan, HunyuanVideo, Qwen-Image, Z-Image, FLUX.2,
LTX-Video, CogVideoX, AuraFlow, Lumina 2, Sana and HiDream): names of its own modules must begin with the component and
end with the matrix. With the ending `.default`, every class leaves `transformer.` as it is or adds it twice; another
name of an adapter there, or two of them (`.default_0.default`), is not removed. Without a prefix and with `.default`,
as DiffSynth saves them, only Qwen-Image reads its names. LoHa and LoKr with the prefix `lora_unet_` or `lycoris_` are
refused (ValueError, KeyError) or left as they are, and so are DoRA magnitudes under ai-toolkit's names, and LoRA of
HunyuanVideo under musubi-tuner's names (ValueError; HunyuanImage's pipelines read no LoRA). Embeddings below
`bundle_emb.`, which OneTrainer puts beside LoRA, are refused by every class (ValueError) but FLUX's, which leaves them
out. Cores of convolutions (`lora_mid`) are refused by SD 1 and SDXL. The prefix `base_model.model.` of a PEFT model's
state dict is removed only by FLUX.2. The names of Wan's authors are read only after `diffusion_model.`, not without a
prefix (as DiffSynth saves them) or after `transformer.`. Where both `transformer.` and `diffusion_model.` stand in
front of modules, a part of them is left out (FLUX, Qwen-Image, Z-Image) or the file is refused (FLUX.2, Wan, HiDream;
ValueError): FLUX.2 takes the length of one prefix from all names, which leaves only `transformer.transformer_blocks.`
readable. LoRA of T5 in Kohya's names beside FLUX is left out, and so is
all LoRA of SD 3 in Kohya's names of its blocks. For SD 1, every LyCORIS method but LoRA in Kohya's names of diffusers'
modules is refused (ValueError), also beside LoRA.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Final

from inspector.adapters.names import PREFIX, renames_of
from inspector.adapters.tools import BUNDLED, NAMED_PAIR, OF_ADAPTER, ToolTensor
from inspector.findings.finding import Finding
from inspector.matcher.families import Families
from inspector.reconciler.wording import names_in

DEFAULT: Final = ".default"
NAMED: Final = f"{DEFAULT}.weight"
"""Ending of a matrix's name in DiffSynth and in the state dict of a PEFT model."""
OF_QWEN: Final = "transformer_blocks."
"""Beginning of all names of Qwen-Image's blocks, and of some of those of other transformers."""
KOHYA: Final = "lora_unet_"
OF_OFT: Final = "oft_unet_"
"""Prefix of OFT of sd-scripts: diffusers refuses names without "lora" (ValueError), and ComfyUI's `comfy/lora.py` lists
no module with this prefix. The web UI replaces it.
"""
SD_SCRIPTS: Final = "sd-scripts"
OF_UNET_IN_PEFT: Final = tuple(f"{PREFIX}{part}" for part in ("down_blocks.", "up_blocks.", "mid_block."))
WITH_CONFIG: Final = "PEFT (with the adapter_config.json of the training)"
"""The program that reads what a PEFT model of a UNet saves; it states the ranks and modules only there."""
KRONECKER: Final = frozenset({"loha", "lokr"})
WORDS: Final = {"loha": "LoHa", "lokr": "LoKr"}
OF_LYCORIS: Final = {
    "ia3": "IA3", "glora": "GLoRA", "oft": "OFT", "full": "differences of whole weights",
    "norm": "differences of norms",
}  # fmt: skip
"""Further methods of LyCORIS for a UNet."""
WEB_UI: Final = "AUTOMATIC1111's web UI"
"""The program that reads IA3, which ComfyUI's `weight_adapter` does not have, and embeddings in the file of a LoRA
(`load_network` in its `extensions-builtin/Lora/networks.py`).
"""
MAGNITUDE: Final = ".magnitude"
CORE: Final = ".lora_mid.weight"
_OF_AUTHORS: Final = re.compile(r"blocks\.#\.(?:self_attn|cross_attn|ffn)\.|layers\.#\.attention\.to_")
"""Modules of Wan and Z-Image under their authors' names, which diffusers finds after `diffusion_model.`."""
_OF_DIFFUSERS: Final = re.compile(r"(?:(?:joint_|single_)?transformer_blocks|(?:down|up)_blocks\.\d+|mid_block)\.")
"""Beginnings of module names that only diffusers uses."""
_OF_WAN: Final = re.compile(
    r"(?:diffusion_model\.|transformer\.)?"
    r"(?P<own>blocks\.[\d#]+\.(?:(?:self|cross)_attn\.(?:[qkvo]|[kv]_img)|ffn\.[02#])\.lora_[AB])(?:\.default)?\.weight"
)
"""Modules of Wan's blocks under its authors' names, with any prefix and ending."""
_OF_LUMINA: Final = r"(?:layers|noise_refiner|context_refiner)_[\d#]+_(?:attention|attn|feed_forward|adaLN_modulation)_"
"""Modules of Lumina 2 and Z-Image as diffusers calls them."""
_FLAT: Final = re.compile(
    r"lora_unet_|lycoris_(?:(?:joint_|single_)?transformer_blocks_|(?:double|single)_stream_blocks_"
    rf"|(?:down|up)_blocks_\d+_|mid_block_|blocks_\d+_attn[12]_|{_OF_LUMINA})"
)
"""Beginnings of the names of image models with underscores for dots."""
_OF_SIMPLETUNER: Final = re.compile(
    r"lycoris_(?:blocks_[\d#]+_attn[12]_|(?:single_)?transformer_blocks_[\d#]+_ff_linear_|joint_transformer_blocks_"
    rf"|{_OF_LUMINA}|(?:single_)?transformer_blocks_[\d#]+_attn\d?_to_(?:added_)?q?kv\.)"
)
"""LyCORIS modules of Wan, FLUX.2, AuraFlow, Lumina 2 and Z-Image as diffusers calls them, and joined matrices for q, k
and v of any transformer, which ComfyUI's `model_lora_keys_unet` does not list.
"""
_OF_T5: Final = re.compile(r"lora_te[23]_encoder_block_")
_OF_FLUX: Final = re.compile(r"lora_unet_(?:double|single)_blocks_")
_MAY_BE_FLUX: Final = re.compile(
    rf"{_OF_FLUX.pattern}|(?:transformer|diffusion_model)\."
    r"(?:(?:single_)?transformer_blocks|(?:double|single)_blocks)\."
)
"""Beginnings of names that FLUX's modules have, some of them like those of other transformers."""
_OF_DIFFUSERS_UNET: Final = re.compile(r"lora_(?:unet_(?:(?:down|up)_blocks|mid_block)_|te[12]?_text_model_)")
"""Beginnings of Kohya's names of the modules of diffusers' UNet and of its text encoders, as measured."""
_OF_UNET: Final = re.compile(rf"{_OF_DIFFUSERS_UNET.pattern}|lora_unet_(?:input_blocks|output_blocks|middle_block)_")
"""Also of the UNet's authors, as sd-scripts uses them for SDXL."""
_OF_SD3: Final = "lora_unet_joint_blocks_"
_OF_WANS_EMBEDDINGS: Final = re.compile(r"(diffusion_model\.(?:text|time)_embedding\.[\d#]+\.)diff(?:_b)?")
"""Differences of Wan's embeddings: `_convert_non_diffusers_wan_lora_to_diffusers` then looks for a pair (KeyError)."""
_BLOCKS_OF_WAN: Final = "diffusion_model.blocks.#.self_attn."
WITHOUT_PAIR: Final = "differences of Wan's embeddings without LoRA of them"
_OF_MOTION: Final = ".temporal_transformer."
"""Part of AnimateDiff's own names of its motion modules, for which diffusers uses other names."""
OF_DIFFUSERS: Final = "transformer."
OF_COMFYUI: Final = "diffusion_model."
COMFYUI: Final = "ComfyUI"
CUT: Final = f"{OF_DIFFUSERS}{OF_QWEN}"
"""Beginning of names after `transformer.` that diffusers reads for FLUX.2 beside `diffusion_model.`."""
_UNET: Final = ("down_blocks.", "up_blocks.", "mid_block.")
_OF_HUNYUAN: Final = re.compile(
    r"lora_unet_(?:double|single)_blocks_[\d#]+_(?:(?:img|txt)_mod_linear|(?:img|txt)_mlp_fc[12]|modulation_linear)\."
)
"""Modules with names that the authors of HunyuanVideo and HunyuanImage use, and the authors of FLUX do not."""
_PAIR: Final = re.compile(
    rf"\.lora_[AB]{OF_ADAPTER}*\.weight$|\.processor\.to_(?:q|k|v|out)_lora\.(?:down|up)\.weight$"
)
"""Ending of the name of a pair's matrix, in PEFT and in the attention processors of early diffusers."""


def wanted_name(key: str, named: bool = False) -> str:
    """The name that diffusers finds instead of one that it does not find; otherwise the same name.

    named: it also does not find modules without a prefix and with the ending `.default`, as it does for Qwen-Image.
    """
    found = _PAIR.search(key)
    if found is None:
        return key
    other = NAMED_PAIR.search(key)
    if other is not None and other[2] != DEFAULT:
        return wanted_name(f"{key[: other.start()]}{other[1]}.weight", named)
    of_wan = _OF_WAN.fullmatch(key)
    if of_wan is not None:
        return f"diffusion_model.{of_wan['own']}.weight"
    if key.startswith(("transformer.", "unet.")):
        return key.replace(NAMED, ".weight")
    if key.startswith(PREFIX):
        return _without_peft(key)
    bare = _OF_DIFFUSERS.match(key.replace("#", "0")) is not None and (named or not key.endswith(NAMED))
    bare = bare and _OF_MOTION not in key
    component = "unet." if key.startswith(_UNET) else "transformer."
    return f"{component}{key.replace(NAMED, '.weight')}" if bare else key


def of_two_prefixes(found: Mapping[str, ToolTensor]) -> Iterator[Finding]:
    """The note on modules of which some have the prefix of diffusers and some that of ComfyUI."""
    own = [key for key in found if key.startswith(OF_DIFFUSERS) and _PAIR.search(key)]
    other = [key for key in found if key.startswith(OF_COMFYUI) and _PAIR.search(key)]
    beyond = [key for key in own if not key.startswith(CUT)]
    if beyond and other:
        from inspector.findings.adapters.unread import AdapterMethodUnread

        what = f"LoRA with two prefixes, {OF_DIFFUSERS} and {OF_COMFYUI},"
        yield AdapterMethodUnread(what=what, such_as=other[0].replace("#", "0"))


def _without_peft(key: str) -> str:
    """The name that diffusers finds instead of one with PEFT's prefix; the same name if it does not identify the
    network.
    """
    rest = key.removeprefix(PREFIX).replace(NAMED, ".weight")
    numbered = re.sub(r"(?<=\.)\d+(?=\.)", "#", rest)
    if _OF_DIFFUSERS.match(rest.replace("#", "0")):
        return f"{'unet.' if rest.startswith(_UNET) else 'transformer.'}{rest}"
    return f"diffusion_model.{rest}" if _OF_AUTHORS.match(numbered) else key


def unread_methods(found: Mapping[str, ToolTensor]) -> Iterator[Finding]:
    """The notes on methods that diffusers does not read under these names: every method but LoRA under Kohya's names,
    LoRA's cores, modules of HunyuanVideo and SD 3, and `.magnitude`.
    """
    yield from of_two_prefixes(found)
    yield from _other_methods(found)
    yield from _unread_parts(found)


def _other_methods(found: Mapping[str, ToolTensor]) -> Iterator[Finding]:
    """The notes on methods other than LoRA."""
    from inspector.findings.adapters.unread import AdapterMethodUnread

    kohya = [key for key, one in found.items() if one.method in KRONECKER and _FLAT.match(key)]
    if kohya:
        reads = "" if any(_OF_SIMPLETUNER.match(key) for key in kohya) else COMFYUI
        yield AdapterMethodUnread(
            what=WORDS[found[kohya[0]].method], such_as=kohya[0].replace("#", "0"),
            refused=all(_OF_DIFFUSERS_UNET.match(key) for key in kohya), reads=reads,
            unread_by="" if reads else COMFYUI,
        )  # fmt: skip
    rotated = [key for key, one in found.items() if one.method == "oft" and key.startswith(OF_OFT)]
    if rotated:
        reads = WEB_UI if _OF_UNET.match(rotated[0].replace(OF_OFT, KOHYA)) else SD_SCRIPTS
        yield AdapterMethodUnread(
            what="OFT", such_as=rotated[0].replace("#", "0"), refused=True, reads=reads, unread_by=COMFYUI
        )
    of_peft = [key for key, one in found.items() if one.method in KRONECKER and key.startswith(OF_UNET_IN_PEFT)]
    if of_peft:
        yield AdapterMethodUnread(
            what=WORDS[found[of_peft[0]].method], such_as=of_peft[0].replace("#", "0"), refused=True, reads=WITH_CONFIG
        )
    for method, what in OF_LYCORIS.items():
        others = [key for key, one in found.items() if one.method == method and _OF_UNET.match(key)]
        if others:
            reads = WEB_UI if method == "ia3" else COMFYUI
            yield AdapterMethodUnread(
                what=what, such_as=others[0].replace("#", "0"),
                refused=_OF_DIFFUSERS_UNET.match(others[0]) is not None, reads=reads,
                unread_by=COMFYUI if method == "ia3" else "",
            )  # fmt: skip


def _unread_parts(found: Mapping[str, ToolTensor]) -> Iterator[Finding]:
    """The notes on a LoRA's modules and further tensors."""
    from inspector.findings.adapters.unread import AdapterMethodUnread

    lone = [
        key for key in found
        if (part := _OF_WANS_EMBEDDINGS.fullmatch(key)) and not any(key.startswith(f"{part[1]}lora_") for key in found)
    ]  # fmt: skip
    if lone and any(key.startswith(_BLOCKS_OF_WAN) for key in found):
        yield AdapterMethodUnread(what=WITHOUT_PAIR, such_as=lone[0].replace("#", "0"), refused=True)
    of_sd3 = [key for key, one in found.items() if one.method == "lora" and key.startswith(_OF_SD3)]
    if of_sd3:
        yield AdapterMethodUnread(what="LoRA of SD 3", such_as=of_sd3[0].replace("#", "0"))
    text = [key for key in found if _OF_T5.match(key)] if any(_OF_FLUX.match(key) for key in found) else []
    if text:
        yield AdapterMethodUnread(what="LoRA of T5", such_as=text[0].replace("#", "0"))
    hunyuan = [key for key in found if _OF_HUNYUAN.match(key)]
    if hunyuan:
        yield AdapterMethodUnread(what="LoRA of Hunyuan models", such_as=hunyuan[0].replace("#", "0"))
    cores = [key for key in found if key.startswith(KOHYA) and key.endswith(CORE)]
    if cores:
        yield AdapterMethodUnread(what="LoRA with cores", such_as=cores[0].replace("#", "0"), refused=True)
    bundled = [key for key in found if key.startswith(BUNDLED)]
    if 0 < len(bundled) < len(found) and not any(_MAY_BE_FLUX.match(key) for key in found):
        yield AdapterMethodUnread(
            what="LoRA beside embeddings (bundle_emb.)", such_as=bundled[0].replace("#", "0"), refused=True,
            reads=WEB_UI,
        )  # fmt: skip
    magnitudes = [key for key in found if key.endswith(MAGNITUDE)]
    if magnitudes:
        yield AdapterMethodUnread(what="DoRA's magnitudes", such_as=magnitudes[0].replace("#", "0"))


def unread_names(families: Families, found: Mapping[str, ToolTensor]) -> Iterator[Finding]:
    """The note on an adapter if diffusers finds none of its tensors by name."""
    low = [key for key in found if _PAIR.search(key)]
    named = any(_OF_DIFFUSERS.match(key.replace("#", "0")) and not key.startswith(OF_QWEN) for key in low)
    wanted = partial(wanted_name, named=named)
    wrong = [key for key in low if wanted(key) != key]
    if not wrong or len(wrong) < len(low):
        return
    from inspector.findings.adapters.unread import AdapterNamesUnread

    stored = names_in(wrong[0], families[wrong[0]].stored[0].boxes, 1)[0]
    yield AdapterNamesUnread(
        tensors=sum(families[key].tensors for key in wrong),
        stored=stored,
        wanted=wanted(stored),
        renames=renames_of(wrong, wanted, families),
        reads="" if all(_is_of_wan_alone(key) for key in low) else COMFYUI,
    )


def _is_of_wan_alone(key: str) -> bool:
    """True for a name of Wan's authors without the prefix of ComfyUI, which then does not find it either."""
    return _OF_WAN.fullmatch(key) is not None and not key.startswith(OF_COMFYUI)
