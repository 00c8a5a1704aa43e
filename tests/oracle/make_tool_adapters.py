"""Make `fixtures/adapters/tools.json.gz`: adapters as diffusers, its converters and LyCORIS save them.

Needs torch, transformers, diffusers, peft and lycoris-lora:

    python -m venv tools && tools/bin/pip install torch==2.13.0 transformers==5.23.0 diffusers==0.42.1 peft==0.21.2
    tools/bin/pip install lycoris-lora==3.4.0
    tools/bin/python -m tests.oracle.make_tool_adapters

The file is gzip (mtime 0) of a JSON list of records: name, writer, base (component -> its config.json), trained (number
of parameters with a gradient), constants (elements of scales and switches) and tensors, name to [dtype, shape].
"""

from __future__ import annotations

import gzip
import importlib
import json
import struct
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

TOOLS = Path(__file__).parents[2] / "fixtures" / "adapters" / "tools.json.gz"
UNET = {
    "sample_size": 8, "in_channels": 4, "out_channels": 4, "block_out_channels": [32, 64], "layers_per_block": 1,
    "cross_attention_dim": 24, "attention_head_dim": 8, "norm_num_groups": 8,
    "down_block_types": ["CrossAttnDownBlock2D", "DownBlock2D"], "up_block_types": ["UpBlock2D", "CrossAttnUpBlock2D"],
}  # fmt: skip
TEXT = {
    "vocab_size": 103, "hidden_size": 24, "intermediate_size": 44, "num_hidden_layers": 3, "num_attention_heads": 4,
    "max_position_embeddings": 17, "projection_dim": 20,
}  # fmt: skip
FLUX = {
    "in_channels": 16, "num_layers": 2, "num_single_layers": 2, "attention_head_dim": 12, "num_attention_heads": 2,
    "joint_attention_dim": 28, "pooled_projection_dim": 20, "axes_dims_rope": [4, 4, 4], "guidance_embeds": True,
}  # fmt: skip
ATTENTION = ["to_q", "to_k", "to_v", "to_out.0"]
ALGORITHMS = ("lora", "loha", "lokr", "full", "ia3", "glora", "diag-oft", "dylora")
CONSTANTS = ("alpha", "on_input")


def header(path: Path) -> dict[str, Any]:
    """Name -> [dtype, shape] of a file."""
    with path.open("rb") as file:
        found = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
    return {name: [one["dtype"], one["shape"]] for name, one in found.items() if name != "__metadata__"}


def models() -> tuple[Any, Any, Any]:
    """A tiny UNet, text encoder and Flux transformer."""
    diffusers, transformers = importlib.import_module("diffusers"), importlib.import_module("transformers")
    return (
        diffusers.UNet2DConditionModel(**UNET),
        transformers.CLIPTextModel(transformers.CLIPTextConfig(**TEXT)),
        diffusers.FluxTransformer2DModel(**FLUX),
    )


def saved(state: Mapping[str, Any]) -> dict[str, Any]:
    """The listing of a state dict after a real save."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "adapter.safetensors"
        listed = {name: value.detach().clone().contiguous() for name, value in state.items()}
        importlib.import_module("safetensors.torch").save_file(listed, str(path))
        return header(path)


def of_diffusers(**options: Any) -> Iterator[tuple[str, dict[str, Any], int]]:
    """LoRA of a UNet with its text encoder and of Flux, saved by the pipelines and diffusers' converters."""
    peft, diffusers = importlib.import_module("peft"), importlib.import_module("diffusers")
    state_dicts = importlib.import_module("diffusers.utils.state_dict_utils")
    unet, text, flux = models()
    unet.add_adapter(peft.LoraConfig(r=4, lora_alpha=8, target_modules=[*ATTENTION, "conv1"], **options))
    text.add_adapter(peft.LoraConfig(r=3, target_modules=["q_proj", "fc1"], **options))
    flux.add_adapter(peft.LoraConfig(r=5, target_modules=ATTENTION, **options))
    layers = [peft.get_peft_model_state_dict(one) for one in (unet, text)]
    trained = [sum(p.numel() for n, p in one.named_parameters() if "lora_" in n) for one in (unet, text, flux)]
    with tempfile.TemporaryDirectory() as folder:
        diffusers.StableDiffusionPipeline.save_lora_weights(folder, *layers)
        yield "diffusers unet and text encoder", header(next(Path(folder).glob("*.safetensors"))), sum(trained[:2])
    with tempfile.TemporaryDirectory() as folder:
        diffusers.FluxPipeline.save_lora_weights(folder, peft.get_peft_model_state_dict(flux))
        yield "diffusers flux", header(next(Path(folder).glob("*.safetensors"))), trained[2]
    whole = {f"unet.{name}": value for name, value in layers[0].items()}
    whole |= {f"text_encoder.{name}": value for name, value in layers[1].items()}
    if not options:
        yield "kohya by diffusers' converter", saved(state_dicts.convert_state_dict_to_kohya(whole)), sum(trained[:2])


def of_lycoris(algorithm: str, **options: Any) -> tuple[dict[str, Any], int]:
    """The state dict of LyCORIS's wrapper around the UNet, under the names that sd-scripts gives."""
    lycoris = importlib.import_module("lycoris")
    lycoris.LycorisNetwork.apply_preset({"enable_conv": True, "target_module": ["Transformer2DModel", "ResnetBlock2D"]})
    lycoris.LycorisNetwork.LORA_PREFIX = "lora_unet"
    network = lycoris.create_lycoris(
        models()[0], 1.0, linear_dim=4, linear_alpha=2, conv_dim=4, conv_alpha=1, factor=4, algo=algorithm,
        **{"train_norm": algorithm == "lora", **options},
    )  # fmt: skip
    network.apply_to()
    return saved(network.state_dict()), sum(one.numel() for one in network.parameters())


def records() -> Iterator[dict[str, Any]]:
    """All records."""
    for options in ({}, {"use_dora": True}):
        for name, tensors, trained in of_diffusers(**options):
            base = {"transformer": FLUX} if "flux" in name else {"unet": UNET, "text_encoder": TEXT}
            yield record(f"{name}{' dora' if options else ''}", base, tensors, trained)
    for algorithm in ALGORITHMS:
        for tucker in (False, True) if algorithm in ("lora", "loha", "lokr") else (False,):
            tensors, trained = of_lycoris(algorithm, **({"use_tucker": True} if tucker else {}))
            yield record(f"lycoris {algorithm}{' tucker' if tucker else ''}", {"unet": UNET}, tensors, trained)
    tensors, trained = of_lycoris("lora", dora_wd=True, train_norm=False)
    yield record("lycoris lora dora", {"unet": UNET}, tensors, trained)


def record(name: str, base: Mapping[str, Any], tensors: Mapping[str, Any], trained: int) -> dict[str, Any]:
    """One record."""
    constants = sum(1 for one in tensors if one.rpartition(".")[2] in CONSTANTS)
    return {"name": name, "base": base, "trained": trained, "constants": constants, "tensors": tensors}


if __name__ == "__main__":
    TOOLS.write_bytes(gzip.compress(json.dumps(list(records()), separators=(",", ":")).encode(), 9, mtime=0))
