"""Recognises a GGUF file of Gemma that an older converter wrote under the architecture of Llama.

llama.cpp builds Gemma with an embedding that is scaled and with another activation (`src/models/gemma.cpp`): under the
name of Llama such a file computes something else even if every key fits. SentencePiece models of Gemma begin with
<pad>, <eos>, <bos>, those of Llama with <unk>, <s>, </s>.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from inspector.findings.finding import Finding, Place

if TYPE_CHECKING:
    from inspector.auditing.result import Audit
    from inspector.findings.names.gguf_architecture import GgufOfAnotherModel

STATED: Final = "llama"
MEANT: Final = "Gemma"
TOKENS: Final[Mapping[str, object]] = {
    "tokenizer.ggml.model": "llama", "tokenizer.ggml.bos_token_id": 2, "tokenizer.ggml.eos_token_id": 1,
}  # fmt: skip
"""Keys of a vocabulary of SentencePiece in Gemma's order."""
HEAD: Final = "output.weight"


def of_another_model(audited: Audit, findings: Sequence[Finding]) -> GgufOfAnotherModel | None:
    """The finding on a file with Gemma's vocabulary and no head that llama.cpp refuses as a Llama; None for others."""
    from inspector.findings.config import ConfigDisagrees

    checkpoint = audited.checkpoint
    values: Mapping[str, object] = {} if checkpoint.metadata is None else checkpoint.metadata.values
    if values.get("general.architecture") != STATED or HEAD in checkpoint.tensors or checkpoint.partial:
        return None
    wrong = next((one for one in findings if isinstance(one, ConfigDisagrees)), None)
    if wrong is None or any(values.get(key) != value for key, value in TOKENS.items()):
        return None
    from inspector.findings.names.gguf_architecture import GgufOfAnotherModel

    return GgufOfAnotherModel(
        place=Place(file=checkpoint.set_name, key="general.architecture"),
        stated=STATED,
        meant=MEANT,
        contradicted=wrong.file_key or wrong.key,
    )
