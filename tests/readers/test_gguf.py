"""GGUF files built by hand are read to their tensors, config and names."""

from __future__ import annotations

import pytest

from inspector.dialects.gguf_config import config_of
from inspector.loader.formats.ggml_types import BY_NAME, TYPES, packed_of
from inspector.loader.formats.gguf import Split, judge_splits, read_gguf
from inspector.loader.formats.gguf_values import ArrayOf
from inspector.loader.layout import Layout
from tests.readers.file_builders import Gguf, reading, small_llama


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("version", [2, 3])
def test_versions_and_byte_orders(order: str, version: int) -> None:
    data = Gguf(order, version).file(
        [("a.weight", (4, 3), 0, 48), ("b", (2, 3, 5), 1, 60), ("scalar", (), 0, 4)],
        [
            ("general.architecture", "text", "llama"),
            ("llama.block_count", "u32", 7),
            ("llama.attention.head_count_kv", "[i32]", [4, 4, -1]),
            ("some.flag", "bool", 1),
            ("flags", "[bool]", [1, 0]),
            ("some.real", "f64", 0.5),
            ("tokens", "texts", ["one", "two"]),
        ],
    )
    found = read_gguf(reading(data), len(data), "model.gguf")
    assert [one.name for one in found.header.findings] == ["gguf-big-endian"] * (order == ">")
    assert found.types["llama.attention.head_count_kv"] == "[int32]"
    assert found.header.tensors == {
        "a.weight": Layout("F32", (3, 4), 12, 48),
        "b": Layout("F16", (5, 3, 2), 30, 60),
        "scalar": Layout("F32", (), 1, 4),
    }
    assert found.values["llama.block_count"] == 7
    assert found.values["llama.attention.head_count_kv"] == [4, 4, -1]
    assert found.values["some.flag"] is True
    assert found.values["flags"] == [True, False]
    assert found.values["some.real"] == 0.5
    assert found.values["tokens"] == ArrayOf("string", 2)
    assert (found.version, found.big_endian) == (version, order == ">")


@pytest.mark.parametrize("number", sorted(TYPES))
def test_every_type(number: int) -> None:
    blocks = TYPES[number]
    size = 3 * 2 * blocks.bytes
    data = Gguf().file([("t", (2 * blocks.elements, 3), number, size)])
    found = read_gguf(reading(data), len(data), "model.gguf")
    layout = found.header.tensors["t"]
    assert found.header.findings == ()
    assert (layout.dtype, layout.shape, layout.bytes) == (blocks.name, (3, 2 * blocks.elements), size)
    packed = packed_of(layout)
    assert (packed is None) == (blocks.elements == 1)
    if packed is not None:
        assert (packed.storage.dtype, packed.storage.shape) == ("U8", (3, 2 * blocks.bytes))
        assert packed.storage.bytes == layout.bytes
        assert packed.bits == blocks.bytes * 8 / blocks.elements


def test_types_are_reported_by_name_too() -> None:
    assert len(BY_NAME) == len(TYPES)
    assert BY_NAME["Q4_K"].bits == 4.5


def test_reading_in_pieces_gives_the_same_header() -> None:
    data = small_llama(40)

    def slow(offset: int, length: int) -> bytes:
        return data[offset : offset + min(length, 777)]

    whole = read_gguf(reading(data), len(data), "m.gguf")
    assert whole.header.findings == ()
    assert read_gguf(slow, len(data), "m.gguf") == whole


def test_a_vocabulary_is_skipped_and_not_stored() -> None:
    pairs = [("general.architecture", "text", "llama"), ("tokens", "texts", ["x" * 700] * 3000)]
    data = Gguf().file([("t", (8,), 0, 32)], pairs)
    read: list[int] = []

    def counting(offset: int, length: int) -> bytes:
        read.append(length)
        return data[offset : offset + length]

    found = read_gguf(counting, len(data), "m.gguf")
    assert found.values["tokens"] == ArrayOf("string", 3000)
    assert list(found.header.tensors) == ["t"]
    assert len(read) < 10


def test_alignment_moves_the_data() -> None:
    pairs = [("general.alignment", "u32", 256)]
    data = Gguf().file([("a", (3,), 0, 12), ("b", (3,), 0, 12)], pairs, alignment=256)
    found = read_gguf(reading(data), len(data), "m.gguf")
    assert found.header.findings == ()
    assert found.alignment == 256
    assert (found.header.header_bytes + 8) % 256 == 0


def test_a_last_tensor_need_not_be_padded() -> None:
    data = Gguf().file([("a", (3,), 0, 12)], lost=20)
    assert read_gguf(reading(data), len(data), "m.gguf").header.findings == ()


def test_parts_of_a_split_model() -> None:
    def part(number: int, names: tuple[str, ...], total: int = 3) -> bytes:
        pairs = [("split.no", "u16", number), ("split.count", "u16", 2), ("split.tensors.count", "i32", total)]
        return Gguf().file([(name, (8,), 0, 32) for name in names], pairs)

    one, two = part(0, ("a",)), part(1, ("b", "c"))
    files = [
        read_gguf(reading(one), len(one), "m-00001-of-00002.gguf"),
        read_gguf(reading(two), len(two), "m-00002-of-00002.gguf"),
    ]
    assert [file.split for file in files] == [Split(0, 2, 3), Split(1, 2, 3)]
    assert all(file.header.findings == () for file in files)
    assert judge_splits(files) == ()
    short = part(1, ("b",))
    files[1] = read_gguf(reading(short), len(short), "m-00002-of-00002.gguf")
    assert [found.name for found in judge_splits(files)] == ["gguf-split-disagrees"]
    other = read_gguf(reading(two), len(two), "m-00001-of-00002.gguf")
    assert [found.name for found in other.header.findings] == ["gguf-split-disagrees"]


def test_the_config_of_a_llama() -> None:
    data = small_llama()
    found = read_gguf(reading(data), len(data), "m.gguf")
    assert config_of(found.values, found.header.tensors) == {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "num_hidden_layers": 2,
        "hidden_size": 64,
        "intermediate_size": 96,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 16,
        "max_position_embeddings": 512,
        "vocab_size": 100,
        "attention_bias": False,
        "mlp_bias": False,
        "tie_word_embeddings": True,
    }


def test_attention_is_stated_per_layer() -> None:
    heads = {"attention.head_count_kv": [0, 2, 0, 2], "block_count": 4}
    jamba = config_of({"general.architecture": "jamba", **{f"jamba.{key}": value for key, value in heads.items()}}, {})
    assert jamba is not None
    assert (jamba["attn_layer_offset"], jamba["attn_layer_period"], jamba["num_key_value_heads"]) == (1, 2, 2)
    lfm2 = config_of({"general.architecture": "lfm2", **{f"lfm2.{key}": value for key, value in heads.items()}}, {})
    assert lfm2 is not None
    assert lfm2["layer_types"] == ["conv", "full_attention", "conv", "full_attention"]
    assert lfm2["num_key_value_heads"] == 2


@pytest.mark.parametrize(
    ("values", "model_type"),
    [
        ({"general.architecture": "llama"}, "llama"),
        ({"general.architecture": "llama", "llama.expert_count": 8}, "mixtral"),
        ({"general.architecture": "deepseek2", "deepseek2.expert_gating_func": 1}, "deepseek_v2"),
        ({"general.architecture": "deepseek2", "deepseek2.expert_gating_func": 2}, "deepseek_v3"),
    ],
)
def test_an_architecture_that_stands_for_two_types(values: dict[str, object], model_type: str) -> None:
    config = config_of(values, {})
    assert config is not None and config["model_type"] == model_type


@pytest.mark.parametrize("values", [{}, {"general.architecture": 3}, {"general.architecture": "jais"}])
def test_an_unknown_architecture_states_nothing(values: dict[str, object]) -> None:
    assert config_of(values, {}) is None


@pytest.mark.parametrize("name", ["b", "ffn_norm.weight", "post_attention_norm.weight", "output_norm.weight"])
@pytest.mark.parametrize(("counted", "data", "of_writer"), [(1, 160, True), (3, 191, True), (1, 96, False),
                                                            (1, 400, False)])  # fmt: skip
def test_a_header_that_counts_more_than_it_lists(name: str, counted: int, data: int, of_writer: bool) -> None:
    """A file that ends with the tensors it lists was written so, and another download has the same fault.

    name: its length decides how many zeros follow the header, which may look like an entry. counted: tensors too many.
    """
    made = Gguf()
    head = made.head(2 + counted, 0) + made.entry("output.weight", (32, 1), 0, 0) + made.entry(name, (8,), 0, 128)
    content = head + bytes(-len(head) % 32) + bytes([7]) * data
    (finding,) = read_gguf(reading(content), len(content), "model.gguf").header.findings
    assert (finding.remedy().words == "convert the model again with a current llama.cpp") is of_writer
    if of_writer:
        assert finding.title == f"model.gguf: the header counts {2 + counted} tensors and lists 2"


@pytest.mark.parametrize("shape, alike", [((8,), True), ((16,), False)])
def test_a_tensor_twice_names_whether_the_entries_are_alike(shape: tuple[int, ...], alike: bool) -> None:
    data = Gguf().file([("t", (8,), 0, 32), ("t", shape, 0, 64)])
    (found,) = (one for one in read_gguf(reading(data), len(data), "m.gguf").header.findings if one.code == "H106")
    assert found.facts["alike"] is alike
    assert "current converter of llama.cpp" in str(found.help)
    assert ("without the second entry" in str(found.help)) is alike
