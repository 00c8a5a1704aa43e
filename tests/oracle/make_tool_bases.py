"""Make `fixtures/adapters/tool_bases.json.gz`: adapters named as in diffusers, LyCORIS and others, with bases.

Needs the environment of `make_tool_adapters`:

    tools/bin/python -m tests.oracle.make_tool_bases

The file is gzip (mtime 0) of a JSON list of records: name, base (config.json of the model) and tensors, name to
[dtype, shape]. PEFT's tensors under the names and layouts of mlx-lm and sd-scripts are renamed here, as these programs
document them.
"""

from __future__ import annotations

import gzip
import importlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.oracle.diffusers_bases import BASES

FILE = Path(__file__).parents[2] / "fixtures" / "adapters" / "tool_bases.json.gz"
DTYPES = {"float32": "F32", "float16": "F16", "bfloat16": "BF16", "int64": "I64", "bool": "BOOL"}
ALGORITHMS = ("lora", "loha", "lokr", "diag-oft", "full")
OPTIONS: Mapping[str, tuple[str, dict[str, Any]]] = {
    "lora tucker": ("lora", {"use_tucker": True}), "loha tucker": ("loha", {"use_tucker": True}),
    "lokr tucker": ("lokr", {"use_tucker": True}), "lokr decomposed": ("lokr", {"decompose_both": True}),
    "lora dora": ("lora", {"dora_wd": True}), "lora dora of inputs": ("lora", {"dora_wd": True, "wd_on_output": False}),
    "lora norms": ("lora", {"train_norm": True}), "glora": ("glora", {}), "dylora": ("dylora", {}),
    "lora scalar": ("lora", {"use_scalar": True}), "diag-oft rescaled": ("diag-oft", {"rescaled": True}),
}  # fmt: skip
"""Further variants of LyCORIS for a UNet with convolutions: name -> algorithm and options."""
XL_UNET = {
    "sample_size": 16, "block_out_channels": (16, 24, 40), "layers_per_block": 2, "norm_num_groups": 8,
    "cross_attention_dim": 28, "attention_head_dim": (2, 3, 5), "transformer_layers_per_block": (1, 1, 2),
    "down_block_types": ("DownBlock2D", "CrossAttnDownBlock2D", "CrossAttnDownBlock2D"),
    "up_block_types": ("CrossAttnUpBlock2D", "CrossAttnUpBlock2D", "UpBlock2D"), "use_linear_projection": True,
    "addition_embed_type": "text_time", "addition_time_embed_dim": 8, "projection_class_embeddings_input_dim": 80,
}  # fmt: skip
"""A UNet with the blocks of SDXL."""
OF_DIFFUSERS = (
    "UNet2DConditionModel", "FluxTransformer2DModel", "SD3Transformer2DModel", "PixArtTransformer2DModel",
    "WanTransformer3DModel", "CogVideoXTransformer3DModel", "LTXVideoTransformer3DModel", "Lumina2Transformer2DModel",
    "SanaTransformer2DModel", "QwenImageTransformer2DModel", "HunyuanVideoTransformer3DModel",
    "AuraFlowTransformer2DModel", "CogView4Transformer2DModel", "MochiTransformer3DModel", "ChromaTransformer2DModel",
    "Flux2Transformer2DModel", "ZImageTransformer2DModel", "UNet3DConditionModel", "UNetSpatioTemporalConditionModel",
    "PriorTransformer", "ControlNetModel", "StableCascadeUNet", "HiDreamImageTransformer2DModel",
    "OmniGenTransformer2DModel",
)  # fmt: skip
DECODER = {"vocab_size": 101, "hidden_size": 32, "intermediate_size": 44, "num_hidden_layers": 3,
           "num_attention_heads": 4, "num_key_value_heads": 2}  # fmt: skip
OF_TRANSFORMERS: Mapping[str, tuple[str, dict[str, Any]]] = {
    "LlamaForCausalLM": ("LlamaConfig", DECODER),
    "Qwen2ForCausalLM": ("Qwen2Config", DECODER),
    "Phi3ForCausalLM": ("Phi3Config", {**DECODER, "pad_token_id": 0}),
    "Gemma3ForCausalLM": ("Gemma3TextConfig", {**DECODER, "head_dim": 8}),
    "GPT2LMHeadModel": ("GPT2Config", {"vocab_size": 101, "n_embd": 32, "n_layer": 3, "n_head": 4, "n_positions": 20}),
    "CLIPTextModel": ("CLIPTextConfig", {
        "vocab_size": 103, "hidden_size": 24, "intermediate_size": 44, "num_hidden_layers": 3,
        "num_attention_heads": 4, "max_position_embeddings": 17, "projection_dim": 20,
    }),
    "T5EncoderModel": ("T5Config", {"vocab_size": 103, "d_model": 24, "d_kv": 6, "d_ff": 44, "num_layers": 3,
                                    "num_heads": 4}),
}  # fmt: skip
TEXT_ENCODERS = ("CLIPTextModel", "T5EncoderModel")


def listing(state: Mapping[str, Any]) -> dict[str, Any]:
    """Name -> [dtype, shape]."""
    return {name: [DTYPES[str(one.dtype).removeprefix("torch.")], list(one.shape)] for name, one in state.items()}


def of_lycoris(model: Any, algorithm: str, prefix: str, **options: Any) -> Mapping[str, Any]:
    """The state dict of LyCORIS's wrapper around every linear layer and convolution.

    Grouped convolutions are skipped: its modules for them have the width of all groups and do not run.
    """
    lycoris = importlib.import_module("lycoris")
    kinds = ["Linear", "Conv2d", *(["GroupNorm", "LayerNorm"] if options.get("train_norm") else [])]
    grouped = [name for name, one in model.named_modules() if getattr(one, "groups", 1) > 1]
    lycoris.LycorisNetwork.apply_preset({"enable_conv": True, "target_module": kinds, "exclude_name": grouped})
    lycoris.LycorisNetwork.LORA_PREFIX = prefix
    sizes = {"linear_dim": 4, "linear_alpha": 2, "conv_dim": 4, "conv_alpha": 1, "factor": 4}
    network = lycoris.create_lycoris(model, 1.0, algo=algorithm, **sizes, **options)
    network.apply_to()
    state: Mapping[str, Any] = network.state_dict()
    return state


def of_peft(model: Any, targets: list[str] | str) -> dict[str, Any]:
    """PEFT's tensors by their names in the model."""
    peft = importlib.import_module("peft")
    tuned = peft.get_peft_model(model, peft.LoraConfig(r=4, lora_alpha=8, target_modules=targets))
    found = peft.get_peft_model_state_dict(tuned)
    return {name.removeprefix("base_model.model."): one for name, one in found.items()}


def attention_of(model: Any) -> list[str]:
    """The linear layers of a model's attention; the last layer if there are none."""
    linear = [name for name, one in model.named_modules() if type(one).__name__ == "Linear"]
    return [name for name in linear if "attn" in name or "attention" in name] or linear[-1:]


def diffusers_records() -> Iterator[tuple[str, Any, Mapping[str, Any]]]:
    """Adapters of diffusers' models."""
    diffusers = importlib.import_module("diffusers")
    to_kohya = importlib.import_module("diffusers.utils.state_dict_utils").convert_state_dict_to_kohya
    for name in OF_DIFFUSERS:
        make = getattr(diffusers, name)
        model = make(**BASES.get(name, {}))
        config = json.loads(model.to_json_string())
        part = next((one for one in ("UNet", "Prior", "ControlNet") if one in name), "transformer").casefold()
        state = of_peft(model, attention_of(model))
        yield f"diffusers {name}", config, {f"{part}.{key}": one for key, one in state.items()}
        if part in ("unet", "transformer"):
            yield f"kohya {name}", config, to_kohya({f"unet.{key}": one for key, one in state.items()})
        for algorithm in ALGORITHMS:
            state = dict(of_lycoris(make(**BASES.get(name, {})), algorithm, "lora_unet"))
            yield f"lycoris {algorithm} {name}", config, state


def unet_records() -> Iterator[tuple[str, Any, Mapping[str, Any]]]:
    """Every option of LyCORIS for a UNet of Stable Diffusion and one with the blocks of SDXL."""
    make = importlib.import_module("diffusers").UNet2DConditionModel
    for shown, values in (("UNet2DConditionModel", BASES["UNet2DConditionModel"]), ("SDXL", XL_UNET)):
        config = json.loads(make(**values).to_json_string())
        for option, (algorithm, options) in OPTIONS.items():
            yield f"lycoris {option} {shown}", config, of_lycoris(make(**values), algorithm, "lora_unet", **options)


def transformers_records() -> Iterator[tuple[str, Any, Mapping[str, Any]]]:
    """Adapters of language models and text encoders."""
    library = importlib.import_module("transformers")
    for name, (config_class, values) in OF_TRANSFORMERS.items():

        def make(name: str = name, config_class: str = config_class, values: Any = values) -> Any:
            return getattr(library, name)(getattr(library, config_class)(**values))

        config = {**json.loads(make().config.to_json_string()), "architectures": [name]}
        for algorithm in ALGORITHMS[:3]:
            yield f"lycoris {algorithm} {name}", config, of_lycoris(make(), algorithm, "lycoris")
        state = of_peft(make(), "all-linear")
        if name in TEXT_ENCODERS:
            yield f"kohya {name}", config, dict(_as_kohya(state))
        elif name != "GPT2LMHeadModel":
            ends = ((".lora_A.weight", ".lora_a"), (".lora_B.weight", ".lora_b"))
            yield f"mlx {name}", config, {
                key.replace(old, new): one.T for key, one in state.items() for old, new in ends if key.endswith(old)
            }  # fmt: skip


def _as_kohya(state: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, one in state.items():
        module, _, part = key.rpartition(".lora_")
        stem = f"lora_te_{module.replace('.', '_')}"
        yield f"{stem}.lora_{'down' if part[0] == 'A' else 'up'}.weight", one
        yield f"{stem}.alpha", importlib.import_module("torch").tensor(4.0)


if __name__ == "__main__":
    made = [
        {"name": name, "base": base, "tensors": listing(state)}
        for found in (diffusers_records(), unet_records(), transformers_records())
        for name, base, state in found
    ]
    FILE.write_bytes(gzip.compress(json.dumps(made, separators=(",", ":")).encode(), 9, mtime=0))
