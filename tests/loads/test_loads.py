"""Compares predictions for loaders with recorded loads (`tests/oracle/make_loads.py`)."""

from __future__ import annotations

import gzip
import json
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from math import prod
from pathlib import Path
from typing import Any, cast

import pytest

from inspector.auditing.loads.of_other_programs import refused_by
from inspector.auditing.loads.one_loader import judged_for
from inspector.auditing.result import CLEAN, Audit
from inspector.auditing.samples import with_samples
from inspector.auditing.start import audit
from inspector.loading.converter import not_converted
from inspector.loading.outcome import BY_CLASS, CHANGES, COMPLETE, RANDOM, REFUSES, UNKNOWN, UNSUPPORTED, Load
from inspector.loading.tables import NEWEST, OLDER, rules_of
from inspector.report.json_v1 import audit_json
from tests.checkpoints import write_file
from tests.dialects.converters import flux, meta
from tests.judged import FIXTURES, base_record, codes, diffusers_records, oracle_types, records, spec_of
from tests.judged import judged as audited_spec
from tests.loads.damage import INDEX, damaged, healthy, write
from tests.oracle.make_loads import fill, folder_of
from tests.quantization.stored import checkpoint as quantized

MAJORS = (NEWEST, OLDER)
SHARES = {NEWEST: 0.998, OLDER: 0.998}
"""Share of records that are predicted exactly: the same outcome and the same counts. Samples of the values decide what
a tie of two stored tensors does, as with `inspector audit --sample`."""
NOT_KNOWN = ("SwitchTransformersModel", "BartForSequenceClassification", "FlavaForPreTraining")
"""Classes whose definition lacks tensors that transformers ties or builds."""
SOME = 131
"""Every so many records are in the fast tier."""


@cache
def recorded(major: str) -> list[dict[str, Any]]:
    """The records of a major version of transformers."""
    raw = gzip.decompress((FIXTURES / "loads" / f"transformers-{major}.json.gz").read_bytes())
    found: list[dict[str, Any]] = json.loads(raw)
    return found


def of_version(audited: Audit, major: str) -> Load | None:
    """The load that an audit predicts for a version of transformers; None where there is no intended loader."""
    return next((one for one in audited.loads if str(one.version).startswith(major)), None)


def agrees(load: Load | None, record: Mapping[str, Any]) -> bool:
    """Whether a prediction agrees with the record. A loader that does not support a type refuses it."""
    if load is None:
        return bool(record["outcome"] == REFUSES)
    outcome = REFUSES if load.outcome == UNSUPPORTED else load.outcome
    if outcome != record["outcome"]:
        stale = record["outcome"] == "altered" and record["name"].startswith("stale") and outcome == COMPLETE
        return stale or load.because.startswith(CHANGES)  # S223 reports that a stale file is read
    return outcome == REFUSES or bool([load.missing, load.unexpected, load.mismatched] == record["counts"])


def judged(records: Iterator[dict[str, Any]], place: Path, major: str) -> Iterator[tuple[dict[str, Any], Audit, bool]]:
    """The records with their audits and whether the prediction agrees."""
    for number, record in enumerate(records):
        found = audit(str(write(folder_of(record), place / str(number), fill)))
        if any(one.copies is not None for one in found.loads):
            found = with_samples(found)
        yield record, found, agrees(of_version(found, major), record)


@pytest.mark.parametrize("step", [SOME, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("major", MAJORS)
def test_predictions_agree_with_the_records(major: str, step: int, tmp_path: Path) -> None:
    wrong: list[str] = []
    total = 0
    for record, found, right in judged(iter(recorded(major)[::step]), tmp_path, major):
        total += 1
        load = of_version(found, major)
        if not right and not (step > 1 and load is not None and load.outcome == UNKNOWN):
            wrong.append(f"{record['class']} {record['name']} {record['outcome']} {record.get('counts')}: {load}")
        if major == NEWEST and found.verdict == CLEAN and record["outcome"] != COMPLETE:
            assert load is not None, record
            assert load.excuse or record["class"] in NOT_KNOWN, (record, load)
    assert len(wrong) <= (1 - SHARES[major]) * total + int(step > 1), "\n".join(wrong)


def test_there_are_enough_records() -> None:
    for major in MAJORS:
        assert len(recorded(major)) >= 2_000
        assert len({record["type"] for record in recorded(major)}) >= 80
        assert len(Counter(record["name"] for record in recorded(major))) >= 40


@pytest.mark.parametrize("every", [29, pytest.param(1, marks=pytest.mark.slow)])
def test_healthy_records_are_not_flagged(every: int, tmp_path: Path) -> None:
    names = list(oracle_types())[::every]
    for model_type in names:
        for record in records(model_type):
            if record["variant"] or not record.get("config") or "5." not in record["writer"]:
                continue
            config = {"model_type": model_type, **record["config"]}
            place = tmp_path / model_type / record["class"]
            folder = write(healthy(spec_of(record), config), place)
            rules = rules_of(record["class"], NEWEST)
            if rules is not None and rules.needs:
                (folder / rules.needs).write_bytes(b"PK\x03\x04")
            found = audit(str(folder))
            load = of_version(found, NEWEST)
            fails = {one.code for one in found.findings} & {"N429", "N430"}
            assert not fails, (record["class"], load)
            inner = load is not None and (load.outcome, load.excuse) == (REFUSES, BY_CLASS)  # AutoModel has no class
            foreign = load is not None and load.because.startswith("it has no model type")  # the author's own code
            known = load is None or load.because.startswith(CHANGES) or load.outcome in (COMPLETE, UNKNOWN)
            draft = "N460" in {one.code for one in found.findings}  # its target has the tensors that it lacks
            assert inner or foreign or known or draft, (record, load)
            assert not draft or {one.outcome for one in found.loads if one.loader != "transformers"} == {"unknown"}


def llama(place: Path, *damages: list[Any]) -> Audit:
    """The audit of a damaged llama."""
    record = base_record("llama")
    return audit(str(write(damaged(healthy(spec_of(record), record["config"]), damages), place)))


def test_the_json_block(tmp_path: Path) -> None:
    document = cast("dict[str, Any]", audit_json(llama(tmp_path, ["drop", "model.norm.weight"])))
    newest, older, *others = document["loads"]
    assert newest["loader"] == older["loader"] == "transformers"
    assert (newest["intended"], older["intended"]) == (True, False)
    assert (newest["outcome"], newest["missing"], newest["unexpected"], newest["mismatched"]) == ("random", 1, 0, 0)
    assert list(newest["files"]) == ["model.safetensors"]
    assert "model.norm.weight" in newest["because"]
    assert {one["loader"]: one["source"] for one in others} == {"vllm": "documented", "mlx": "documented"}


def test_bare_files_have_no_loader(tmp_path: Path) -> None:
    llama(tmp_path)
    assert audit(str(tmp_path / "model.safetensors")).loads == ()


def test_one_loader(tmp_path: Path) -> None:
    whole, lacking = llama(tmp_path / "a"), llama(tmp_path / "b", ["drop", "model.norm.weight"])
    assert judged_for(whole, "vllm").verdict == CLEAN
    for other, words in (
        ("llama.cpp", "copy the tokenizer's files of the same model into the folder; then convert it"),
        ("peft", "load it with"),
        ("diffusers", "load it with"),
    ):
        (refused,) = judged_for(whole, other).findings
        assert refused.code == "N598" and refused.help.startswith(words)
    open_question = judged_for(whole, "ollama").skipped[-1]
    assert "convert.go" in open_question.because and open_question.because.endswith("names LlamaForCausalLM")
    (load,) = judged_for(lacking, "vllm").loads
    assert (load.outcome, load.intended) == (REFUSES, True)
    assert {one.code for one in judged_for(lacking, "transformers@4").findings if one.severity == "error"} == {"N403"}


@pytest.mark.parametrize(("name", "words"), [
    ("BertForMaskedLM", "convert it with convert_hf_to_gguf.py"), ("PaliGemmaForConditionalGeneration", "use another"),
    ("LlamaForCausalLM", ""),
])  # fmt: skip
def test_ollama_refuses_classes_that_its_converter_does_not_list(name: str, words: str, tmp_path: Path) -> None:
    llama(tmp_path)
    config = tmp_path / "config.json"
    config.write_text(json.dumps({**json.loads(config.read_text()), "architectures": [name]}), encoding="utf-8")
    refused = [one for one in judged_for(audit(str(tmp_path)), "ollama").findings if one.code == "N598"]
    assert [one.help.startswith(words) for one in refused] == [True] * bool(words)


@pytest.mark.parametrize(("name", "stated", "said"), [
    ("LlamaForCausalLM", {"time_step_limit": [0.0, float("inf")]}, "time_step_limit.1 is Infinity"),
    ("Qwen2ForCausalLM", {"clip": {"low": float("-inf")}}, "clip.low is -Infinity"),
    ("NemotronHForCausalLM", {"scale": float("nan")}, "scale is NaN"),
    ("LlamaForCausalLM", {"limit": [0.0, 1e30]}, ""),
])  # fmt: skip
def test_ollama_refuses_numbers_that_are_not_json(name: str, stated: dict[str, Any], said: str, tmp_path: Path) -> None:
    llama(tmp_path)
    config = tmp_path / "config.json"
    config.write_text(json.dumps({**json.loads(config.read_text()), **stated, "architectures": [name]}))
    whole = audit(str(tmp_path))
    refused = [one for one in judged_for(whole, "ollama").findings if one.code == "N598"]
    assert [one.facts["stopped_at"] for one in refused] == ([f"config.json: {said}, which is not JSON"] if said else [])
    assert all(one.facts["stopped_at"] == "" for one in judged_for(whole, "llama.cpp").findings if one.code == "N598")


@pytest.mark.parametrize(("block", "unread"), [
    ({"quant_method": "bitsandbytes", "load_in_4bit": True}, "bitsandbytes"), ({"quant_method": "awq"}, "awq"),
    ({"quant_method": "compressed-tensors", "format": "mxfp4-pack-quantized"}, "mxfp4-pack-quantized of"),
    ({"quant_method": "gptq"}, None), ({"quant_method": "compressed-tensors", "format": "pack-quantized"}, None),
    ({}, None),
])  # fmt: skip
def test_the_converter_reads_some_quantizations(block: dict[str, Any], unread: str | None) -> None:
    found = not_converted({"quantization_config": block}, None)
    assert found == unread if unread is None else found is not None and found.startswith(unread)
    assert not_converted({}, "mlx") == "mlx"


@pytest.mark.parametrize(("end", "dims", "expected"), [
    ("lora_mid", (4, 4, 3, 3), ["N429"]), ("hada_w1_a", (32, 4), ["N429"]), ("lora_down", (4, 32, 1, 1), []),
])  # fmt: skip
def test_an_adapter_that_diffusers_refuses(end: str, dims: tuple[int, ...], expected: list[str]) -> None:
    """Measured with diffusers 0.42 for cores of convolutions; without `--for` it is a note."""
    name = "lora_unet_down_blocks_0_resnets_0_conv1"
    spec: dict[str, tuple[str, tuple[int, ...]]] = {f"{name}.{end}.weight": ("F16", dims)}
    if end == "hada_w1_a":
        spec = {f"{name}.hada_{part}_{end}": ("F16", dims if end == "a" else dims[::-1])
                for part in ("w1", "w2") for end in "ab"}  # fmt: skip
    if end == "lora_mid":
        spec |= {f"{name}.lora_down.weight": ("F16", (4, 32, 1, 1)), f"{name}.lora_up.weight": ("F16", (32, 4, 1, 1))}
    found = judged_for(audited_spec(spec, None), "diffusers")
    errors = [one for one in found.findings if one.code == "N429"]
    assert [one.code for one in errors] == expected
    assert all(one.help == "use ComfyUI" for one in errors)


KOHYA = "lora_unet_down_blocks_0_attentions_0_transformer_blocks_0_attn2_to_k"
AUTHORS = "lora_unet_input_blocks_1_1_transformer_blocks_0_attn2_to_k"
OTHER_METHODS: dict[str, dict[str, tuple[int, ...]]] = {
    "IA3": {"weight": (32,), "on_input": ()}, "OFT": {"oft_blocks": (4, 8, 8), "alpha": ()},
    "GLoRA": {"a1.weight": (4, 32), "a2.weight": (32, 4), "b1.weight": (4, 32), "b2.weight": (32, 4)},
    "differences of whole weights": {"diff": (32, 32)}, "differences of norms": {"w_norm": (32,), "b_norm": (32,)},
}  # fmt: skip


@pytest.mark.parametrize(("module", "outcome"), [(KOHYA, REFUSES), (AUTHORS, UNSUPPORTED)])
@pytest.mark.parametrize("what", OTHER_METHODS)
def test_diffusers_reads_no_other_method_of_lycoris(what: str, module: str, outcome: str) -> None:
    """Measured with diffusers 0.42 and SD 1 for the first names, alone and beside LoRA (ValueError)."""
    lora = {"lora_down.weight": (4, 32), "lora_up.weight": (32, 4), "alpha": ()}
    other = module.replace("to_k", "to_v")
    spec = {f"{module}.{end}": ("F16", shape) for end, shape in OTHER_METHODS[what].items()}
    beside = spec | {f"{other}.{end}": ("F16", shape) for end, shape in lora.items()}
    for one_file in (beside,) if "w_norm" in OTHER_METHODS[what] else (spec, beside):
        audited = audited_spec(one_file, None)
        (note,) = (one for one in audited.findings if one.code == "A971")
        assert note.headline() == f"diffusers reads no {what} under these names"
        assert ("web UI" in note.help) == (what == "IA3")
        refused = refused_by(audited, "diffusers")
        assert refused is not None and refused.load.outcome == outcome
        errors = [one.code for one in judged_for(audited, "diffusers").findings if one.severity == "error"]
        assert errors == ["N429"]


def test_diffusers_reads_no_lora_of_sd3_in_kohyas_names() -> None:
    """Measured with diffusers 0.42: it finds no key of the transformer, and loads nothing."""
    name = "lora_unet_joint_blocks_0_x_block_attn_qkv"
    spec = {f"{name}.lora_down.weight": ("F16", (4, 32)), f"{name}.lora_up.weight": ("F16", (96, 4))}
    audited = audited_spec(spec, None)
    assert (audited.verdict, [one.code for one in audited.findings]) == ("clean", ["A901", "A971"])
    assert [one.code for one in judged_for(audited, "diffusers").findings if one.severity == "error"] == ["N429"]


@pytest.mark.parametrize("pair", [False, True])
@pytest.mark.parametrize("part", ["text_embedding.0", "time_embedding.2"])
def test_diffusers_refuses_differences_of_wans_embeddings_alone(part: str, pair: bool) -> None:
    """Measured with diffusers 0.42: KeyError, which a pair of matrices of the same module prevents."""
    modules = ["blocks.0.self_attn.q", *([part] if pair else [])]
    spec = {
        f"diffusion_model.{module}.lora_{half}.weight": ("F16", shape)
        for module in modules for half, shape in {"down": (4, 32), "up": (32, 4)}.items()
    }  # fmt: skip
    audited = audited_spec(spec | {f"diffusion_model.{part}.diff_b": ("F16", (32,))}, None)
    refused = refused_by(audited, "diffusers")
    assert (refused is None) == pair and (pair or (refused is not None and refused.load.outcome == REFUSES))


@pytest.mark.parametrize(("names", "refused"), [
    (("<cat>",), False), (("<cat>", "<dog>"), True), (("clip_l", "clip_g"), True), (("emb_params",), False),
    (("string_to_param.*", "string_to_param.cat"), False),
])  # fmt: skip
def test_diffusers_reads_one_embedding_of_a_file(names: tuple[str, ...], refused: bool) -> None:
    """Measured with diffusers 0.42: `load_textual_inversion` raises ValueError for several vectors."""
    audited = audited_spec(dict.fromkeys(names, ("F32", (2, 32))), None)
    found = refused_by(audited, "diffusers")
    assert (found is not None) == refused
    by_part = found is not None and 'load_file(FILE)["clip_l"]' in found.reads  # measured: each part loads by itself
    assert by_part == ("clip_l" in names)


def flux_2(width: int, text: int) -> dict[str, tuple[str, tuple[int, ...]]]:
    """FLUX.2 in its authors' names."""
    ends = {"img_in": 128, "txt_in": text, "time_in.in_layer": 256, "time_in.out_layer": width}
    found = {name: (width, inputs) for name, inputs in ends.items()}
    found |= {f"double_stream_modulation_{one}.lin": (6 * width, width) for one in ("img", "txt")}
    found |= {"single_stream_modulation.lin": (3 * width, width), "final_layer.linear": (128, width),
              "final_layer.adaLN_modulation.1": (2 * width, width)}  # fmt: skip
    scales = []
    for layer in range(2):
        for block in (f"double_blocks.{layer}.img_", f"double_blocks.{layer}.txt_"):
            found |= {f"{block}attn.qkv": (3 * width, width), f"{block}attn.proj": (width, width),
                      f"{block}mlp.0": (6 * width, width), f"{block}mlp.2": (width, 3 * width)}  # fmt: skip
            scales.append(f"{block}attn.norm")
        found |= {f"single_blocks.{layer}.linear1": (9 * width, width),
                  f"single_blocks.{layer}.linear2": (width, 4 * width)}  # fmt: skip
        scales.append(f"single_blocks.{layer}.norm")
    norms = {f"{one}.{part}_norm.scale": (128,) for one in scales for part in ("query", "key")}
    shapes: dict[str, tuple[int, ...]] = {**{f"{name}.weight": shape for name, shape in found.items()}, **norms}
    return {name: ("BF16", shape) for name, shape in shapes.items()}


@pytest.mark.parametrize(("width", "text", "refused"), [(3072, 7680, True), (6144, 15360, False)])
def test_diffusers_takes_the_config_of_dev_for_each_flux_2(width: int, text: int, refused: bool) -> None:
    """`infer_diffusers_model_type` in `loaders/single_file_utils.py` of diffusers 0.42."""
    audited = audited_spec(flux_2(width, text), None)
    assert (audited.verdict, getattr(audited.architecture, "name", "")) == ("clean", "Flux2Transformer2DModel")
    found = refused_by(audited, "diffusers")
    assert (found is not None) == refused and (found is None or "config=FOLDER" in found.reads)


HEAD_OF = "lm_head.weight"


@pytest.mark.parametrize(
    ("model_type", "head", "stops", "words"),
    [
        ("cohere", True, HEAD_OF, "remove lm_head.weight"),
        ("cohere2", True, HEAD_OF, "remove lm_head.weight"),
        ("lfm2_moe", True, HEAD_OF, "remove lm_head.weight"),
        ("bitnet", False, HEAD_OF, "use another loader"),
        ("llama", "v_head.summary.weight", "v_head.summary.weight", "save the model without v_head.summary.weight"),
        ("qwen3", "medusa_head.0.0.linear.weight", "medusa_head.0.0.linear.weight", "save the model without medusa_"),
        ("gemma2", True, "", "convert it"),
        ("cohere", False, "", "convert it"),
    ],
)
def test_where_the_converter_of_llama_cpp_stops(
    tmp_path: Path, model_type: str, head: str | bool, stops: str, words: str
) -> None:
    record = base_record(model_type, "CausalLM")
    config, spec = {**record["config"], "architectures": [record["class"]]}, spec_of(record)
    if head:
        name = head if isinstance(head, str) else HEAD_OF
        spec[name] = ("F32", (config["vocab_size"], config["hidden_size"]))
    (tmp_path / "tokenizer.model").touch()
    found = judged_for(audit(str(write(healthy(spec, config), tmp_path))), "llama.cpp").findings
    (refused,) = (one for one in found if one.code == "N598")
    assert refused.facts["stopped_at"] == stops and refused.help.startswith(words)


@pytest.mark.parametrize(("model_type", "file", "lacks"), [
    ("gemma2", "tokenizer.json", "tokenizer.model"), ("gemma2", "tokenizer.model", ""),
    ("nemotron", "tokenizer.json", "tokenizer.model"), ("gemma3_text", "tokenizer.json", ""),
    ("llama", "README.md", "the tokenizer's files"), ("qwen2", "vocab.json", ""),
])  # fmt: skip
def test_the_tokenizer_that_the_converter_of_llama_cpp_reads(
    tmp_path: Path, model_type: str, file: str, lacks: str
) -> None:
    record = base_record(model_type, "CausalLM")
    config = {**record["config"], "architectures": [record["class"]]}
    write(healthy(spec_of(record), config), tmp_path)
    (tmp_path / file).write_text("{}")
    found = judged_for(audit(str(tmp_path)), "llama.cpp").findings
    (refused,) = (one for one in found if one.code == "N598")
    assert refused.facts["tokenizer"] == lacks and (f"copy {lacks}" in refused.help) == bool(lacks)


@pytest.mark.parametrize(("model_type", "layers", "counts"), [
    ("glm4_moe", 1, True), ("exaone_moe", 1, True), ("glm4_moe", 0, False), ("hy_v3", 1, False), ("llama", 1, False),
])  # fmt: skip
def test_the_converter_of_llama_cpp_counts_layers_that_are_not_stored(
    tmp_path: Path, model_type: str, layers: int, counts: bool
) -> None:
    record, key = base_record(model_type, "CausalLM"), "num_nextn_predict_layers"
    config = {**record["config"], key: layers, "architectures": [record["class"]]}
    found = judged_for(audit(str(write(healthy(spec_of(record), config), tmp_path))), "llama.cpp").findings
    (refused,) = (one for one in found if one.code == "N598")
    assert [(step.key, step.new) for step in refused.remedy().steps] == ([((key,), 0)] if counts else [])


POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 4000\n"


@pytest.mark.parametrize(("content", "name", "kept"), [
    (b"tjgg\x03\0\0\0" + bytes(40), "llama.ggmlv3.q2_K.bin", {"R005"}),
    (b"lmgg" + bytes(40), "ggml-base.en.bin", {"R005"}), (b"tjgg\x03\0\0\0" + bytes(40), "pytorch_model.bin", {"R005"}),
    (POINTER, "model.safetensors", {"R005", "N598"}),
])  # fmt: skip
def test_only_a_checkpoint_of_transformers_is_to_be_converted_for_llama_cpp(
    content: bytes, name: str, kept: set[str], tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(content)
    if not name.startswith(("llama", "ggml")):
        (tmp_path / "config.json").write_text(json.dumps(base_record("llama", "CausalLM")["config"]), encoding="utf-8")
    found = judged_for(audit(str(tmp_path)), "llama.cpp").findings
    assert {one.code for one in found if one.code in ("R005", "N598")} == kept
    (content_found,) = (one for one in found if one.code == "R005")
    assert ("convert_llama_ggml_to_gguf.py" in content_found.help) == content.startswith(b"tjgg")


@pytest.mark.parametrize(("model_type", "meant"), [
    ("llama", "LlamaForCausalLM"), ("qwen2", "Qwen2ForCausalLM"), ("gemma2", "Gemma2ForCausalLM"), ("opt", ""),
])  # fmt: skip
def test_the_class_that_the_converter_of_llama_cpp_needs(tmp_path: Path, model_type: str, meant: str) -> None:
    record = base_record(model_type, "CausalLM")
    config = {key: one for key, one in record["config"].items() if key != "architectures"}
    found = judged_for(audit(str(write(healthy(spec_of(record), config), tmp_path))), "llama.cpp").findings
    (refused,) = (one for one in found if one.code == "N598")
    assert [step.new for step in refused.remedy().steps] == ([[meant]] if meant else [])


@pytest.mark.parametrize("model_type", ["qwen2", "gemma2", "phi3"])
def test_the_converter_of_llama_cpp_writes_no_embedding_for_a_head_alone(tmp_path: Path, model_type: str) -> None:
    """Measured for Qwen2: the GGUF file has output.weight only, and llama.cpp does not find token_embd.weight."""
    record = base_record(model_type, "CausalLM")
    config, spec = {**record["config"], "tie_word_embeddings": True}, spec_of(record)
    embedding = "model.embed_tokens.weight"
    spec[HEAD_OF] = spec.pop(embedding)
    found = judged_for(audit(str(write(healthy(spec, config), tmp_path))), "llama.cpp").findings
    (refused,) = (one for one in found if one.code == "N598")
    assert [(step.action, step.old, step.new) for step in refused.remedy().steps] == [("rename", HEAD_OF, embedding)]


@pytest.mark.parametrize(
    ("model_type", "key"),
    [("llama", "rms_norm_eps"), ("qwen3", "max_position_embeddings"), ("olmoe", "num_experts_per_tok")],
)
def test_keys_that_mlx_requires(tmp_path: Path, model_type: str, key: str) -> None:
    """Measured with mlx-lm 0.32.2: its classes set no default for them."""
    record = base_record(model_type, "CausalLM")
    for config in (record["config"], {name: value for name, value in record["config"].items() if name != key}):
        (load,) = judged_for(
            audit(str(write(healthy(spec_of(record), config), tmp_path / str(key in config)))), "mlx"
        ).loads
        assert load.outcome == (COMPLETE if key in config else REFUSES) and (key in load.because) != (key in config)


def test_a_folder_of_mlx_that_mlx_refuses_says_why_mlx_does(tmp_path: Path) -> None:
    """The weights of MLX lack tensors for transformers, which is another reason."""
    config, spec, _ = quantized("mlx_4bit_g64")
    lacking = {name: value for name, value in config.items() if name != "rms_norm_eps"}
    assert judged_for(audit(str(write(healthy(spec, config), tmp_path / "all"))), "mlx").verdict == "clean"
    (found,) = judged_for(audit(str(write(healthy(spec, lacking), tmp_path / "lacking"))), "mlx").findings
    assert found.code == "N429" and found.help.startswith("state rms_norm_eps in config.json, with the values")


@pytest.mark.parametrize("name", ["model.gguf", "pytorch_model.bin", "model.safetensors"])
def test_an_archive_of_torch_named_as_a_gguf_file_is_to_be_converted(name: str, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / name, "w") as archive:
        archive.writestr("archive/data.pkl", b"x" * 100)
    (found,) = judged_for(audit(str(tmp_path / name)), "llama.cpp").findings[:1]
    said = "for llama.cpp download a GGUF file of the model, or convert the model itself"
    assert found.help.startswith(said) == (name == "model.gguf")


def of_mlx(path: Path, spec: Any, config: dict[str, Any]) -> tuple[str, str]:
    (load,) = judged_for(audit(str(write(healthy(spec, config), path))), "mlx").loads
    return load.outcome, load.because


@pytest.mark.parametrize(
    ("model_type", "change", "said"),
    [
        ("mixtral", {}, "head_dim"), ("helium", {}, "head_dim"), ("falcon_h1", {}, "64 for head_dim"),
        ("gpt_neox", {}, "4 * hidden_size"), ("phimoe", {}, "biases"), ("bitnet", {}, "packed BitNet"),
        ("deepseek_v2", {}, "rope_scaling"), ("gpt_oss", {}, "MXFP4"), ("llama4_text", {}, "experts"),
        ("olmo", {}, "training code"), ("gpt_bigcode", {"n_inner": None}, "n_inner"),
        ("recurrent_gemma", {}, "one key"),
        ("llama", {}, ""), ("qwen3", {}, ""), ("olmo2", {}, ""), ("granite", {}, ""), ("starcoder2", {}, ""),
        ("deepseek_v3", {}, ""),
    ],
)  # fmt: skip
def test_models_that_mlx_builds_otherwise(tmp_path: Path, model_type: str, change: dict[str, Any], said: str) -> None:
    """Measured with mlx-lm 0.32.2 on the records of transformers 4.57 and 5.23."""
    older = [one for one in records(model_type) if one["writer"].endswith("4.57.6") and not one["variant"]]
    record = next(one for one in older if "CausalLM" in one["class"])
    outcome, because = of_mlx(tmp_path, spec_of(record), {**record["config"], **change})
    assert outcome == (REFUSES if said else COMPLETE) and said in because


@pytest.mark.parametrize(("model_type", "change", "outcome"), [
    ("gemma3", {}, REFUSES), ("gemma3", {"vocab_size": 109}, COMPLETE), ("qwen3_vl", {}, REFUSES),
])  # fmt: skip
def test_what_mlx_reads_of_the_text_config(
    tmp_path: Path, model_type: str, change: dict[str, Any], outcome: str
) -> None:
    """Measured with mlx-lm 0.32.2: gemma3.py sets the vocabulary of `text_config` to its own."""
    older = [one for one in records(model_type) if one["writer"].endswith("4.57.6") and not one["variant"]]
    record = next(one for one in older if "ForConditionalGeneration" in one["class"])
    found, because = of_mlx(tmp_path, spec_of(record), {**record["config"], **change})
    assert found == outcome and ("text_config" in because) == (outcome == REFUSES)


@pytest.mark.parametrize(
    ("model_type", "head", "outcome"),
    [
        ("gemma2", True, REFUSES), ("gemma2", False, COMPLETE), ("cohere", True, REFUSES),
        ("starcoder2", True, REFUSES), ("phi", False, REFUSES),
        ("phi", True, COMPLETE), ("qwen2_moe", False, REFUSES), ("llama", True, COMPLETE),
        ("llama", False, COMPLETE), ("hunyuan_v1_dense", True, COMPLETE),
    ],
)  # fmt: skip
def test_the_tied_head_in_mlx(tmp_path: Path, model_type: str, head: bool, outcome: str) -> None:
    """Measured with mlx-lm 0.32.2: `load_model` of these folders."""
    record = base_record(model_type, "CausalLM")
    config, spec = {**record["config"], "tie_word_embeddings": True}, dict(spec_of(record))
    spec.pop(HEAD_OF, None)
    if head:
        spec[HEAD_OF] = ("F32", (config["vocab_size"], config["hidden_size"]))
    (load,) = judged_for(audit(str(write(healthy(spec, config), tmp_path))), "mlx").loads
    assert load.outcome == outcome and ("lm_head" in load.because) == (outcome == REFUSES)


def kohya(name: str, *parts: str) -> dict[str, tuple[str, tuple[int, ...]]]:
    """A module with these parts, all square."""
    return {f"{name}.{part}": ("BF16", (16, 16)) for part in parts}


PAIR = ("lora_down.weight", "lora_up.weight")


@pytest.mark.parametrize(("spec", "reads"), [
    (kohya("lora_unet_double_blocks_0_img_attn_proj", *PAIR) | kohya("lora_te2_encoder_block_0_layer_0_wq", *PAIR),
     "use ComfyUI"),
    (kohya("lora_unet_double_blocks_0_img_attn_proj", *PAIR) | kohya("lora_te1_text_model_encoder_layers_0_fc1", *PAIR),
     None),
    (kohya("lycoris_blocks_0_attn1_to_q", "lokr_w1", "lokr_w2"), "use the program that wrote it"),
    (kohya("lycoris_transformer_blocks_0_ff_linear_in", "lokr_w1", "lokr_w2"), "use the program that wrote it"),
    (kohya("lycoris_transformer_blocks_0_attn_to_q", "lokr_w1", "lokr_w2"), "use ComfyUI"),
])  # fmt: skip
def test_the_program_that_reads_what_diffusers_does_not(
    spec: dict[str, tuple[str, tuple[int, ...]]], reads: str | None
) -> None:
    """diffusers 0.42 leaves out LoRA of T5 beside FLUX; ComfyUI lists no LyCORIS of Wan or of FLUX.2's MLP."""
    found = judged_for(audited_spec(spec, None), "diffusers")
    assert [one.help for one in found.findings if one.code == "N429"] == ([] if reads is None else [reads])
    said = {one.because for one in found.skipped if one.decisive}
    assert said == (set() if reads else {"what load_lora_weights does with it was not recorded"})


@pytest.mark.parametrize("packed", [True, False])
def test_flat_matrices_of_flux_are_refused_by_from_single_file(packed: bool) -> None:
    """Measured with diffusers 0.42: it divides the joined matrices by rows."""
    one = next(one for one in diffusers_records("FluxTransformer2DModel") if not one["variant"])
    spec: dict[str, tuple[str, tuple[int, ...]]] = {}
    for name, entry in flux(spec_of(one)).items():
        values = prod(entry[1])
        flat = {"": ("U8", (values // 2, 1)), ".absmax": ("F32", (-(-values // 64),)), ".quant_map": ("F32", (16,)),
                ".quant_state.bitsandbytes__nf4": ("U8", (82,))}  # fmt: skip
        pack = packed and name.endswith(".weight") and len(entry[1]) == 2
        spec |= {f"{name}{end}": kind for end, kind in flat.items()} if pack else {name: entry}
    assert codes(judged_for(audited_spec(spec, None), "diffusers")) == ({"N429"} if packed else set())


@pytest.mark.parametrize("loader", ["peft", "llama.cpp", "vllm"])
@pytest.mark.parametrize(("pair", "expected"), [(("lora_a", "lora_b"), {"N429"}), (("lora_down", "lora_up"), set())])
def test_programs_for_adapters_of_peft_do_not_read_those_of_mlx(
    loader: str, pair: tuple[str, str], expected: set[str]
) -> None:
    spec: dict[str, tuple[str, tuple[int, ...]]] = {
        f"model.layers.0.self_attn.{module}_proj.{part}": ("F32", shape)
        for module in "qv" for part, shape in zip(pair, ((64, 8), (8, 64)), strict=True)
    }  # fmt: skip
    found = judged_for(audited_spec(spec, None), loader)
    assert codes(found) == expected
    assert all(one.help == "use mlx-lm" for one in found.findings if one.code == "N429")


@pytest.mark.parametrize(("before", "end", "new"), [
    ("transformer.transformer_blocks.0.attn.to_q", ".default.weight", "transformer.transformer_blocks.*.attn.to_q"),
    ("transformer_blocks.0.attn.to_q", ".weight", "transformer."),
    ("unet.mid_block.attentions.0.proj_in", ".default.weight", "unet.mid_block.attentions.*.proj_in"),
    ("transformer.transformer_blocks.0.attn.to_q", ".weight", ""),
])  # fmt: skip
def test_an_adapter_of_which_diffusers_finds_no_name(before: str, end: str, new: str) -> None:
    """Measured with diffusers 0.42, which ignores such files or refuses them; without `--for` it is a note."""
    spec: dict[str, tuple[str, tuple[int, ...]]] = {
        f"{before}.lora_A{end}": ("F16", (4, 32)),
        f"{before}.lora_B{end}": ("F16", (32, 4)),
    }
    found = judged_for(audited_spec(spec, None), "diffusers").findings
    errors = [one for one in found if one.severity == "error"]
    assert [one.code for one in errors] == (["N429"] if new else [])
    assert all(step.new and str(step.new).startswith(new) for one in errors for step in one.steps)
    assert "A970" not in {one.code for one in found}


@pytest.mark.parametrize(("before", "end", "expected"), [
    ("transformer.transformer_blocks.0.attn.to_q", ".lora_{}.default.weight", {"N429"}),
    ("base_model.model.blocks.0.self_attn.q", ".lora_{}.weight", {"N429"}),
    ("lora_unet_double_blocks_0_img_mlp_fc1", ".lora_{}.weight", {"N429"}),
    ("transformer.transformer_blocks.0.attn.to_q", ".lora_{}.weight", set()),
])  # fmt: skip
def test_an_adapter_under_the_file_name_of_diffusers(before: str, end: str, expected: set[str], tmp_path: Path) -> None:
    """The file that `load_lora_weights` looks for in a folder is for diffusers; any other is for a program that reads
    it.
    """
    parts = ("down", "up") if "unet" in before else ("A", "B")
    shapes = dict(zip(parts, ((4, 32), (32, 4)), strict=True))
    spec = {f"{before}{end.format(part)}": ("F16", shape) for part, shape in shapes.items()}
    for name, found in (("pytorch_lora_weights", expected), ("style", set[str]())):
        (tmp_path / name).mkdir()
        write_file(tmp_path / name / f"{name}.safetensors", spec)
        audited = audit(str(tmp_path / name))
        assert codes(audited) == found
        for_it = judged_for(audited, "diffusers")
        assert codes(for_it) == expected
        assert {step.action for one in for_it.findings for step in one.steps} <= {"rename"}


def test_names_that_only_another_loader_does_not_read_are_not_an_error(tmp_path: Path) -> None:
    record = base_record("llama", "CausalLM")
    config = {**record["config"], "architectures": [record["class"]]}
    stored = {name: entry for name, entry in meta(spec_of(record), 1)[0].items() if name != "rope.freqs"}
    audited = audit(str(write(healthy(stored, config), tmp_path)))
    assert [one.code for one in audited.findings if one.severity == "error"] == ["N470"]
    other = judged_for(audited, "llama.cpp")
    assert {one.code for one in other.findings} == {"N409", "N598"}
    for loader in ("transformers", "vllm", "mlx"):
        (found,) = (one for one in judged_for(audited, loader).findings if one.code == "N470")
        assert found.facts["because"].startswith(loader)


def test_a_version_that_fails_on_what_the_other_one_loads(tmp_path: Path) -> None:
    record = next(one for one in records("llava") if one["writer"] == "transformers 5.23.0")
    audited = audit(str(write(healthy(spec_of(record), record["config"]), tmp_path)))
    assert not [one for one in judged_for(audited, "transformers").findings if one.severity == "error"]
    (found,) = [one for one in judged_for(audited, "transformers@4").findings if one.severity == "error"]
    assert (found.code, found.help) == ("N429", "use transformers 5.23")


@pytest.mark.parametrize(
    ("stated", "codes"), [("lllama", {"C325"}), ("lama", {"C325"}), ("llmaa", {"C325"}), ("llama9", {"N412"})]
)
def test_a_misspelt_model_type_is_corrected_where_all_names_fit(stated: str, codes: set[str], tmp_path: Path) -> None:
    record = base_record("llama")
    config = {**record["config"], "model_type": stated, "architectures": ["MyForCausalLM"]}
    audited = audit(str(write(healthy(spec_of(record), config), tmp_path)))
    assert {one.code for one in audited.findings} == codes


NULLS = [
    ("clip", "CLIPModel", ["projection_dim"], True),
    ("florence2", "Florence2Model", ["text_config", "encoder_ffn_dim"], True),
    ("roformer", "RoFormerForMaskedLM", ["embedding_size"], False),  # hidden_size replaces it
]


@pytest.mark.parametrize(("model_type", "name", "path", "fails"), NULLS)
def test_a_null_on_which_a_shape_depends(
    model_type: str, name: str, path: list[str], fails: bool, tmp_path: Path
) -> None:
    """As transformers 5.23 builds the class or fails."""
    one = next(one for one in records(model_type) if one["class"] == name and not one["variant"])
    folder = damaged(healthy(spec_of(one), one["config"]), [["config", path, None]])
    load = of_version(audit(str(write(folder, tmp_path))), NEWEST)
    assert load is not None
    assert (load.outcome == REFUSES and path[-1] in load.because and "null" in load.because) is fails


UNTIED: list[tuple[str, str, list[Any], str, int]] = [
    ("t5", "T5EncoderModel", [], COMPLETE, 0),  # its config class ties them whatever the file states
    ("udop", "UdopModel", [], "random", 4),  # transformers 5 has four tensors more than 4, which wrote the file
    ("t5", "T5ForConditionalGeneration", [], COMPLETE, 0),
    ("blip", "BlipForConditionalGeneration", [["config", ["text_config", "tie_word_embeddings"], False],
     ["add", "text_decoder.cls.predictions.decoder.weight", "F32", [109, 48]]], "random", 1),
]  # fmt: skip


@pytest.mark.parametrize("extra", [0, 1])
@pytest.mark.parametrize(("model_type", "name", "damage", "outcome", "missing"), UNTIED)
def test_a_tie_that_the_config_turns_off(
    model_type: str, name: str, damage: list[Any], outcome: str, missing: int, extra: int, tmp_path: Path
) -> None:
    one = next(record for record in records(model_type) if record["class"] == name and not record["variant"])
    off = ["config", ["tie_word_embeddings"], False]
    added = [["add", "extra.weight", "F32", [2]]] * extra
    folder = damaged(healthy(spec_of(one), one["config"]), [off, *damage, *added])
    load = of_version(audit(str(write(folder, tmp_path / "0"))), NEWEST)
    assert load is not None
    assert (load.outcome, load.missing, load.unexpected) == (outcome, missing, extra)


NO_TIE: list[Any] = [["config", ["tie_word_embeddings"], False]]
BUILT: list[tuple[str, str, str, list[Any], str, list[int]]] = [
    (OLDER, "mask2former", "Mask2FormerModel", [], "random", [5, 8, 0]),  # 4.57 omits the projections that 5 builds
    (OLDER, "luke", "LukeForMaskedLM", [["lose", "lm_head.decoder"]], "random", [2, 0, 0]),
    (OLDER, "moonshine", "MoonshineModel", [], COMPLETE, [0, 0, 0]),
    (OLDER, "moonshine", "MoonshineModel", [["drop", "encoder.layer_norm.weight"]], "random", [1, 0, 0]),
    (NEWEST, "t5", "T5EncoderModel", [["config", ["is_decoder"], True]], "random", [21, 6, 0]),
    (NEWEST, "mt5", "MT5EncoderModel", [["config", ["is_decoder"], True]], "random", [24, 9, 0]),
    (NEWEST, "t5", "T5ForConditionalGeneration", [["config", ["is_decoder"], True]], COMPLETE, [0, 0, 0]),
    (NEWEST, "deformable_detr", "DeformableDetrForObjectDetection", NO_TIE, "random", [24, 0, 0]),
    (NEWEST, "grounding-dino", "GroundingDinoForObjectDetection", NO_TIE, "random", [42, 0, 0]),
    (NEWEST, "mm-grounding-dino", "MMGroundingDinoForObjectDetection", NO_TIE, "random", [49, 0, 0]),
    (NEWEST, "switch_transformers", "SwitchTransformersModel", NO_TIE, "random", [2, 0, 0]),
    (NEWEST, "kosmos-2.5", "Kosmos2_5ForConditionalGeneration", NO_TIE, COMPLETE, [0, 0, 0]),
    (NEWEST, "inkling2_text", "Inkling2ForCausalLM", [["lose", "attn_queries.1"]], "random", [1, 0, 0]),
    (
        NEWEST,
        "inkling2_text",
        "Inkling2ForCausalLM",
        [["rename", "model.llm.attn_res.attn_queries.1", "model.llm.attn_res.attn_queries.2"]],
        "random",
        [1, 1, 0],
    ),  # that of layer 2 is stored as number 1
    (NEWEST, "deepseek_v4", "DeepseekV4ForCausalLM", [["lose", "model.norm."]], "random", [1, 0, 0]),
    (NEWEST, "rf_detr", "RfDetrModel", [["lose", "projector.stages.0.1."]], "random", [2, 0, 0]),
    (NEWEST, "rf_detr", "RfDetrForObjectDetection", [], COMPLETE, [0, 0, 0]),
]


HALF = "decoder.layers.0.conv.parametrizations.weight.original"
NO_COUNTS: list[Any] = [None, None, None]
OF_OLDER: list[tuple[str, str, str, list[Any], str, list[Any]]] = [
    # half of a weight norm, and a state space with its decay: what it initialises needs numbers that are not loaded yet
    (OLDER, "encodec", "EncodecModel", [["drop", f"{HALF}0"]], REFUSES, NO_COUNTS),
    (OLDER, "encodec", "EncodecModel", [["drop", f"{HALF}1"]], REFUSES, NO_COUNTS),
    (OLDER, "encodec", "EncodecModel", [["lose", HALF]], "random", [2, 0, 0]),
    (OLDER, "bamba", "BambaModel", [["drop", "layers.0.mamba.D"]], REFUSES, NO_COUNTS),
    (OLDER, "bamba", "BambaModel", [["drop", "layers.0.mamba.A_log"]], "random", [1, 0, 0]),
    (OLDER, "rwkv", "RwkvForCausalLM", [["drop", "rwkv.blocks.0.attention.time_mix_key"]], REFUSES, NO_COUNTS),
    (OLDER, "rwkv", "RwkvForCausalLM", [["drop", "rwkv.blocks.0.attention.time_decay"]], "random", [1, 0, 0]),
    # a bias that is tied to the one of the decoder fills it, or is left empty with it
    (OLDER, "vilt", "ViltForMaskedLM", [], "random", [0, 0, 0]),
    (OLDER, "luke", "LukeForMaskedLM", [], UNKNOWN, [0, 0, 0]),
    # ties that the config turns off
    (OLDER, "longt5", "LongT5EncoderModel", [["config", ["tie_word_embeddings"], False]], "random", [1, 0, 0]),
    (OLDER, "switch_transformers", "SwitchTransformersModel", [["config", ["tie_word_embeddings"], False]], "random",
     [2, 0, 0]),
    (OLDER, "instructblip", "InstructBlipForConditionalGeneration", [["strip", "qformer."]], "random", [112, 112, 0]),
    # it reads longer lists of layers, and writes a dtype down as what follows a dot
    (OLDER, "olmo3", "Olmo3Model", [["config", ["layer_types"], [*["sliding_attention"] * 3, "full_attention",
     *["sliding_attention"] * 2, "full_attention"]]], COMPLETE, [0, 0, 0]),
    (OLDER, "clip", "CLIPModel", [["config", ["text_config", "dtype"], [1]]], REFUSES, NO_COUNTS),
    (OLDER, "clip", "CLIPModel", [["config", ["text_config", "dtype"], [1.5]]], COMPLETE, [0, 0, 0]),
    # its config class refuses this tie, which is a default of version 5
    (OLDER, "csm", "CsmForConditionalGeneration", [["config", ["tie_word_embeddings"], True]], REFUSES, NO_COUNTS),
    (OLDER, "csm", "CsmForConditionalGeneration", NO_TIE, COMPLETE, [0, 0, 0]),
    # num_local_experts is a name of version 5, and true counts as 1
    (OLDER, "qwen3_moe", "Qwen3MoeForCausalLM", [["prefix", "_orig_mod."]], "random", [1182, 129, 0]),
    (OLDER, "umt5", "UMT5Model", [["config", ["num_decoder_layers"], True]], COMPLETE, [0, 45, 0]),
    (OLDER, "clip", "CLIPModel", [["config", ["text_config", "num_hidden_layers"], True]], COMPLETE, [0, 32, 0]),
    # version 5 leaves out keys and values that layers share
    (OLDER, "gemma3n_text", "Gemma3nForCausalLM", [], "random", [6, 0, 0]),
    (OLDER, "gemma3n_text", "Gemma3nTextModel", [], "random", [6, 0, 0]),
    # convolutions of few channels in torch's layout, in files that name MLX
    (OLDER, "squeezebert", "SqueezeBertModel", [["metadata", {"format": "mlx"}]], COMPLETE, [0, 0, 0]),
    (OLDER, "mimi", "MimiModel", [["metadata", {"format": "mlx"}]], COMPLETE, [0, 0, 0]),
    (NEWEST, "vits", "VitsModel", [["metadata", {"format": "mlx"}]], COMPLETE, [0, 0, 0]),
]  # fmt: skip
"""What transformers 4.57 does with files of 5.23."""


@pytest.mark.thinned
@pytest.mark.parametrize(("major", "model_type", "name", "damages", "outcome", "counts"), [*BUILT, *OF_OLDER])
def test_what_a_version_builds_from_a_file_of_the_newest(
    major: str, model_type: str, name: str, damages: list[Any], outcome: str, counts: list[int], tmp_path: Path
) -> None:
    """As the version loads what transformers 5.23 saved."""
    one = next(
        one
        for one in records(model_type)
        if one["class"] == name and not one["variant"] and one["writer"].endswith(" 5.23.0")
    )
    found = audit(str(write(damaged(healthy(spec_of(one), one["config"]), damages), tmp_path)))
    load = of_version(found, major)
    assert load is not None
    assert (load.outcome, [load.missing, load.unexpected, load.mismatched]) == (outcome, counts)
    assert major == OLDER or (found.verdict == CLEAN) is (outcome == COMPLETE)


@pytest.mark.parametrize("name", ["ZambaModel", "ZambaForSequenceClassification"])
def test_a_shared_module_is_one_whatever_the_config_says_of_ties(name: str, tmp_path: Path) -> None:
    one = next(one for one in records("zamba") if one["class"] == name and one["writer"].endswith(" 4.57.6"))
    untied = [["config", ["tie_word_embeddings"], False]]
    load = of_version(audit(str(write(damaged(healthy(spec_of(one), one["config"]), untied), tmp_path))), OLDER)
    assert load is not None
    assert (load.outcome, load.missing) == (COMPLETE, 0)


@pytest.mark.parametrize("major", [NEWEST, OLDER])
def test_names_in_memory_are_those_of_the_present_definition(major: str, tmp_path: Path) -> None:
    """An edit without effect is compared with the names that a version has, whose dialect the table states."""
    one = next(one for one in records("colpali") if one["writer"].endswith(" 4.57.6"))
    edit = [["config", ["vlm_config", "text_config", "initializer_range"], 1.02]]
    load = of_version(audit(str(write(damaged(healthy(spec_of(one), one["config"]), edit), tmp_path))), major)
    assert load is not None
    assert (load.outcome, load.missing, load.unexpected) == (COMPLETE, 0, 0)


def test_one_of_the_matrices_that_are_joined_while_loading_is_missing(tmp_path: Path) -> None:
    record = base_record("step3p7", "ForConditionalGeneration")
    folder = healthy(spec_of(record), record["config"])
    load = of_version(audit(str(write(damaged(folder, [["lose", "layers.2.moe.gate_proj"]]), tmp_path))), NEWEST)
    assert load is not None
    assert load.outcome == REFUSES and "not all its tensors are stored" in load.because


def test_a_name_that_begins_with_a_number(tmp_path: Path) -> None:
    record = base_record("rf_detr", "RfDetrModel")
    folder = damaged(healthy(spec_of(record), record["config"]), [["add", "0.weight", "F32", [3]]])
    load = of_version(audit(str(write(folder, tmp_path))), NEWEST)
    assert load is not None
    assert (load.outcome, load.missing, load.unexpected) == (COMPLETE, 0, 1)


def test_an_index_that_lists_no_file(tmp_path: Path) -> None:
    found = llama(tmp_path, ["shards", 2], ["text", INDEX, {"metadata": {}, "weight_map": {}}])
    newest, older = (of_version(found, major) for major in MAJORS)
    assert newest is not None and older is not None
    assert (newest.outcome, older.outcome, older.missing) == (REFUSES, "random", 30)
    assert [one.code for one in found.findings] == ["S219"]


def test_a_shape_that_the_config_of_a_part_leaves_open(tmp_path: Path) -> None:
    record = base_record("musicflamingo", "MusicFlamingoModel")
    heads = [["config", ["text_config", "num_attention_heads"], 7]]
    load = of_version(audit(str(write(damaged(healthy(spec_of(record), record["config"]), heads), tmp_path))), NEWEST)
    assert load is not None
    assert load.outcome == REFUSES and "of another shape" in load.because  # 7 heads of any size do not have 48 rows


def test_a_number_stored_with_one_dimension(tmp_path: Path) -> None:
    record = base_record("clip", "CLIPModel")
    spec = {**spec_of(record), "logit_scale": ("F32", (1,))}
    found = audit(str(write(healthy(spec, record["config"]), tmp_path)))
    loads = [of_version(found, major) for major in MAJORS]
    assert [one and one.outcome for one in loads] == [REFUSES, COMPLETE]  # recorded: torch takes the one element


def test_what_a_class_changes_is_named(tmp_path: Path) -> None:
    record = base_record("zaya", "ForCausalLM")
    found = audit(str(write(healthy(spec_of(record), record["config"]), tmp_path)))
    load = of_version(found, NEWEST)
    assert load is not None
    assert (found.verdict, load.outcome) == ("undecided", "altered")
    assert load.because.endswith("such as model.layers.0.mlp.gate.balancing_biases")


def test_an_index_without_metadata(tmp_path: Path) -> None:
    found = llama(tmp_path, ["shards", 2], ["unset", ["metadata"], "model.safetensors.index.json"])
    (finding,) = (one for one in found.findings if one.severity == "error")
    (step,) = finding.remedy().steps
    path = tmp_path / str(step.file)
    path.write_text(json.dumps({**json.loads(path.read_text()), step.key[0]: step.new}), encoding="utf-8")
    assert finding.code == "S225"
    assert audit(str(tmp_path)).verdict == CLEAN


@pytest.mark.parametrize(
    ("model_type", "top", "text", "outcomes"),
    [
        ("smolvlm", False, True, [RANDOM, COMPLETE]), ("idefics3", False, True, [RANDOM, COMPLETE]),
        ("gemma3", False, True, [RANDOM, COMPLETE]), ("paligemma", False, True, [RANDOM, COMPLETE]),
        ("llava_next", False, True, [RANDOM, COMPLETE]), ("aya_vision", False, True, [RANDOM, COMPLETE]),
        ("smolvlm", True, True, [COMPLETE, COMPLETE]), ("smolvlm", True, False, [COMPLETE, RANDOM]),
        ("gemma3", True, True, [COMPLETE, COMPLETE]),
    ],
)  # fmt: skip
def test_each_version_reads_its_own_place_for_a_tied_head(
    model_type: str, top: bool, text: bool, outcomes: list[str], tmp_path: Path
) -> None:
    """Recorded loads of configs that transformers 4 wrote, without a head in the file."""
    record = next(
        one
        for one in records(model_type)
        if "Generation" in one["class"] and one["writer"].startswith("transformers 4")
    )
    spec = {name: entry for name, entry in spec_of(record).items() if "lm_head" not in name}
    config = {**record["config"], "tie_word_embeddings": top}
    config["text_config"] = {**config["text_config"], "tie_word_embeddings": text}
    audited = audit(str(write(healthy(spec, config), tmp_path)))
    assert [one.outcome for one in audited.loads if one.loader == "transformers"] == outcomes
    assert any(one.severity != "note" for one in audited.findings) == (outcomes[0] == RANDOM)
