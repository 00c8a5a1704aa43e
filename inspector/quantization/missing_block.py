"""Derives the quantization block that a config lacks, as far as the stored tensors determine it.

Sources: `utils/quantization_config.py` of transformers 5 (GPTQConfig, AwqConfig, BitsAndBytesConfig,
FineGrainedFP8Config, Mxfp4Config), vLLM's `quantization/gptq.py` and mlx-lm's `utils.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from typing import Any, Final

from msgspec.structs import replace

from inspector.loader.config_file import QUANTO_FILE, QUANTO_MAP
from inspector.loader.dtype import BITS
from inspector.loader.packed import Packed
from inspector.quantization.unpacked import Unpacked

BLOCK: Final = "quantization_config"
OLD_BLOCK: Final = "compression_config"
"""The key of the first releases of compressed-tensors, which vLLM still reads and transformers does not."""
OWN_KEYS: Final = frozenset({"w_bit", "q_group_size"})
"""Keys of llm-awq's file, which transformers writes as `bits` and `group_size`."""
LISTS: Final[Mapping[str, str]] = {
    "nf4": "llm_int8_skip_modules", "fp4": "llm_int8_skip_modules", "llm-int8": "llm_int8_skip_modules",
    "awq": "modules_to_not_convert", "gemma": "modules_to_not_convert", "awq-gemv": "modules_to_not_convert",
    "awq-gemv-fast": "modules_to_not_convert",
}  # fmt: skip
"""Scheme -> the key of the list of unquantized modules."""
AWQ_VERSIONS: Final[Mapping[str, str]] = {"awq": "gemm", "awq-gemv": "gemv", "awq-gemv-fast": "gemv_fast"}
"""Scheme of AWQ -> the `version` of its layout."""
DEFAULTS: Final = frozenset({"nf4", "fp4", "llm-int8"})
"""Schemes with a loader that quantizes a head if a list, even an empty one, does not name it."""
MOST_LISTED: Final = 2_000
OF_MLX: Final = "mlx"
"""The method with a loader that reads bits and group size from the block and fails without them."""
GROUP_SIZE: Final = "group_size"
QUANTO: Final = frozenset({"quanto", "quanto-packed"})
LOADERS: Final[Mapping[str, str]] = {
    "exl2": "exllamav2", "exl3": "exllamav3", "quip": "quip-sharp", "gptq-float-zeros": "alpaca_lora_4bit",
    "ascend-w8a8": "vllm-ascend", "llm-awq": "llm-awq (TinyChat)",
}  # fmt: skip
"""Scheme -> the program with a special loader, which recognises the tensors without any settings."""
OWN_FILES: Final[Mapping[tuple[str, str], str]] = {("hqq", "qmodel.pt"): "hqq"}
"""(scheme, file name) of a program that reads its own file without settings: `save_quantized` of hqq 0.2."""
PROGRAMS: Final[Mapping[str, str]] = {"modelopt": "vLLM", "w4afp8": "SGLang"}
"""Method without a quantizer in any version of transformers -> the program that reads it from config.json."""
STATE_OF_QUANTIZERS: Final = "modelopt-state"
"""The scheme of tensors that ModelOpt did not export; its export states the settings, too."""
READ_BESIDE: Final[Mapping[str, str]] = {
    QUANTO_FILE: "optimum-quanto",
    QUANTO_MAP: "optimum-quanto",
    "hf_quant_config.json": "vllm",
}
"""File with settings -> the program that reads it; transformers reads only config.json."""


def main_scheme(unpacked: Unpacked) -> str | None:
    """The scheme of most quantized modules."""
    found = Counter(dict(unpacked.schemes)).most_common(1)
    return found[0][0] if found and found[0][1] else None


def own_loader(unpacked: Unpacked, name: str) -> str | None:
    """The program that the quantized weights are made for, if it is not transformers and needs no config.json.

    name: of their file.
    """
    return READ_BESIDE.get(unpacked.settings.source) or program_of(unpacked, name)


def program_of(unpacked: Unpacked, name: str) -> str | None:
    """The program that reads the quantization by its tensors, by the name of their file, or by a method that
    transformers does not know.
    """
    stated, scheme = unpacked.settings.known, main_scheme(unpacked) or ""
    if (scheme, name) in OWN_FILES and not stated:
        return OWN_FILES[scheme, name]
    return LOADERS.get(scheme) or (PROGRAMS.get(unpacked.settings.base.method or "") if stated else None)


def is_named(
    unpacked: Unpacked, of_transformers: bool, files: Collection[str], keys: Container[str], name: str
) -> bool:
    """True if the loader of the weights finds their quantization settings.

    transformers quantizes with quanto while loading, but does not read quanto's weights. files: next to config.json.
    keys: of the block that MLX reads. name: of the file with the weights.
    """
    if own_loader(unpacked, name) is not None:
        return True
    base = unpacked.settings.base
    if base.method == OF_MLX and (base.bits is None or unpacked.settings.source == BLOCK):
        return False  # mlx-lm reads `quantization`; of `quantization_config` only blocks of other methods
    if base.method == OF_MLX and GROUP_SIZE not in keys:
        return False  # a KeyError in mlx-lm, which accepts null (measured)
    if of_transformers and main_scheme(unpacked) in QUANTO:
        return not {QUANTO_FILE, QUANTO_MAP}.isdisjoint(files)
    if of_transformers and unpacked.settings.source == OLD_BLOCK:
        return False
    return bool(unpacked.settings.source) and not unpacked.settings.source.endswith(".json")


def one_packing(scheme: str, packed: Iterable[tuple[Packed, tuple[int, ...]]]) -> Packed | None:
    """The common packing of all tensors of a scheme; None if bits or group sizes differ, which one
    block cannot state.

    packed: each packing with the logical shape. A row that is a single group has the group size of the other tensors if
    it is as long as one of their groups.
    """
    found = [(one, shape) for one, shape in packed if one.scheme == scheme]
    sizes = {(one.bits, one.group_size): one for one, _ in found}
    grouped = {key: one for key, one in sizes.items() if (key[1] or 0) > 0}
    if len(grouped) == 1 < len(sizes):
        ((bits, size),) = grouped
        rows = ((one.bits, shape[-1:]) for one, shape in found if (one.group_size or 0) <= 0)
        return grouped[bits, size] if all(row == (bits, (size,)) for row in rows) else None
    return next(iter(sizes.values())) if len(sizes) == 1 else None


def block_for(
    scheme: str, packing: Packed | None, helpers: Iterable[str], *, of_transformers: bool = True
) -> tuple[str, dict[str, Any] | None]:
    """(key in config.json, block); the block is None if the tensors do not determine it.

    helpers: the families of the helpers. For quanto without transformers: (file, entry of one module).
    """
    keys = list(helpers)
    sizes: Mapping[str, Any] = {} if packing is None else _sizes(packing)
    if scheme.startswith("mlx"):
        return "quantization", _of_mlx(packing) if packing is not None else None
    if scheme in ("gptq", *AWQ_VERSIONS) and "bits" in sizes:
        size = {"group_size": -1, **sizes}
        own_version = AWQ_VERSIONS.get(scheme)
        version: dict[str, Any] = {} if own_version is None else {"zero_point": True, "version": own_version}
        method = "gptq" if own_version is None else "awq"
        if scheme == "gptq":  # vLLM requires desc_act; if true, loaders follow the index, whatever its order
            version["desc_act"] = any(key.endswith("g_idx") for key in keys)
        if scheme == "gptq" and any(key.startswith("lm_head.") for key in keys):
            version["lm_head"] = True
        return BLOCK, {"quant_method": method, "bits": size["bits"], "group_size": size["group_size"], **version}
    if scheme in QUANTO and packing is not None:
        weights = _quanto_type(packing)
        return (QUANTO_FILE, {"weights": f"q{weights}", "activations": "none"}) if of_transformers else (
            BLOCK, {"quant_method": "quanto", "weights_dtype": weights.partition("_")[0]})  # fmt: skip
    if scheme == "sinq" and len(sizes) == 2:
        return BLOCK, {"quant_method": "sinq", "nbits": sizes["bits"], "group_size": sizes["group_size"],
                       "tiling_mode": "1D"}  # fmt: skip
    if scheme == "llm-int8":
        return BLOCK, {"quant_method": "bitsandbytes", "load_in_8bit": True}
    if scheme in ("nf4", "fp4"):
        nested = any(key.endswith(".nested_absmax") for key in keys)
        return BLOCK, {"quant_method": "bitsandbytes", "load_in_4bit": True, "bnb_4bit_quant_type": scheme,
                       "bnb_4bit_use_double_quant": nested}  # fmt: skip
    if scheme == "gemma" and "bits" in sizes:
        embeddings = {"quantize_embeddings": True} if any(key.endswith("embedding_scale") for key in keys) else {}
        return BLOCK, {"quant_method": "gemma", "num_bits": sizes["bits"], **embeddings}
    own = scheme == "mxfp4" and any(key.endswith("_scales") for key in keys)  # other tools write weight_scale
    return BLOCK, {"quant_method": "mxfp4"} if own else None


def _of_mlx(packing: Packed) -> dict[str, Any] | None:
    sizes = _sizes(packing)
    mode = {"mode": packing.scheme.removeprefix("mlx-")} if packing.scheme != "mlx" else {}
    return {key: sizes[key] for key in ("group_size", "bits")} | mode if len(sizes) == 2 else None


def mixed_block(
    modules: Sequence[tuple[Packed, Sequence[str]]], stated: Mapping[str, Any] | None = None
) -> dict[str, Any] | None:
    """The block of MLX for modules that are quantized in several ways; None if the tensors do not determine it.

    modules: (packing, module names). stated: what the config has for all modules. It remains the default if
    modules have it, otherwise the most frequent packing is; modules with another get one entry each.
    """
    counted: Counter[str] = Counter()
    ways = {}
    for packing, names in modules:
        way = _of_mlx(packing)
        if way is None or len(names) > MOST_LISTED:
            return None
        ways[repr(way)] = {"mode": "affine", **way}
        counted[repr(way)] += len(names)
    usual = next((way for way in counted if ways[way] == {"mode": "affine", **(stated or {})}), None)
    usual = counted.most_common(1)[0][0] if usual is None else usual
    own = {name: ways[repr(_of_mlx(packing))] for packing, names in modules if repr(_of_mlx(packing)) != usual
           for name in names}  # fmt: skip
    return {**ways[usual], **own}


WORD: Final = 32
MOST_BITS: Final = 8


def settled(packed: Packed, shape: tuple[int, ...]) -> Packed:
    """The packing of words of MLX or compressed-tensors that contain these inputs, if their number leaves the bits or
    the padding open.

    shape: the logical one, by the definition. The number of groups is that of the stored scales.
    """
    if packed.scheme == "pack-quantized" and packed.bounds and shape and shape[-1]:
        words = packed.storage.shape[-1]
        fits = [bits for bits in range(1, MOST_BITS + 1) if -(-shape[-1] * bits // WORD) == words]
        return replace(packed, bounds=()) if fits == [packed.bits] else packed
    if packed.scheme != "mlx" or not packed.bounds or packed.group_size is None or not shape or not shape[-1]:
        return packed
    held = packed.storage.shape[-1] * BITS[packed.storage.dtype]
    bits = held / shape[-1]
    groups = held / packed.bits / packed.group_size
    return replace(packed, bits=bits, group_size=int(shape[-1] / groups)) if bits == int(bits) else packed


def excluding(
    block: dict[str, Any] | None, scheme: str, plain: Sequence[str], *, head: bool = False
) -> dict[str, Any] | None:
    """The block with a list of the unquantized modules; None if they cannot be listed.

    A list replaces the default of transformers, which leaves the head out. head: whether that is quantized.
    """
    key = LISTS.get(scheme)
    replaced = head and scheme in DEFAULTS
    if block is None or (not plain and not replaced) or scheme.startswith("mlx"):
        return block
    listed = [*([] if replaced else ["lm_head"]), *plain]
    return {**block, key: listed} if key is not None and len(plain) <= MOST_LISTED else None


def _quanto_type(packing: Packed) -> str:
    """The type of the weights in quanto's spelling."""
    if packing.storage.dtype.startswith("F8"):
        return {"F8_E5M2": "float8_e5m2", "F8_E4M3FNUZ": "float8_e4m3fnuz"}.get(packing.storage.dtype, "float8_e4m3fn")
    return f"int{int(packing.bits)}"


def with_stated(block: dict[str, Any] | None, values: Mapping[str, Any], method: str | None) -> dict[str, Any] | None:
    """The block that a file next to config.json states. block: derived from the tensors, with the keys
    of transformers.
    """
    if block is None and ("w_bit" in values or method is None):
        return None
    kept = {key: value for key, value in values.items() if key not in OWN_KEYS}
    return {"quant_method": method, **(block or {}), **kept} if method is not None else {**(block or {}), **kept}


def _sizes(packing: Packed) -> dict[str, int]:
    found = {"bits": int(packing.bits)} if packing.bits == int(packing.bits) else {}
    return found if packing.group_size is None else {**found, "group_size": packing.group_size}
