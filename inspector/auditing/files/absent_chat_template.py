"""Checks whether a model whose text ends with the end of a turn has a chat template.

Measured with `apply_chat_template` of transformers 5.23 and 4.57, which raise ValueError without one. Only the
tokenizer's `eos_token` shows that a model was trained on turns: the tokenizers of base models have the tokens of turns,
too, and generation_config.json of a base model may list them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from inspector.auditing.files.ending_token import (
    TEMPLATE,
    TOKEN,
    special_tokens,
    token_text,
)
from inspector.auditing.json_beside import is_listed, object_beside
from inspector.auditing.result import Audit
from inspector.auditing.sentence_listing import MODULES
from inspector.findings.finding import Finding, Place
from inspector.loader.checkpoint import Checkpoint
from inspector.loader.config_file import named_class
from inspector.loading.tokenizer_files import SETTINGS
from inspector.loading.tokenizer_settings import CODE

OF_CLASSES: Final = ("ForCausalLM", "LMHeadModel", "ForConditionalGeneration")
STARTS: Final = {
    "<|im_end|>": ("<|im_start|>",), "<end_of_turn>": ("<start_of_turn>",), "<turn|>": ("<|turn>",),
    "<|eot_id|>": ("<|start_header_id|>",), "<|eot|>": ("<|header_start|>",), "<|end|>": ("<|assistant|>", "<|start|>"),
}  # fmt: skip
"""The token that ends a turn -> those that begin one. Without those of Cohere, whose base models end texts with it."""
OTHER_FILES: Final = ("processor_config.json", "preprocessor_config.json")
"""Further files of settings that may have the template."""
OF_MISTRAL: Final = "tekken.json"
"""The tokenizer of mistral-common, which has the format of its chats in its code."""
FOLDER: Final = "additional_chat_templates"
ENDING: Final = ".jinja"
OF_PROCESSOR: Final = "chat_template.json"


def chat_template_absent(audited: Audit) -> Iterator[Finding]:
    """The note on a local folder of a model of chats without a template."""
    checkpoint, config = audited.checkpoint, audited.checkpoint.config
    if config is None or not checkpoint.folder or checkpoint.adapter is not None or checkpoint.origin is not None:
        return
    if not (named_class(config.values) or "").endswith(OF_CLASSES) or CODE in config.values:
        return
    settings = object_beside(checkpoint, SETTINGS)
    if not settings or CODE in settings or settings.get(TEMPLATE) or not is_listed(checkpoint):
        return
    if _may_have_template(checkpoint):
        return
    tokens, _ = special_tokens(checkpoint, settings)
    end = token_text(settings.get(TOKEN))
    if end in tokens and any(start in tokens for start in STARTS.get(end, ())):
        from inspector.findings.reading.chat_template import ChatTemplateAbsent

        yield ChatTemplateAbsent(place=Place(file=SETTINGS, key=TOKEN), end=end)


def _may_have_template(checkpoint: Checkpoint) -> bool:
    """True if another file may have a template, or a library reads the folder that has the formats in its code."""
    names = checkpoint.siblings.keys()
    if not names.isdisjoint((OF_MISTRAL, OF_PROCESSOR, MODULES)):
        return True
    if any(one.endswith(ENDING) or one.startswith(FOLDER) for one in names):
        return True
    return any(TEMPLATE in object_beside(checkpoint, one) for one in OTHER_FILES)
