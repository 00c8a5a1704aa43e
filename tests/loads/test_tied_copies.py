"""Files that have only the copy of a tied tensor, as transformers 4.57.6 and 5.23 load them."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.auditing.start import audit
from inspector.loading.tables import NEWEST, OLDER
from tests.judged import records, spec_of
from tests.loads.damage import damaged, healthy, write
from tests.loads.test_loads import of_version

COPIES = {
    ("llama", "LlamaForCausalLM", "model.embed_tokens.weight", "lm_head.weight"): "random",
    ("gpt2", "GPT2LMHeadModel", "transformer.wte.weight", "lm_head.weight"): "random",
    ("bart", "BartForConditionalGeneration", "model.shared.weight", "model.encoder.embed_tokens.weight"): "random",
    ("bert", "BertForMaskedLM", "cls.predictions.bias", "cls.predictions.decoder.bias"): "random",
    ("t5", "T5ForConditionalGeneration", "shared.weight", "encoder.embed_tokens.weight"): "complete",
}
"""(model type, class, original, copy) -> load of transformers 4.57.6: a tie uses the original, unless one module
is used in both places."""


@pytest.mark.parametrize("case", COPIES, ids=str)
def test_the_copy_alone(case: tuple[str, str, str, str], tmp_path: Path) -> None:
    model_type, name, original, copy = case
    record = next(one for one in records(model_type) if one["class"] == name and not one["variant"])
    folder = healthy(spec_of(record), {**record["config"], "tie_word_embeddings": True})
    found = audit(str(write(damaged(folder, [["rename", original, copy]]), tmp_path)))
    older, newest = of_version(found, OLDER), of_version(found, NEWEST)
    assert older is not None and newest is not None
    assert (older.outcome, older.missing, older.unexpected) == (COPIES[case], 0, 0)
    assert (newest.outcome, newest.missing, newest.unexpected) == ("complete", 0, 0)


@pytest.mark.parametrize(("model_type", "older"), [("mbart", (2, 0)), ("m2m_100", (2, 0))])
def test_tables_that_are_not_tied(model_type: str, older: tuple[int, int], tmp_path: Path) -> None:
    """transformers 4.57.6 gives each module a separate table where the config does not tie them."""
    off = "tie_word_embeddings-false"
    of_older = [one for one in records(model_type) if "4.57" in one["writer"] and one["variant"] == off]
    record = next(one for one in of_older if "ForC" in one["class"])
    load = of_version(audit(str(write(healthy(spec_of(record), record["config"]), tmp_path))), OLDER)
    assert load is not None and (load.missing, load.unexpected) == older


@pytest.mark.parametrize("model_type", ["qwen2_vl", "qwen2_5_vl"])
@pytest.mark.parametrize("tied", [True, False, None])
def test_a_config_without_text_config(model_type: str, tied: bool | None, tmp_path: Path) -> None:
    """transformers 4.57.6 builds an absent `text_config` from the whole config, and so ties where that says so."""
    record = next(one for one in records(model_type) if "ForC" in one["class"] and not one["variant"])
    text = record["config"]["text_config"]
    config = {**text, **{key: value for key, value in record["config"].items() if key != "text_config"}}
    config.pop("tie_word_embeddings", None)
    config |= {} if tied is None else {"tie_word_embeddings": tied}
    spec = {key: entry for key, entry in spec_of(record).items() if not key.endswith("lm_head.weight")}
    load = of_version(audit(str(write(healthy(spec, config), tmp_path))), OLDER)
    assert load is not None
    assert (load.outcome, load.missing) == (("complete", 0) if tied else ("random", 1))


OTHERS = {
    ("deberta", "DebertaForMaskedLM", "legacy-false"): ("random", "refuses", "refuses", "complete"),
    ("deberta-v2", "DebertaV2ForMaskedLM", "legacy-false"): ("random", "refuses", "refuses", "complete"),
    ("marian", "MarianMTModel", "share_encoder_decoder_embeddings-false,decoder_vocab_size-131"): (
        "unknown", "refuses", "refuses", "complete",
    ),
}  # fmt: skip
"""(model type, class, switches) -> loads of the file of 4.57.6 by 4.57.6 and 5.23, and of that of 5.23 by both: the
older version gives the tensors that it ties other shapes. The head of DeBERTa stays in part without values in 4.57.6;
a header does not show whether Marian's tables are copies.
"""


@pytest.mark.parametrize("case", OTHERS, ids=str)
def test_shapes_that_only_one_version_makes(case: tuple[str, str, str], tmp_path: Path) -> None:
    model_type, name, variant = case
    loads = []
    for version in (OLDER, NEWEST):
        one = next(
            one for one in records(model_type)
            if (one["class"], one["variant"]) == (name, variant) and one["writer"].split()[-1].startswith(version)
        )  # fmt: skip
        found = audit(str(write(healthy(spec_of(one), one["config"]), tmp_path / version)))
        loads += [of_version(found, OLDER), of_version(found, NEWEST)]
    assert tuple(one and one.outcome for one in loads) == OTHERS[case]


PLACES = {
    ("llava", True, None): "complete",
    ("llava", True, False): "complete",
    ("llava", False, False): "random",
    ("llava_onevision", True, False): "complete",
    ("llava_next_video", False, True): "complete",
    ("glm_ocr", None, True): "complete",
    ("llava_next", False, True): "random",
    ("glm4v", None, True): "complete",
    ("qwen2_5_vl", False, True): "complete",
    ("paddleocr_vl", False, None): "complete",
    ("paddleocr_vl", False, False): "random",
    ("step3p7", None, True): "random",
    ("glm5_next", False, True): "random",
}
"""(model type, tie of the outer config, tie of the text config) -> what transformers 5.23 does without a head."""


@pytest.mark.thinned
@pytest.mark.parametrize("case", PLACES, ids=str)
def test_either_place_of_a_tie(case: tuple[str, bool | None, bool | None], tmp_path: Path) -> None:
    model_type, outer, text = case
    of_class = (one for one in records(model_type) if one["class"].endswith("ForConditionalGeneration"))
    record = next(one for one in of_class if not one["variant"])
    spec = {name: one for name, one in spec_of(record).items() if not name.endswith("lm_head.weight")}
    config = {**record["config"], "text_config": dict(record["config"]["text_config"])}
    for inner, tied in ((config, outer), (config["text_config"], text)):
        inner.pop("tie_word_embeddings", None)
        if tied is not None:
            inner["tie_word_embeddings"] = tied
    found = audit(str(write(healthy(spec, config), tmp_path)))
    newest = of_version(found, NEWEST)
    assert newest is not None and newest.outcome == PLACES[case]
    assert any(one.severity != "note" for one in found.findings) is (newest.outcome == "random")


@pytest.mark.parametrize("model_type", ["llama", "qwen2", "gemma"])
def test_the_head_of_a_tied_pair_alone(model_type: str, tmp_path: Path) -> None:
    """`save_model` of safetensors keeps one name of shared tensors. vLLM and mlx-lm drop a tied head."""
    record = next(one for one in records(model_type) if one["class"].endswith("CausalLM") and not one["variant"])
    spec = {name: one for name, one in spec_of(record).items() if name != "lm_head.weight"}
    alone = {"lm_head.weight" if "embed_tokens" in name else name: one for name, one in spec.items()}
    config = {**record["config"], "tie_word_embeddings": True}
    found = audit(str(write(healthy(alone, config), tmp_path)))
    outcomes = {one.loader: one.outcome for one in found.loads if one.version != "4.57"}
    assert outcomes["transformers"] == "complete"
    assert {outcomes["vllm"], outcomes["mlx"]} <= {"random", "refuses"}


@pytest.mark.parametrize("tied", [True, False])
def test_the_text_config_of_a_model_within_the_model_decides(tied: bool, tmp_path: Path) -> None:
    """`ColQwen2ForRetrieval` of 4.57 lets its `vlm` tie the head, which reads `vlm_config.text_config`."""
    named = (one for one in records("colqwen2") if one["variant"] == "vlm_config.text_config.tie_word_embeddings-true")
    record = next(named)
    folder = healthy(spec_of(record), record["config"])
    damaged(folder, [["config", ["vlm_config", "text_config", "tie_word_embeddings"], tied]])
    load = of_version(audit(str(write(folder, tmp_path))), OLDER)
    assert load is not None
    assert (load.outcome, load.missing) == (("complete", 0) if tied else ("random", 1))
