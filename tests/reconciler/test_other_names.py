"""Weights under other names or of another class than the config states: each has one finding with a way out."""

from __future__ import annotations

import re

import pytest

from inspector.auditing.result import Audit
from tests.judged import Spec, base_record, codes, judged, spec_of

STACKED = {"gate_proj": "w13_weight", "down_proj": "w2_weight", "w1": "w13_weight", "w2": "w2_weight"}


def of_vllm(spec: Spec) -> dict[str, tuple[str, tuple[int, ...]]]:
    """Experts that are stored one by one as vLLM stacks them."""
    experts = 1 + max(int(found[1]) for name in spec if (found := re.search(r"\.experts\.(\d+)\.", name)))
    made: dict[str, tuple[str, tuple[int, ...]]] = {}
    for name, (dtype, shape) in spec.items():
        found = re.fullmatch(r"(.*\.experts)\.(\d+)\.(\w+)\.weight", name)
        if found is None:
            made[name] = (dtype, shape)
        elif found[2] == "0" and found[3] in STACKED:
            rows = 2 * shape[0] if STACKED[found[3]] == "w13_weight" else shape[0]
            made[f"{found[1]}.{STACKED[found[3]]}"] = (dtype, (experts, rows, *shape[1:]))
    return made


def renamed(name: str, old: str, new: str) -> str:
    """A name under a pattern of new names; the name itself if it has not the old one."""
    found = re.fullmatch(re.escape(old).replace(r"\*", r"(\d+)"), name)
    return name if found is None else new.replace("*", found[1])


def audited(spec: Spec, model_type: str, ending: str) -> Audit:
    record = base_record(model_type, ending)
    return judged(spec, {"model_type": model_type, **record["config"], "architectures": [record["class"]]})


@pytest.mark.parametrize("model_type", ["mixtral", "qwen3_moe", "glm4_moe"])
def test_experts_of_vllm_are_renamed(model_type: str) -> None:
    spec = of_vllm(spec_of(base_record(model_type, "ForCausalLM")))
    named = audited(spec, model_type, "ForCausalLM")
    assert codes(named) == {"N470"}
    (finding,) = [one for one in named.findings if one.code == "N470"]
    for old, new in finding.facts["renames"]:
        spec = {renamed(name, old, new): one for name, one in spec.items()}
    assert audited(spec, model_type, "ForCausalLM").verdict == "clean"


def test_experts_of_vllm_that_do_not_fit_are_not_renamed() -> None:
    spec = of_vllm(spec_of(base_record("qwen3_moe", "ForCausalLM")))
    lost = {name: one for name, one in spec.items() if not name.endswith("1.mlp.experts.w2_weight")}
    assert "N470" not in codes(audited(lost, "qwen3_moe", "ForCausalLM"))


@pytest.mark.parametrize("model_type", ["t5", "umt5", "switch_transformers"])
def test_an_encoder_alone_has_its_own_class(model_type: str) -> None:
    spec = spec_of(base_record(model_type, "ForConditionalGeneration"))
    half = {name: one for name, one in spec.items() if not name.startswith(("decoder.", "lm_head"))}
    (found,) = [one for one in audited(half, model_type, "ForConditionalGeneration").findings if one.severity != "note"]
    assert found.code == "N427"
    assert found.facts["part"] == "decoder"
    assert "train the head" not in found.remedy().words
    assert "decoder is not stored" in found.remedy().words


@pytest.mark.parametrize("model_type", ["bart", "whisper", "pix2struct"])
def test_a_missing_half_is_one_finding(model_type: str) -> None:
    spec = spec_of(base_record(model_type, "ForConditionalGeneration"))
    outside = ("decoder.", "model.decoder.", "final_logits_bias")
    half = {name: one for name, one in spec.items() if not name.startswith(outside)}
    found = [one for one in audited(half, model_type, "ForConditionalGeneration").findings if one.severity != "note"]
    assert len(found) == 1


@pytest.mark.parametrize("model_type", ["mbart", "mvp"])
def test_a_head_beside_tied_tables_is_untrained(model_type: str) -> None:
    spec = spec_of(base_record(model_type, "ForSequenceClassification"))
    headless = {name: one for name, one in spec.items() if not name.startswith("classification_head")}
    assert codes(audited(headless, model_type, "ForSequenceClassification")) == {"N431"}


@pytest.mark.parametrize("model_type", ["whisper", "speech_to_text", "m2m_100"])
def test_names_without_the_prefix_of_the_class_are_counted(model_type: str) -> None:
    spec = spec_of(base_record(model_type, "ForConditionalGeneration"))
    whole = audited(spec, model_type, "ForConditionalGeneration")
    bare = audited(
        {name.removeprefix("model."): one for name, one in spec.items()}, model_type, "ForConditionalGeneration"
    )
    assert bare.verdict == "clean"
    assert bare.counts.parameters == whole.counts.parameters


@pytest.mark.parametrize(
    ("dense", "sparse"), [("qwen3", "qwen3_moe"), ("qwen2", "qwen2_moe"), ("ernie4_5", "ernie4_5_moe")]
)
def test_a_dense_model_under_the_type_with_experts_is_named(dense: str, sparse: str) -> None:
    """The switches of the experts would explain the weights with many values; the dense type has all names."""
    own, other = base_record(dense, "ForCausalLM"), base_record(sparse, "ForCausalLM")
    config = {**other["config"], **own["config"], "model_type": sparse, "architectures": [other["class"]]}
    (finding,) = [one for one in judged(spec_of(own), config).findings if one.severity != "note"]
    assert finding.code == "N401"
    assert finding.facts["model_type"] == dense and finding.facts["stored_class"] == own["class"]


@pytest.mark.parametrize("model_type", ["llava", "mistral3", "mllama"])
@pytest.mark.parametrize(("head", "clean"), [("lm_head.weight", True), ("model.lm_head.weight", False)])
def test_an_older_text_model_with_the_head_of_newer_names(model_type: str, head: str, clean: bool) -> None:
    """transformers renames each name by itself: 5.23 and 4.57 load such files completely."""
    record = base_record(model_type, "ForConditionalGeneration")
    spec = {head if name == "language_model.lm_head.weight" else name: entry for name, entry in spec_of(record).items()}
    audited = judged(spec, {"architectures": [record["class"]], **record["config"]})
    assert (audited.verdict == "clean") == clean


@pytest.mark.parametrize(("model_type", "suffix", "declared", "table", "copy"), [
    ("layoutlm", "ForMaskedLM", "LayoutLMModel", "layoutlm.embeddings.word_embeddings.weight",
     "cls.predictions.decoder.weight"),
    ("bert", "ForMaskedLM", "BertModel", "bert.embeddings.word_embeddings.weight", "cls.predictions.decoder.weight"),
    ("gpt2", "LMHeadModel", "GPT2Model", "transformer.wte.weight", "lm_head.weight"),
    ("mt5", "ForConditionalGeneration", "MT5EncoderModel", "shared.weight", "decoder.embed_tokens.weight"),
])  # fmt: skip
def test_a_table_under_the_name_of_a_copy_outside_the_class(
    model_type: str, suffix: str, declared: str, table: str, copy: str
) -> None:
    """safetensors keeps one name of a shared matrix; transformers 5.23 and 4.57 leave the table of the class random."""
    record = base_record(model_type, suffix)
    config = {"model_type": model_type, **record["config"], "architectures": [declared]}
    spec = spec_of(record)
    assert codes(judged(spec, config)) == set()
    stored = {name: one for name, one in spec.items() if name != table} | {copy: spec[table]}
    (finding,) = [one for one in judged(stored, config).findings if one.severity != "note"]
    assert (finding.code, finding.facts["renames"]) == ("N407", [[copy, table]])


@pytest.mark.parametrize(("model_type", "suffix"), [
    ("wav2vec2", "ForCTC"), ("hubert", "ForCTC"), ("wavlm", "ForCTC"),
])  # fmt: skip
def test_the_former_name_of_a_mask_is_renamed(model_type: str, suffix: str) -> None:
    record = base_record(model_type, suffix)
    spec = spec_of(record)
    mask = next(name for name in spec if name.endswith("masked_spec_embed"))
    former = mask.replace("masked_spec_embed", "mask_time_emb_vector")
    config = {"model_type": model_type, **record["config"], "architectures": [record["class"]]}
    found = judged({former if name == mask else name: one for name, one in spec.items()}, config)
    (finding,) = [one for one in found.findings if one.severity != "note"]
    assert (finding.code, finding.facts["present_name"]) == ("N405", mask)
    both = judged({**spec, former: spec[mask]}, config)
    (finding,) = [one for one in both.findings if one.severity != "note"]
    assert (finding.code, finding.facts["present_name"]) == ("N405", "")


@pytest.mark.parametrize("model_type", ["gpt2", "openai-gpt", "gpt-sw3"])
def test_the_tied_head_under_its_former_name_is_a_copy(model_type: str) -> None:
    """transformers 5.23 and 4.57 leave out `lm_head.decoder.weight` and tie the head to the table."""
    record = base_record("gpt2" if model_type == "gpt-sw3" else model_type, "LMHeadModel")
    config = {**record["config"], "model_type": model_type, "architectures": [record["class"]]}
    spec = {name: one for name, one in spec_of(record).items() if name != "lm_head.weight"}
    table = next(one for name, one in spec.items() if name.endswith(("wte.weight", "tokens_embed.weight")))
    former = {**spec, "lm_head.decoder.weight": table}
    assert judged(former, config).verdict == "clean"
    guessed = judged(former, {}).architecture
    assert guessed is not None and guessed.name.startswith(("gpt2", "openai-gpt"))
    dtype, (rows, width) = table
    other = judged({**spec, "lm_head.decoder.weight": (dtype, (rows, width + 1))}, config)
    assert other.verdict == "findings"
    untied = judged(former, {**config, "tie_word_embeddings": False})
    assert [one.code for one in untied.findings if one.severity == "error"] == ["C310"]
