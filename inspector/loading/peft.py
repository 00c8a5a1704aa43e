"""Predicts what PEFT does with an adapter. Recorded with 0.21 on damaged adapters of 65 configurations.

Source: PEFT 0.21, `PeftModel.from_pretrained` and `utils/save_and_load.py` (`set_peft_model_state_dict`). Mismatched
tensors and missing copies of whole modules raise, missing tensors of tuners stay random, and unknown names are silently
ignored.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from msgspec import Struct

from inspector.dialects.gguf_architectures import ARCHITECTURES
from inspector.findings.finding import NO_PROMPTS
from inspector.loading.lists import lists_of
from inspector.loading.outcome import BY_CLASS, COMPLETE, RANDOM, REFUSES, UNKNOWN, Load, not_in_file

NAME: Final = "peft"
VERSION: Final = "0.21"


class AgainstBase(Struct, frozen=True):
    """The differences between an adapter's tensors and those that its config adds to the base.

    missing, unexpected, mismatched: numbers of tensors as PEFT counts them, without missing prompts. first_missing,
    first_mismatched: one name of each, or "". whole: a missing tensor of a module that replaces one of the base, for
    which PEFT raises. tuned: the config names at least one module of the base; PEFT raises otherwise. aliases: names
    that PEFT reports as missing although the tensor is loaded under another name. apart: the names are those of another
    class of the base. unchangeable: a target that the method refuses to change, with the reason, or "". approximated:
    loading subtracts an approximation from the base's weights that depends on random numbers. asked: what states the
    class of the base.
    """

    missing: int
    unexpected: int
    mismatched: int
    first_missing: str = ""
    first_mismatched: str = ""
    whole: str = ""
    tuned: bool = True
    aliases: int = 0
    apart: bool = False
    unchangeable: str = ""
    approximated: bool = False
    asked: str = "its config declares"


UNSUPPORTED_BY_VLLM: Final[Mapping[str, str]] = {
    "use_dora": "DoRA", "lora_bias": "biases of LoRA", "alora_invocation_tokens": "activated LoRA",
    "layer_replication": "replicated layers", "use_bdlora": "block-diagonal LoRA", "use_qalora": "QALoRA",
}  # fmt: skip
"""Key of an adapter's config -> what vLLM 0.33 does not support (`PEFTHelper._validate_features`)."""
NEEDED_BY_VLLM: Final = ("r", "lora_alpha", "target_modules")
"""Keys of an adapter's config without a default in vLLM (`PEFTHelper`)."""
OF_PROMPTS: Final = frozenset({
    "PROMPT_TUNING", "P_TUNING", "MULTITASK_PROMPT_TUNING", "PREFIX_TUNING", "CPT", "CARTRIDGE",
})  # fmt: skip
"""Types of adapters without a change of the base's weights."""
MOST_RANK_OF_VLLM: Final = 512
"""Largest value of `max_lora_rank` (`MaxLoRARanks` in `config/lora.py`)."""
SAVED_FOR_VLLM: Final = ("classifier", "score")
"""Whole modules that vLLM reads in an adapter: heads for classification (`parse_fine_tuned_lora_name`)."""
INITIAL_ONLY: Final = frozenset({"gaussian", "eva", "orthogonal", "mica", "lora_ga"})
"""Values of `init_lora_weights` that leave the base as it is (`PEFTHelper._init_is_supported`)."""
READ_BY_VLLM: Final = (
    ".lora_A.weight", ".lora_B.weight", ".lora_embedding_A", ".lora_embedding_B", ".embed_tokens.base_layer.weight",
    ".lm_head.base_layer.weight", *(f".{module}.{kind}" for module in SAVED_FOR_VLLM for kind in ("weight", "bias")),
)  # fmt: skip
"""Endings of the names of an adapter's tensors that vLLM reads or skips."""
READ_BY_LLAMA_CPP: Final = (
    ".lora_A.weight", ".lora_B.weight", ".lora_embedding_A", ".lora_embedding_B", ".base_layer.weight", "_layernorm",
    ".norm",
)  # fmt: skip
"""Parts of the names of an adapter's tensors that llama.cpp's converter reads or skips."""
READ_BY_OLLAMA: Final = frozenset({"llama", "mistral", "mixtral", "gemma2"})
"""Types of bases with the architecture llama or gemma2 in llama.cpp, for which ollama converts adapters."""
OTHER_CLASS: Final = "the names are those of another class of the base than"
APPROXIMATED: Final = "init_lora_weights takes a random approximation out of the base's weights"


def of_adapter(files: tuple[str, ...], problem: str, against: AgainstBase | None) -> Load:
    """What PEFT does. problem: why it cannot read the adapter, or "". against: None if the base was not read."""
    if problem:
        return _load(REFUSES, problem, files)
    if against is None:
        return _load(UNKNOWN, "the base decides, which was not read, or not all of it", files)
    if not against.tuned:
        return _load(REFUSES, "target_modules names no module of the base", files)
    if against.unchangeable:
        return _load(REFUSES, against.unchangeable, files)
    if against.mismatched:
        return _load(REFUSES, f"{against.mismatched} of another shape, such as {against.first_mismatched}", files)
    if against.whole:
        excuse = BY_CLASS if against.apart else ""
        return _load(REFUSES, f"{against.whole} is missing (KeyError)", files, excuse=excuse)
    counts = {"missing": against.missing + against.aliases, "unexpected": against.unexpected, "mismatched": 0}
    if against.apart and against.first_missing:
        return _load(RANDOM, f"{OTHER_CLASS} {against.asked}", files, excuse=BY_CLASS, **counts)
    if against.first_missing:
        words = not_in_file(against.missing, against.first_missing)
        words = words if against.missing else f"{against.first_missing} is not in the file"
        return _load(RANDOM, words, files, **counts)
    if against.approximated:
        return _load(RANDOM, APPROXIMATED, files, **counts)
    return _load(COMPLETE, "", files, **counts)


def by_vllm(values: Mapping[str, Any], names: Iterable[str], files: tuple[str, ...]) -> tuple[Load, ...]:
    """What vLLM does with an adapter that PEFT reads: it refuses features by the config (`lora/peft_helper.py`).

    names: of the tensors; vLLM accepts only LoRA tensors (`parse_fine_tuned_lora_name`), and skips copies of the base's
    tables (`is_base_embedding_weights`). Empty if neither prevents
    loading: whether vLLM has layers for the modules is unknown here.
    """
    of_lora = values.get("peft_type") == "LORA"
    because = next(_unsupported_by_vllm(values), "") if of_lora else _other_method(values)
    unread = [name for name in names if not name.endswith(READ_BY_VLLM)]
    whole = next((name for name in unread if ".lora_" not in name), "")
    if not because and whole:
        because = f"{whole}: it reads no whole modules in an adapter"
    elif not because and unread:
        because = f"{unread[0]}: it reads names that end in .lora_A.weight or .lora_B.weight"
    refused = Load(
        loader="vllm", version=lists_of("vllm")["version"], outcome=REFUSES, because=because, files=files,
        intended=False, source="documented",
    )  # fmt: skip
    return (refused,) if because else ()


def is_of_prompts(values: Mapping[str, Any]) -> bool:
    """True for an adapter without a change of the base's weights."""
    return values.get("peft_type") in OF_PROMPTS


def _other_method(values: Mapping[str, Any]) -> str:
    """Why vLLM and llama.cpp refuse an adapter of another method than LoRA."""
    return NO_PROMPTS if is_of_prompts(values) else "it reads adapters of LoRA alone"


def _unsupported_by_vllm(values: Mapping[str, Any]) -> Iterator[str]:
    """Why vLLM refuses an adapter by its config alone."""
    saved = values.get("modules_to_save")
    if isinstance(saved, list) and any(one not in SAVED_FOR_VLLM for one in saved):
        yield "modules_to_save: it reads no whole modules in an adapter"
    yield from (f"{key}: it does not support {words}" for key, words in UNSUPPORTED_BY_VLLM.items() if values.get(key))
    initial = values.get("init_lora_weights", True)
    if isinstance(initial, str) and initial.lower() not in INITIAL_ONLY:
        yield f"init_lora_weights {initial}: it needs an adapter that was converted to a plain LoRA"
    rank = values.get("r")
    if type(rank) is int and rank > MOST_RANK_OF_VLLM:
        yield f"r {rank:,}: its max_lora_rank is at most {MOST_RANK_OF_VLLM}"
    if values.get("bias", "none") != "none":
        yield f"bias {values['bias']}: it reads no biases in an adapter"
    lacking = [key for key in NEEDED_BY_VLLM if key not in values]
    if lacking:
        yield f"adapter_config.json needs {' and '.join(lacking)}"


def by_llama_cpp(values: Mapping[str, Any], names: Iterable[str], load: Load) -> tuple[Load, ...]:
    """What llama.cpp's converter does with a LoRA that PEFT reads: it stops at tensors that are not factors.

    Source: `get_tensors` in `convert_lora_to_gguf.py`, which skips copies of the base and keeps norms. Empty if it
    reads all names: whether it knows the base's class is not checked here.
    """
    of_lora = values.get("peft_type") == "LORA"
    other = next((name for name in names if not any(part in name for part in READ_BY_LLAMA_CPP)), "")
    because = f"convert_lora_to_gguf.py stops at {other}: it reads lora_A, lora_B and norms"
    because = because if of_lora else _other_method(values)
    refused = Load(
        loader="llama.cpp", version=None, outcome=REFUSES, because=because, files=load.files, intended=False,
        source="documented",
    )  # fmt: skip
    return (refused,) if other else ()


def by_ollama(values: Mapping[str, Any], base_type: object, load: Load) -> tuple[Load, ...]:
    """What ollama does with a LoRA that PEFT loads: `ConvertAdapter` in its `convert/convert.go` reads those of two
    architectures of llama.cpp. Empty for them, and for a base of which the architecture is not known here.
    """
    known = any(kind == base_type for kind, _ in ARCHITECTURES.values())
    if values.get("peft_type") != "LORA" or load.outcome == REFUSES or not known or base_type in READ_BY_OLLAMA:
        return ()
    because = f"it converts adapters for llama and gemma2, and the base is of type {base_type}"
    refused = Load(
        loader="ollama", version=None, outcome=REFUSES, because=because, files=load.files, intended=False,
        source="documented",
    )  # fmt: skip
    return (refused,)


def _load(outcome: str, because: str, files: tuple[str, ...], **counts: Any) -> Load:
    return Load(loader=NAME, version=VERSION, outcome=outcome, because=because, files=files, intended=True, **counts)
