"""The reference reader opens local files, including those in the cache, and none of a remote repository."""

from __future__ import annotations

from pathlib import Path

from huggingface_hub import snapshot_download

import inspector
from tests.hub.stand_in import StandIn

CHECK = "the reference reader"


def test_a_repository_is_not_checked(hub: StandIn) -> None:
    audited = inspector.audit("org/tiny", reference=True)
    requests = len(hub.seen)
    assert audited.reference is None
    assert [one.because for one in audited.skipped if one.check == CHECK] == ["no local safetensors file was read"]
    assert CHECK not in {one.check for one in inspector.audit("org/tiny").skipped}
    assert len(hub.seen) <= 2 * requests, "asking for it costs no request"


def test_files_of_the_cache_are_opened(hub: StandIn, tmp_path: Path) -> None:
    snapshot_download("org/tiny", cache_dir=tmp_path, endpoint=hub.endpoint, token=False)
    audited = inspector.audit("org/tiny", local_files_only=True, cache_dir=tmp_path, reference=True)
    assert audited.reference is not None
    assert [file.opens for file in audited.reference.files] == 4 * [True]
