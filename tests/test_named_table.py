"""Tokens beyond the table of a model with code of its repository, whose table is known by its name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inspector.auditing.result import Audit
from inspector.auditing.start import audit
from tests.checkpoints import Spec, genuine, write
from tests.mending.damages import BERT, GPT2, LLAMA
from tests.test_declared import Change, both, raw, text

CLASSES = {"llama": "MyLlamaForCausalLM", "gpt2": "MyModel", "bert": "MyBertModel"}
OWN = {"AutoTokenizer": ["my.MyTokenizer", None]}


def of_code(folder: Path, config: dict[str, Any], change: Change, more: Spec, without: str = "") -> Audit:
    """The audit of a model whose type is that of code of its repository."""
    spec = {name: entry for name, entry in {**genuine(config), **more}.items() if not without or without not in name}
    code = {"AutoConfig": "configuration_my.MyConfig", "AutoModel": f"modeling_my.{CLASSES[config['model_type']]}"}
    stated = {**config, "model_type": "mine", "architectures": [CLASSES[config["model_type"]]], "auto_map": code}
    both(raw("configuration_my.py", ""), raw("modeling_my.py", ""), change)(folder, stated)
    write(folder, spec, stated)
    return audit(str(folder))


def added(**ids: int) -> Change:
    return text("added_tokens.json", ids)


FURTHER: Spec = {"model.embed_tokens.additional_embedding.weight": ("F32", (4, 48))}
LOOKED_UP: dict[str, tuple[dict[str, Any], Change, Spec, str]] = {
    # config, files, further tensors, the tokens beyond the table
    "padding": (LLAMA, added(pad=128), {}, "1 token in added_tokens.json"),
    "padding in range": (LLAMA, added(pad=127), {}, ""),
    "words for positions, too": (BERT, raw("tokenizer.json", '{"added_tokens": [{"id": 100, "content": "<p>"}]}'), {},
                                 "1 token in tokenizer.json"),
    "added to wte": (GPT2, added(pad=224, turn=225), {}, "2 tokens in added_tokens.json"),
    "beside a tower": (
        LLAMA, added(pad=128), {
            "model.vision_tower.vision_model.embeddings.position_embedding.weight": ("F32", (50, 32)),
            "model.vision_tower.vision_model.embeddings.patch_embedding.weight": ("F32", (32, 3, 4, 4)),
            "model.mm_projector.weight": ("F32", (48, 32)),
        }, "1 token in added_tokens.json"),
    "rows of a further table": (LLAMA, added(pad=128), FURTHER, ""),
    "tables of two sizes": (LLAMA, added(pad=128), {"decoder.embed_tokens.weight": ("F32", (200, 48))}, ""),
    "an image": (LLAMA, both(added(**{"<image>": 128, "<|video_pad|>": 129})), {}, ""),
    "a tokenizer with code": (
        LLAMA, both(added(pad=128), raw("my.py", ""), text("tokenizer_config.json", {"auto_map": OWN})), {}, ""),
}  # fmt: skip


@pytest.mark.parametrize("name", LOOKED_UP)
def test_tokens_beyond_a_table_that_its_name_shows(name: str, tmp_path: Path) -> None:
    config, change, more, wanted = LOOKED_UP[name]
    audited = of_code(tmp_path, config, change, more)
    assert audited.case is None
    assert [one.headline() for one in audited.findings if one.code == "C320"] == ([wanted] if wanted else [])


def test_rows_that_the_config_does_not_state(tmp_path: Path) -> None:
    stated = both(added(pad=128), lambda folder, config: config.update(vocab_size=160))
    audited = of_code(tmp_path, LLAMA, stated, {})
    assert not any(one.code == "C320" for one in audited.findings)


def test_a_model_without_its_table(tmp_path: Path) -> None:
    audited = of_code(tmp_path, LLAMA, added(pad=128), {}, without="embed_tokens")
    assert not any(one.code == "C320" for one in audited.findings)
