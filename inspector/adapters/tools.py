"""Parses the names of adapters of other tools than PEFT: module, method and part of each tensor.

Sources: diffusers 0.42 (`save_lora_weights` of its pipelines, `loaders/lora_conversion_utils.py`), sd-scripts
(`networks/lora.py`), LyCORIS 3 (state dicts of every algorithm), mlx-lm (`tuner/lora.py`, `tuner/dora.py`), llama.cpp
(`convert_lora_to_gguf.py`), ComfyUI (`comfy/weight_adapter`), OneTrainer (`modules/module/LoRAModule.py`), ai-toolkit
(`.magnitude`), cloneofsimo's lora (`lora_diffusion/lora.py`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Final

from msgspec import Struct

from inspector.adapters.image_projection import PREFIXES as PROJECTIONS
from inspector.adapters.misspelled import is_of_flux, read_name
from inspector.adapters.names import PREFIX


class ToolTensor(Struct, frozen=True):
    """A tensor of an adapter.

    module: as in the file, without the prefix of its component. method: "" for a part that any method may have, such as
    a scale. part: of the method. writer: the tool that uses this name, "" if several do.
    """

    component: str
    module: str
    method: str
    part: str
    writer: str


class Method(Struct, frozen=True):
    """The tensors that a method stores for one module.

    complete: the alternative sets of parts, one of which must be complete. ranks: groups of axes with the same size;
    "part": axis. tucker: the same for a convolution that has the parts in `cores`.
    """

    complete: tuple[frozenset[str], ...]
    ranks: tuple[Mapping[str, int], ...] = ()
    cores: frozenset[str] = frozenset()
    tucker: tuple[Mapping[str, int], ...] = ()


def _one(*parts: str) -> tuple[frozenset[str], ...]:
    return (frozenset(parts),)


VECTORS: Final = "textual inversion"
"""The method with token vectors as tensors, which belong to the table of a text encoder and to no module."""
LOADS_VECTORS: Final = "load_textual_inversion"
PIECES: Final = "pieces"
"""The part in sd-scripts' OFT for FLUX: a rotation for each of the matrices that the base joins, by its number."""
OLDER_GLORA: Final = "glora, older"
"""GLoRA as LyCORIS stored it before version 2: the first matrix of a pair is [r, in]."""
METHODS: Final[Mapping[str, Method]] = {
    "lora": Method(_one("down", "up"), ({"down": 0, "up": 1},), frozenset({"mid"}), ({"down": 0, "up": 1, "mid": 0},)),
    "lora, stacked": Method(_one("down", "up"), ({"down": -2, "up": -1},)),
    "lora, transposed": Method(_one("down", "up"), ({"down": -1, "up": -2},)),
    "lora, of tokens": Method(_one("down", "up"), ({"down": -1, "up": -1},)),
    "loha": Method(
        _one("w1_a", "w1_b", "w2_a", "w2_b"),
        ({"w1_a": 1, "w1_b": 0}, {"w2_a": 1, "w2_b": 0}),
        frozenset({"t1", "t2"}),
        ({"w1_a": 0, "w1_b": 0, "t1": 0}, {"w2_a": 0, "w2_b": 0, "t2": 0}),
    ),
    "lokr": Method(
        tuple(frozenset({*first, *second}) for first in (("w1",), ("w1_a", "w1_b"))
              for second in (("w2",), ("w2_a", "w2_b"))),
        ({"w1_a": 1, "w1_b": 0}, {"w2_a": 1, "w2_b": 0}),
        frozenset({"t2"}),
        ({"w1_a": 1, "w1_b": 0}, {"w2_a": 0, "w2_b": 0, "t2": 0}),
    ),
    "glora": Method(_one("a1", "a2", "b1", "b2"), ({"a1": 1, "a2": 0}, {"b1": 1, "b2": 0})),
    OLDER_GLORA: Method(_one("a1", "a2", "b1", "b2"), ({"a1": 0, "a2": 1}, {"b1": 0, "b2": 1})),
    "t-lora": Method(_one("q", "p", "lambda"), ({"q": 0, "p": 1, "lambda": 1},)),
    "oft": Method((frozenset({"blocks"}), frozenset({"diag"}), frozenset({"R"}), frozenset({PIECES}))),
    "ia3": Method(_one("weight", "on_input")),
    "full": Method((frozenset({"diff"}), frozenset({"diff_b"}), frozenset({"set_weight"}))),
    "norm": Method(_one("w_norm")),
    "textual inversion": Method(_one("vectors")),
    "ip-adapter": Method(_one("to_k_ip", "to_v_ip")),
    "image projection": Method(()),
    "control-lora": Method(_one("marker")),
    "hint": Method(_one("weight", "bias")),
    "controlnet-lllite": Method(
        _one(*(f"{part}{end}" for part in ("down", "mid", "up") for end in ("", " bias"))), ({"down": 0, "up": 1},)
    ),
}  # fmt: skip
"""Method -> the tensors that it stores, checked against files that LyCORIS 3.4 and PEFT write."""
NOTHING: Final = Method(())

_ENDINGS: Final[Mapping[str, tuple[str, str, str]]] = {
    ".lora_A.weight": ("lora", "down", ""), ".lora_B.weight": ("lora", "up", ""), ".lora_B.bias": ("", "bias", ""),
    ".lora_A": ("lora", "down", ""), ".lora_B": ("lora", "up", ""),
    ".lora_down.weight": ("lora", "down", ""), ".lora_up.weight": ("lora", "up", ""),
    ".lora_mid.weight": ("lora", "mid", "LyCORIS"),
    ".lora.down.weight": ("lora", "down", "diffusers"), ".lora.up.weight": ("lora", "up", "diffusers"),
    ".lora_linear_layer.down.weight": ("lora", "down", "diffusers"),
    ".lora_linear_layer.up.weight": ("lora", "up", "diffusers"),
    ".weight.lora_a": ("lora, stacked", "down", "llama.cpp"), ".weight.lora_b": ("lora, stacked", "up", "llama.cpp"),
    ".lora_a": ("lora, transposed", "down", "MLX"), ".lora_b": ("lora, transposed", "up", "MLX"),
    **{f".hada_{part}": ("loha", part, "LyCORIS") for part in ("w1_a", "w1_b", "w2_a", "w2_b", "t1", "t2")},
    **{f".lokr_{part}": ("lokr", part, "LyCORIS") for part in ("w1", "w1_a", "w1_b", "w2", "w2_a", "w2_b", "t2")},
    ".oft_blocks": ("oft", "blocks", "LyCORIS"), ".oft_diag": ("oft", "diag", "LyCORIS"),
    ".oft_blocks.#": ("oft", PIECES, "Kohya"),
    ".oft_R.weight": ("oft", "R", ""), ".oft_R.scaled_oft": ("", "scaled", ""), ".rescale": ("", "rescale", ""),
    ".q_layer.weight": ("t-lora", "q", "LyCORIS"), ".p_layer.weight": ("t-lora", "p", "LyCORIS"),
    ".lambda_layer": ("t-lora", "lambda", "LyCORIS"),
    ".a1.weight": ("glora", "a1", "LyCORIS"), ".a2.weight": ("glora", "a2", "LyCORIS"),
    ".b1.weight": ("glora", "b1", "LyCORIS"), ".b2.weight": ("glora", "b2", "LyCORIS"),
    ".on_input": ("ia3", "on_input", "LyCORIS"),
    ".diff_m": ("", "diff_m", ""),
    ".diff": ("full", "diff", ""), ".diff_b": ("", "diff_b", ""), ".set_weight": ("full", "set_weight", "ComfyUI"),
    ".w_norm": ("norm", "w_norm", "LyCORIS"), ".b_norm": ("", "b_norm", "LyCORIS"),
    ".alpha": ("", "alpha", ""), ".scalar": ("", "scalar", "LyCORIS"), ".reshape_weight": ("", "reshape", "ComfyUI"),
    ".dora_scale": ("", "magnitude", ""), ".lora_magnitude_vector": ("", "magnitude", ""),
    ".lora_magnitude_vector.weight": ("", "magnitude", ""), ".magnitude": ("", "magnitude", ""),
}  # fmt: skip
"""Ending of a name -> (method, part, writer)."""
OF_ADAPTER: Final = r"(?:\.[A-Za-z_]\w*)"
"""The name of an adapter behind a matrix, as PEFT holds it in memory."""
_LAST: Final = re.compile(
    rf"(?:\.lora_[AB]{OF_ADAPTER}*|\.lora_(?:down|up|mid)|\.lora(?:_linear_layer)?\.(?:down|up)"
    r"|\.[ab][12]|\.[qp]_layer|\.lora_magnitude_vector|\.oft_R)"
    r"\.weight$|\.oft_blocks\.#$|\.oft_R\.scaled_oft$|\.weight\.lora_[ab]$|\.lora_B\.bias$|\.[A-Za-z0-9_]+$"
)
"""The part of a name that may be one of these endings."""
NAMED_PAIR: Final = re.compile(rf"(\.lora_[AB])({OF_ADAPTER}+)\.weight$")
"""The end of the name of a pair's matrix with the name of the adapter: (matrix, name). A state dict that was saved,
read and saved again has two.
"""
_PROCESSOR: Final = re.compile(
    r"(?P<module>.*)\.processor\.(?P<name>\w+)_lora(?P<stream>\d?)\.(?P<part>down|up)\.weight"
)
"""Attention processors of early diffusers and of x-flux: `attn1.processor.to_q_lora.down.weight`."""
XFLUX: Final = "XLabs"
_OF_XFLUX: Final = {
    "qkv1": "img_attn.qkv", "proj1": "img_attn.proj", "qkv2": "txt_attn.qkv", "proj2": "txt_attn.proj",
    "qkv": "linear1_qkv", "proj": "linear2",
}  # fmt: skip
"""Name in a processor of x-flux -> the authors' module of FLUX; `linear1_qkv` are the rows of `linear1` for q, k and v
(`_convert_xlabs_flux_lora_to_diffusers`; ComfyUI's `convert_uso_lora`).
"""
_OF_TEXT = re.compile(r"(?P<module>.*\.self_attn)\.to_(?P<name>q|k|v|out)_lora\.(?P<part>down|up)\.weight")
"""Text encoders of early diffusers (`DIFFUSERS_OLD_TO_PEFT` in `utils/state_dict_utils.py`)."""
_OF_PROCESSORS = {"to_out": "to_out.0"}
"""Name in a processor of early diffusers -> the module (`UNET_TO_DIFFUSERS` in `utils/state_dict_utils.py`)."""
_WITH_MODULE: Final = {".weight": ("ia3", "weight", ("on_input",)), ".m": ("", "magnitude", ("down", "up"))}
"""Endings that belong to an adapter only if the module has one of certain other parts: method, part,
the other parts.
"""

PREFIXES: Final = (
    ("lora_unet_llm_adapter_", "text_conditioner", "Kohya"),
    ("diffusion_model.llm_adapter.", "text_conditioner", "ComfyUI"),
    ("text_embedding_projection.", "connectors", "ComfyUI"),
    ("lora_unet_", "unet", "Kohya"), ("oft_unet_", "unet", "Kohya"),
    ("lora_te1_", "text_encoder", "Kohya"), ("lora_te2_", "text_encoder_2", "Kohya"),
    ("lora_te3_", "text_encoder_3", "Kohya"), ("lora_te_", "text_encoder", "Kohya"),
    ("lora_transformer_", "transformer", "Kohya"), ("lora_prior_unet_", "prior", "Kohya"),
    ("lora_prior_te_", "prior text_encoder", "Kohya"), ("lycoris_", "", "LyCORIS"),
    ("diffusion_model.", "diffusion_model", "ComfyUI"), ("model.diffusion_model.", "diffusion_model", "ComfyUI"),
    ("text_encoders.clip_l.transformer.", "text_encoder", "ComfyUI"),
    ("text_encoders.clip_g.transformer.", "text_encoder_2", "ComfyUI"),
    ("text_encoders.t5xxl.transformer.", "text_encoder_3", "ComfyUI"), ("text_encoders.", "text_encoders", "ComfyUI"),
    ("unet.", "unet", "diffusers"), ("transformer.", "transformer", "diffusers"),
    ("transformer_2.", "transformer_2", "diffusers"), ("text_conditioner.", "text_conditioner", "diffusers"),
    ("connectors.", "connectors", "diffusers"), ("text_encoder.", "text_encoder", "diffusers"),
    ("text_encoder_2.", "text_encoder_2", "diffusers"), ("text_encoder_3.", "text_encoder_3", "diffusers"),
    ("controlnet.", "controlnet", "diffusers"), ("prior.", "prior", "diffusers"), ("base_model.model.", "", ""),
)  # fmt: skip
"""(beginning of a name, component of a pipeline, tool that uses the name)."""
LOW_RANK: Final = frozenset({
    "lora", "lora, stacked", "lora, transposed", "lora, of tokens", "loha", "lokr", "glora", OLDER_GLORA, "t-lora",
    "oft",
})  # fmt: skip
"""Methods that add a small change to a matrix."""
TOKENS: Final = "token_embd"
"""llama.cpp's embedding; the converter transposes its first matrix: [vocabulary, r] and [width, r]."""
_OF_ADAPTERS: Final = LOW_RANK | {"textual inversion", "ip-adapter", "control-lora", "controlnet-lllite"}
"""Methods that only adapters have."""
_EMBEDDINGS: Final = frozenset({
    "emb_params", "clip_l", "clip_g", "t5xxl", "string_to_param.*", "text_encoders_0", "text_encoders_1",
    "t5", "clip_l_out", "clip_g_out", "t5_out",
})  # fmt: skip
"""Names of the vectors of a textual inversion: Automatic1111's and ComfyUI's; diffusers writes the token, `<cat>`.

diffusers' training scripts for SDXL wrote `text_encoders_0` and `text_encoders_1`. OneTrainer uses `_out` for vectors
after the encoder, and puts all vectors into the file of an adapter, below `bundle_emb.`.
"""
BUNDLED: Final = "bundle_emb."
"""Beginning of the names of vectors in the file of an adapter."""
_TOKEN_OF: Final = {"string_to_token.*": "string_to_param.*"}
"""The number of the token that vectors stand for, as a tensor -> these vectors (`embedding_manager.py` of
rinongal/textual_inversion; in Automatic1111's files it is a number).
"""


MARKER: Final = "lora_controlnet"
"""The empty tensor by which ComfyUI recognises a ControlNet with mostly low-rank differences as weights."""
_OF_CONTROL: Final = ("zero_convs.", "input_hint_block.")
_LLLITE: Final = re.compile(
    r"lllite_(?:unet|dit)_(?P<module>\w+)\.(?P<part>down|mid|up|conditioning1)\.#\.(?P<end>weight|bias)"
)
"""Names of sd-scripts' ControlNet-LLLite; those for Anima begin with `lllite_dit_`."""
_XLABS: Final = re.compile(
    r"(?P<module>.*)\.processor\.ip_adapter_double_stream_(?P<part>[kv])_proj\.(?P<end>weight|bias)"
)
_NUMBERED: Final = re.compile(r"(?P<component>unet|text_encoder):(?P<module>\d+):(?P<part>up|down)")
"""Names of cloneofsimo's lora, which numbers the matrices that it changes."""
_NORMS: Final = (".query_norm.scale", ".key_norm.scale")
"""Norms that FLUX.1's adapters for edges and depth store as whole weights."""


def tool_tensors(keys: Iterable[str]) -> dict[str, ToolTensor]:
    """The meaning of each name; names that no tool gives to a tensor of an adapter are omitted."""
    listed = list(keys)
    if is_control(listed):
        return {key: made for key in listed if (made := _of_control(key)) is not None}
    of_flux = is_of_flux(listed)
    found = {key: made for key in listed if (made := _read(read_name(key, of_flux=of_flux))) is not None}
    parts = {(made.component, made.module, made.part) for made in found.values()}
    for key in listed:
        ending = next((one for one in _WITH_MODULE if key not in found and key.endswith(one)), None)
        if ending is not None:
            method, part, others = _WITH_MODULE[ending]
            component, module, writer = _component(key.removesuffix(ending))
            if any((component, module, other) in parts for other in others):
                found[key] = ToolTensor(component, module, method, part, writer)
    return found


def is_tool_adapter(found: Mapping[str, ToolTensor], keys: Collection[str]) -> bool:
    """True if the tensors belong to an adapter: most names do, and some belong to a method that only adapters have."""
    if any(one.method in _OF_ADAPTERS or one.part == "on_input" for one in found.values()):
        return 2 * len(found) > len(keys)
    return (
        bool(found)
        and len(found) == len(keys)
        and any(one.method == "full" or one.part == "diff_b" for one in found.values())
    )


def is_control(keys: Collection[str]) -> bool:
    """True if the names are those of a Control-LoRA, even without its marker."""
    if MARKER in keys:
        return True
    return any(key.startswith(_OF_CONTROL) for key in keys) and any(key.endswith(".down") for key in keys)


def _of_control(key: str) -> ToolTensor | None:
    """A tensor of a Control-LoRA: low-rank pairs for weights that the UNet also has, and whole weights."""
    if key == MARKER:
        return ToolTensor("", key, "control-lora", "marker", "ComfyUI")
    module, _, part = key.rpartition(".")
    known = {"down": ("lora", "down"), "up": ("lora", "up"), "weight": ("full", "set_weight"), "bias": ("", "set_bias")}
    if not module or part not in known:
        return None
    return ToolTensor("controlnet", module, *known[part], "ComfyUI")


def _read(key: str) -> ToolTensor | None:
    if key in _EMBEDDINGS or key.startswith(BUNDLED) or (key.startswith("<") and key.endswith(">")):
        return ToolTensor("", key, "textual inversion", "vectors", "")
    if key in _TOKEN_OF:
        return ToolTensor("", _TOKEN_OF[key], "", "token", "")
    if (numbered := _NUMBERED.fullmatch(key)) is not None:
        return ToolTensor(numbered["component"], numbered["module"], "lora", numbered["part"], "cloneofsimo")
    if key.endswith(_NORMS):
        component, module, writer = _component(key.rpartition(".")[0])
        return ToolTensor(component, module, "full", "set_weight", writer)
    if key.startswith(PROJECTIONS):
        module, _, part = key.rpartition(".")
        return ToolTensor("image_proj", module, "image projection", part, "")
    if key.startswith("lllite_"):
        return _of_lllite(key)
    processor = _XLABS.fullmatch(key) if ".processor.ip_adapter_" in key else None
    if processor is not None:
        part = f"to_{processor['part']}_ip{'' if processor['end'] == 'weight' else ' bias'}"
        return ToolTensor("ip_adapter", processor["module"], "ip-adapter", part, "")
    if key.startswith("ip_adapter."):
        return _of_image_prompt(key)
    early = _OF_TEXT.fullmatch(key) if ".self_attn.to_" in key else None
    if early is not None:
        component, module, writer = _component(f"{early['module']}.{early['name']}_proj")
        return ToolTensor(component, module, "lora", early["part"], writer)
    processor = _PROCESSOR.fullmatch(key) if ".processor." in key else None
    if processor is not None:
        stored = processor["name"] + processor["stream"]
        of_flux = _OF_XFLUX.get(stored) if "e_blocks." in processor["module"] else None
        component, module, writer = _component(f"{processor['module']}.{of_flux or _OF_PROCESSORS.get(stored, stored)}")
        return ToolTensor(component, module, "lora", processor["part"], XFLUX if of_flux else writer)
    end = _LAST.search(key)
    known = None if end is None else _ENDINGS.get(NAMED_PAIR.sub(r"\1.weight", end[0]))
    if end is None or known is None:
        return None
    method, part, own = known
    component, module, writer = _component(key[: end.start()])
    if not module:
        return None
    if own == "LyCORIS" and key.startswith(PREFIX):
        own = "PEFT"
    if module == TOKENS and own == "llama.cpp":
        method = "lora, of tokens"
    return ToolTensor(component, module, method, part, own if own in ("LyCORIS", "MLX", "llama.cpp") else writer or own)


def _of_image_prompt(key: str) -> ToolTensor | None:
    """A tensor in an attention layer of an IP-Adapter; adapters for faces also have low-rank matrices."""
    module, _, part = key.removesuffix(".weight").rpartition(".")
    if ".norm_ip." in key:  # of SD3
        module, _, part = key.partition(".norm_ip.")
        return ToolTensor("ip_adapter", module, "ip-adapter", f"norm_ip.{part}", "")
    if part in ("to_k_ip", "to_v_ip"):
        return ToolTensor("ip_adapter", module, "ip-adapter", part, "")
    if part in ("down", "up") and module.endswith("_lora"):
        return ToolTensor("ip_adapter", module.removesuffix("_lora"), "lora", part, "")
    return None


def _of_lllite(key: str) -> ToolTensor | None:
    """A tensor of a small network next to a layer; `conditioning1` are convolutions of the control image."""
    found = _LLLITE.fullmatch(key)
    if found is None:
        return None
    if found["part"] == "conditioning1":
        return ToolTensor("unet", f"{found['module']}.conditioning1.#", "hint", found["end"], "Kohya")
    part = found["part"] + (" bias" if found["end"] == "bias" else "")
    return ToolTensor("unet", found["module"], "controlnet-lllite", part, "Kohya")


def _component(stem: str) -> tuple[str, str, str]:
    """(component, module, writer) of a name without its ending."""
    for prefix, component, writer in PREFIXES:
        if stem.startswith(prefix):
            return component, stem[len(prefix) :], writer
    return "", stem, ""
