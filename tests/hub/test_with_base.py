"""Repositories of adapters with their base: read on request, from the repository and revision that the config names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inspector import audit
from tests.checkpoints import Spec, write, write_file
from tests.hub.stand_in import StandIn, commit_of
from tests.judged import codes
from tests.sparse_models import TINY, llama

RANK = 4
WIDTHS = {"q_proj": (64, 64), "v_proj": (64, 32)}


def adapter(folder: Path, base: str | None, **more: Any) -> Path:
    """LoRA on queries and values of the tiny Llama."""
    spec: Spec = {}
    for layer in range(TINY["num_hidden_layers"]):
        for module, (inputs, outputs) in WIDTHS.items():
            path = f"base_model.model.model.layers.{layer}.self_attn.{module}"
            spec[f"{path}.lora_A.weight"] = ("F32", (RANK, inputs))
            spec[f"{path}.lora_B.weight"] = ("F32", (outputs, RANK))
    folder.mkdir()
    write_file(folder / "adapter_model.safetensors", spec)
    config = {"peft_type": "LORA", "r": RANK, "target_modules": [*WIDTHS], "base_model_name_or_path": base, **more}
    (folder / "adapter_config.json").write_text(json.dumps(config), encoding="utf-8")
    return folder


TRAINED = TINY["num_hidden_layers"] * RANK * sum(map(sum, WIDTHS.values()))


def test_the_base_is_named_and_not_requested(hub: StandIn, tmp_path: Path) -> None:
    hub.add("org/adapter", adapter(tmp_path / "a", "org/tiny"))
    audited = audit("org/adapter")
    assert [one.facts["base"] for one in audited.findings if one.code == "A901"] == ["org/tiny"]
    assert audited.counts.expected_parameters is None
    assert audited.base is None
    assert not hub.requests("org/tiny")


def test_with_its_base_it_is_exact(hub: StandIn, tmp_path: Path) -> None:
    hub.add("org/adapter", adapter(tmp_path / "a", "org/tiny"))
    audited = audit("org/adapter", with_base=True)
    assert audited.verdict == "clean", audited.findings
    assert audited.counts.expected_parameters == audited.counts.unique_parameters == TRAINED
    assert audited.base is not None
    assert audited.base.verdict == "clean"
    assert audited.base.checkpoint.commit == commit_of("org/tiny", "main")
    assert audited.base.counts.unique_parameters == audited.base.counts.expected_parameters
    sent = [one for one in hub.requests("org/tiny") if "/resolve/" in one.path]
    assert sent
    assert all(commit_of("org/tiny", "main") in one.path for one in sent)


def test_the_revision_that_the_adapter_pins_is_read(hub: StandIn, tmp_path: Path) -> None:
    hub.add("org/adapter", adapter(tmp_path / "a", "org/tiny", revision="v1"))
    wide = write(tmp_path / "wide", dict(llama({**TINY, "hidden_size": 128})), {**TINY, "hidden_size": 128})
    tiny = hub.repositories["org/tiny"]
    tiny.commits["1" * 40] = wide
    tiny.branches["v1"] = "1" * 40
    audited = audit("org/adapter", with_base=True)
    assert audited.base is not None
    assert audited.base.checkpoint.commit == "1" * 40
    assert codes(audited) == {"A907"}
    assert [
        one.help.endswith("names this one, which it does not fit") for one in audited.findings if one.code == "A907"
    ]


@pytest.mark.parametrize("found", ["org/absent", "org/tiny@main", "org/tiny/sub", "datasets/org/tiny", "tiny one"])
@pytest.mark.parametrize("with_token", [False, True])
def test_a_base_that_cannot_be_read_is_reported(
    hub: StandIn, tmp_path: Path, found: str, with_token: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if with_token:
        monkeypatch.setenv("HF_TOKEN", StandIn.token)
    hub.add("org/adapter", adapter(tmp_path / "a", found))
    audited = audit("org/adapter", with_base=True)
    assert audited.verdict == "clean"
    assert [one.code for one in audited.findings] == ["A901", "A912"]
    assert StandIn.token not in str(audited)
    assert audited.counts.unique_parameters == TRAINED
    assert audited.counts.expected_parameters is None


@pytest.mark.parametrize(
    "hostile", ["/etc", "../../etc", "~/models", "s3://bucket/base", "http://127.0.0.1:1/base", "zip://x::y", "", None]
)
def test_a_config_cannot_choose_a_path_or_an_address(hub: StandIn, tmp_path: Path, hostile: str | None) -> None:
    hub.add("org/adapter", adapter(tmp_path / "a", hostile))
    audited = audit("org/adapter", with_base=True)
    assert [one.code for one in audited.findings] == ["A901", "A912"]
    assert all("org/adapter" in one.path or "/store/" in one.target for one in hub.requests("/api/"))


def test_a_private_base_is_reported_without_the_token(hub: StandIn, tmp_path: Path, single: Path) -> None:
    hub.add("org/adapter", adapter(tmp_path / "a", "org/secret"))
    hub.add("org/secret", single, private=True)
    audited = audit("org/adapter", with_base=True)
    assert [one.code for one in audited.findings] == ["A901", "A912"]


def test_a_local_adapter_with_a_base_on_the_hub(hub: StandIn, tmp_path: Path, folder: Path) -> None:
    local = adapter(tmp_path / "a", "org/tiny")
    for audited in (
        audit(str(local), with_base=True),
        audit(str(local), base="org/tiny"),
        audit(str(local), base=str(folder)),
        audit(str(local), base=str(folder / "config.json")),
    ):
        assert audited.counts.expected_parameters == TRAINED
        assert audited.verdict == "clean"


def test_a_base_without_weights_is_enough(hub: StandIn, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    bare.mkdir()
    (bare / "config.json").write_text(json.dumps(TINY), encoding="utf-8")
    hub.add("org/bare", bare)
    hub.add("org/adapter", adapter(tmp_path / "a", "org/bare"))
    audited = audit("org/adapter", with_base=True)
    assert audited.counts.expected_parameters == TRAINED
    assert audited.verdict == "clean"
    assert "config only" in str(audited)


def test_a_damaged_base_keeps_its_own_verdict(hub: StandIn, tmp_path: Path) -> None:
    spec = {name: entry for name, entry in llama(TINY) if "layers.1.mlp.up_proj" not in name}
    hub.add("org/broken", write(tmp_path / "broken", spec, TINY))
    hub.add("org/adapter", adapter(tmp_path / "a", "org/broken"))
    audited = audit("org/adapter", with_base=True)
    assert audited.verdict == "clean"
    assert audited.base is not None
    assert codes(audited.base) == {"N403"}
    assert "error[N403] tensor-missing" in str(audited)
