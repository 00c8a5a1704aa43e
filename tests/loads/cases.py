"""Damaged checkpoints to be loaded: for each class of each type, damages to what its library saves."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from zlib import crc32

from tests.judged import records, spec_of
from tests.loads.damage import CONFIG, INDEX, MODEL, Damage

TYPES = tuple(
    """
llama mistral qwen2 qwen3 gemma gemma2 gemma3_text phi phi3 gpt2 gpt_neox gptj opt bloom falcon mpt stablelm
starcoder2 olmo olmo2 cohere cohere2 granite glm glm4 smollm3 nemotron persimmon codegen gpt_neo gpt_bigcode
helium mamba mamba2 falcon_mamba recurrent_gemma rwkv exaone4 ernie4_5 lfm2 bamba jamba zamba2 granitemoehybrid
mixtral qwen2_moe qwen3_moe deepseek_v2 deepseek_v3 olmoe dbrx phimoe gpt_oss granitemoe jetmoe dots1 ernie4_5_moe
glm4_moe hunyuan_v1_moe minimax minimax_m2 flex_olmo
bert roberta distilbert albert electra xlm-roberta deberta deberta-v2 mpnet camembert modernbert longformer
big_bird funnel layoutlm layoutlmv3 squeezebert convbert roformer nystromformer esm luke xlnet xlm
t5 mt5 umt5 bart mbart pegasus marian m2m_100 blenderbot led longt5 switch_transformers bigbird_pegasus prophetnet
vit deit beit dinov2 swin swinv2 convnext convnextv2 resnet regnet segformer mobilenet_v2 poolformer pvt levit cvt
detr conditional_detr deformable_detr rt_detr d_fine mask2former maskformer yolos grounding-dino table-transformer
clip siglip siglip2 altclip chinese_clip blip blip-2 instructblip git vilt bridgetower flava owlvit owlv2 align
llava llava_next paligemma gemma3 qwen2_vl qwen2_5_vl qwen3_vl idefics idefics2 idefics3 smolvlm mllama internvl
aya_vision mistral3 pixtral glm4v got_ocr2 kosmos-2 fuyu vision-encoder-decoder
wav2vec2 hubert wavlm whisper speech_to_text sew unispeech audio-spectrogram-transformer clap musicgen encodec
seamless_m4t vits bark moonshine mimi speecht5
depth_anything dpt glpn sam sam2 zoedepth timesformer videomae vivit
informer autoformer patchtst time_series_transformer decision_transformer
deepseek_v4 hy_v4 axk2 zaya hrm_text beam reformer cohere_compass_text inkling2_text
glm5_next mistral_large4 gemma4_unified embedding_gemma2 step3p7 muse_spark muse_glimmer inkling2 minicpmv4_6
minicpmv4_7 molmo2 lfm3_vl cohere_compass qianfan_ocr deepseek_ocr2 unlimited_ocr modernvbert colmodernvbert videoprism
canary cohere_asr fun_asr_nano granite_speech5_ctc higgs_audio_v2 kyutai_speech_to_text moonshine_streaming
parakeet_rnnt parakeet_tdt xcodec univnet clvp rf_detr pixio seggpt vitmatte patchtsmixer rag apertus sam2_video
""".split()  # noqa: SIM905
)
NEWEST, OLDER = "transformers 5.23.0", "transformers 4.57.6"
CLASSES = 3
"""Maximum number of classes of a type."""
EACH = 12
"""Number of damages for each class, chosen by its name among those that apply."""
ALWAYS = ("healthy", "lost", "misshaped", "base")


WITHOUT_LOADING = frozenset({"SegformerDecodeHead"})
"""Classes without `from_pretrained`."""


def classes_of(model_type: str) -> Iterator[dict[str, Any]]:
    """One record without a switch for each class, of the newest writer that has it; generating classes first."""
    found = {
        (one["class"], one["writer"]): one
        for one in records(model_type)
        if not one["variant"] and one.get("config") is not None
    }
    names = sorted({name for name, _ in found} - WITHOUT_LOADING, key=lambda name: (_rank(name), name))
    for name in names[:CLASSES]:
        yield found.get((name, NEWEST)) or found[name, OLDER]


def _rank(name: str) -> int:
    wanted = ("ForCausalLM", "LMHeadModel", "ForConditionalGeneration", "ForMaskedLM", "Classification", "Model")
    return next((place for place, ending in enumerate(wanted) if name.endswith(ending)), len(wanted))


def damages_of(record: Mapping[str, Any]) -> dict[str, Sequence[Damage]]:
    """The damages that apply to a record, by name."""
    spec = spec_of(record)
    config = record["config"]
    names = list(spec)
    seed = crc32(f"{record['class']}".encode())
    matrices = [name for name in names if len(spec[name][1]) > 1]
    layered = [name for name in matrices if re.search(r"\.\d+\.", name)]
    inner = (layered or matrices or names)[seed % len(layered or matrices or names)]
    vectors = [name for name in names if len(spec[name][1]) == 1] or names
    vector = vectors[seed % len(vectors)]
    head = next(
        (n for n in reversed(names) if re.search(r"(lm_head|classifier|score|decoder|head)\W.*weight$", n)), None
    )
    stem = names[seed % len(names)].partition(".")[0] + "."
    tied = config.get("tie_word_embeddings")
    first, second = (f"model-0000{number}-of-00002.safetensors" for number in (1, 2))
    found: dict[str, Sequence[Damage]] = {
        "healthy": [],
        "lost": [["drop", inner]],
        "lost-vector": [["drop", vector]],
        "lost-several": [["drop", *names[seed % 5 :: 5]]],
        "renamed": [["rename", inner, inner.replace("weight", "wieght") if "weight" in inner else f"{inner}_"]],
        "added": [["add", "extra.weight", "F32", [3, 5]]],
        "misshaped": [["shape", inner, [spec[inner][1][0] + 2, *spec[inner][1][1:]]]],
        "module": [["prefix", "module."]],
        "model": [["prefix", "model."]],
        "strip": [["strip", stem]],
        "orig": [["prefix", "_orig_mod."]],
        "name": [["file", MODEL, "model (1).safetensors"]],
        "diffusion": [["file", MODEL, "diffusion_pytorch_model.safetensors"]],
        "fp16": [["file", MODEL, "model.fp16.safetensors"]],
        "no-config": [["file", CONFIG, None]],
        "config-name": [["file", CONFIG, "Config.json"]],
        "no-type": [["unset", ["model_type"]]],
        "no-format": [["metadata", {}]],
        "no-metadata": [["metadata", None]],
        "other-format": [["metadata", {"format": "tf"}]],
        "mlx-format": [["metadata", {"format": "mlx"}]],
        "i32": [["dtype", "I32"]],
        "i8-one": [["dtype", "I8", inner]],
        "bf16": [["dtype", "BF16"]],
        "bool": [["dtype", "BOOL", inner]],
        "shards": [["shards", 2]],
        "no-index": [["shards", 2, MODEL, False]],
        "shard-lost": [["shards", 3], ["file", "model-00002-of-00003.safetensors", None]],
        "index-lacks": [["shards", 2], ["unset", ["weight_map", inner], INDEX]],
        "index-more": [["shards", 2], ["config", ["weight_map", "extra.weight"], first, INDEX]],
        "index-moved": [["shards", 2], ["config", ["weight_map", names[0]], second, INDEX]],
        "index-no-metadata": [["shards", 2], ["unset", ["metadata"], INDEX]],
        "stale-single": [["shards", 2], ["beside", MODEL, 1]],
        "stale-single-lost": [["shards", 2], ["beside", MODEL, 1, inner]],
        "same-single": [["shards", 2], ["beside", MODEL, 0]],
        "stale-index": [["text", INDEX, {"metadata": {}, "weight_map": dict.fromkeys(names, "gone.safetensors")}]],
        "unset-tie": [["unset", ["tie_word_embeddings"]]] if tied is not None else [],
        "layers": _more_layers(config),
    }  # fmt: skip
    if head is not None:
        found["head-lost"] = [["drop", head]]
    if isinstance(tied, bool) or "vocab_size" in config:
        found["tie-flipped"] = [["config", ["tie_word_embeddings"], not (True if tied is None else tied)]]
    groups = record.get("tied") or ()
    absent = [
        (name, next((n for n in group if n in spec), None)) for group in groups for name in group if name not in spec
    ]
    if absent and absent[0][1]:
        found["head-stored"] = [["add", absent[0][0], *spec[absent[0][1]]]]
    found.update(_other_class(record))
    return {name: steps for name, steps in found.items() if steps or name == "healthy"}


def _more_layers(config: Mapping[str, Any]) -> Sequence[Damage]:
    for inside in ((), ("text_config",)):
        values = config.get(inside[0], {}) if inside else config
        for key in ("num_hidden_layers", "n_layer", "num_layers", "encoder_layers"):
            if (
                isinstance(values, Mapping)
                and type(values.get(key)) is int
                and not isinstance(values.get("layer_types"), list)
            ):
                return [["config", [*inside, key], values[key] + 1]]
    return []


def _other_class(record: Mapping[str, Any]) -> Mapping[str, Sequence[Damage]]:
    """Another class of the type for the same weights: one with a head for the base model, and the reverse."""
    names = (
        {one["class"] for one in records(record["config"]["model_type"])} if "model_type" in record["config"] else set()
    )
    others = sorted(names - {record["class"]} - WITHOUT_LOADING, key=lambda name: (_rank(name), name))
    found = {f"class-{name}": [["config", ["architectures"], [name]]] for name in others[:2]}
    base = next((name for name in others if name.endswith("Model") and "LMHead" not in name), None)
    if base is not None:
        found["base"] = [["config", ["architectures"], [base]]]
        roots = {name.partition(".")[0] for name in record["tensors"]}
        for root in ("model", "bert", "transformer", "roberta", "vit", "encoder"):
            if root in roots:
                found["base-names"] = [["strip", f"{root}."]]
    return found


def cases(types: Sequence[str] = ()) -> Iterator[dict[str, Any]]:
    """Every case: type, class, writer of the healthy checkpoint, the damage and its name."""
    for model_type in types or TYPES:
        for record in classes_of(model_type):
            found = damages_of(record)
            order = sorted(found, key=lambda name: crc32(f"{record['class']} {name}".encode()))
            chosen = [name for name in (*ALWAYS, *(one for one in order if one not in ALWAYS)) if name in found][:EACH]
            for name in chosen:
                yield {
                    "type": model_type,
                    "class": record["class"],
                    "writer": record["writer"],
                    "name": name,
                    "damage": found[name],
                }
