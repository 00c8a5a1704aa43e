"""LoRA of language models under the names of the programs that train them."""

from __future__ import annotations

import pytest

from inspector.auditing.adapter.audit import audit_adapter
from inspector.auditing.adapter.base_read import BaseRead
from inspector.auditing.start import audit_loaded
from tests.adapters.records import Spec, alone, checkpoint, with_base
from tests.judged import codes
from tests.make_checkpoints import SMALL_LLAMA

BASE = BaseRead("base", audit_loaded(checkpoint({}, config=SMALL_LLAMA)))
TORCHTUNE = {f"layers.{{}}.attn.{name}.lora_{{}}.weight": width
             for name, width in {"q_proj": 64, "v_proj": 16, "output_proj": 64}.items()}  # fmt: skip
MISTRAL = {"layers.{}.attention.wq.lora_{}.weight": 64, "layers.{}.feed_forward.w1.lora_{}.weight": 160}
LITGPT = {"transformer.h.{}.attn.qkv.lora_{}": 80, "transformer.h.{}.attn.attn.lora_{}": 80}


def written(names: dict[str, int], ends: str = "AB", parts: int = 1) -> Spec:
    """Pairs of rank 4 in two layers. parts: of a joint matrix, each with a pair of its own."""
    spec: Spec = {}
    for layer in range(2):
        for name, rows in names.items():
            spec[name.format(layer, ends[0])] = ("BF16", (4 * parts, 64))
            spec[name.format(layer, ends[1])] = ("BF16", (rows, 4))
    return spec


NORMS: Spec = {f"layers.{layer}.{name}.weight": ("BF16", (64,)) for layer in range(2)
               for name in ("attention_norm", "ffn_norm")}  # fmt: skip
PROGRAMS = {"torchtune": written(TORCHTUNE, "ab"), "mistral-finetune": written(MISTRAL) | NORMS,
            "litgpt": written(LITGPT, parts=3)}  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_reads_its_own_names_and_loaders_of_its_base_do_not(program: str) -> None:
    spec = PROGRAMS[program]
    for audited, code in ((alone(spec, None), "N732"), (audit_adapter(checkpoint(spec), base=BASE), "N733")):
        (found,) = (one for one in audited.findings if one.code in ("N732", "N733"))
        assert (found.code, found.facts["program"]) == (code, program)
        assert found.facts["trained"] == (len(NORMS) if program.startswith("mistral") else 0)
        assert codes(audited) == ({"N733"} if code == "N733" else set())


@pytest.mark.parametrize("names", [
    {"model.layers.{}.self_attn.q_proj.lora_{}.weight": 64}, {"transformer.h.{}.attn.c_attn.lora_{}": 96},
    {"diffusion_model.layers.{}.attention.to_q.lora_{}.weight": 64},
    {**MISTRAL, "layers.{}.attention.other.lora_{}.weight": 64},
])  # fmt: skip
def test_names_of_other_programs(names: dict[str, int]) -> None:
    assert not any(one.code in ("N732", "N733") for one in alone(written(names), None).findings)


def test_half_of_a_pair_is_still_missing() -> None:
    spec = dict(PROGRAMS["torchtune"])
    del spec["layers.1.attn.q_proj.lora_b.weight"]
    assert codes(alone(spec, None)) & {"A902", "A916"}


def test_an_adapter_of_peft_is_none_of_these() -> None:
    spec: Spec = {f"base_model.model.{name}": entry for name, entry in written(MISTRAL).items()}
    values = {"peft_type": "LORA", "r": 4, "target_modules": ["wq", "w1"]}
    assert not any(one.code == "N733" for one in with_base(spec, values, SMALL_LLAMA).findings)
