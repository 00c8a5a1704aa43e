"""Values of a quantization block that transformers refuses before it reads the weights.

Measured with transformers 5.23 and 4.57 (`AutoQuantizationConfig.from_dict`): both refuse the same values of
bitsandbytes' and GPTQ's keys. Keys that are not stated have defaults.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from inspector.architectures.value_rules import QUANTIZATION
from inspector.loading.quantizers import OF_BITSANDBYTES

TRUE: Final = frozenset({"true", "yes", "1"})
NULL: Final = frozenset({"null", "none", ""})
BITS_OF_GPTQ: Final = (2, 3, 4, 8)


class Rule(NamedTuple):
    """What the value of a key must be: a test, its words, and the value that a wrong one means (None: unknown)."""

    holds: Callable[[Any], bool]
    words: str
    meant: Callable[[Any], Any]


class WrongValue(NamedTuple):
    """A value that is refused. setting: (key, the value that it means); None if that is unknown."""

    because: str
    setting: tuple[str, Any] | None


def _truth(value: Any) -> bool:
    return str(value).lower() in TRUE


def _names(value: Any) -> list[str] | None:
    return [value] if isinstance(value, str) and value.lower() not in NULL else None


def _number(value: Any) -> int | float | None:
    try:
        return float(value) if "." in str(value) else int(value)
    except (TypeError, ValueError, OverflowError):
        return None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float)


SWITCH: Final = Rule(lambda value: isinstance(value, bool), "true or false", _truth)
BITSANDBYTES: Final[Mapping[str, Rule]] = {
    **dict.fromkeys((*OF_BITSANDBYTES, "llm_int8_enable_fp32_cpu_offload", "llm_int8_has_fp16_weight",
                     "bnb_4bit_use_double_quant"), SWITCH),
    "llm_int8_threshold": Rule(lambda value: isinstance(value, float), "a number with a decimal point",
                               lambda value: 6.0 if (found := _number(value)) is None else float(found)),
    "llm_int8_skip_modules": Rule(lambda value: value is None or isinstance(value, list), "a list or null", _names),
    "bnb_4bit_quant_type": Rule(lambda value: isinstance(value, str), "a text", lambda value: "nf4"),
}  # fmt: skip
GPTQ: Final[Mapping[str, Rule]] = {
    "bits": Rule(lambda value: _is_number(value) and value in BITS_OF_GPTQ, "2, 3, 4 or 8", _number),
    "group_size": Rule(lambda value: _is_number(value) and (value > 0 or value == -1), "a positive number or -1",
                       _number),
    "damp_percent": Rule(lambda value: _is_number(value) and 0 < value < 1, "a number between 0 and 1",
                         lambda value: 0.1),
}  # fmt: skip
"""`damp_percent` is used only when a model is quantized."""


def wrong_value(values: Mapping[str, Any]) -> WrongValue | None:
    """The first value of the quantization block of a config that transformers refuses by its type or size."""
    block = values.get(QUANTIZATION)
    if not isinstance(block, Mapping):
        return None
    switched = any(block.get(key) for key in OF_BITSANDBYTES)
    rules = BITSANDBYTES if switched else GPTQ if block.get("quant_method") == "gptq" else {}
    for key, rule in rules.items():
        if key in block and not rule.holds(block[key]):
            meant = rule.meant(block[key])
            fits = rule.holds(meant)
            return WrongValue(f"{key} is not {rule.words}", (key, meant) if fits else None)
    return None
