"""Models whose text ends with the end of a turn, without a chat template."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.mending.damages import BERT, GPT2, LLAMA, QWEN3
from tests.test_declared import Change, both, found, key, raw, text


def tokens(eos: str, *names: str, **more: Any) -> Change:
    """Write the settings of a tokenizer with these added tokens."""
    decoder = {str(90 + at): {"content": name, "special": True} for at, name in enumerate(names)}
    return text("tokenizer_config.json", {"eos_token": eos, "added_tokens_decoder": decoder, **more})


CHATML = ("<|im_start|>", "<|im_end|>", "<|endoftext|>")
OF_LLAMA = ("<|start_header_id|>", "<|eot_id|>", "<|end_of_text|>")
OF_GEMMA = ("<start_of_turn>", "<end_of_turn>", "<eos>")
OWN = {"AutoTokenizer": ["my.MyTokenizer", None]}
CASES: dict[str, tuple[dict[str, Any], Change, str]] = {
    # config, files, the end of a turn
    "ChatML": (QWEN3, tokens("<|im_end|>", *CHATML), "<|im_end|>"),
    "Llama": (LLAMA, tokens("<|eot_id|>", *OF_LLAMA), "<|eot_id|>"),
    "Gemma's turns": (GPT2, tokens("<end_of_turn>", *OF_GEMMA), "<end_of_turn>"),
    "an end as an object": (LLAMA, tokens({"content": "<|im_end|>"}, *CHATML), "<|im_end|>"),  # type: ignore[arg-type]
    "an empty template": (QWEN3, tokens("<|im_end|>", *CHATML, chat_template=None), "<|im_end|>"),
    "a base model of Qwen": (QWEN3, tokens("<|endoftext|>", *CHATML), ""),
    "a base model of Llama": (LLAMA, tokens("<|end_of_text|>", *OF_LLAMA), ""),
    "a base model that stops at turns, too": (
        LLAMA, both(tokens("<eos>", *OF_GEMMA), text("generation_config.json", {"eos_token_id": [91, 92]})), ""),
    "an end without a beginning": (QWEN3, tokens("<|im_end|>", "<|im_end|>"), ""),
    "a template": (QWEN3, tokens("<|im_end|>", *CHATML, chat_template="{{ messages }}"), ""),
    "a template in its file": (QWEN3, both(tokens("<|im_end|>", *CHATML), raw("chat_template.jinja", "{{ a }}")), ""),
    "a template of the processor": (
        QWEN3, both(tokens("<|im_end|>", *CHATML), text("chat_template.json", {"chat_template": "{{ a }}"})), ""),
    "a template in the settings of the processor": (
        QWEN3, both(tokens("<|im_end|>", *CHATML), text("processor_config.json", {"chat_template": "{{ a }}"})), ""),
    "a tokenizer with code": (QWEN3, both(raw("my.py", ""), tokens("<|im_end|>", *CHATML, auto_map=OWN)), ""),
    "an encoder": (BERT, tokens("<|im_end|>", *CHATML), ""),
    "a tokenizer of mistral-common": (LLAMA, both(tokens("<|im_end|>", *CHATML), text("tekken.json", {})), ""),
    "a classifier": (
        LLAMA, both(tokens("<|im_end|>", *CHATML), key("architectures", ["LlamaForSequenceClassification"])), ""),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_model_of_chats_without_a_template(name: str, tmp_path: Path) -> None:
    config, change, end = CASES[name]
    absent = [one for one in found(tmp_path, config, change).findings if one.code == "R090"]
    assert [one.headline() for one in absent] == ([f"eos_token is {end}"] if end else [])
