"""Files of mlx-whisper: OpenAI's sizes in config.json, names of its own, positions of the encoder computed.

Measured: `mlx_whisper.whisper.Whisper` of mlx-whisper 0.4 writes these names, `alignment_heads` included.
"""

from __future__ import annotations

from typing import Any

import pytest

from inspector.auditing.result import Audit
from inspector.auditing.start import audit_loaded
from tests.adapters.records import Spec, checkpoint
from tests.judged import codes

SIZES = ({"n_audio_state": 64, "n_text_state": 64, "n_audio_layer": 2, "n_text_layer": 3, "n_mels": 80},
         {"n_audio_state": 96, "n_text_state": 96, "n_audio_layer": 4, "n_text_layer": 2, "n_mels": 128},
         {"n_audio_state": 32, "n_text_state": 32, "n_audio_layer": 1, "n_text_layer": 2, "n_mels": 80})  # fmt: skip


def config_of(sizes: dict[str, int]) -> dict[str, Any]:
    return {**sizes, "n_audio_ctx": 1500, "n_audio_head": 4, "n_vocab": 1000, "n_text_ctx": 448, "n_text_head": 4,
            "model_type": "whisper"}  # fmt: skip


def written(sizes: dict[str, int]) -> Spec:
    """The tensors of a model as mlx-whisper saves them: kernels before the channels in."""
    width, spec = sizes["n_audio_state"], Spec()

    def add(name: str, *shape: int, bias: bool = True) -> None:
        spec[f"{name}.weight"] = ("F16", shape)
        if bias:
            spec[f"{name}.bias"] = ("F16", shape[:1])

    for side, layers, attentions in (("encoder", "n_audio_layer", ("attn",)), ("decoder", "n_text_layer",
                                                                              ("attn", "cross_attn"))):  # fmt: skip
        for block in (f"{side}.blocks.{number}" for number in range(sizes[layers])):
            for attention in attentions:
                for part in ("query", "key", "value", "out"):
                    add(f"{block}.{attention}.{part}", width, width, bias=part != "key")
                add(f"{block}.{attention}_ln", width)
            add(f"{block}.mlp1", 4 * width, width)
            add(f"{block}.mlp2", width, 4 * width)
            add(f"{block}.mlp_ln", width)
    add("encoder.conv1", width, 3, sizes["n_mels"])
    add("encoder.conv2", width, 3, width)
    add("encoder.ln_post", width)
    add("decoder.ln", width)
    add("decoder.token_embedding", 1000, width, bias=False)
    spec["decoder.positional_embedding"] = ("F16", (448, width))
    spec["alignment_heads"] = ("I64", (4, 2))
    return spec


def judged(spec: Spec, config: dict[str, Any]) -> Audit:
    return audit_loaded(checkpoint(spec, None, config))


@pytest.mark.parametrize("sizes", SIZES)
def test_mlx_whisper(sizes: dict[str, int]) -> None:
    spec, config = written(sizes), config_of(sizes)
    audited = judged(spec, config)
    assert (audited.verdict, audited.loads) == ("clean", ())
    assert audited.counts.unique_parameters == audited.counts.expected_parameters
    lost = "decoder.blocks.1.attn.key.weight"
    assert codes(judged({name: entry for name, entry in spec.items() if name != lost}, config)) == {"N403"}
    for key in ("n_text_layer", "n_mels", "n_vocab"):
        (found,) = [one for one in judged(spec, {**config, key: config[key] + 1}).findings if one.severity != "note"]
        assert (found.code, found.facts["file_key"]) == ("C310", key)
