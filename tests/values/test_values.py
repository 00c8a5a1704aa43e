"""Findings of `--values`: equal, rounded, reordered or damaged values; not finite or constant; copies; frozen parts."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace
from numpy.typing import NDArray

from inspector.auditing.start import audit
from inspector.auditing.values import with_values
from inspector.comparing.checkpoints import compare
from inspector.comparing.result import Comparison
from inspector.comparing.values import compared_with_values
from inspector.report.compare_text import compare_text
from inspector.report.values_text import WORDS
from inspector.values import chunks
from inspector.values.decoding import decoded, rounded, table
from inspector.values.difference import difference
from inspector.values.result import NotNamed
from inspector.values.stored import Numbers
from tests.checkpoints import genuine
from tests.dialects.converters import meta
from tests.hub.conftest import Environment
from tests.hub.stand_in import StandIn
from tests.sparse_models import TINY, llama
from tests.values.examples import AUDITED, COMPARED, DOWN, KEY, beyond_half, in_halves, model, to_gguf, write_llama_gguf
from tests.values.examples import compared as changed
from tests.values.value_files import Arrays, bfloat16, numbers, spec_of, write, write_gguf


def compared_with(tmp_path: Path, change: Callable[[Arrays], Any], config: dict[str, Any] | None = None) -> Comparison:
    """The comparison of the model with a changed copy."""
    before, after = model(), model()
    change(after)
    one = write(tmp_path / "before", before, TINY)
    other = write(tmp_path / "after", after, TINY if config is None else config)
    return compared_with_values(compare(str(one), str(other)))


def found(compared: Comparison) -> set[str]:
    return {finding.name for finding in compared.findings}


def counts(compared: Comparison) -> dict[str, int]:
    assert compared.values is not None
    words = ("equal", "rounded", "reordered", "misordered", "overflowed", "different")
    return {what: compared.values.count(what) for what in words if compared.values.count(what)}


def test_the_same_numbers_are_clean(tmp_path: Path) -> None:
    compared = compared_with(tmp_path, lambda after: None)
    assert compared.verdict == "clean"
    assert counts(compared) == {"equal": len(model())}
    assert compared.values is not None
    assert compared.values.elements == compared.parameters[0]
    assert not [one for one in compared.skipped if one.check.startswith("values")]


def test_one_changed_number_is_found_with_its_place(tmp_path: Path) -> None:
    def change(after: Arrays) -> None:
        after[KEY][3, 5] += 0.25

    compared = compared_with(tmp_path, change)
    (finding,) = [one for one in compared.findings if one.name == "values-differ"]
    assert finding.facts["tensor"] == KEY
    assert (finding.facts["differing"], finding.facts["at"]) == (1, [3, 5])
    assert finding.facts["largest"] == pytest.approx(0.25, rel=1e-3)
    assert finding.facts["tensors"] == 1
    assert compared.verdict == "findings"
    assert finding.message.startswith("attention key, 1 of 2 tensors, layer 1")


@pytest.mark.parametrize("kind", ["BF16", "F16"])
def test_rounding_is_distinguished_from_damage(tmp_path: Path, kind: str) -> None:
    def narrow(array: NDArray[Any]) -> NDArray[Any]:
        return bfloat16(array) if kind == "BF16" else array.astype(np.float16)

    def change(after: Arrays) -> None:
        after.update({name: narrow(array) for name, array in after.items()})

    compared = compared_with(tmp_path, change)
    assert counts(compared) == {"rounded": len(model())}
    assert "values-rounded" in found(compared)
    assert "values-differ" not in found(compared)

    def damage(after: Arrays) -> None:
        change(after)
        after[DOWN][0, 0] = 7

    damaged = compared_with(tmp_path / "damaged", damage)
    assert counts(damaged) == {"rounded": len(model()) - 1, "different": 1}
    (finding,) = [one for one in damaged.findings if one.name == "values-differ"]
    assert (finding.facts["differing"], finding.facts["at"], finding.facts["beyond"]) == (1, [0, 0], True)


def test_a_target_of_finer_numbers_is_reported(tmp_path: Path) -> None:
    before = {name: bfloat16(array) for name, array in model().items()}
    one, other = write(tmp_path / "before", before, TINY), write(tmp_path / "after", model(), TINY)
    compared = compared_with_values(compare(str(one), str(other)))
    assert counts(compared) == {"rounded": len(model())}
    (finding,) = [one for one in compared.findings if one.name == "values-rounded"]
    assert finding.facts["ways"] == ["finer"]


def test_numbers_truncated_to_bfloat16_are_reported_as_such(tmp_path: Path) -> None:
    def change(after: Arrays) -> None:
        after.update({name: (array.view(np.uint32) >> 16).astype(np.uint16) for name, array in after.items()})

    compared = compared_with(tmp_path, change)
    assert counts(compared) == {"rounded": len(model())}
    (finding,) = [one for one in compared.findings if one.name == "values-rounded"]
    assert finding.facts["ways"] == ["cut"]


@pytest.mark.parametrize("model_type", ["llama", "mistral", "granite"])
@pytest.mark.parametrize("way", ["to halves", "to pairs"])
def test_rotary_rows_in_another_order_under_the_same_names_are_wrong(tmp_path: Path, way: str, model_type: str) -> None:
    """transformers takes the rows of these names in one order: the logits differ."""
    before, after = model(), model()
    in_halves(after if way == "to halves" else before)
    config = {**TINY, "model_type": model_type, "architectures": [f"{model_type.capitalize()}ForCausalLM"]}
    one, other = write(tmp_path / "before", before, config), write(tmp_path / "after", after, config)
    compared = compared_with_values(compare(str(one), str(other)))
    reordered = 2 * TINY["num_hidden_layers"]
    assert counts(compared) == {"equal": len(model()) - reordered, "misordered": reordered}
    assert [one.code for one in compared.findings if one.severity == "error"] == ["V849"]


def test_what_is_not_finite_or_constant_is_reported(tmp_path: Path) -> None:
    arrays = model()
    arrays[KEY][1, 1] = np.nan
    arrays[DOWN][:] = 0
    audited = with_values(audit(str(write(tmp_path, arrays, TINY))))
    facts = {finding.name: finding.facts for finding in audited.findings}
    assert (facts["values-not-finite"]["nan"], facts["values-not-finite"]["names"]) == (1, [KEY])
    assert (facts["values-constant"]["values"], facts["values-constant"]["names"]) == ([0.0], [DOWN])
    assert audited.verdict == "findings"
    healthy = with_values(audit(str(write(tmp_path / "healthy", model(), TINY))))
    assert healthy.verdict == "clean"
    assert not [one for one in healthy.skipped if one.check == "values"]


@pytest.mark.parametrize(("others", "expected"), [(0, {"V825"}), (1, {"V820", "V825"})])
def test_nan_is_reported_separately_from_other_differences(others: int, expected: set[str], tmp_path: Path) -> None:
    def change(after: Arrays) -> None:
        after[KEY][1, 1] = np.nan
        after[KEY][2, :others] += 1

    assert {one.code for one in compared_with(tmp_path, change).findings if one.severity == "error"} == expected


@pytest.mark.parametrize(("added", "infinite", "expected"), [
    (1e5, False, {"values-overflowed"}), (6e4, False, set()), (1e5, True, {"values-overflowed", "values-not-finite"}),
])  # fmt: skip
def test_what_a_narrower_dtype_cannot_hold_is_not_rounding(added: float, infinite: bool, expected: set[str]) -> None:
    def change(arrays: Arrays) -> None:
        arrays[KEY][0, 0] = np.inf if infinite else arrays[KEY][0, 0]

    compared = beyond_half(change, added)
    assert {one.name for one in compared.findings if one.severity == "error"} == expected
    assert compared.values is not None
    assert sum(compared.values.count(what) for what, _ in WORDS) == compared.values.tensors
    assert compared.values.count("overflowed") == ("values-overflowed" in expected)
    for one in compared.findings:
        if one.name == "values-overflowed":
            assert (one.facts["tensors"], one.facts["narrowed"]) == (1, "target")
            assert one.facts["infinite"] == TINY["hidden_size"]
            assert one.help == "convert again to BF16, or leave these tensors in F32"


@pytest.mark.parametrize(("change", "words"), [
    (lambda arrays: None, "same"), (in_halves, "all 2 tensors have rows in another order"),
    (lambda arrays: arrays[KEY].fill(1), "1 of 2 tensors differ"),
])  # fmt: skip
def test_the_table_of_roles_states_the_result_of_the_values(change: Callable[[Arrays], object], words: str) -> None:
    compared = changed(change)
    (row,) = [line for line in compare_text(compared).splitlines() if line.startswith("attention key ")]
    assert row.endswith(f"  {words}")
    assert compared.values is not None
    assert sum(compared.values.count(what) for what, _ in WORDS) == compared.values.tensors


def test_copies_of_tied_tensors_are_compared(tmp_path: Path) -> None:
    config = {**TINY, "tie_word_embeddings": True}
    arrays = model()
    arrays["lm_head.weight"] = arrays["model.embed_tokens.weight"].copy()
    assert with_values(audit(str(write(tmp_path / "same", arrays, config)))).verdict == "clean"
    arrays["lm_head.weight"][2, 0] += 1
    audited = with_values(audit(str(write(tmp_path / "other", arrays, config))))
    (finding,) = [one for one in audited.findings if one.severity == "error"]
    assert (finding.name, finding.facts["differing"]) == ("copies-differ", 1)


def test_frozen_parts_of_a_fine_tune_are_reported(tmp_path: Path) -> None:
    def change(after: Arrays) -> None:
        for name in after:
            if name != KEY:
                after[name] = after[name] + np.float32(0.01)

    compared = compared_with(tmp_path, change)
    (finding,) = [one for one in compared.findings if one.name == "values-unchanged"]
    assert (finding.facts["names"], finding.facts["of"]) == ([KEY], sum(array.ndim > 1 for array in model().values()))


def test_only_named_tensors_are_read(tmp_path: Path) -> None:
    one, other = write(tmp_path / "before", model(), TINY), write(tmp_path / "after", model(), TINY)
    compared = compared_with_values(compare(str(one), str(other)), ["*.k_proj.weight"])
    assert counts(compared) == {"equal": TINY["num_hidden_layers"]}
    assert "values of other tensors" in {one.check for one in compared.skipped}


def test_a_repository_is_read_for_named_tensors_only(tmp_path: Path) -> None:
    folder = write(tmp_path / "here", model(), TINY)
    with StandIn() as hub, Environment() as environment:
        hub.add("org/model", folder)
        environment.setenv("HF_ENDPOINT", hub.endpoint)
        environment.setenv("HF_HOME", str(tmp_path / "home"))
        compared = compare(str(folder), "org/model")
        with pytest.raises(NotNamed):
            compared_with_values(compared)
        assert counts(compared_with_values(compared, [KEY])) == {"equal": 1}


def test_two_models_are_not_compared_number_by_number(tmp_path: Path) -> None:
    wide = {**TINY, "intermediate_size": 2 * TINY["intermediate_size"]}
    one = write(tmp_path / "before", model(), TINY)
    other = write(tmp_path / "after", numbers(spec_of(dict(llama(wide)))), wide)
    compared = compared_with_values(compare(str(one), str(other)))
    assert compared.relation == "different"
    assert compared.values is None


def test_long_tensors_are_read_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "CHUNK", 40)
    array = np.arange(7 * 3 * 11, dtype=np.float32).reshape(7, 3, 11)
    other = array.copy()
    other[4, 2, 10] += 1
    other[5, 0, 3] -= 8
    reported = difference(Numbers(array, "F32"), Numbers(other, "F32"))
    assert (reported.elements, reported.differing, reported.largest, reported.place) == (231, 2, 8.0, (5, 0, 3))


def test_eight_bit_floats_follow_the_standard() -> None:
    four, five = table("F8_E4M3"), table("F8_E5M2")
    assert (four[0x38], four[0x7E], four[0x01], four[0xB8]) == (1.0, 448.0, 2.0**-9, -1.0)
    assert np.isnan(four[0x7F])
    assert (five[0x3C], five[0x7B], five[0x01]) == (1.0, 57344.0, 2.0**-16)
    assert np.isinf(five[0x7C])
    assert np.isnan(five[0x7D])
    assert np.array_equal(
        five[:0x7C], np.arange(0x7C, dtype=np.uint16).astype(np.uint16).__lshift__(8).view(np.float16)
    )
    assert (table("F8_E4M3FNUZ")[0x40], table("F8_E4M3FNUZ")[0x7F], table("F8_E5M2FNUZ")[0x7F]) == (1.0, 240.0, 57344.0)
    assert (table("F8_E8M0")[127], table("F8_E8M0")[130]) == (1.0, 8.0)


def test_rounding_is_to_nearest_and_ties_to_even() -> None:
    values = np.array([1.0, 1 + 2**-8, 1 + 3 * 2**-8, 3.4e38, -0.1], dtype=np.float32)
    back = decoded(bfloat16(values), "BF16")
    narrowed = rounded(values, "BF16")
    assert narrowed is not None
    assert np.array_equal(narrowed, back)
    assert list(back[:3]) == [1.0, 1.0, 1 + 2**-6]


def test_numbers_of_gguf_files_are_read(tmp_path: Path) -> None:
    arrays = model()
    folder = write(tmp_path / "before", arrays, TINY)
    write_llama_gguf(tmp_path / "model.gguf", arrays)
    compared = compared_with_values(compare(str(folder), str(tmp_path / "model.gguf")))
    reordered = 2 * TINY["num_hidden_layers"]
    assert compared.relation == "conversion"
    assert counts(compared) == {"equal": len(arrays) - reordered, "reordered": reordered}
    assert compared.verdict == "clean"


@pytest.mark.thinned
@pytest.mark.parametrize(
    ("architecture", "pairs", "added", "bad"),
    [
        ("llama", True, 0, set()), ("llama", False, 0, {"not-converted"}), ("gemma", False, 1, set()),
        ("gemma", True, 1, {"not-converted"}), ("gemma", False, 0, {"not-converted"}),
        ("gemma", False, 0.5, {"values-differ"}),
        ("qwen2", True, 0, {"not-converted"}), ("qwen2", False, 0, set()),
    ],
)  # fmt: skip
def test_llama_cpp_needs_its_own_order_of_rows(architecture: str, pairs: bool, added: float, bad: set[str]) -> None:
    compared = to_gguf(architecture, pairs, added)
    assert compared.relation == "conversion"
    assert {one.name for one in compared.findings if one.severity != "note"} == bad


CONV1D = {"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "n_embd": 48, "n_head": 6, "n_layer": 2,
          "vocab_size": 70, "n_positions": 33}  # fmt: skip
OF_GPT2 = {"transformer.h.": "blk.", "transformer.wte": "token_embd", "transformer.wpe": "position_embd",
           "transformer.ln_f": "output_norm", "ln_1": "attn_norm", "ln_2": "ffn_norm", "attn.c_attn": "attn_qkv",
           "attn.c_proj": "attn_output", "mlp.c_fc": "ffn_up", "mlp.c_proj": "ffn_down"}  # fmt: skip


def test_matrices_transposed_by_llama_cpp_are_compared(tmp_path: Path) -> None:
    arrays = numbers(genuine(CONV1D))
    folder = write(tmp_path / "before", arrays, CONV1D)
    written: Arrays = {}
    for name, array in arrays.items():
        turned = ".h." in name and array.ndim == 2
        for one, two in OF_GPT2.items():
            name = name.replace(one, two)
        written[name] = np.ascontiguousarray(array.T) if turned else array
    keys: dict[str, int | str] = {
        "general.architecture": "gpt2", "gpt2.block_count": 2, "gpt2.context_length": 33, "gpt2.embedding_length": 48,
        "gpt2.feed_forward_length": 192, "gpt2.attention.head_count": 6,
    }  # fmt: skip
    write_gguf(tmp_path / "model.gguf", keys, written)
    for one, other in ((str(folder), str(tmp_path / "model.gguf")), (str(tmp_path / "model.gguf"), str(folder))):
        compared = compared_with_values(compare(one, other))
        assert (compared.verdict, set(counts(compared))) == ("clean", {"equal"})
        assert compared.values is not None and not compared.values.unread
        assert compared.values.elements == compared.carried


MOE = {"model_type": "mixtral", "architectures": ["MixtralForCausalLM"], "hidden_size": 24, "intermediate_size": 16,
       "num_attention_heads": 4, "num_key_value_heads": 2, "num_hidden_layers": 2, "vocab_size": 33,
       "num_local_experts": 3}  # fmt: skip


def test_positions_refer_to_the_file_of_the_target(tmp_path: Path) -> None:
    single = numbers(genuine(MOE))
    stacked = {
        name.replace("block_sparse_moe", "mlp"): array for name, array in single.items() if "experts" not in name
    }
    for layer in range(2):
        before, after = (f"model.layers.{layer}.{part}.experts." for part in ("block_sparse_moe", "mlp"))
        parts = {w: np.stack([single[f"{before}{e}.{w}.weight"] for e in range(3)]) for w in ("w1", "w2", "w3")}
        stacked[f"{after}gate_up_proj"] = np.concatenate([parts["w1"], parts["w3"]], axis=1)
        stacked[f"{after}down_proj"] = parts["w2"]
    one = write(tmp_path / "single", single, MOE)
    assert counts(compared_with_values(compare(str(one), str(write(tmp_path / "sound", stacked, MOE))))) == {
        "equal": len(single)
    }
    name = "model.layers.1.mlp.experts.gate_up_proj"
    stacked[name][2, 16 + 5, 7] += 1
    other = write(tmp_path / "stacked", stacked, MOE)
    for source, target, tensor, at in (
        (one, other, name, [2, 21, 7]),
        (other, one, "model.layers.1.block_sparse_moe.experts.2.w3.weight", [5, 7]),
    ):
        compared = compared_with_values(compare(str(source), str(target)))
        (finding,) = [one for one in compared.findings if one.name == "values-differ"]
        assert (finding.facts["tensor"], finding.facts["at"], finding.facts["differing"]) == (tensor, at, 1)


def test_slices_of_several_files_are_not_taken_for_the_whole(tmp_path: Path) -> None:
    whole = write(tmp_path / "whole", numbers(genuine(TINY)), TINY)
    for number, part in enumerate(meta(genuine(TINY), 2)):
        made = write(tmp_path / "slices", numbers(part))
        (made / "model.safetensors").rename(made / f"consolidated.{number:02d}.safetensors")
    compared = compared_with_values(compare(str(whole), str(tmp_path / "slices")), [])
    assert compared.relation == "conversion" and compared.values is not None
    assert list(compared.values.unread) == ["it is split over several files"]


def test_rows_that_alternate_in_unknown_groups_get_no_finding(tmp_path: Path) -> None:
    arrays = model()
    kv, heads = TINY["num_key_value_heads"], TINY["num_attention_heads"]
    names = {"model.embed_tokens": "transformer.wte", "model.norm": "transformer.ln_f", "model.layers": "transformer.h",
             "input_layernorm": "norm_1", "post_attention_layernorm": "norm_2", "self_attn.o_proj": "attn.proj",
             "mlp.gate_proj": "mlp.fc_1", "mlp.up_proj": "mlp.fc_2", "mlp.down_proj": "mlp.proj"}  # fmt: skip
    old: Arrays = {}
    for name, array in arrays.items():
        if any(f".{part}_proj" in name for part in "kv") and "self_attn" in name:
            continue
        if "self_attn.q_proj" in name:
            three = [array, *(arrays[name.replace("q_proj", f"{part}_proj")] for part in "kv")]
            array = np.concatenate([one.reshape(kv, -1, one.shape[1]) for one in three], 1).reshape(-1, array.shape[1])
            name = name.replace("self_attn.q_proj", "attn.attn")
        for one, two in names.items():
            name = name.replace(one, two)
        old[name] = array
    assert heads % kv == 0
    before = write(tmp_path / "before", arrays, TINY)
    for config in (None, TINY):
        after = write(tmp_path / str(config is None), old, config)
        compared = compared_with_values(compare(str(before), str(after)))
        assert set(counts(compared)) == {"equal"}
        of_transformers = {"N470"} if config else set()  # which finds none of these names
        assert {one.code for one in compared.findings if one.severity == "error"} == of_transformers


def test_a_name_that_no_tensor_has_is_reported(tmp_path: Path) -> None:
    audited = with_values(audit(str(write(tmp_path, model(), TINY))), [KEY, "no.such.weight"])
    (finding,) = [one for one in audited.findings if one.severity == "error"]
    assert (finding.name, finding.facts["pattern"]) == ("tensor-not-found", "no.such.weight")
    assert audited.values is not None
    assert audited.values.tensors == 1


def test_unreachable_values_are_listed_as_not_checked(tmp_path: Path) -> None:
    audited = audit(str(write(tmp_path, model(), TINY)))
    gone = with_values(replace(audited, checkpoint=replace(audited.checkpoint, reach=None)))
    assert gone.values is not None
    assert gone.values.tensors == 0
    assert f"values of {len(model())} tensors" in {one.check for one in gone.skipped}


def test_one_row_does_not_decide_the_order_of_rows(tmp_path: Path) -> None:
    name = "model.layers.0.self_attn.q_proj.weight"
    before, after = model(), model()
    for arrays in (before, after):
        arrays[name][1] = arrays[name][4]
    in_halves(after)
    one, other = write(tmp_path / "before", before, TINY), write(tmp_path / "after", after, TINY)
    compared = compared_with_values(compare(str(one), str(other)))
    assert counts(compared).get("different", 0) == 0


def _trained(arrays: Arrays) -> None:
    arrays.update({name: array + np.float32(0.5) for name, array in arrays.items()})


def _exchanged(one: str, other: str) -> Callable[[Arrays], None]:
    def change(arrays: Arrays) -> None:
        for name in [name for name in arrays if one in name]:
            partner = name.replace(one, other)
            arrays[name], arrays[partner] = arrays[partner], arrays[name]

    return change


@pytest.mark.parametrize(("change", "holds"), [
    (_trained, False), (_exchanged("gate_proj", "up_proj"), True), (_exchanged("layers.0.", "layers.1."), True),
    (_exchanged("input_layernorm", "post_attention_layernorm"), True),
])  # fmt: skip
def test_training_and_exchanged_tensors_are_one_finding_each(change: Callable[[Arrays], None], holds: bool) -> None:
    (finding,) = (one for one in changed(change).findings if one.severity == "error")
    assert (finding.code, bool(finding.facts["holds"]), bool(finding.facts["roles"])) == ("V820", holds, True)


def test_large_integers_are_compared_exactly() -> None:
    one = np.array([2**60, 5], dtype=np.int64)
    reported = difference(Numbers(one, "I64"), Numbers(one + np.array([1, 0]), "I64"))
    assert reported.differing == 1


def test_no_tensor_is_both_compared_and_not_checked() -> None:
    cases: dict[str, Callable[[], Any]] = {**AUDITED, **COMPARED}
    for name, made in cases.items():
        result = made()
        found = {
            one
            for finding in result.findings
            for one in (finding.place.tensor, *finding.facts.get("names", ()), finding.facts.get("tensor"))
            if one is not None
        }
        unread = {one.check.removeprefix("values of ") for one in result.skipped}
        skipped = {one for names in (result.values.unread.values() if result.values else ()) for one in names}
        assert not found & (unread | skipped), name


def test_a_name_that_matches_nothing_is_an_error_of_both_verbs(tmp_path: Path) -> None:
    one, other = write(tmp_path / "before", model(), TINY), write(tmp_path / "after", model(), TINY)
    compared = compared_with_values(compare(str(one), str(other)), ["nothing.*"])
    audited = with_values(audit(str(one)), ["nothing.*"])
    for result in (compared, audited):
        assert [finding.name for finding in result.findings if finding.severity == "error"] == ["tensor-not-found"]
        assert result.verdict == "findings"


def test_tensors_that_differ_are_read_in_parts(tmp_path: Path) -> None:
    """Their values are also compared with those of other tensors, without memory of their size."""
    config = {**TINY, "vocab_size": 1 << 16, "hidden_size": 256}
    arrays = numbers(spec_of(genuine(config)))
    sides = []
    for side in range(2):
        arrays["model.embed_tokens.weight"][0, 0] += side
        sides.append(write(tmp_path / str(side), arrays, config))
    size = arrays["model.embed_tokens.weight"].nbytes
    compared = compare(*map(str, sides))
    tracemalloc.start()
    try:
        found = compared_with_values(compared, ["model.embed_tokens.weight"])
        assert tracemalloc.get_traced_memory()[1] < size
    finally:
        tracemalloc.stop()
    assert [one.code for one in found.findings if one.severity == "error"] == ["V820"]


O_PROJ = "model.layers.1.self_attn.o_proj.weight"
TABLE = "model.embed_tokens.weight"


def _transposed(arrays: Arrays) -> None:
    arrays[O_PROJ] = np.ascontiguousarray(arrays[O_PROJ].T)


def _transposed_but_one(arrays: Arrays) -> None:
    _transposed(arrays)
    arrays[O_PROJ][-1, -2] += np.float32(1)


def _rows_exchanged(arrays: Arrays) -> None:
    arrays[TABLE][[5, 9]] = arrays[TABLE][[9, 5]]


def _through_float16(arrays: Arrays) -> None:
    arrays.update({name: array.astype(np.float16).astype(np.float32) for name, array in arrays.items()})


def _one_added(arrays: Arrays) -> None:
    arrays.update({name: array + np.float32(1) for name, array in arrays.items() if "norm" in name})


def _one_row_changed(arrays: Arrays) -> None:
    arrays[TABLE][5] = arrays[TABLE][9]


@pytest.mark.parametrize(
    ("change", "relation", "rows"),
    [
        (_transposed, "transposed", ()),
        (_transposed_but_one, "", ()),
        (_rows_exchanged, "rows exchanged", (5, 9)),
        (_one_row_changed, "", ()),
        (_through_float16, "through F16", ()),
        (_one_added, "one added", ()),
    ],
)
def test_one_change_of_all_values_is_one_finding_that_names_it(
    change: Any, relation: str, rows: tuple[int, ...]
) -> None:
    (found,) = (one for one in changed(change).findings if one.severity == "error")
    assert (found.code, found.facts["relation"], tuple(found.facts["rows_exchanged"])) == ("V820", relation, rows)
    assert ("expected after training" in found.help) is (not relation)


@pytest.mark.parametrize(("value", "codes"), [(float("nan"), ["V825"]), (0.5, [])])
def test_scales_of_quantized_weights_are_read(value: float, codes: list[str], tmp_path: Path) -> None:
    arrays: Arrays = {}
    for name, array in model().items():
        if "proj.weight" in name:
            arrays[name] = np.zeros(array.shape, np.int8)
            arrays[f"{name}_scale"] = np.full((array.shape[0], 1), 0.01, np.float32)
        else:
            arrays[name] = array
    arrays["model.layers.1.mlp.up_proj.weight_scale"][3] = value
    weights = {"num_bits": 8, "type": "int", "symmetric": True, "strategy": "channel"}
    block = {"quant_method": "compressed-tensors", "format": "int-quantized", "ignore": ["lm_head"],
             "config_groups": {"group_0": {"targets": ["Linear"], "weights": weights}}}  # fmt: skip
    folder = write(tmp_path, arrays, {**TINY, "quantization_config": block})
    found = with_values(audit(str(folder))).findings
    assert [one.code for one in found if one.code == "V825"] == codes


def _in_bytes(name: str, scale: float, code: int) -> Callable[[Arrays], Any]:
    """Store a matrix as 8-bit floats with its scale."""

    def change(arrays: Arrays) -> None:
        codes = np.full(arrays[name].shape, 0x38, np.uint8)
        codes[0, 0] = code
        arrays[name] = codes
        arrays[f"{name}_scale"] = np.array([scale], np.float32)

    return change


@pytest.mark.parametrize(("scale", "code", "reported"), [
    (0.5, 0x38, set()), (0.0, 0x38, set()), (float("nan"), 0x38, {"values-not-finite"}),
    (float("inf"), 0x38, {"values-not-finite"}), (0.5, 0x7F, {"values-not-finite"}),
])  # fmt: skip
def test_scales_and_8_bit_values_have_to_be_finite(scale: float, code: int, reported: set[str], tmp_path: Path) -> None:
    """With one NaN transformers 5.23 computes NaN everywhere. 0x7F is the NaN of F8_E4M3."""
    arrays = model()
    for name in [name for name in arrays if "_proj" in name]:
        _in_bytes(name, scale if name == KEY else 0.5, code if name == KEY else 0x38)(arrays)
    block = {"quant_method": "compressed-tensors", "format": "float-quantized", "ignore": ["lm_head"],
             "quantization_status": "compressed", "config_groups": {"group_0": {"targets": ["Linear"], "weights": {
                 "num_bits": 8, "type": "float", "symmetric": True, "strategy": "tensor",
                 "dynamic": False}}}}  # fmt: skip
    folder = write(tmp_path, arrays, {**TINY, "quantization_config": block})
    audited = with_values(audit(str(folder)))
    assert {one.name for one in audited.findings if one.severity == "error"} == reported
