"""Objects beside the weights in a pickle that the library of the file needs."""

from __future__ import annotations

import pytest

from inspector.auditing.identity.kept_objects import with_reader
from inspector.findings.finding import Place
from inspector.findings.header.pickle import PickleHoldsObjects
from tests.checkpoints import Spec
from tests.judged import judged


def layers(path: str, *others: str) -> Spec:
    """Two layers of a model without a config. others: further tensors."""
    spec: Spec = {
        f"{path}.{layer}.self_attn.{part}_proj.weight": ("F32", (16, 16)) for layer in range(2) for part in "qkv"
    }
    return spec | dict.fromkeys(others, ("F32", (40, 16)))


@pytest.mark.parametrize(("spec", "names", "named"), [
    (layers("decoder.sentence_encoder.layers"), ("argparse.Namespace",), True),
    (layers("encoder.layers", "encoder.version", "decoder.output_projection.weight"), ("argparse.Namespace",), True),
    (layers("decoder.sentence_encoder.layers"), ("pathlib.PosixPath",), False),
    (layers("some.layers"), ("argparse.Namespace",), False),
])  # fmt: skip
def test_the_help_names_the_library_that_reads_them(spec: Spec, names: tuple[str, ...], named: bool) -> None:
    audited = judged(spec, None)
    held = PickleHoldsObjects(place=Place(file="model.pt"), names=names, count=1)
    (found,) = (
        one for one in with_reader(audited.with_findings([*audited.findings, held])).findings if one.code == "H141"
    )
    assert ("fairseq" in found.remedy().words) is named
    assert "state dict" in found.remedy().words
