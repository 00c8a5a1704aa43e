"""How the classes of tokenizers read the vocabulary of a folder without tokenizer.json.

Measured with transformers 5.23 and 4.57, with a vocabulary of each format and name alone. Each class gives the words at
least these ids; some add tokens behind them. PhoBERT and BERTweet read counts in vocab.txt, VITS numbers its words
anew, and XGLM of 5.23 reads no piece: they are not among them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from inspector.loading.processors import OF_SPEECH
from inspector.loading.tokenizer_files import MERGES, PLAIN, SENTENCEPIECE, TOKENIZER_MODEL, WORDS
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
BPE: Final = "sentencepiece.bpe.model"
PIECES_OF: Final = {
    **dict.fromkeys(("Camembert", "MBart", "XLMRoberta"), BPE),
    **dict.fromkeys(("Albert", "T5", "XLNet"), "spiece.model"),
    **dict.fromkeys(("Gemma", "Llama"), TOKENIZER_MODEL),
}  # fmt: skip
"""Class -> the file of its pieces; it reads tokenizer.model, too."""
SPEECH: Final = "Wav2Vec2CTC"
"""The class that reads the labels of a head for CTC."""
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


def tokenizer_of(settings: Mapping[str, Any], config: Mapping[str, Any]) -> str:
    """The class of a folder's tokenizer, without its ending; "" if code of its own, or nothing known, reads it.

    settings: tokenizer_config.json.
    """
    if CODE in settings or CODE in config:
        return ""
    stated, model_type = settings.get(CLASS) or config.get(CLASS), str(config.get("model_type"))
    if isinstance(stated, str):
        return stated.removesuffix(FAST).removesuffix(ENDING)
    return OF_TYPES.get(model_type, SPEECH if model_type in OF_SPEECH else "")


def vocabulary_of(settings: Mapping[str, Any], config: Mapping[str, Any]) -> tuple[str, ...]:
    """The files in which the tokenizer's class looks for its words; empty if the class is not among those measured.

    settings: tokenizer_config.json.
    """
    name = tokenizer_of(settings, config)
    if name in LINES:
        return (PLAIN,)
    if name in NUMBERS or name == SPEECH:
        return (WORDS,)
    return SENTENCEPIECE if name in PIECES else ()


def read_alone(settings: Mapping[str, Any], config: Mapping[str, Any]) -> tuple[str, ...]:
    """The files of which a tokenizer needs one, by their full names; empty if its class is not the one of its type, or
    is not among those measured. With another vocabulary alone, 5.23 builds a tokenizer of at most 104 special tokens or
    refuses, and 4.57 refuses.
    """
    found = vocabulary_of(settings, config)
    name = OF_TYPES.get(str(config.get("model_type")), "")
    if not found or tokenizer_of(settings, config) != name:
        return ()
    if name in NUMBERS:
        return (WORDS, TOKENIZER_MODEL)  # 5.23 converts it
    return (PIECES_OF[name], TOKENIZER_MODEL) if name in PIECES_OF else () if name in PIECES else found


def needed_by(settings: Mapping[str, Any], config: Mapping[str, Any]) -> tuple[tuple[str, ...], ...]:
    """The files that a tokenizer needs in a folder without tokenizer.json: one of each group, by full names; empty if
    its class is not among those measured.

    Measured with 5.23 and 4.57: without the words both refuse, or 5.23 builds a tokenizer without words; without the
    merges beside them both refuse. With neither 5.23 builds one without words.
    """
    name = tokenizer_of(settings, config)
    if name in LINES:
        return ((PLAIN,),)
    if name in NUMBERS:
        return (WORDS, TOKENIZER_MODEL), (MERGES, TOKENIZER_MODEL)
    if name == SPEECH:
        return ((WORDS,),)
    pieces = (PIECES_OF[name], TOKENIZER_MODEL) if name in PIECES_OF else SENTENCEPIECE
    return (tuple(dict.fromkeys(pieces)),) if name in PIECES else ()
