"""Transcripts of the exact output of every command, on clean and on damaged checkpoints, and in the README.

INSPECTOR_WRITE=1 python -m pytest tests/test_transcripts.py      rewrites them, to be reviewed as a diff
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from inspector.architectures.catalog import modules
from inspector.cli.table import VERBS
from tests.checkpoints import with_data
from tests.hub.stand_in import StandIn
from tests.judged import FIXTURES

CHECKPOINTS = FIXTURES / "checkpoints"
TRANSCRIPTS = FIXTURES / "transcripts"
README = FIXTURES.parent / "README.md"
CONSOLE = re.compile(r"```console\n(.*?)```", re.DOTALL)
WIDTH = 80

COMMANDS = {
    "audit-clean": "inspector audit small-llama",
    "audit-tied": "inspector audit tied-llama --claim 213568",
    "audit-broken": "inspector audit my-finetune",
    "audit-verbose": "inspector audit my-finetune --verbose",
    "audit-markdown": "inspector audit my-finetune --format markdown",
    "audit-json": "inspector audit my-finetune --format json",
    "audit-known": "inspector audit meta-llama/Llama-3.2-1B --claim 1.24B",
    "audit-hub": "inspector audit org/small-llama",
    "audit-hub-broken": "inspector audit org/my-finetune",
    "audit-hub-nothing": "inspector audit org/absent",
    "audit-adapter": "inspector audit my-adapter",
    "audit-adapter-base": "inspector audit my-adapter --base small-llama",
    "audit-adapter-hub": "inspector audit org/my-adapter --with-base",
    "audit-for": "inspector audit small-llama --for vllm",
    "audit-for-unread": "inspector audit small-llama --for llama.cpp",
    "audit-bad-for": "inspector audit org/absent --for pytorch",
    "audit-nothing": "inspector audit no-such-folder",
    "audit-claim": "inspector audit small-llama --claim 213504",
    "audit-bad-claim": "inspector audit small-llama --claim many",
    "count-clean": "inspector count small-llama",
    "count-broken": "inspector count my-finetune",
    "tensors-clean": "inspector tensors small-llama",
    "tensors-all": "inspector tensors my-finetune --all",
    "formula-name": "inspector formula llama",
    "formula-config": "inspector formula small-llama/config.json",
    "formula-deep": "inspector formula deepseek_v3",
    "formula-unknown": "inspector formula lama",
    "compare-conversion": "inspector compare small-llama llama-q8",
    "compare-lost": "inspector compare small-llama half-converted",
    "compare-markdown": "inspector compare small-llama half-converted --format markdown",
    "compare-json": "inspector compare small-llama half-converted --format json",
    "compare-different": "inspector compare small-llama wide-llama",
    "compare-broken": "inspector compare small-llama my-finetune",
    "compare-expected": "inspector compare small-llama wide-llama --expect conversion",
    "compare-hub": "inspector compare small-llama org/small-llama --hashes",
    "compare-hub-broken": "inspector compare my-finetune org/small-llama",
    "compare-nothing": "inspector compare small-llama no-such-folder",
    "compare-values": "inspector compare meta-numbers llama-numbers --values",
    "audit-values": "inspector audit llama-numbers --values",
    "mend-clean": "inspector mend small-llama",
    "mend-broken": "inspector mend my-finetune",
    "mend-gguf": "inspector mend half-converted",
    "explain": "inspector explain D501",
    "explain-all": "inspector explain all",
    "explain-unknown": "inspector explain D999",
    "schema": "inspector schema",
    "schema-unknown": "inspector schema adit",
    "architecture": "inspector architectures llama",
    "architecture-unknown": "inspector architectures lamma",
}


def run(command: str) -> str:
    """Standard output and error of a command in the folder of the checkpoints, and its exit code if not 0."""
    words = command.split()
    assert words[0] == "inspector"
    environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": str(WIDTH), "PYTHONUTF8": "1"}
    if not any(word.startswith(("org/", "meta-llama/")) for word in words):
        return _run(words, environment)
    with StandIn() as hub, TemporaryDirectory() as home:
        for folder in CHECKPOINTS.iterdir():
            hub.add(f"org/{folder.name}", folder)
        hub.add("meta-llama/Llama-3.2-1B", with_data(FIXTURES / "known" / "Llama-3.2-1B", Path(home) / "known"))
        reported = _run(words, {**environment, "HF_ENDPOINT": hub.endpoint, "HF_HOME": home})
    reported = reported.replace(hub.endpoint.removeprefix("http://"), "the.hub")
    return re.sub(r"\d+\.\d s$", "0.2 s", reported, flags=re.MULTILINE)


def _run(words: list[str], environment: dict[str, str]) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "inspector", *words[1:]],
        cwd=CHECKPOINTS,
        env={**environment, "PYTHONPATH": str(FIXTURES.parent)},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    ending = f"[exit {done.returncode}]\n" if done.returncode else ""
    return re.sub(r"(?<!\.)safetensors \d+\.\d[\w.]*", "safetensors 0.8.0", done.stdout + done.stderr + ending)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_output_is_as_recorded(name: str) -> None:
    path = TRANSCRIPTS / f"{name}.txt"
    now = f"$ {COMMANDS[name]}\n{run(COMMANDS[name])}"
    if os.environ.get("INSPECTOR_WRITE"):
        path.write_text(now, encoding="utf-8")
    assert now == path.read_text(encoding="utf-8")
    if "json" not in name and "markdown" not in name:
        assert max(map(len, now.splitlines())) <= WIDTH


def readme_blocks() -> list[str]:
    """The console blocks of the README that show output."""
    return [block for block in CONSOLE.findall(README.read_text(encoding="utf-8")) if block.count("\n") > 1]


def test_the_readme_states_the_number_of_model_types() -> None:
    assert f"\n{len(modules())} model types" in README.read_text(encoding="utf-8")


@pytest.mark.parametrize("block", readme_blocks(), ids=lambda block: block.split("\n", 1)[0])
def test_the_readme_shows_what_is_printed(block: str) -> None:
    first, shown = block.split("\n", 1)
    command = first.removeprefix("$ ").strip()
    printed = re.sub(r"\[exit \d+\]\n", "", run(command))
    if shown.rstrip().endswith("..."):
        assert printed.startswith(shown.rstrip().removesuffix("...").rstrip())
    else:
        assert printed.strip() == shown.strip()


def test_every_verb_has_help_with_an_example() -> None:
    for verb in (verb.name for verb in VERBS):
        text = run(f"inspector {verb} --help")
        assert f"inspector {verb}" in text
        assert "Example:" in text


def test_transcripts_have_no_leftovers() -> None:
    assert {path.stem for path in Path(TRANSCRIPTS).glob("*.txt")} == set(COMMANDS)
