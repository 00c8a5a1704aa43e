"""Checks whether a folder with a processor, or a sentence encoder, also has the tokenizer that it needs.

Measured with Whisper and Qwen3-VL, by `AutoTokenizer` and `AutoProcessor` on folders without a file of a tokenizer; and
with BERT, MPNet, XLM-RoBERTa, Qwen2 (5.23 builds a tokenizer with 1 to 5 tokens) and ModernBERT (it refuses). For
language models 5.23 builds one without words (Qwen2, Gemma, GPT-2, GPT-NeoX) or refuses (Llama, Mistral, Phi-3).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from inspector.auditing.result import Audit
from inspector.auditing.sentence_listing import MODULES, listed_modules
from inspector.findings.finding import Finding, Place
from inspector.loader.checkpoint import SIBLINGS_KEPT, Checkpoint
from inspector.loader.config_file import named_class
from inspector.loading.processors import PROCESSORS, TOKENIZER, parts_of

TEXT: Final = "embed.token"
"""Role of the table with a row for each token."""
WITHOUT: Final = frozenset({"imagegpt", "kosmos-2.5", "moshi"})
"""Types with such a table for which transformers 5.23 lists a processor of images or sound and no tokenizer."""
SAVED_WITH: Final = frozenset({
    "training_args.bin", "trainer_state.json", "README.md", ".gitattributes", "LICENSE", "optimizer.pt", "scheduler.pt",
    "all_results.json", "train_results.json", "eval_results.json", "tf_model.h5", "flax_model.msgpack",
})  # fmt: skip
"""Files that a training or a repository leaves in a folder, and that nobody puts beside chosen files."""
TRAINING: Final = frozenset({"optimizer.pt", "scheduler.pt"})
"""Files of a training that can be resumed."""
OF_TEXT: Final = ("ForCausalLM", "LMHeadModel")
"""Ends of the names of classes that write text."""
READS: Final = re.compile(r"embed\.(?:patch|image|audio)\b")
"""Roles of the modules that images or sound enter first."""
OF_TOKENIZER: Final = re.compile(r"token|vocab|merges|spiece|sentencepiece|tekken|bpe|\.(?:model|tiktoken|spm)$")
"""Parts of the names of files that contain a tokenizer or a part of one."""


def tokenizer_absent(audited: Audit) -> Iterator[Finding]:
    """The finding on a model that reads tokens, in a local folder with a processor and other files of a training or a
    repository, or of a sentence encoder, and without any file of a tokenizer.
    """
    checkpoint, case = audited.checkpoint, audited.case
    processor = next((name for name in (*PROCESSORS, MODULES) if name in checkpoint.siblings), None)
    of_encoder = processor == MODULES
    if of_encoder and not _has_model_of_text(checkpoint):
        return
    if case is None or not checkpoint.folder or checkpoint.adapter is not None:
        return
    if processor is None and not _of_text_alone(audited):
        return
    known = audited.architecture.model_type if audited.architecture is not None else None
    if known is None or known in WITHOUT or not any(one.slot.role == TEXT for one in case.plan.blocks):
        return
    if has_tokenizer(checkpoint) or not (of_encoder or is_whole(checkpoint)):
        return
    from inspector.findings.reading.tokenizer_absent import TokenizerAbsent

    yield TokenizerAbsent(place=Place(file=processor), of_encoder=of_encoder, of_text=processor is None)


def _of_text_alone(audited: Audit) -> bool:
    """True for a whole model of a class that writes text, saved to be used: training that can be resumed keeps the
    state of its optimizer beside it, and may have the tokenizer elsewhere.
    """
    checkpoint, config = audited.checkpoint, audited.checkpoint.config
    if config is None or checkpoint.origin is not None or not TRAINING.isdisjoint(checkpoint.siblings):
        return False
    if set(parts_of(str(config.values.get("model_type")))) - {TOKENIZER}:
        return False  # a part of a model with a processor
    if any(one.severity == "error" for one in audited.findings):
        return False  # such as a draft head, or a part of a model
    return (named_class(config.values) or "").endswith(OF_TEXT) and not any(map(READS.match, _roles(audited)))


def _roles(audited: Audit) -> set[str]:
    return set() if audited.case is None else {one.slot.role for one in audited.case.plan.blocks}


def is_whole(checkpoint: Checkpoint) -> bool:
    """True if a training or a repository left its other files in the folder, too: it is then no choice of files."""
    return not SAVED_WITH.isdisjoint(checkpoint.siblings)


def has_tokenizer(checkpoint: Checkpoint) -> bool:
    """True if a file of the folder contains a tokenizer or a part of one."""
    return any(OF_TOKENIZER.search(name.casefold()) for name in checkpoint.siblings)


def _has_model_of_text(checkpoint: Checkpoint) -> bool:
    """True if sentence-transformers loads the model in the folder of modules.json with its tokenizer."""
    listed = listed_modules(checkpoint)
    if isinstance(listed, Finding) or len(checkpoint.siblings) >= SIBLINGS_KEPT:
        return False
    return any(not one.path and one.kind in ("Transformer", "MLMTransformer") for one in listed)
