"""A missing table of embeddings of which a writer may have kept the head, and remedies for what is left of a model.

Measured with llama-cpp-python 0.3.36: Qwen2 without `token_embd.weight` is refused, and loads with `output.weight`
under that name; `--override-kv` replaces a missing number, except those that may also be lists.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inspector.auditing.loads.one_loader import judged_for
from inspector.auditing.result import Audit
from inspector.auditing.start import audit
from inspector.findings.finding import Finding
from tests.checkpoints import Spec, genuine, write
from tests.dialects.recorded_gguf import records, source_of, target_of
from tests.judged import judged

SIZES: dict[str, Any] = {
    "hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2, "num_attention_heads": 4,
    "num_key_value_heads": 2, "vocab_size": 101, "tie_word_embeddings": False,
}  # fmt: skip
LLAMA = {**SIZES, "model_type": "llama", "architectures": ["LlamaForCausalLM"]}
QWEN = {**SIZES, "model_type": "qwen2", "architectures": ["Qwen2ForCausalLM"]}
TABLE, HEAD = "model.embed_tokens.weight", "lm_head.weight"


def only(audited: Audit, code: str) -> Finding:
    (found,) = (one for one in audited.findings if one.severity == "error")
    assert found.code == code
    return found


@pytest.mark.parametrize("config", [LLAMA, QWEN])
def test_the_head_may_be_the_missing_table(config: dict[str, Any]) -> None:
    spec = {name: entry for name, entry in genuine(config).items() if name != TABLE}
    words = only(judged(spec, config), "N403").remedy().words
    assert words.startswith(f'if the model ties both, rename {HEAD} to {TABLE} and set "tie_word_embeddings": true')
    renamed: Spec = {TABLE if name == HEAD else name: entry for name, entry in spec.items()}
    assert judged(renamed, {**config, "tie_word_embeddings": True}).verdict == "clean"


def test_a_head_of_another_shape_is_not_the_table() -> None:
    spec = {name: entry for name, entry in genuine(LLAMA).items() if name != TABLE}
    audited = judged({**spec, HEAD: ("BF16", (101, 32))}, LLAMA)
    assert "if the model ties both" not in next(one for one in audited.findings if one.code == "N403").remedy().words


@pytest.mark.parametrize("name", ["llama", "qwen2"])
def test_the_head_of_a_gguf_file_may_be_the_table(name: str, tmp_path: Path) -> None:
    record = records()[name]
    written = target_of(record, source_of(record))
    table = written.arrays.pop("token_embd.weight")
    written.arrays.setdefault("output.weight", table)
    finding = only(audit(str(written.save(tmp_path / "model.gguf"))), "N403")
    assert finding.remedy().words.startswith("if the model ties both, rename output.weight to token_embd.weight; else")


@pytest.mark.parametrize(("key", "words"), [
    ("attention.layer_norm_rms_epsilon", "--override-kv llama.attention.layer_norm_rms_epsilon=float:NUMBER"),
    ("context_length", "--override-kv llama.context_length=int:NUMBER"), ("feed_forward_length", ""),
])  # fmt: skip
def test_llama_cpp_takes_single_numbers_from_its_option(key: str, words: str, tmp_path: Path) -> None:
    record = records()["llama"]
    written = target_of(record, source_of(record))
    written.keys = [pair for pair in written.keys if pair[0] != f"llama.{key}"]
    finding = next(one for one in audit(str(written.save(tmp_path / "model.gguf"))).findings if one.severity == "error")
    said = finding.remedy().words
    assert (words in said, "--override-kv" in said) == (True, bool(words))


def test_merges_are_missing_after_an_older_conversion(tmp_path: Path) -> None:
    record = records()["qwen2"]
    written = target_of(record, source_of(record))
    written.keys = [
        *(pair for pair in written.keys if not pair[0].startswith("tokenizer.")),
        ("tokenizer.ggml.model", "text", "gpt2"),
        ("tokenizer.ggml.tokens", "texts", [f"t{number}" for number in range(101)]),
    ]
    found = [one for one in audit(str(written.save(tmp_path / "model.gguf"))).findings if one.code == "N510"]
    assert [("October 2024" in one.remedy().words, one.facts["keys"]) for one in found] == [
        (True, ["tokenizer.ggml.merges"])
    ]


def test_a_head_that_mlx_does_not_have_is_removed_or_untied(tmp_path: Path) -> None:
    config = {**SIZES, "model_type": "qwen2_vl", "architectures": ["Qwen2VLForConditionalGeneration"],
              "tie_word_embeddings": True, "vision_config": {"depth": 1, "embed_dim": 32, "num_heads": 4,
              "hidden_size": 64, "mlp_ratio": 2, "in_channels": 3, "patch_size": 14, "spatial_merge_size": 2,
              "temporal_patch_size": 2}}  # fmt: skip
    audited = audit(str(write(tmp_path / "model", {**genuine(config), HEAD: ("BF16", (101, 64))}, config)))
    words = only(judged_for(audited, "mlx"), "N429").remedy().words
    assert words.startswith("remove lm_head.weight for mlx") and 'tie_word_embeddings": false' in words
