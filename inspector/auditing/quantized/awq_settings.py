"""Settings of AWQ that a version of transformers refuses, whatever the weights are.

Measured with `AutoQuantizationConfig.from_dict` of transformers 5.23 and 4.57 (`AwqConfig.post_init`): a version or a
backend that it does not know is a ValueError, a version that is no text an AttributeError.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from inspector.auditing.result import Audit
from inspector.loading.given import Recorded
from inspector.loading.outcome import REFUSES
from inspector.loading.tables import NEWEST, OLDER

VERSIONS: Final = {
    NEWEST: frozenset({"gemm", "gemv", "gemv_fast", "llm-awq"}),
    OLDER: frozenset({"gemm", "gemv", "exllama", "ipex"}),
}
BACKENDS: Final = {
    NEWEST: frozenset(
        {"autoawq", "llm-awq", "auto", "auto_trainable", "machete", "marlin", "exllama_v2", "exllama_v1", "gemm",
         "gemm_triton", "gemv", "gemv_fast", "torch_awq", "torch_fused_awq"}
    ),
    OLDER: frozenset({"autoawq", "llm-awq"}),
}  # fmt: skip
STORED: Final = {"awq": "gemm", "awq-gemv": "gemv", "awq-gemv-fast": "gemv_fast", "marlin": "marlin"}
"""Scheme of the weights -> the version that they are stored in."""


def refused_settings(audited: Audit) -> Mapping[str, Recorded]:
    """Major version -> why it refuses the settings of intact AWQ weights."""
    config, unpacked = audited.checkpoint.config, audited.unpacked
    if config is None or unpacked is None or unpacked.settings.base.method != "awq":
        return {}
    block = config.values.get("quantization_config")
    stored = next((STORED[name] for name in unpacked.schemes if name in STORED), None)
    return {} if not isinstance(block, dict) or stored is None else dict(_refused(block, stored))


def _refused(block: Mapping[str, Any], stored: str) -> Iterator[tuple[str, Recorded]]:
    for major in (NEWEST, OLDER):
        version, backend = block.get("version", "gemm"), block.get("backend", "autoawq")
        if version is None and major == NEWEST:
            version = block.get("format", "gemm")
        if not isinstance(version, str) or version.lower() not in VERSIONS[major]:
            yield major, _recorded("version", version, stored)
        elif not isinstance(backend, str) or _spelled(backend, major) not in BACKENDS[major]:
            yield major, _recorded("backend", backend, "autoawq")


def _spelled(backend: str, major: str) -> str:
    return backend.lower() if major == NEWEST else backend


def _recorded(key: str, stated: Any, right: str) -> Recorded:
    because = f"it knows no {key} {json.dumps(stated)} of AWQ"
    return Recorded(REFUSES, because, None if stated == right else (key, right))
