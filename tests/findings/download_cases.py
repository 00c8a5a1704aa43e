"""Downloads of a repository with one fault each, one for each finding about downloads."""

from __future__ import annotations

import os
from collections.abc import Callable
from hashlib import sha1
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec.structs import replace

from inspector.comparing.checkpoints import compare_audits
from inspector.comparing.files import with_files
from inspector.comparing.result import Comparison
from inspector.loader.index import Index
from inspector.loader.sources.source import RepositoryFile
from tests.checkpoints import genuine
from tests.judged import judged
from tests.sparse_models import LLAMA8B

COMMIT = "8cde5ca8380496c9a6cc7ef3a8b46a0372a1d920"
SHARDS = {f"model-0000{n}-of-00004.safetensors": 5_000_000 - n for n in range(1, 5)}
TEXT = "{}\n"
OID = sha1(f"blob {len(TEXT)}\0{TEXT}".encode()).hexdigest()
TREE = {
    **{name: RepositoryFile(size, "0" * 64) for name, size in SHARDS.items()},
    "config.json": RepositoryFile(len(TEXT), None, OID),
    "tokenizer.json": RepositoryFile(len(TEXT), None, OID),
    "README.md": RepositoryFile(len(TEXT), None, OID),
}
"""Four shards and small files of a Llama repository."""


def changed_download(change: Callable[[Path], object] = lambda folder: None) -> Comparison:
    """The comparison of a changed download with its repository."""
    audited = judged(genuine(LLAMA8B), LLAMA8B)
    index = Index("config.json", dict.fromkeys(audited.checkpoint.tensors, next(iter(SHARDS))), {}, {}, ())
    weights = replace(audited.checkpoint, lost=dict.fromkeys(SHARDS, ()), index=index)
    with TemporaryDirectory() as place:
        folder = Path(place)
        for name, file in TREE.items():
            if file.oid is None:
                (folder / name).touch()
                os.truncate(folder / name, file.size)
            else:
                (folder / name).write_text(TEXT, encoding="utf-8")
        change(folder)
        local = replace(audited, checkpoint=replace(weights, source="Meta-Llama-3-8B", folder=place))
        stated = replace(weights, tree=TREE, commit=COMMIT, address="meta-llama/Meta-Llama-3-8B")
        return with_files(compare_audits(local, replace(audited, checkpoint=stated)))


def two_commits() -> Comparison:
    """The comparison of two commits of a repository."""
    audited = judged(genuine(LLAMA8B), LLAMA8B)
    before = replace(audited.checkpoint, tree=TREE, commit=COMMIT, address="meta-llama/Meta-Llama-3-8B")
    changed = {**TREE, "config.json": RepositoryFile(3, None, "1" * 40), "LICENSE": RepositoryFile(9, None, OID)}
    after = replace(before, tree={name: file for name, file in changed.items() if name != "tokenizer.json"})
    return with_files(compare_audits(replace(audited, checkpoint=before), replace(audited, checkpoint=after)))


SECOND = "model-00002-of-00004.safetensors"
DOWNLOADS: dict[str, Callable[[], Comparison]] = {
    "download-incomplete": lambda: changed_download(lambda folder: (folder / SECOND).unlink()),
    "download-differs": lambda: changed_download(lambda folder: os.truncate(folder / SECOND, 3_000_000)),
    "download-config-differs": lambda: changed_download(lambda folder: (folder / "config.json").write_text("[]\n")),
    "download-weights-extra": lambda: changed_download(
        lambda folder: (folder / "model-00002-of-00003.safetensors").write_text("x")
    ),
    "download-leaves-out": lambda: changed_download(lambda folder: (folder / "README.md").unlink()),
    "repositories-differ": two_commits,
}
