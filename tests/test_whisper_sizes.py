"""Files of OpenAI's Whisper need the sizes of their model, which a bare state dict lacks."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from inspector import audit
from tests.checkpoints import write_file
from tests.judged import base_record, spec_of
from tests.readers.file_builders import Code, archive

WIDTH, WORDS, CONTEXT = 64, 60, {"encoder": 30, "decoder": 20}


def tensors(layers: int, mels: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Names and shapes of a model under OpenAI's names."""
    for side, context in CONTEXT.items():
        yield f"{side}.positional_embedding", (context, WIDTH)
        for layer in range(layers):
            block = f"{side}.blocks.{layer}"
            for attention in ("attn", "cross_attn")[: 1 + (side == "decoder")]:
                for name in ("query", "key", "value", "out"):
                    yield f"{block}.{attention}.{name}.weight", (WIDTH, WIDTH)
                    if name != "key":
                        yield f"{block}.{attention}.{name}.bias", (WIDTH,)
                yield f"{block}.{attention}_ln.weight", (WIDTH,)
                yield f"{block}.{attention}_ln.bias", (WIDTH,)
            yield from linear(f"{block}.mlp.0", 4 * WIDTH, WIDTH)
            yield from linear(f"{block}.mlp.2", WIDTH, 4 * WIDTH)
            yield from linear(f"{block}.mlp_ln", WIDTH)
    yield from linear("encoder.conv1", WIDTH, mels, 3)
    yield from linear("encoder.conv2", WIDTH, WIDTH, 3)
    yield from linear("encoder.ln_post", WIDTH)
    yield from linear("decoder.ln", WIDTH)
    yield "decoder.token_embedding.weight", (WORDS, WIDTH)


def test_sizes_of_openai_beside_names_of_transformers(tmp_path: Path) -> None:
    """transformers finds no model type in them; the remedy states the same sizes in its keys."""
    record = base_record("whisper", "Generation")
    config, spec = record["config"], spec_of(record)
    own = {
        "n_mels": "num_mel_bins", "n_vocab": "vocab_size", "n_audio_ctx": "max_source_positions",
        "n_audio_state": "d_model", "n_audio_head": "encoder_attention_heads", "n_audio_layer": "encoder_layers",
        "n_text_ctx": "max_target_positions", "n_text_state": "d_model", "n_text_head": "decoder_attention_heads",
        "n_text_layer": "decoder_layers",
    }  # fmt: skip
    (tmp_path / "config.json").write_text(json.dumps({key: config[of] for key, of in own.items()}), encoding="utf-8")
    write_file(tmp_path / "model.safetensors", spec)
    (finding,) = (one for one in audit(str(tmp_path)).findings if one.severity == "error")
    assert finding.code == "C314" and "OpenAI" in str(finding)
    stated = {key: config[key] for key in set(own.values())}
    assert {key: new for key, new in finding.facts["values"].items() if key in stated} == stated


def linear(name: str, *shape: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    """A weight and its bias."""
    yield f"{name}.weight", shape
    yield f"{name}.bias", shape[:1]


def saved(place: Path, layers: int, mels: int, below: str, dims: Mapping[str, int] | None = None) -> str:
    """A file of torch.save. below: the key of the state dict; "" for the state dict alone."""
    code = Code().add(b"}(")
    if below:
        code.text("dims").add(b"}(")
        for key, size in (dims or {}).items():
            code.text(key).add(b"M" + size.to_bytes(2, "little"))
        code.add(b"u").text(below).add(b"}(")
    for name, shape in tensors(layers, mels):
        code.text(name).tensor(shape)
    code.add(b"uu" if below else b"u")
    place.write_bytes(archive(code.stop(), {"0": bytes(4 * WIDTH * WIDTH * 4)}))
    return str(place)


@pytest.mark.parametrize(("below", "fires"), [("", True), ("state_dict", True), ("model_state_dict", False)])
@pytest.mark.parametrize(("layers", "mels"), [(2, 80), (3, 128)])
def test_a_state_dict_without_the_sizes(layers: int, mels: int, below: str, fires: bool, tmp_path: Path) -> None:
    file = saved(tmp_path / "tuned.pt", layers, mels, below)
    found = audit(str(tmp_path) if layers == 2 else file)
    wanted = [one for one in found.findings if one.code == "N666"]
    assert len(wanted) == fires, found.findings
    if fires:
        inside = f'["{below}"]' if below else ""
        assert wanted[0].help == (
            f'save it with them: torch.save({{"dims": {{"n_mels": {mels}, "n_vocab": 60, "n_audio_ctx": 30, '
            f'"n_audio_state": 64, "n_audio_head": 1, "n_audio_layer": {layers}, "n_text_ctx": 20, "n_text_state": 64, '
            f'"n_text_head": 1, "n_text_layer": {layers}}}, "model_state_dict": '
            f'torch.load("tuned.pt", map_location="cpu"){inside}}}, "tuned.pt")'
        )


OF_TINY = {"n_mels": 80, "n_vocab": WORDS, "n_audio_ctx": 30, "n_audio_state": WIDTH, "n_audio_head": 1,
           "n_audio_layer": 2, "n_text_ctx": 20, "n_text_state": WIDTH, "n_text_head": 1,
           "n_text_layer": 2}  # fmt: skip


@pytest.mark.parametrize(("dims", "differs"), [
    ({}, set()), ({"n_mels": 128}, {"n_mels"}),
    ({"n_vocab": WORDS - 1, "n_text_layer": 3}, {"n_vocab", "n_text_layer"}),
    ({"n_audio_head": 2}, set()),  # which no tensor shows
])  # fmt: skip
def test_sizes_that_the_tensors_contradict(dims: dict[str, int], differs: set[str], tmp_path: Path) -> None:
    file = saved(tmp_path / "tuned.pt", 2, 80, "model_state_dict", {**OF_TINY, **dims})
    found = [one for one in audit(file).findings if one.code == "N669"]
    assert {key for one in found for key, _, _ in one.facts["sizes"]} == differs
