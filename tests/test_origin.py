"""Exact counts at full size, derived by hand: Llama models, and attention whose output width differs from its input."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from inspector.auditing.result import Audit
from inspector.auditing.start import audit
from inspector.comparing.checkpoints import compare
from inspector.formulas import formula
from inspector.reconciler.stated_total import read_claim
from tests.checkpoints import Spec, genuine, write

COMMON: dict[str, Any] = {
    "model_type": "llama",
    "architectures": ["LlamaForCausalLM"],
    "tie_word_embeddings": False,
    "torch_dtype": "bfloat16",
}
LLAMA_2_7B = {
    **COMMON, "hidden_size": 4096, "intermediate_size": 11008, "num_hidden_layers": 32, "num_attention_heads": 32,
    "num_key_value_heads": 32, "vocab_size": 32000,
}  # fmt: skip
LLAMA_3_8B = {**LLAMA_2_7B, "intermediate_size": 14336, "num_key_value_heads": 8, "vocab_size": 128256}
LLAMA_65B = {
    **COMMON, "hidden_size": 8192, "intermediate_size": 22016, "num_hidden_layers": 80, "num_attention_heads": 64,
    "vocab_size": 32000,
}  # fmt: skip
LLAMA_32_1B = {
    **COMMON, "hidden_size": 2048, "intermediate_size": 8192, "num_hidden_layers": 16, "num_attention_heads": 32,
    "num_key_value_heads": 8, "head_dim": 64, "vocab_size": 128256, "tie_word_embeddings": True,
}  # fmt: skip
META_7B = {"dim": 4096, "multiple_of": 256, "n_heads": 32, "n_layers": 32, "norm_eps": 1e-06, "vocab_size": -1}
META_NAMES = {
    "model.embed_tokens": "tok_embeddings", "model.norm": "norm", "lm_head": "output", "model.layers": "layers",
    "self_attn.q_proj": "attention.wq", "self_attn.k_proj": "attention.wk", "self_attn.v_proj": "attention.wv",
    "self_attn.o_proj": "attention.wo", "mlp.gate_proj": "feed_forward.w1", "mlp.down_proj": "feed_forward.w2",
    "mlp.up_proj": "feed_forward.w3", "input_layernorm": "attention_norm", "post_attention_layernorm": "ffn_norm",
}  # fmt: skip

MakeCheckpoint = Callable[[str], Path]


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> MakeCheckpoint:
    """Sparse full-size checkpoints, each written at its first use."""
    root = tmp_path_factory.mktemp("origin")
    checkpoints = dict(_checkpoints())

    def make(name: str) -> Path:
        folder = root / name
        if not folder.exists():
            spec, config, options = checkpoints[name]
            write(folder, spec(), config, **options)
        return folder

    return make


def _base(config: dict[str, Any]) -> dict[str, Any]:
    return {**config, "architectures": ["LlamaModel"]}


def _checkpoints() -> Iterator[tuple[str, tuple[Callable[[], Spec], dict[str, Any] | None, dict[str, Any]]]]:
    yield "llama-2-7b", (lambda: genuine(LLAMA_2_7B), LLAMA_2_7B, {})
    yield "llama-2-7b-frequencies", (_with_frequencies, LLAMA_2_7B, {"shards": 2})
    yield "llama-3-8b", (lambda: genuine(LLAMA_3_8B), LLAMA_3_8B, {"shards": 4})
    yield "llama-7b-base", (lambda: genuine(_base(LLAMA_2_7B)), _base(LLAMA_2_7B), {})
    yield "llama-65b-base", (lambda: genuine(_base(LLAMA_65B)), _base(LLAMA_65B), {})
    yield "llama-65b", (lambda: genuine(LLAMA_65B), LLAMA_65B, {})
    yield "llama-3.2-1b", (lambda: genuine(LLAMA_32_1B), LLAMA_32_1B, {})
    yield "llama-3.2-1b-copy", (lambda: genuine(LLAMA_32_1B, copies=True), LLAMA_32_1B, {})
    yield "meta-7b", (_meta, META_7B, {"config_name": "params.json"})
    plain: Spec = {"in_proj_weight": ("F32", (1536, 512)), "out_proj.weight": ("F32", (512, 512))}
    biases: Spec = {"in_proj_bias": ("F32", (1536,)), "out_proj.bias": ("F32", (512,))}
    yield "attention", (lambda: plain, None, {})
    yield "attention-biased", (lambda: {**plain, **biases}, None, {})
    unlike: Spec = {
        "q_proj_weight": ("F32", (512, 512)),
        "k_proj_weight": ("F32", (512, 320)),
        "v_proj_weight": ("F32", (512, 192)),
        "out_proj.weight": ("F32", (512, 512)),
        **biases,
    }
    yield "attention-unlike", (lambda: unlike, None, {})
    apart: Spec = {
        "q_proj.weight": ("F32", (512, 512)),
        "k_proj.weight": ("F32", (512, 512)),
        "v_proj.weight": ("F32", (256, 512)),
        "out_proj.weight": ("F32", (512, 256)),
    }
    yield "attention-apart", (lambda: apart, None, {})
    config = {"embed_dim": 512, "num_heads": 8, "key_dim": 64, "value_dim": 32, "bias": False}
    yield "attention-below", (lambda: {f"block.attn.{name}": entry for name, entry in apart.items()}, config, {})


def _with_frequencies() -> Spec:
    spec = genuine(LLAMA_2_7B)
    spec.update({f"model.layers.{layer}.self_attn.rotary_emb.inv_freq": ("F32", (64,)) for layer in range(32)})
    return spec


def _meta() -> Spec:
    spec: Spec = {}
    for name, entry in genuine(LLAMA_2_7B, "F16").items():
        for canonical, native in META_NAMES.items():
            name = name.replace(canonical, native)
        spec[name] = entry
    return {**spec, "rope.freqs": ("F32", (64,))}


def clean(folder: Path, parameters: int) -> Audit:
    """A clean audit with this exact count on both sides."""
    audited = audit(str(folder))
    assert audited.verdict == "clean", audited.findings
    assert audited.counts.unique_parameters == parameters
    assert audited.counts.expected_parameters == parameters
    return audited


COUNTS = {
    "llama-2-7b": 6_738_415_616,
    "llama-2-7b-frequencies": 6_738_415_616,
    "llama-3-8b": 8_030_261_248,
    "llama-7b-base": 6_607_343_616,
    "llama-65b-base": 65_023_516_672,
    "llama-65b": 65_285_660_672,
    "llama-3.2-1b": 1_235_814_400,
    "llama-3.2-1b-copy": 1_235_814_400,
    "meta-7b": 6_738_415_616,
    "attention": 1_048_576,
    "attention-biased": 1_050_624,
    "attention-unlike": 788_480,
    "attention-apart": 786_432,
    "attention-below": 786_432,
}


@pytest.mark.parametrize("name", COUNTS)
def test_the_count_is_exact(checkpoint: MakeCheckpoint, name: str) -> None:
    clean(checkpoint(name), COUNTS[name])


CLAIMS = [
    ("llama-2-7b", "6738149376", "266,240 less: it leaves out all norms"),
    ("meta-7b", "6738149376", "266,240 less: it leaves out all norms"),
    ("llama-2-7b", "6738411520", "4,096 less: it leaves out the final norm"),
    ("llama-3-8b", "8030257152", "4,096 less: it leaves out the final norm"),
    ("llama-7b-base", "6607339520", "4,096 less: it leaves out the final norm"),
    ("llama-65b-base", "65023508480", "8,192 less: it leaves out the final norm"),
    ("attention-apart", "917504", "131,072 more: it counts the attention output matrix as square"),
    ("attention-below", "917504", "131,072 more: it counts the attention output matrix as square"),
    ("attention-biased", "1051136", "512 more: it counts the attention output bias twice"),
]


@pytest.mark.parametrize(("name", "claim", "because"), CLAIMS)
def test_a_wrong_claim_is_explained(checkpoint: MakeCheckpoint, name: str, claim: str, because: str) -> None:
    audited = audit(str(checkpoint(name)), claim=read_claim(claim))
    (entry,) = [one for one in audited.claims if one.source == "claim"]
    assert not entry.agrees
    assert entry.because.startswith(because)
    assert entry.true == COUNTS[name]


@pytest.mark.parametrize(
    ("name", "claim"),
    [("llama-3-8b", "8030261248"), ("llama-3-8b", "8.03B"), ("llama-7b-base", "6607.34M"), ("llama-3-8b", "8B")],
)
def test_a_right_claim_agrees_to_the_stated_digits(checkpoint: MakeCheckpoint, name: str, claim: str) -> None:
    audited = audit(str(checkpoint(name)), claim=read_claim(claim))
    assert [one.agrees for one in audited.claims if one.source == "claim"] == [True]


def test_stored_rotary_frequencies_are_buffers_with_one_note(checkpoint: MakeCheckpoint) -> None:
    audited = audit(str(checkpoint("llama-2-7b-frequencies")))
    assert audited.counts.buffers == 2_048
    assert [finding.code for finding in audited.findings] == ["P704"]


def test_a_stored_copy_is_counted_once(checkpoint: MakeCheckpoint) -> None:
    assert audit(str(checkpoint("llama-3.2-1b-copy"))).counts.tied_copies == 262_668_288


def test_params_json_alone_gives_the_mlp_width_and_the_sums(tmp_path: Path) -> None:
    path = tmp_path / "params.json"
    path.write_text(json.dumps(META_7B), encoding="utf-8")
    shown = formula(str(path))
    assert {symbol.name: symbol.value for symbol in shown.symbols}["ff"] == 11_008
    assert shown.groups["attention"].number == 2_147_483_648
    assert shown.groups["feed-forward"].number == 4_328_521_728
    assert shown.matrices == 6_476_005_376
    assert shown.total is None
    assert shown.open_total == "8192*V + 6476271616"


@pytest.mark.parametrize(("name", "per_layer"), [("llama-2-7b", 202_383_360), ("llama-3-8b", 218_112_000)])
def test_parameters_per_layer(checkpoint: MakeCheckpoint, name: str, per_layer: int) -> None:
    assert formula(str(checkpoint(name))).per_layer == per_layer


def test_the_comparison_explains_the_difference_between_7b_and_8b(checkpoint: MakeCheckpoint) -> None:
    compared = compare(str(checkpoint("llama-2-7b")), str(checkpoint("llama-3-8b")))
    rows = {row.role: row for row in compared.roles}
    assert (rows["embedding"].source, rows["embedding"].target) == (131_072_000, 525_336_576)
    assert rows["embedding"].because == "V 32,000 → 128,256"
    assert (rows["attention key"].source, rows["attention key"].target) == (536_870_912, 134_217_728)
    assert rows["attention key"].because == "kv 32 → 8"
    assert (rows["mlp gate"].source, rows["mlp gate"].target) == (1_442_840_576, 1_879_048_192)
    assert compared.relation == "different"
    assert compared.verdict == "clean"


def test_the_command_reports_the_same_count(checkpoint: MakeCheckpoint) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "inspector", "audit", str(checkpoint("llama-3-8b")), "--format", "json"],
        capture_output=True,
        check=True,
    )
    reported = json.loads(done.stdout)
    assert reported["counts"]["unique_parameters"] == reported["counts"]["expected_parameters"] == 8_030_261_248
    assert reported["claims"][0]["source"] == "index.total_size"
    assert reported["claims"][0]["agrees"] is True
