"""Compares the input and the output of each converter: every parameter is carried over, none dropped, none invented."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import prod
from pathlib import Path

import pytest

from inspector.auditing.start import audit
from inspector.comparing.checkpoints import compare_audits
from inspector.comparing.result import Comparison
from tests.checkpoints import genuine, write
from tests.comparing.listings import GPT2, LLAMA, saved, side, without_config
from tests.comparing.make_fixtures import made
from tests.comparing.pair_audits import FOLDER, NAMES, Side, compared, opened, pair
from tests.dialects.gguf_models import config_of
from tests.dialects.test_gguf_roles import WHOLE, converted, file
from tests.judged import base_record, judged, oracle_types, records, spec_of
from tests.quantization.stored import LEFTOVERS, audited, checkpoint
from tests.quantization.stored import NAMES as PACKED
from tests.sampling import sampled
from tests.sparse_models import DSV3, deepseek_v3
from tests.values.examples import without_pooler

TIED_HEAD = 224 * 64
HOW = {
    "llama-gguf-f16": {"retyped"},
    "llama-gguf-q8": {"packed", "retyped"},
    "llama-tied-gguf-q8": {"packed", "retyped"},
    "qwen2-gguf-f16": {"retyped"},
    "mixtral-gguf-f16": {"retyped", "stacked"},
    "mixtral-in-memory": {"same", "concatenated", "stacked"},
    "mixtral-mlx": {"same", "stacked"},
    "mixtral-mlx-in-memory": {"same", "concatenated"},
    "meta-llama": {"same"},
    "llama-fused": {"same", "concatenated"},
    "gpt2-linear": {"same", "transposed"},
    "torch-tied": {"same", "tied"},
    "llama-f32-bf16": {"retyped"},
    "llama-mistral-definition": {"same"},
}
BACK = {"packed": "unpacked", "stacked": "unstacked", "concatenated": "split"}


def test_the_fixtures_are_what_the_script_makes() -> None:
    assert {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.json")} == made()
    assert set(HOW) == set(NAMES)


def elements(one: Side) -> int:
    """Parameters of a side: all elements but those of buffers and of a stored tied head."""
    tied = {name for group in one.get("ties", ()) for name in group[1:]}
    return sum(prod(shape) for name, (_, shape) in one["tensors"].items() if "freqs" not in name and name not in tied)


def check_conversion(found: Comparison, parameters: int, own: Sequence[str] = ()) -> None:
    """Check for a complete conversion of so many parameters. own: codes of findings that one side has by itself."""
    assert [
        f"{one.code} {one.message}" for one in found.findings if one.severity != "note" and one.code not in own
    ] == []
    assert (found.relation, found.verdict) == ("conversion", "findings" if own else "clean")
    assert (found.parameters, found.carried) == ((parameters, parameters), parameters)
    assert (found.dropped, found.invented) == (0, 0)
    assert sum(role.carried or 0 for role in found.roles) == parameters


@pytest.mark.thinned
@pytest.mark.parametrize("name", NAMES)
def test_a_conversion_is_complete(name: str, tmp_path: Path) -> None:
    source, target = pair(name)
    found = compared(source, target, tmp_path)
    check_conversion(found, elements(source))
    assert {word for role in found.roles for word in role.how} == HOW[name]


@pytest.mark.thinned
@pytest.mark.parametrize("name", NAMES)
def test_the_reverse_is_a_conversion_too(name: str, tmp_path: Path) -> None:
    source, target = pair(name)
    found = compared(target, source, tmp_path)
    check_conversion(found, elements(target))
    assert {word for role in found.roles for word in role.how} == {BACK.get(word, word) for word in HOW[name]}


@pytest.mark.thinned
@pytest.mark.parametrize("name", sampled(NAMES, 3))
def test_names_decide_without_configs(name: str, tmp_path: Path) -> None:
    source, target = map(without_config, pair(name))
    check_conversion(compared(source, target, tmp_path), elements(source))


@pytest.mark.thinned
@pytest.mark.parametrize("name", PACKED)
def test_packed_weights_are_the_model_that_was_packed(name: str) -> None:
    config, _, parameters = checkpoint(name)
    plain = {k: v for k, v in config.items() if k not in ("quantization_config", "quantization", "compression_config")}
    dense, packed = judged(genuine(plain), plain), audited(name)
    check_conversion(compare_audits(dense, packed), parameters, LEFTOVERS.get(name, ()))
    check_conversion(compare_audits(packed, dense), parameters, LEFTOVERS.get(name, ()))


@pytest.mark.thinned
@pytest.mark.parametrize("model_type", sampled(oracle_types(), 24))
def test_a_checkpoint_equals_itself_with_and_without_its_config(model_type: str) -> None:
    record = records(model_type)[0]
    known, bare = judged(spec_of(record), record["config"]), judged(spec_of(record), None)
    if known.verdict != "clean" or bare.verdict != "clean":
        pytest.skip("the audit of one side has findings of its own")
    for one, other in ((known, known), (known, bare), (bare, known)):
        found = compare_audits(one, other)
        assert (found.relation, found.verdict) == ("conversion", "clean")
        assert found.parameters[0] == found.parameters[1] == found.carried


def test_two_writers_of_one_model_agree() -> None:
    several = [
        (model, entry)
        for model in ("mixtral", "qwen3_moe", "zamba", "gemma3n_text", "llava")
        for entry in records(model)
    ]
    checked = 0
    for model, record in several:
        equal_records = [
            other
            for other in records(model)
            if (other["class"], other["variant"]) == (record["class"], record["variant"]) and other is not record
        ]
        for equal_record in equal_records:
            if record["variant"] or record["num_parameters"] != equal_record["num_parameters"]:
                continue
            one, other = (judged(spec_of(each), each["config"]) for each in (record, equal_record))
            check_conversion(compare_audits(one, other), one.counts.unique_parameters)
            checked += 1
    assert checked > 10


def test_many_shards_are_one_model(tmp_path: Path) -> None:
    spec = genuine(LLAMA)
    several = audit(str(write(tmp_path / "several", spec, LLAMA, shards=5)))
    check_conversion(compare_audits(several, audit(str(write(tmp_path / "one", spec, LLAMA)))), 158_144)


def test_every_tensor_is_mapped_to_its_target(tmp_path: Path) -> None:
    source, target = pair("mixtral-in-memory")
    ways = list(compared(source, target, tmp_path / "memory").tensors())
    assert {way.source.name for way in ways} == set(source["tensors"])
    assert {way.target.name for way in ways} == set(target["tensors"])
    way = next(way for way in ways if way.source.name == "model.layers.1.block_sparse_moe.experts.3.w3.weight")
    assert (way.role, way.indices, way.steps) == ("mlp.up", {"layer": 1, "expert": 3}, ("concatenated", "stacked"))
    assert (way.target.name, way.target.index) == ("model.layers.1.mlp.experts.gate_up_proj", 3)
    part = way.target.part
    assert part is not None
    assert (part.pack, part.start, part.size, part.groups) == ("up", 96, 96, 1)
    source, target = pair("mixtral-gguf-f16")
    ways = list(compared(source, target, tmp_path / "gguf").tensors())
    assert {way.target.name for way in ways} == set(target["tensors"])


@pytest.mark.complete
@pytest.mark.parametrize("kind", ["safetensors", "torch"])
def test_an_unexplained_head_is_reported_and_counted_as_in_its_audit(kind: str, tmp_path: Path) -> None:
    untied = {**without_config(saved(LLAMA)), "kind": kind, "ties": []}
    headless = without_config(side(None, {n: e for n, e in genuine(LLAMA).items() if "lm_head" not in n}))
    for number, (one, other) in enumerate(((untied, headless), (headless, untied))):
        found = compared(one, other, tmp_path / str(number))
        assert [(one.code, one.severity, one.confidence) for one in found.findings] == [("V816", "warning", "likely")]
        assert (found.verdict, found.carried) == ("findings", 158_144 - TIED_HEAD)
        assert (found.dropped, found.invented) == ((TIED_HEAD, 0), (0, TIED_HEAD))[number]


@pytest.mark.parametrize(("ties", "words"), [(True, "the target uses the embedding instead"), (False, "")])
def test_a_lost_head_is_the_embedding_only_where_the_config_ties_them(ties: bool, words: str) -> None:
    source = judged(genuine(LLAMA | {"tie_word_embeddings": False}), LLAMA | {"tie_word_embeddings": False})
    target = judged(genuine(LLAMA | {"tie_word_embeddings": True}), LLAMA | {"tie_word_embeddings": ties})
    (lost,) = (one for one in compare_audits(source, target).findings if one.code == "V803")
    assert dict(lost.rows()).get("because", "") == words


def test_the_head_of_a_class_that_ties_by_default_is_a_copy_unless_the_config_unties_it() -> None:
    plain = genuine(GPT2)
    stored = plain | {"lm_head.weight": plain["transformer.wte.weight"]}
    for config in (None, GPT2):
        found = compare_audits(judged(stored, None), judged(plain, config))
        check_conversion(found, sum(prod(shape) for _, shape in plain.values()))
        assert [one.code for one in found.findings] == ["V813"]


TIED_TWICE = {
    "model_type": "bert", "architectures": ["BertForMaskedLM"], "hidden_size": 48, "intermediate_size": 80,
    "num_hidden_layers": 2, "num_attention_heads": 6, "vocab_size": 96, "max_position_embeddings": 33,
}  # fmt: skip


@pytest.mark.parametrize("config", [None, TIED_TWICE], ids=["bare", "config"])
def test_what_a_file_stores_once_under_two_names_counts_once(config: dict[str, object] | None, tmp_path: Path) -> None:
    head, table = "cls.predictions.", "bert.embeddings.word_embeddings.weight"
    plain = side(TIED_TWICE, {name: e for name, e in genuine(TIED_TWICE).items() if f"{head}decoder" not in name})
    copies = {f"{head}decoder.weight": table, f"{head}decoder.bias": f"{head}bias"}
    stored = plain["tensors"] | {copy: plain["tensors"][of] for copy, of in copies.items()}
    torch = {"kind": "torch", "config": config, "tensors": stored, "ties": [[of, copy] for copy, of in copies.items()]}
    parameters = elements(plain)
    counts = opened(torch, tmp_path / "alone").counts
    assert (counts.unique_parameters, counts.expected_parameters) == (parameters, parameters)
    assert counts.tied_copies == (96 * 48 + 96)
    check_conversion(compared(torch, plain, tmp_path / "one"), parameters)
    check_conversion(compared(plain, torch, tmp_path / "other"), parameters)


def test_a_copy_stored_in_place_of_its_original() -> None:
    found = [one for one in records("luke") if (one["class"], one["variant"]) == ("LukeForMaskedLM", "")]
    assert found
    for record in found:
        known, bare = judged(spec_of(record), record["config"]), judged(spec_of(record), None)
        for one, other in ((known, bare), (bare, known), (bare, bare)):
            check_conversion(compare_audits(one, other), record["num_parameters"])


def test_models_of_other_widths_are_different_models() -> None:
    other = {**LLAMA, "num_key_value_heads": 4}
    for configs in ((LLAMA, other), (None, None)):
        sides = [judged(genuine(built), config) for built, config in zip((LLAMA, other), configs, strict=True)]
        found = compare_audits(*sides)
        assert (found.relation, found.verdict, found.carried) == ("different", "clean", None)
    assert compare_audits(*sides, expect="conversion").verdict == "findings"


@pytest.mark.parametrize("side", ["source", "target"])
def test_one_rank_of_a_parallel_save_is_named(side: str) -> None:
    whole = genuine(LLAMA)
    rank = {
        name: (dtype, (shape[0] // 2, *shape[1:])) if re.search("[qkv]_proj|gate_proj|up_proj", name)
        else (dtype, (shape[0], shape[1] // 2)) if re.search("o_proj|down_proj", name) else (dtype, shape)
        for name, (dtype, shape) in whole.items()
    }  # fmt: skip
    one, other = judged(whole, LLAMA), judged(rank, LLAMA)
    (finding,) = compare_audits(*((one, other) if side == "target" else (other, one))).findings
    assert (finding.code, finding.facts["rank_of"]) == ("V809", [side, 2])
    assert finding.help.startswith(f"merge the ranks of the {side}")


def test_models_with_different_parts_are_different_models() -> None:
    """BERT and ViT of equal widths: their layers have the same shapes."""
    one, other = (base_record(*name) for name in (("bert", "MaskedLM"), ("vit", "ImageClassification")))
    sides = [judged(spec_of(side), {**side["config"], "architectures": [side["class"]]}) for side in (one, other)]
    assert compare_audits(*sides).relation == "different"


def test_a_stored_head_of_a_tied_model_is_accepted() -> None:
    tied = {**LLAMA, "tie_word_embeddings": True}
    sides = judged(genuine(LLAMA), LLAMA), judged(genuine(LLAMA), tied)
    for both, code in ((sides, "V803"), (sides[::-1], "V804")):
        (finding,) = (one for one in compare_audits(*both).findings if one.severity == "error")
        assert finding.code == code
        assert "lm_head.weight is stored, and its config ties it" in finding.message


def test_an_architecture_without_a_definition_is_compared_by_names() -> None:
    spec = {f"h.{layer}.mix.weight": ("F32", (64, 48)) for layer in range(6)}
    one, other = (
        judged(spec, {"model_type": "my_own_net"}),
        judged({n: ("BF16", s) for n, (_, s) in spec.items()}, None),
    )
    check_conversion(compare_audits(one, other), 6 * 64 * 48)
    less = dict(list(spec.items())[:5])
    found = compare_audits(one, judged(less, None))
    assert (found.relation, found.dropped, found.invented) == ("conversion", 64 * 48, 0)


MIXED = ("glm4moe", "dots1", "jamba", "ernie4_5-moe", "lfm2moe", "t5", "deepseek", "deepseek2", "deepseek3")
"""Experts stacked in some layers only, two stacks in one file, and a matrix that is stored as two, split by head."""


@pytest.mark.thinned
@pytest.mark.parametrize("architecture", [*MIXED, *sampled([name for name in WHOLE if name not in MIXED], 3)])
def test_every_architecture_of_llama_cpp_is_carried(architecture: str, tmp_path: Path) -> None:
    file(tmp_path, architecture, converted(architecture))
    config = config_of(architecture)
    for source in (judged(genuine(config), config), judged(genuine(config), None)):
        if source.case is not None and source.verdict == "clean":
            found = compare_audits(source, audit(str(tmp_path)))
            check_conversion(found, source.counts.unique_parameters)


def test_a_component_beyond_the_model_is_reported() -> None:
    whole = judged(dict(deepseek_v3(DSV3)), DSV3)
    config = {**DSV3, "num_nextn_predict_layers": 0}
    less = judged({n: e for n, e in deepseek_v3(DSV3) if ".layers.61." not in n}, config)
    found = compare_audits(whole, less)
    assert (found.relation, found.dropped, found.invented) == ("conversion", 0, 0)
    assert [one.code for one in found.findings if one.severity != "note"] == ["V814"]


def test_too_few_names_to_decide_are_read_like_the_other_side() -> None:
    kept = {name: entry for name, entry in genuine(LLAMA).items() if ".q_proj." in name or ".up_proj." in name}
    torso = judged(kept, None)
    assert torso.case is None
    for config, codes in ((LLAMA, {"V803"}), (None, {"V803", "V816"})):
        found = compare_audits(judged(genuine(LLAMA), config), torso)
        assert (found.relation, found.carried, found.invented) == ("conversion", 43_008, 0)
        assert found.parameters == (158_144, 43_008)
        assert {one.code for one in found.findings if one.severity != "note"} == codes


def test_llama_cpp_leaves_poolers_out_and_nothing_else() -> None:
    assert {one.code for one in without_pooler().findings if one.severity != "note"} == set()
    for lost in ("blk.1.attn_q.weight", "token_embd_norm.bias", "blk.0.ffn_up.weight"):
        assert "V803" in {one.code for one in without_pooler(lost).findings if one.severity == "error"}


TEXT: dict[str, object] = {"hidden_size": 48, "intermediate_size": 80, "num_attention_heads": 6,
        "num_key_value_heads": 2, "num_hidden_layers": 3, "vocab_size": 70}  # fmt: skip
QWEN2_VL = {**TEXT, "model_type": "qwen2_vl", "architectures": ["Qwen2VLForConditionalGeneration"],
            "tie_word_embeddings": False,
            "vision_config": {"depth": 2, "embed_dim": 24, "hidden_size": 48, "num_heads": 3, "mlp_ratio": 2,
                              "in_channels": 3, "patch_size": 4, "temporal_patch_size": 2}}  # fmt: skip


@pytest.mark.parametrize("lost", ["", "blk.1.attn_norm.weight", "blk.2.ffn_down.weight"])
def test_a_text_model_for_llama_cpp_is_carried_without_its_tower(tmp_path: Path, lost: str) -> None:
    tensors = converted("qwen2vl")
    tensors.pop(lost, None)
    found = compare_audits(judged(genuine(QWEN2_VL), QWEN2_VL), audit(str(file(tmp_path, "qwen2vl", tensors))))
    assert found.relation == "conversion"
    notes = [one for one in found.findings if one.name == "left-out"]
    assert [one.facts["towers"] for one in notes] == [["vision"]]
    assert {one.code for one in found.findings if one.severity == "error"} == ({"V803"} if lost else set())
