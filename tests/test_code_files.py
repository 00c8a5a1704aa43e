"""Files of code that the configs of a folder name or its code imports, and that are absent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.auditing.start import audit
from tests.checkpoints import genuine, write
from tests.mending.damages import BERT, GPT2, LLAMA

OWN: dict[str, Any] = {**LLAMA, "model_type": "my_llama"}
MODEL = {"AutoConfig": "configuration_my.My", "AutoModel": "modeling_my.My"}
TOKENIZER = {"AutoTokenizer": ["tokenization_my.MyTokenizer", None]}
IMPORTING = "import torch\ntry:\n    from .utils_my import one\nexcept ImportError:\n    import .more_my\n"
OF_TOKENIZER = {"tokenizer_class": "MyTokenizer", "auto_map": TOKENIZER}
CASES: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, str], list[str]]] = {
    # config, files of JSON, files of code, each finding with the files that it names
    "the tokenizer's too": (
        {**OWN, "auto_map": MODEL}, {"tokenizer_config.json": OF_TOKENIZER}, {},
        ["C319 configuration_my.py, modeling_my.py, tokenization_my.py"]),
    "the processor's too": (
        {**OWN, "auto_map": MODEL}, {"preprocessor_config.json": {"auto_map": {"AutoProcessor": "processing_my.My"}}},
        {"configuration_my.py": "", "modeling_my.py": ""}, ["C319 processing_my.py"]),
    "what the code imports": (
        {**OWN, "auto_map": MODEL}, {}, {"configuration_my.py": "", "modeling_my.py": IMPORTING},
        ["C319 utils_my.py, more_my.py"]),
    "what an imported file imports": (
        {**OWN, "auto_map": MODEL}, {},
        {"configuration_my.py": "", "modeling_my.py": "from .configuration_my import My\nfrom .a import b\n",
         "a.py": "from .modeling_my import My\nfrom .c import d\n"}, ["C319 c.py"]),
    "a tokenizer of its own for a known type": (
        BERT, {"tokenizer_config.json": OF_TOKENIZER}, {}, ["C319 tokenization_my.py"]),
    "the list of an early tokenizer": (
        GPT2, {"tokenizer_config.json": {**OF_TOKENIZER, "auto_map": ["tokenization_my.MyTokenizer", None]}}, {},
        ["C319 tokenization_my.py"]),
    "a tokenizer that transformers has": (
        LLAMA, {"tokenizer_config.json": {**OF_TOKENIZER, "tokenizer_class": "LlamaTokenizer"}}, {},
        ["C322 tokenization_my.py"]),
    "all is here": (
        {**OWN, "auto_map": MODEL}, {"tokenizer_config.json": OF_TOKENIZER},
        {"configuration_my.py": "", "modeling_my.py": "from .configuration_my import My\nfrom . import a\n",
         "tokenization_my.py": "# from .b import c\nfrom transformers import AutoTokenizer\n"}, []),
    "code of another repository": (
        BERT, {"tokenizer_config.json": {**OF_TOKENIZER, "auto_map": {"AutoTokenizer": ["a/b--c.D", None]}}}, {}, []),
    "a model's code in another repository": (
        {**OWN, "auto_map": {auto: f"a/b--{place}" for auto, place in MODEL.items()}}, {}, {},
        ["C355 configuration_my.py, modeling_my.py"]),
    "a copy of the code of another repository": (
        {**OWN, "auto_map": {auto: f"a/b--{place}" for auto, place in MODEL.items()}}, {},
        {"configuration_my.py": "", "modeling_my.py": ""}, []),
    "code elsewhere for a type of transformers": (
        {**BERT, "auto_map": {"AutoModel": "a/b--modeling_my.My"}}, {}, {}, []),
    "code that nothing names": (GPT2, {}, {"train.py": "from .helpers import go\n"}, []),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_absent_code_is_named(name: str, tmp_path: Path) -> None:
    config, settings, code, wanted = CASES[name]
    write(tmp_path, genuine(LLAMA if config["model_type"] == "my_llama" else config), config)
    for file, values in settings.items():
        (tmp_path / file).write_text(json.dumps(values), encoding="utf-8")
    for file, content in code.items():
        (tmp_path / file).write_text(content, encoding="utf-8")
    found = [one for one in audit(str(tmp_path)).findings if one.code in {"C319", "C322", "C355"}]
    assert [f"{one.code} {', '.join(one.facts['files'])}" for one in found] == wanted
    missing = [one for one in found if one.code != "C355" and len(one.facts["files"]) > 1]
    assert all("import from the repository of the model" in one.help for one in missing)
