"""Original shapes stored as tensor values (`weight_shape`): read only where nothing else determines the count."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from inspector.auditing.result import Audit
from inspector.auditing.start import audit
from inspector.loader.dtype import BITS
from tests.hub.conftest import Environment
from tests.hub.stand_in import StandIn
from tests.quantization.stored import Spec, checkpoint

NAME = "ct-w3-channel-odd"


def strange_names() -> tuple[Spec, int]:
    """A checkpoint with names that no definition has."""
    _, spec, parameters = checkpoint(NAME)
    return {name.replace("self_attn", "mixer").replace("mlp", "ffn"): entry for name, entry in spec.items()}, parameters


def written(folder: Path, spec: Spec, shapes: Mapping[str, tuple[int, int]]) -> Path:
    """Write the listing to a file in which each `weight_shape` has its values and all other data is zero."""
    header: dict[str, object] = {}
    data = b""
    for name, (dtype, shape) in spec.items():
        elements = 1
        for dim in shape:
            elements *= dim
        length = elements * BITS[dtype] // 8
        kept = shapes.get(name.removesuffix(".weight_shape")) if name.endswith(".weight_shape") else None
        values = b"".join(number.to_bytes(8, "little") for number in kept) if kept else bytes(length)
        header[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [len(data), len(data) + length]}
        data += values
    text = json.dumps(header, separators=(",", ":")).encode()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.safetensors").write_bytes(len(text).to_bytes(8, "little") + text + data)
    return folder


def true_shapes(spec: Spec) -> dict[str, tuple[int, int]]:
    """Module -> (outputs, inputs) of the fixture's model."""
    config, _, _ = checkpoint(NAME)
    hidden, inner = config["hidden_size"], config["intermediate_size"]
    modules = [name.removesuffix(".weight_packed") for name in spec if name.endswith(".weight_packed")]
    outputs = {module: spec[f"{module}.weight_packed"][1][0] for module in modules}
    query = config["num_attention_heads"] * config.get("head_dim", hidden // config["num_attention_heads"])
    inputs = {"down_proj": inner, "o_proj": query}
    return {module: (outputs[module], inputs.get(module.rsplit(".", 1)[-1], hidden)) for module in modules}


def values_reason(audited: Audit) -> str:
    """The report's reason for not checking values."""
    return next(one.because for one in audited.skipped if one.check == "values")


def test_stored_shapes_determine_what_headers_leave_open(tmp_path: Path) -> None:
    spec, parameters = strange_names()
    shapes = true_shapes(spec)
    audited = audit(str(written(tmp_path, spec, shapes)))
    assert audited.counts.unique_parameters == parameters
    assert "packing-undecided" not in {finding.name for finding in audited.findings}
    assert values_reason(audited) == f"headers only, and the shapes stored in {len(shapes)} small tensors"


def test_stored_shapes_are_not_read_where_the_definition_decides(tmp_path: Path) -> None:
    config, spec, parameters = checkpoint(NAME)
    (tmp_path / "config.json").write_text(json.dumps(config))
    audited = audit(str(written(tmp_path, spec, {})))
    assert audited.counts.unique_parameters == parameters
    assert values_reason(audited) == "headers only: no tensor data was read"


@pytest.mark.parametrize("outputs", [0, 1])
def test_an_impossible_stored_shape_is_reported(tmp_path: Path, outputs: int) -> None:
    spec, _ = strange_names()
    shapes = true_shapes(spec)
    module = next(iter(shapes))
    rows, inputs = shapes[module]
    audited = audit(str(written(tmp_path, spec, {**shapes, module: (rows + outputs, inputs + (1 - outputs) * 4096)})))
    found = {finding.name: finding for finding in audited.findings}
    assert "packed-widths-disagree" in found
    assert module in found["packed-widths-disagree"].message.replace("weight_packed", "")
    assert "packing-undecided" in found


def test_stored_shapes_are_read_over_the_network_too(tmp_path: Path) -> None:
    spec, parameters = strange_names()
    folder = written(tmp_path / "model", spec, true_shapes(spec))
    with StandIn() as hub, Environment() as environment:
        hub.add("org/model", folder)
        environment.setenv("HF_ENDPOINT", hub.endpoint)
        environment.setenv("HF_HOME", str(tmp_path / "home"))
        audited = audit("org/model")
    assert audited.counts.unique_parameters == parameters
    assert values_reason(audited).startswith("headers only, and the shapes")
