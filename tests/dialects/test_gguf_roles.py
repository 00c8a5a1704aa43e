"""Models under the names of gguf-py's table: each architecture of llama.cpp is clean with an exact count."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from inspector.auditing.start import audit
from inspector.dialects.gguf_architectures import ARCHITECTURES as KNOWN
from inspector.dialects.gguf_key_groups import GROUPED
from inspector.dialects.gguf_keys import KEYS
from tests.checkpoints import Shape, genuine
from tests.dialects.gguf_models import ARCHITECTURES, MODELS, config_of
from tests.dialects.recorded_gguf import records
from tests.judged import FIXTURES, codes
from tests.readers.file_builders import Gguf
from tests.sampling import sampled

NAMES: dict[str, dict[str, str | None]] = json.loads((FIXTURES / "dialects" / "gguf_names.json").read_text())
QKV = ("attn_q", "attn_k", "attn_v")
EXPERTS = {"w1": "ffn_gate_exps", "w3": "ffn_up_exps", "w2": "ffn_down_exps"}
Tensors = dict[str, Shape]


def stacked(config: dict[str, Any]) -> Tensors:
    """The shapes of a model's tensors, experts by their stack."""
    made: Tensors = {}
    for name, (_, shape) in genuine(config, "F32").items():
        whole = re.sub(r"experts\.\d+\.", "experts.", name)
        made[whole] = (made.get(whole, (0,))[0] + 1, *shape) if whole != name else tuple(shape)
    return made


def converted(architecture: str, *, by_head: bool = True) -> Tensors:
    """Names and shapes of llama.cpp: its table and its converter's changes to single tensors."""
    config = config_of(architecture)
    made: Tensors = {}
    for name, shape in stacked(config).items():
        made.update(_written(architecture, config, name, shape, NAMES[architecture][name], by_head))
    return made


def _written(
    architecture: str, config: dict[str, Any], name: str, shape: Shape, known: str | None, by_head: bool
) -> Iterator[tuple[str, Shape]]:
    if architecture == "gpt2" and name.endswith(("c_attn.weight", "c_proj.weight", "c_fc.weight")):
        shape = shape[::-1]  # transformers' Conv1D stores [in, out]
    layer = f"blk.{found[1]}." if (found := re.search(r"\.(\d+)\.", name)) else ""
    last = name.rpartition(".")[2]
    if "e_score_correction_bias" in name or last == "expert_bias":
        yield f"{layer}exp_probs_b.bias", shape[-1:]
    elif last == "dt_bias":
        yield f"{layer}ssm_dt.bias", shape
    elif architecture == "granitemoe" and "input_linear" in name:
        for part in ("ffn_gate_exps", "ffn_up_exps"):
            yield f"{layer}{part}.weight", (shape[0], shape[1] // 2, shape[2])
    elif architecture in ("gpt-oss", "llama4") and ".experts." in name:
        bias = last.endswith("_bias")
        what = f".{'bias' if bias else 'weight'}"
        whole = shape if bias else (shape[0], shape[2], shape[1])
        if last.startswith("down"):
            yield f"{layer}ffn_down_exps{what}", whole
        else:
            for part in ("ffn_gate_exps", "ffn_up_exps"):
                yield f"{layer}{part}{what}", (whole[0], whole[1] // 2, *whole[2:])
    elif "wqkv" in name or "W_pack" in name:
        kv = config["num_key_value_heads"] * (config["hidden_size"] // config["num_attention_heads"])
        for part, rows in zip(QKV, (shape[0] - 2 * kv, kv, kv), strict=True):
            yield f"{layer}{part}.weight", (rows, *shape[1:])
    elif known is None and name.startswith("pooler."):
        return  # the converter leaves it out
    elif known is None and "experts." in name:
        yield f"{layer}{EXPERTS[name.split('.')[-2]]}.weight", shape
    elif by_head and "kv_b_proj" in name and architecture.startswith("deepseek"):
        heads, nope, value = config["num_attention_heads"], config["qk_nope_head_dim"], config["v_head_dim"]
        yield f"{layer}attn_k_b.weight", (heads, shape[1], nope)
        yield f"{layer}attn_v_b.weight", (heads, value, shape[1])
    else:
        assert known is not None, name
        if known.endswith("attn_sinks"):
            known += ".weight"
        if "conv" in known and len(shape) == 3:
            shape = (shape[0], shape[2])
        if architecture in ("mamba2", "falcon-h1") and last in ("A_log", "D"):
            shape = (*shape, 1)
        if architecture in ("mamba2", "falcon-h1") and known.endswith("ssm_norm.weight"):
            shape = (2, shape[0] // 2)
        yield known, shape


def pairs(architecture: str) -> list[tuple[str, str, Any]]:
    """The key-values that the converter writes."""
    config = config_of(architecture)
    prefix = ARCHITECTURES.get(architecture, architecture)
    keys: dict[str, str] = {}
    for word, rule in KEYS.get(config["model_type"], GROUPED).items():
        if isinstance(rule, str) and word in config and word not in ("qk_nope_head_dim", "v_head_dim"):
            keys.setdefault(word, re.split(r" [-|] ", rule.removeprefix("max(each.attention.head_count_kv) | "))[0])
    found = [
        (f"{prefix}.{key}", "u32", config[word])
        for word, key in keys.items()
        if type(config[word]) is int and re.fullmatch(r"[a-z_.]+", key) and not key.startswith("stored.")
    ]
    if architecture == "mamba2":
        found.append(("mamba2.ssm.inner_size", "u32", 96))
    if architecture == "jamba":
        found.append(("jamba.ssm.inner_size", "u32", 96))
    if architecture in ("deepseek2", "deepseek3", "minicpm3"):
        found.append((f"{prefix}.attention.key_length_mla", "u32", 14))
        found.append((f"{prefix}.attention.value_length_mla", "u32", 12))
        found.append((f"{prefix}.expert_gating_func", "u32", 2 if architecture == "deepseek3" else 1))
    return [("general.architecture", "text", prefix), *found]


def file(where: Path, architecture: str, tensors: Tensors) -> Path:
    """Write the GGUF file, with the dims reversed as in ggml."""
    listed: list[tuple[str, Sequence[int], int, int]] = [
        (name, shape[::-1], 0, 4 * math.prod(shape)) for name, shape in tensors.items()
    ]
    (where / "model.gguf").write_bytes(Gguf().file(listed, pairs(architecture)))
    return where


def count(tensors: Tensors) -> int:
    """Elements of the parameters."""
    return sum(math.prod(shape) for name, shape in tensors.items() if "exp_probs_b" not in name)


WHOLE = [name for name in MODELS if name != "bert"]  # of BERT the converter leaves out the pooler


@pytest.mark.thinned
@pytest.mark.parametrize("architecture", WHOLE)
def test_a_converted_model_is_clean(architecture: str, tmp_path: Path) -> None:
    tensors = converted(architecture)
    audited = audit(str(file(tmp_path, architecture, tensors)))
    assert codes(audited) == set(), [(one.code, one.message) for one in audited.findings]
    assert audited.architecture is not None and audited.architecture.confidence == "certain"
    assert audited.architecture.model_type == MODELS[architecture][0]
    correction = sum(math.prod(shape) for name, shape in tensors.items() if "exp_probs_b" in name)
    counted = count(tensors) + (correction if architecture == "ernie4_5-moe" else 0)
    assert audited.counts.unique_parameters == audited.counts.expected_parameters == counted


@pytest.mark.thinned
@pytest.mark.parametrize("architecture", sampled(MODELS, 2))
def test_a_dropped_tensor_is_named(architecture: str, tmp_path: Path) -> None:
    tensors = converted(architecture)
    kinds = {re.sub(r"\d+", "#", name): name for name in tensors}
    for name in kinds.values():
        if (
            name.startswith(("token_embd.", "output."))
            or "exp_probs" in name
            or re.search(r"_norm\.|bias$|blk.0", name)
        ):
            continue
        audited = audit(str(file(tmp_path, architecture, {other: s for other, s in tensors.items() if other != name})))
        reported = {one.place.tensor for one in audited.findings if one.severity == "error"}
        assert name in reported or codes(audited) & {"N404", "C310"}, (name, codes(audited))


@pytest.mark.parametrize("architecture", ["deepseek2", "deepseek3"])
def test_keys_and_values_in_one_matrix(architecture: str, tmp_path: Path) -> None:
    tensors = converted(architecture, by_head=False)
    audited = audit(str(file(tmp_path, architecture, tensors)))
    assert codes(audited) == set()
    assert audited.counts.unique_parameters == audited.counts.expected_parameters == count(tensors)


def test_an_unknown_architecture_gets_no_errors(tmp_path: Path) -> None:
    tensors = {name: shape for name, shape in converted("exaone").items() if "ffn_norm" not in name}
    listed = [(name, shape[::-1], 0, 4 * math.prod(shape)) for name, shape in tensors.items()]
    (tmp_path / "model.gguf").write_bytes(Gguf().file(listed, [("general.architecture", "text", "jais")]))
    audited = audit(str(tmp_path))
    assert codes(audited) == set() and audited.architecture is None
    assert audited.counts.unique_parameters == count(tensors)


def test_of_bert_only_the_pooler_is_missing(tmp_path: Path) -> None:
    audited = audit(str(file(tmp_path, "bert", converted("bert"))))
    reported = [one.message for one in audited.findings if one.severity != "note"]
    assert all("pooler" in message for message in reported), reported
    assert audited.architecture is not None and audited.architecture.model_type == "bert"


CLASSIFIERS = ("bert-cls", "distilbert-cls", "modern-bert-cls", "roberta-cls")


def test_every_known_architecture_has_a_model() -> None:
    split = {
        "bamba",
        "kormo",
        "plamo",
        "rnd1",
        "llama-embed",
        "granitemoeshared",
        "distilbert",
        "umt5",
        "t5encoder",
        *CLASSIFIERS,
    }
    pairs = [pair for one in records().values() for pair in one["keys"]]
    recorded = {value for key, _, value in pairs if key == "general.architecture"}
    made = set(MODELS) - {"falcon-7b"} | split
    assert made <= set(KNOWN) <= made | recorded
    assert all(KNOWN[name] == MODELS[name][:2] for name in MODELS if name != "falcon-7b")


@pytest.mark.parametrize("complete", [True, False])
def test_layers_that_predict_further_tokens_are_beyond_the_model(complete: bool, tmp_path: Path) -> None:
    tensors = converted("glm4moe")
    more = {name.replace("blk.2.", "blk.3."): shape for name, shape in tensors.items() if name.startswith("blk.2.")}
    more |= {"blk.3.nextn.eh_proj.weight": (48, 96), "blk.3.nextn.enorm.weight": (48,),
             "blk.3.nextn.hnorm.weight": (48,), "blk.3.nextn.shared_head_norm.weight": (48,)}  # fmt: skip
    if complete:
        more |= {"blk.3.nextn.embed_tokens.weight": (70, 48), "blk.3.nextn.shared_head_head.weight": (70, 48)}
    listed = [(name, shape[::-1], 0, 4 * math.prod(shape)) for name, shape in (tensors | more).items()]
    own = [pair for pair in pairs("glm4moe") if "block_count" not in pair[0] or "leading" in pair[0]]
    counts = [("glm4moe.block_count", "u32", 4), ("glm4moe.nextn_predict_layers", "u32", 1)]
    (tmp_path / "model.gguf").write_bytes(Gguf().file(listed, [*own, *counts]))
    audited = audit(str(tmp_path))
    assert codes(audited) == set(), [(one.code, one.message) for one in audited.findings]
    assert audited.counts.unique_parameters == audited.counts.expected_parameters == count(tensors)
    assert audited.counts.unexplained == 0
