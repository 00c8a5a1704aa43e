"""Parsing of sources: addresses of the Hub, paths and mistakes, case by case."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.loader.sources.address import Address, InvalidAddress, address_of, with_options

HOSTS = frozenset({"hub.example", "127.0.0.1:8000"})


def of(text: str, exists: bool = False) -> tuple[str, str, str | None, str, str] | None:
    found = address_of(text, exists=exists, hosts=HOSTS)
    if isinstance(found, InvalidAddress):
        return None
    return found.kind, found.repository, found.revision, found.inside, found.repo_type


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("org/name", ("hub", "org/name", None, "", "model")),
        ("org/name@v1.0", ("hub", "org/name", "v1.0", "", "model")),
        ("org/name@refs/pr/3", ("hub", "org/name", "refs/pr/3", "", "model")),
        ("hf://org/name", ("hub", "org/name", None, "", "model")),
        ("hf://org/name@main/sub/folder", ("hub", "org/name", "main", "sub/folder", "model")),
        ("hf://org/name@refs/pr/3/sub", ("hub", "org/name", "refs/pr/3", "sub", "model")),
        ("hf://org/name@a%2Fb/sub", ("hub", "org/name", "a/b", "sub", "model")),
        ("hf://org/name/sub", ("hub", "org/name", None, "sub", "model")),
        ("hf://models/org/name", ("hub", "org/name", None, "", "model")),
        ("hf://datasets/org/name@v1", ("hub", "org/name", "v1", "", "dataset")),
        ("hf://gpt2", ("hub", "gpt2", None, "", "model")),
        ("https://huggingface.co/org/name", ("hub", "org/name", None, "", "model")),
        ("https://huggingface.co/org/name/", ("hub", "org/name", None, "", "model")),
        ("https://hf.co/org/name?x=1#files", ("hub", "org/name", None, "", "model")),
        ("https://huggingface.co/gpt2", ("hub", "gpt2", None, "", "model")),
        ("https://hf.co/gpt2/blob/main/a.safetensors", ("hub", "gpt2", "main", "a.safetensors", "model")),
        ("https://huggingface.co/org/name/tree/v1/sub", ("hub", "org/name", "v1", "sub", "model")),
        ("https://huggingface.co/org/name/tree/refs%2Fpr%2F4", ("hub", "org/name", "refs/pr/4", "", "model")),
        ("https://huggingface.co/org/name/tree/refs/pr/4/x", ("hub", "org/name", "refs/pr/4", "x", "model")),
        (
            "https://huggingface.co/org/name/resolve/main/a.safetensors?download=true",
            ("hub", "org/name", "main", "a.safetensors", "model"),
        ),
        ("https://huggingface.co/datasets/org/name/tree/main", ("hub", "org/name", "main", "", "dataset")),
        ("http://127.0.0.1:8000/org/name", ("hub", "org/name", None, "", "model")),
        ("https://hub.example/org/name/tree/main", ("hub", "org/name", "main", "", "model")),
        ("https://elsewhere.example/org/name", ("url", "", None, "", "model")),
        ("s3://bucket/model", ("url", "", None, "", "model")),
        ("zip://x::s3://bucket/a.zip", ("url", "", None, "", "model")),
        ("./org/name", ("path", "", None, "", "model")),
        ("/org/name", ("path", "", None, "", "model")),
        ("name", ("path", "", None, "", "model")),
        ("a/b/c", ("path", "", None, "", "model")),
        ("folder/model.safetensors", ("path", "", None, "", "model")),
        ("C:\\models\\x", ("path", "", None, "", "model")),
        ("org/name@", ("path", "", None, "", "model")),
        ("", ("path", "", None, "", "model")),
        ("org/name@a b", None),
        ("hf://", None),
        ("hf://org/name@", None),
        ("hf://org/name@/x", None),
        ("hf://org/name@main/../x", None),
        ("hf://../name", None),
        ("hf://org/na--me", None),
        ("https://huggingface.co/", None),
        ("https://huggingface.co/org/name/discussions/4", None),
        ("https://user:secret@huggingface.co/org/name", None),
        ("https://huggingface.co/org/name/tree", None),
    ],
)  # fmt: skip
def test_parsed_sources(text: str, wanted: tuple[str, str, str | None, str, str] | None) -> None:
    assert of(text) == wanted


def test_a_path_takes_precedence_unless_the_hub_is_named() -> None:
    assert of("org/name", exists=True) == ("path", "", None, "", "model")
    assert of("https:", exists=True) == ("path", "", None, "", "model")
    assert of("hf://org/name", exists=True) == ("hub", "org/name", None, "", "model")


def test_options() -> None:
    address = address_of("org/name", exists=False)
    assert isinstance(address, Address)
    found = with_options(address, "v1", "/sub/x/", "dataset")
    assert isinstance(found, Address)
    assert found.text == "datasets/org/name@v1/sub/x"
    assert isinstance(with_options(found, "v2", None, None), InvalidAddress)
    assert with_options(found, "v1", None, None) == found
    assert isinstance(with_options(address, None, "../x", None), InvalidAddress)
    assert isinstance(with_options(address, None, None, "bucket"), InvalidAddress)
    assert isinstance(with_options(Address("path", "x"), "v1", None, None), InvalidAddress)
    secret = address_of("https://user:secret@hub.example/x/y", exists=False)
    assert isinstance(secret, InvalidAddress)
    assert "secret" not in secret.given + secret.problem


@pytest.mark.complete
@given(st.text(max_size=60), st.sampled_from(["", "hf://", "https://hub.example/", "org/name@", "hf://org/name/"]))
def test_any_text_is_an_address_or_a_mistake(text: str, before: str) -> None:
    found = address_of(before + text, exists=False, hosts=HOSTS)
    if isinstance(found, Address) and found.kind == "hub":
        assert not {"..", ".", ""} & set(found.inside.split("/")) or not found.inside
        assert found.repository.isascii()
        assert found.repository.count("/") <= 1
        assert not any(mark in found.repository for mark in "?#%@ ")
