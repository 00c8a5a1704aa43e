"""What transformers does with buffers of integers that are stored as floats, which it rounds down.

Measured with transformers 5.23 and 4.57.6 and random floats, which it changes; whole ones stay as they are.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.auditing.start import audit
from inspector.loading.outcome import COMPLETE, UNKNOWN
from inspector.loading.tables import NEWEST, OLDER
from tests.judged import base_record, spec_of
from tests.loads.damage import healthy, write
from tests.loads.test_loads import of_version

NGRAMS = "language_model.layers.0.ple.ple_embedding"


@pytest.mark.thinned
@pytest.mark.parametrize(("model_type", "suffix", "buffer", "dtype", "major", "outcome"), [
    ("bros", "Model", "embeddings.position_ids", "F16", OLDER, UNKNOWN),
    ("swin", "Backbone", "encoder.layers.0.blocks.0.attention.self.relative_position_index", "F32", OLDER, UNKNOWN),
    ("resnet", "Model", "embedder.embedder.normalization.num_batches_tracked", "F32", OLDER, UNKNOWN),
    ("resnet", "Model", "embedder.embedder.normalization.running_mean", "F16", OLDER, COMPLETE),
    ("bros", "Model", "embeddings.position_ids", "I64", OLDER, COMPLETE),
    ("bros", "Model", "embeddings.position_ids", "F16", NEWEST, UNKNOWN),
    ("mra", "MaskedLM", "mra.embeddings.position_ids", "F32", NEWEST, UNKNOWN),
    ("resnet", "Model", "embedder.embedder.normalization.num_batches_tracked", "F32", NEWEST, UNKNOWN),
    ("resnet", "Model", "embedder.embedder.normalization.running_mean", "F16", NEWEST, COMPLETE),
    ("bros", "Model", "embeddings.position_ids", "I64", NEWEST, COMPLETE),
    ("qwen4_exp", "ExpModel", f"{NGRAMS}.ngram_heads_offsets", "F16", NEWEST, UNKNOWN),
    ("qwen4_exp", "ExpModel", f"{NGRAMS}.ngram_embedding.shard_1.weight", "F16", NEWEST, COMPLETE),
])  # fmt: skip
def test_buffers_of_integers(
    model_type: str, suffix: str, buffer: str, dtype: str, major: str, outcome: str, tmp_path: Path
) -> None:
    record = base_record(model_type, suffix)
    spec = spec_of(record)
    config = {"model_type": model_type, **record["config"], "architectures": [record["class"]]}
    changed = {**spec, buffer: (dtype, spec[buffer][1])}
    load = of_version(audit(str(write(healthy(changed, config), tmp_path))), major)
    assert load is not None
    assert (load.outcome, load.missing) == (outcome, 0)


@pytest.mark.parametrize(("model_type", "suffix", "weight"), [
    ("gemma2", "CausalLM", "model.layers.0.mlp.gate_proj.weight"), ("mamba", "CausalLM", "backbone.norm_f.weight"),
    ("bert", "MaskedLM", "bert.encoder.layer.1.attention.self.query.weight"),
])  # fmt: skip
@pytest.mark.parametrize("dtype", ["F4", "F6_E2M3", "F6_E3M2"])
def test_dtypes_of_less_than_a_byte(model_type: str, suffix: str, weight: str, dtype: str, tmp_path: Path) -> None:
    """Measured with transformers 5.23, which raises where it reads one, and does not read an unexpected tensor."""
    record = base_record(model_type, suffix)
    config = {"model_type": model_type, **record["config"], "architectures": [record["class"]]}
    spec = spec_of(record)
    for name, outcome in ((weight, "refuses"), ("extra.weight", COMPLETE)):
        changed = {**spec, name: (dtype, spec[weight][1])}
        audited = audit(str(write(healthy(changed, config), tmp_path / name)))
        load = of_version(audited, NEWEST)
        assert load is not None and load.outcome == outcome
        assert [one.code for one in audited.findings if one.severity != "note"] == [
            "T603" if name == weight else "N405"
        ]
