"""Stacked experts of mlx-lm at another place than it reads them.

Measured with mlx-lm 0.32.2 on Gemma 4: it refuses them ("Received ... parameters not in model"), and loads what mend
writes.
"""

from __future__ import annotations

from typing import Any, Final

import pytest

from inspector.mending.patterns import renamed
from inspector.mending.plan import plan_of
from tests.adapters.records import Spec
from tests.checkpoints import genuine
from tests.dialects.test_mlx_lm import SETTINGS, SPARSE, STACKS, as_mlx_stacks, audited, models


def quantized(spec: Spec) -> Spec:
    """The linear layers in 4 bits, as MLX packs them."""
    made: Spec = {}
    for name, (dtype, shape) in spec.items():
        if not name.endswith("_proj.weight"):
            made[name] = (dtype, shape)
            continue
        few, module = (*shape[:-1], shape[-1] // 32), name.removesuffix(".weight")
        made |= {name: ("U32", (*shape[:-1], shape[-1] // 8))}
        made |= {f"{module}.{one}": ("BF16", few) for one in ("scales", "biases")}
    return made


def recorded(model_type: str) -> tuple[Spec, dict[str, Any]]:
    """The file that mlx-lm wrote, and its config."""
    record = models()[model_type]
    return {name: (dtype, tuple(shape)) for name, (dtype, shape) in record["quantized"].items()}, record["config"]


GEMMA: Final = (quantized(as_mlx_stacks(genuine(SPARSE))), SPARSE)


@pytest.mark.thinned
@pytest.mark.parametrize(("of", "here", "there"), [
    ("gemma4", f".{STACKS}.", ".switch_mlp."), ("gemma4", f".{STACKS}.", ".experts.switch_mlp."),
    ("qwen3_moe", ".mlp.switch_mlp.", ".switch_mlp."), ("qwen3_moe", ".mlp.switch_mlp.", ".mlp.experts.switch_glu."),
    ("deepseek_v3", ".mlp.switch_mlp.", ".switch_mlp."), ("longcat_flash", ".mlp.switch_mlp.", ".switch_mlp."),
])  # fmt: skip
def test_stacks_at_another_place_get_the_names_of_mlx(of: str, here: str, there: str) -> None:
    spec, config = GEMMA if of == "gemma4" else recorded(of)
    config = {**config, "quantization": SETTINGS}
    moved = {name.replace(here, there): entry for name, entry in spec.items()}
    assert moved != spec
    found = audited(moved, config)
    assert {one.code for one in found.findings if one.severity == "error"} == {"N407"}
    steps = plan_of(found).steps
    changes = [(step.old, step.new) for step in steps if step.action == "rename"]
    assert {renamed(name, changes) for name in moved} == set(spec)
