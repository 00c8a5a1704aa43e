"""How the classes of tokenizers read the vocabulary of a folder without tokenizer.json.

Measured with transformers 5.23 and 4.57, with a vocabulary of each format alone. Each class gives the words at least
these ids; some add tokens behind them. PhoBERT and BERTweet read counts in vocab.txt, VITS numbers its words anew, and
XGLM of 5.23 reads no piece: they are not among them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from inspector.loading.tokenizer_files import PLAIN, SENTENCEPIECE, WORDS
from inspector.loading.tokenizer_settings import CLASS, CODE, FAST

ENDING: Final = "Tokenizer"
LINES: Final = frozenset({
    "Bert", "BertJapanese", "ConvBert", "DPRContextEncoder", "DPRQuestionEncoder", "DPRReader", "DistilBert", "Electra",
    "Esm", "Funnel", "LayoutLM", "LayoutLMv2", "Lxmert", "MPNet", "MobileBert", "Splinter", "SqueezeBert",
})  # fmt: skip
"""Classes that read a word in each line of vocab.txt, an empty one too."""
NUMBERS: Final = frozenset({
    "Bart", "Blenderbot", "CLIP", "CTRL", "CodeGen", "Deberta", "GPT2", "LED", "Longformer", "Mvp", "OpenAIGPT",
    "Qwen2", "Roberta", "Whisper",
})  # fmt: skip
"""Classes that read the words and their ids in vocab.json."""
PIECES: Final = frozenset({
    "Albert", "Barthez", "BertGeneration", "BigBird", "Camembert", "CodeLlama", "FNet", "GPTSw3", "Gemma", "Llama",
    "MBart", "MBart50", "PLBart", "Reformer", "Siglip", "T5", "Udop", "XLMRoberta", "XLNet",
})  # fmt: skip
"""Classes that read a word in each piece of sentencepiece."""
OF_TYPES: Final = {
    **dict.fromkeys(
        ("align", "bert", "blip", "convbert", "electra", "ernie", "git", "layoutlm", "lxmert", "megatron-bert",
         "mobilebert", "squeezebert", "vilt", "visual_bert"), "Bert"
    ),
    "distilbert": "DistilBert", "esm": "Esm", "funnel": "Funnel", "mpnet": "MPNet", "splinter": "Splinter",
    "bart": "Bart", "clip": "CLIP", "codegen": "CodeGen", "ctrl": "CTRL", "gpt2": "GPT2", "led": "LED",
    "longformer": "Longformer", "openai-gpt": "OpenAIGPT", "opt": "GPT2", "qwen2": "Qwen2", "roberta": "Roberta",
    "whisper": "Whisper", "albert": "Albert", "camembert": "Camembert", "gemma": "Gemma", "llama": "Llama",
    "mbart": "MBart", "mt5": "T5", "t5": "T5", "xlm-roberta": "XLMRoberta", "xlnet": "XLNet",
}  # fmt: skip
"""Type -> the class of its tokenizer, for a folder that states none."""


def vocabulary_of(settings: Mapping[str, Any], config: Mapping[str, Any]) -> tuple[str, ...]:
    """The files in which the tokenizer's class looks for its words; empty if the class is not among those measured.

    settings: tokenizer_config.json.
    """
    if CODE in settings or CODE in config:
        return ()
    stated = settings.get(CLASS) or config.get(CLASS)
    named = stated.removesuffix(FAST).removesuffix(ENDING) if isinstance(stated, str) else ""
    name = named or OF_TYPES.get(str(config.get("model_type")), "")
    if name in LINES:
        return (PLAIN,)
    if name in NUMBERS:
        return (WORDS,)
    return SENTENCEPIECE if name in PIECES else ()
