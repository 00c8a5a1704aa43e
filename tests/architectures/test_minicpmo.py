"""MiniCPM-o: MiniCPM-V 2.6 with Whisper's encoder, and a voice that is not checked."""

from __future__ import annotations

from typing import Any

import pytest

from tests.checkpoints import Spec
from tests.damage.test_single_causes import bad
from tests.judged import judged, records, spec_of

WHISPER = {"d_model": 48, "encoder_layers": 2, "encoder_attention_heads": 4, "encoder_ffn_dim": 88,
           "num_mel_bins": 80, "max_source_positions": 30}  # fmt: skip


def omni(**config: Any) -> tuple[Spec, dict[str, Any]]:
    record = next(one for one in records("minicpmv") if one["config"].get("version") == 2.6)
    base = {key: value for key, value in record["config"].items() if key != "auto_map"}
    width = base["hidden_size"]
    named = {"model_type": "minicpmo", "architectures": ["MiniCPMO"], "audio_config": WHISPER, "init_audio": True,
             "init_tts": False}  # fmt: skip
    d, ff = WHISPER["d_model"], WHISPER["encoder_ffn_dim"]
    shapes: dict[str, tuple[int, ...]] = {
        "apm.conv1.weight": (d, 80, 3), "apm.conv1.bias": (d,), "apm.conv2.weight": (d, d, 3), "apm.conv2.bias": (d,),
        "apm.embed_positions.weight": (30, d), "apm.layer_norm.weight": (d,), "apm.layer_norm.bias": (d,),
        "audio_projection_layer.linear1.weight": (width, d), "audio_projection_layer.linear1.bias": (width,),
        "audio_projection_layer.linear2.weight": (width, width), "audio_projection_layer.linear2.bias": (width,),
    }  # fmt: skip
    for layer in range(2):
        at = f"apm.layers.{layer}."
        for name in ("q_proj", "k_proj", "v_proj", "out_proj"):
            shapes[f"{at}self_attn.{name}.weight"] = (d, d)
            if name != "k_proj":
                shapes[f"{at}self_attn.{name}.bias"] = (d,)
        for name, (out, inputs) in (("fc1", (ff, d)), ("fc2", (d, ff))):
            shapes |= {f"{at}{name}.weight": (out, inputs), f"{at}{name}.bias": (out,)}
        for name in ("self_attn_layer_norm", "final_layer_norm"):
            shapes |= {f"{at}{name}.weight": (d,), f"{at}{name}.bias": (d,)}
    audio = {name: ("F32", shape) for name, shape in shapes.items()}
    return {**spec_of(record), **audio}, {**base, **named, **config}


def test_every_tensor_is_explained() -> None:
    assert judged(*omni()).verdict == "clean"


@pytest.mark.parametrize(("lost", "code"), [("apm.", "N404"), ("audio_projection_layer.linear2", "N403")])
def test_a_lost_part_is_named(lost: str, code: str) -> None:
    spec, config = omni()
    kept = {name: entry for name, entry in spec.items() if not name.startswith(lost)}
    assert bad(judged(kept, config)) == [code]


def test_a_model_saved_without_hearing_has_the_key_for_it() -> None:
    spec, config = omni()
    kept = {name: entry for name, entry in spec.items() if not name.startswith(("apm.", "audio_projection"))}
    found = judged(kept, config)
    assert bad(found) == ["C310"] and found.findings[0].facts["key"] == "init_audio"
    assert judged(kept, {**config, "init_audio": False}).verdict == "clean"


def test_the_voice_is_not_checked() -> None:
    spec, config = omni(init_tts=True)
    assert judged(spec | {"tts.emb_text.weight": ("F32", (21, 16))}, config).skipped
