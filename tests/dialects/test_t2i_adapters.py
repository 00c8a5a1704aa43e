"""T2I-Adapters on their own, in the names of TencentARC and of diffusers."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from inspector.auditing.start import audit
from tests.checkpoints import Spec, write, write_file
from tests.judged import codes, diffusers_records, spec_of

ALL = diffusers_records("T2IAdapter")


def bare(name: str) -> str:
    return name.removeprefix("adapter.")


def published(name: str) -> str:
    """TencentARC's name: a light network keeps the blocks of a stage below `body`, a full one numbers all of them."""
    name = re.sub(r"body\.(\d)\.(in_conv)", lambda one: f"body.{2 * int(one[1])}.{one[2]}", bare(name))
    return re.sub(r"body\.(\d)\.resnets\.(\d)", lambda one: f"body.{2 * int(one[1]) + int(one[2])}", name)


def light(name: str) -> str:
    return bare(name).replace(".resnets.", ".body.")


def writers(config: dict[str, object]) -> list[Callable[[str], str]]:
    own = light if config["adapter_type"] == "light_adapter" else published
    return [str, bare] if config["num_res_blocks"] != 2 and own is published else [str, bare, own]


@pytest.mark.parametrize("record", ALL, ids=lambda one: one["variant"] or "default")
def test_a_network_without_a_config_is_recognised_by_its_names(record: dict[str, object], tmp_path: Path) -> None:
    spec = spec_of(record)
    for number, rename in enumerate(writers(record["config"])):  # type: ignore[arg-type]
        path = tmp_path / f"{number}.safetensors"
        write_file(path, {rename(name): entry for name, entry in spec.items()})
        audited = audit(str(path))
        assert (audited.verdict, list(audited.components), codes(audited)) == ("clean", ["t2i_adapter"], set())
        assert audited.counts.unique_parameters == audited.counts.expected_parameters


@pytest.mark.parametrize("rename", [str, bare, published])
@pytest.mark.parametrize(("lost", "code"), [
    ("adapter.body.1.resnets.1.block1.weight", "N403"), ("adapter.body.3.resnets.1.", "N404"),
    ("adapter.conv_in.bias", "N403"),
])  # fmt: skip
def test_what_it_lacks_is_named_as_in_the_file(
    rename: Callable[[str], str], lost: str, code: str, tmp_path: Path
) -> None:
    spec: Spec = {rename(name): entry for name, entry in spec_of(ALL[1]).items() if not name.startswith(lost)}
    write_file(tmp_path / "t2iadapter.safetensors", spec)
    audited = audit(str(tmp_path / "t2iadapter.safetensors"))
    assert codes(audited) == {code}
    if code == "N403":
        (finding,) = (one for one in audited.findings if one.severity == "error")
        assert finding.place.tensor == rename(lost)


def test_published_names_under_the_config_of_diffusers_need_its_converter(tmp_path: Path) -> None:
    spec = spec_of(ALL[0])
    renamed = {published(name): entry for name, entry in spec.items()}
    for number, (stored, expected) in enumerate(((spec, set()), (renamed, {"N470"}))):
        folder = write(tmp_path / str(number), stored, ALL[0]["config"])
        (folder / "model.safetensors").rename(folder / "diffusion_pytorch_model.safetensors")
        assert codes(audit(str(folder))) == expected
