"""The interface for other programs: exit codes, streams, and JSON documents."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.checkpoints import genuine, write
from tests.judged import FIXTURES
from tests.make_checkpoints import SMALL_LLAMA

CHECKPOINTS = FIXTURES / "checkpoints"
COUNTS = {
    "stored_elements", "parameters", "unique_parameters", "expected_parameters", "buffers", "packing_helpers",
    "packed_elements", "tied_copies", "extra_components", "unexplained", "stored_bytes",
}  # fmt: skip


def run(*words: str, cwd: Path = CHECKPOINTS) -> subprocess.CompletedProcess[str]:
    """Run the command as a subprocess."""
    environment = {**os.environ, "NO_COLOR": "1", "PYTHONUTF8": "1", "PYTHONPATH": str(FIXTURES.parent)}
    return subprocess.run(
        [sys.executable, "-m", "inspector", *words], cwd=cwd, env=environment, capture_output=True, encoding="utf-8"
    )


def reported(*words: str) -> dict[str, Any]:
    """The JSON object that a command prints."""
    value: dict[str, Any] = json.loads(run(*words, "--format", "json").stdout)
    return value


CODES = [
    (("audit", "small-llama"), 0),
    (("audit", "my-finetune"), 1),
    (("audit", "my-finetune", "--fail-on", "never"), 0),
    (("audit", "tied-llama", "--fail-on", "note"), 1),
    (("audit", "tied-llama", "--fail-on", "warning"), 0),
    (("audit", "absent"), 3),
    (("audit",), 2),
    (("audit", "small-llama", "--claim", "x"), 2),
    (("audit", "tied-llama", "--claim", "188992"), 0),
    (("audit", "tied-llama", "--claim", "213568"), 1),
    (("audit", "tied-llama", "--claim", "213568", "--fail-on", "never"), 0),
    (("mend", "my-finetune", "--for", "nothing"), 2),
    (("mend", "my-finetune", "--for", "vllm", "--format", "markdown"), 1),
    (("count", "my-finetune", "--format", "markdown"), 0),
    (("audit", "small-llama", "--format", "yaml"), 2),
    (("audit", "small-llama", "--base", "small-llama"), 2),
    (("audit", "my-adapter", "--base", "small-llama"), 1),
    (("audit", "absent", "--base", "small-llama"), 3),
    (("audit", "my-adapter", "--base", "./absent"), 2),
    (("audit", "my-adapter", "--base", "/absent/config.json"), 2),
    (("mend", "my-adapter", "--base", "absent"), 2),
    (("nonsense",), 2),
    (("small-llama",), 0),
    (("my-finetune", "--fail-on", "never"), 0),
    (("audit", "small-llama", "--output", "no-folder/report"), 2),
    (("count", "my-finetune"), 0),
    (("count", "absent"), 3),
    (("tensors", "absent"), 3),
    (("formula", "absent"), 2),
    (("formula", "llama", "--head", "Nothing"), 2),
    (("formula", "."), 3),
    (("compare", "small-llama", "absent"), 3),
    (("compare", "small-llama", "wide-llama"), 0),
    (("compare", "small-llama", "wide-llama", "--expect", "conversion"), 1),
    (("explain", "nothing"), 2),
    (("architectures", "nothing"), 2),
    (("--version",), 0),
    (("--help",), 0),
]


@pytest.mark.thinned
@pytest.mark.parametrize(
    ("words", "code"), CODES, ids=lambda value: " ".join(value) if isinstance(value, tuple) else ""
)
def test_exit_codes(words: tuple[str, ...], code: int) -> None:
    done = run(*words)
    assert done.returncode == code, done.stderr
    if code == 2:
        assert done.stdout == ""
        assert done.stderr
    assert "Traceback" not in done.stdout + done.stderr


@pytest.mark.parametrize("source", ["small-llama", "my-finetune", "tied-llama", "absent", "."])
def test_an_audit_is_one_object_for_unreadable_sources_too(source: str) -> None:
    value = reported("audit", source)
    assert value["schema"] == "inspector.audit/1"
    assert value["source"] == source
    assert set(value["counts"]) >= COUNTS
    counts = value["counts"]
    assert all(isinstance(number, int) for name, number in counts.items() if name != "expected_parameters")
    assert counts["parameters"] == counts["unique_parameters"] + counts["extra_components"] + counts["tied_copies"]
    assert sum(line["elements"] for line in value["ledger"]) == counts["stored_elements"]
    assert sum(line["bytes"] for line in value["ledger"]) == counts["stored_bytes"]
    assert value["verdict"] in ("clean", "findings", "unreadable")
    for finding in value["findings"]:
        assert {"code", "name", "severity", "confidence", "message", "place", "facts", "help"} <= set(finding)
        assert finding["severity"] in ("error", "warning", "note")
    bad = any(finding["severity"] != "note" for finding in value["findings"])
    assert (value["verdict"] == "clean") == (not bad and value["verdict"] != "unreadable")


def test_the_other_verbs_have_their_schemas() -> None:
    assert reported("count", "small-llama")["schema"] == "inspector.count/1"
    assert [reported("count", one)["verdict"] for one in ("small-llama", "my-finetune")] == ["clean", "findings"]
    assert len(reported("tensors", "small-llama", "--all")["tensors"]) == 39
    assert reported("formula", "llama")["formula"].startswith("2*V*d + d + L*(")
    compared = reported("compare", "small-llama", "wide-llama")
    assert compared["schema"] == "inspector.compare/1"
    assert compared["relation"] == "different"
    assert compared["parameters"]["carried"] is None
    assert len(compared["findings"]) == 1
    same = reported("compare", "small-llama", "small-llama")
    assert same["relation"] == "conversion"
    assert same["parameters"] == {
        "source": 213568, "target": 213568, "carried": 213568, "dropped": 0, "invented": 0,
    }  # fmt: skip
    assert same["verdict"] == "clean"


def test_the_verdict_alone_and_a_report_in_a_file(tmp_path: Path) -> None:
    assert run("small-llama", "-q").stdout == "clean: 39 of 39 tensors explained; 0 errors, 0 warnings, 0 notes\n"
    compared = run("compare", "small-llama", "small-llama", "--quiet").stdout
    assert compared == "clean: the same tensors with the same shapes\n"
    done = run("audit", "my-finetune", "-f", "json", "-o", str(tmp_path / "report.json"))
    assert (done.returncode, done.stdout) == (1, "")
    assert json.loads((tmp_path / "report.json").read_text(encoding="utf-8")) == reported("audit", "my-finetune")


def test_help_is_printed_by_a_word_or_an_option() -> None:
    assert run("help").stdout == run("--help").stdout
    assert run("help", "audit").stdout == run("audit", "--help").stdout


def test_an_invalid_value_is_refused_with_the_valid_choices() -> None:
    refused = run("audit", "small-llama", "--format", "xml")
    assert refused.returncode == 2
    assert "'--format' / '-f': 'xml' is not one of text, json, markdown" in refused.stderr


def test_an_unknown_verb_gets_one_line_of_help() -> None:
    assert run("adit", "x").stderr == "inspector: unknown command 'adit'; did you mean audit?\n"
    assert "hf://gpt2" in run("gpt2").stderr
    for path in ("org/name/Q4_K_M.gguf", "hf.co/org/name/Q4_K_M.gguf"):
        assert "hf://org/name/Q4_K_M.gguf" in " ".join(run("audit", path).stdout.split())
    for path in ("./org/name/x", "small-llama/x/y", "a/b/../c"):
        assert "hf://" not in run("audit", path).stdout
    for word, verb in (("check", "audit"), ("diff", "compare"), ("fix", "mend"), ("ls", "tensors")):
        assert run(word, "small-llama").stderr == f"inspector: unknown command '{word}'; did you mean {verb}?\n"


@pytest.mark.parametrize(("words", "expected"), [
    ("audit a b", "audit takes 1 argument, not 2: for the shards of one checkpoint pass their folder; to compare"),
    ("count a b c", "count takes 1 argument, not 3: for the shards of one checkpoint pass"),
    ("compare a b c d -f json", "compare takes 2 or 3 arguments, not 4: for the shards"),
    ("explain S203 S204", "explain takes 1 argument, not 2"),
])  # fmt: skip
def test_too_many_arguments_are_refused_with_what_to_do(words: str, expected: str) -> None:
    done = run(*words.split())
    assert (done.returncode, done.stdout, expected in " ".join(done.stderr.split())) == (2, "", True), done.stderr


@pytest.mark.parametrize(("word", "expected"), [
    ("fsdp", "N420"), ("zero3", "pages"), ("verdict", "glossary"), ("glosary", "did you mean glossary?"),
    ("Q000", "explain all"), ("D999", "did you mean A999?"),
])  # fmt: skip
def test_a_topic_without_a_page_names_the_pages_that_mention_it(word: str, expected: str) -> None:
    done = run("explain", word)
    assert (done.returncode, expected in done.stderr) == (2, True), done.stderr


def test_names_from_a_checkpoint_cannot_send_control_codes(tmp_path: Path) -> None:
    spec = genuine(SMALL_LLAMA)
    hostile = "x\x1b[31m\n\u202e[red]<b>\u200b|`a`"
    spec[f"{hostile}.weight"] = ("BF16", (2, 2))
    write(tmp_path / "hostile", spec, {**SMALL_LLAMA, hostile: 1})
    for words in (("audit",), ("audit", "--verbose"), ("tensors", "--all"), ("audit", "--format", "markdown")):
        done = run(words[0], str(tmp_path / "hostile"), *words[1:])
        printed = done.stdout + done.stderr
        assert "\x1b" not in printed
        assert "\u202e" not in printed
        assert "\u200b" not in printed
    json.loads(run("audit", str(tmp_path / "hostile"), "--format", "json").stdout)
    assert run("audit", str(tmp_path / "hostile"), "--format", "json").stdout.isascii()


def test_the_config_option_replaces_the_config(tmp_path: Path) -> None:
    folder = write(tmp_path / "bare", genuine(SMALL_LLAMA))
    config = tmp_path / "other.json"
    config.write_text(json.dumps(SMALL_LLAMA), encoding="utf-8")
    assert reported("audit", str(folder))["architecture"]["confidence"] == "likely"
    assert reported("audit", str(folder), "--config", str(config))["architecture"]["confidence"] == "certain"


def test_weights_chooses_a_set(tmp_path: Path) -> None:
    folder = write(tmp_path / "two", genuine(SMALL_LLAMA), SMALL_LLAMA, shards=2)
    write(tmp_path / "one", genuine({**SMALL_LLAMA, "num_hidden_layers": 3}))
    (tmp_path / "one" / "model.safetensors").rename(folder / "consolidated.safetensors")
    assert reported("audit", str(folder))["counts"]["unique_parameters"] == 213568
    other = reported("audit", str(folder), "--weights", "consolidated.safetensors")
    assert other["counts"]["unique_parameters"] == 213568 - 41088
    assert other["verdict"] == "findings"


def test_a_closed_pipe_is_not_an_error() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "inspector", "tensors", "small-llama", "--all"],
        cwd=CHECKPOINTS, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert b"Traceback" not in process.stderr.read()
    process.wait()


@pytest.mark.parametrize(
    ("words", "first", "contained"),
    [
        (("count", "small-llama"), "# `small-llama`", "| parameters | 213,568 | 213\\.57K"),
        (("mend", "small-llama"), "# `small-llama`: nothing to mend", "verdict clean"),
        (("mend", "my-finetune"), "# `my-finetune`: ", "  - help: "),
    ],
)
def test_markdown(words: tuple[str, ...], first: str, contained: str) -> None:
    printed = run(*words, "--format", "markdown").stdout
    assert printed.startswith(first)
    assert contained in printed
