"""GGUF files written by hand give their tensors, their config and their names."""

from __future__ import annotations

import pytest

from inspector.architectures.catalog import card_of
from inspector.loader.formats.ggml_types import BY_NAME, TYPES, packed_of
from inspector.loader.formats.gguf import ArrayOf, Split, judge_splits, read_gguf
from inspector.loader.formats.gguf_config import config_of, names_of
from inspector.loader.formats.gguf_names import BUFFERS, TABLES, canonical_name, is_buffer, renamed
from inspector.loader.layout import Layout
from tests.readers.made import Gguf, reading, small_llama


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
    assert found.header.evidence == ()
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
    assert found.header.evidence == ()
    assert (layout.dtype, layout.shape, layout.bytes) == (blocks.name, (3, 2 * blocks.elements), size)
    packed = packed_of(layout)
    assert (packed is None) == (blocks.elements == 1)
    if packed is not None:
        assert (packed.storage.dtype, packed.storage.shape) == ("U8", (3, 2 * blocks.bytes))
        assert packed.storage.bytes == layout.bytes
        assert packed.bits == blocks.bytes * 8 / blocks.elements


def test_types_are_told_by_name_too() -> None:
    assert len(BY_NAME) == len(TYPES)
    assert BY_NAME["Q4_K"].bits == 4.5


def test_reading_in_pieces_gives_the_same() -> None:
    data = small_llama(40)

    def slow(offset: int, length: int) -> bytes:
        return data[offset : offset + min(length, 777)]

    whole = read_gguf(reading(data), len(data), "m.gguf")
    assert whole.header.evidence == ()
    assert read_gguf(slow, len(data), "m.gguf") == whole


def test_a_vocabulary_is_read_past_and_not_kept() -> None:
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
    assert found.header.evidence == ()
    assert found.alignment == 256
    assert (found.header.header_bytes + 8) % 256 == 0


def test_a_last_tensor_need_not_be_padded() -> None:
    data = Gguf().file([("a", (3,), 0, 12)], lost=20)
    assert read_gguf(reading(data), len(data), "m.gguf").header.evidence == ()


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
    assert all(file.header.evidence == () for file in files)
    assert judge_splits(files) == ()
    short = part(1, ("b",))
    files[1] = read_gguf(reading(short), len(short), "m-00002-of-00002.gguf")
    assert [found.name for found in judge_splits(files)] == ["gguf-split-disagrees"]
    other = read_gguf(reading(two), len(two), "m-00001-of-00002.gguf")
    assert [found.name for found in other.header.evidence] == ["gguf-split-disagrees"]


def test_config_and_names_of_a_llama() -> None:
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
        "max_position_embeddings": 512,
        "vocab_size": 100,
        "attention_bias": False,
        "mlp_bias": False,
        "tie_word_embeddings": True,
    }
    names = names_of(found.values)
    assert names is not None
    tensors, origin = renamed(names, found.header.tensors)
    assert tensors["model.layers.1.self_attn.k_proj.weight"].shape == (32, 64)
    assert origin["model.layers.1.self_attn.k_proj.weight"] == "blk.1.attn_k.weight"
    assert tensors["model.rotary_emb.inv_freq"].shape == (8,)
    assert len(tensors) == len(found.header.tensors)
    assert is_buffer("rope_freqs.weight") and not is_buffer("output.weight")


NAMES = [
    ("llama", "blk.12.attn_output.weight", "model.layers.12.self_attn.o_proj.weight"),
    ("llama", "output.weight", "lm_head.weight"),
    ("mixtral", "blk.3.ffn_gate_exps.weight", "model.layers.3.block_sparse_moe.switch_mlp.gate_proj.weight"),
    ("mixtral", "blk.3.ffn_down.7.weight", "model.layers.3.block_sparse_moe.experts.7.w2.weight"),
    ("qwen2", "blk.0.attn_q.bias", "model.layers.0.self_attn.q_proj.bias"),
    ("qwen3", "blk.0.attn_q_norm.weight", "model.layers.0.self_attn.q_norm.weight"),
    ("qwen2moe", "blk.0.ffn_gate_inp_shexp.weight", "model.layers.0.mlp.shared_expert_gate.weight"),
    ("gemma2", "blk.0.ffn_norm.weight", "model.layers.0.pre_feedforward_layernorm.weight"),
    ("gemma2", "blk.0.post_ffw_norm.weight", "model.layers.0.post_feedforward_layernorm.weight"),
    ("phi2", "blk.0.ffn_up.bias", "model.layers.0.mlp.fc1.bias"),
    ("phi3", "blk.0.ffn_up.weight", "model.layers.0.mlp.gate_up_proj.weight"),
    ("bloom", "blk.0.attn_qkv.weight", "transformer.h.0.self_attention.query_key_value.weight"),
    ("gpt2", "blk.0.attn_qkv.bias", "transformer.h.0.attn.c_attn.bias"),
    ("gptneox", "output.weight", "embed_out.weight"),
    ("bert", "token_types.weight", "embeddings.token_type_embeddings.weight"),
    ("bert", "blk.0.layer_output_norm.bias", "encoder.layer.0.output.LayerNorm.bias"),
    ("llama", "blk.0.attn_new.weight", None),
    ("llama", "blk.x.attn_q.weight", None),
    ("llama", "blk.0.attn_q.weight.more", None),
    ("llama", "blk.٣.attn_q.weight", None),
]


@pytest.mark.parametrize(("architecture", "stored", "name"), NAMES)
def test_names(architecture: str, stored: str, name: str | None) -> None:
    assert canonical_name(TABLES[architecture], stored) == name


@pytest.mark.parametrize("architecture", TABLES)
def test_every_table_has_a_card_that_knows_its_names(architecture: str) -> None:
    from inspector.algebra.names import columns
    from inspector.matcher.spelling import known_keys
    from inspector.notation.scope import CardScope, Settings

    names = TABLES[architecture]
    card = card_of(names.model_type)
    assert card is not None, names.model_type
    known = known_keys(CardScope(card, Settings({}, known=False), card_of))
    stored = [f"{module}.weight" for module in names.ends]
    stored += [f"blk.0.{module.replace('#', '0')}.weight" for module in names.layer]
    keys = {column.key for name in stored for column in columns({canonical_name(names, name) or "?": None})}
    assert len(keys & known) >= len(keys) * 0.6, sorted(keys - known)


def test_buffers_are_no_modules_of_any_table() -> None:
    for names in TABLES.values():
        assert not BUFFERS.keys() & (names.layer.keys() | names.ends.keys())


def test_conv1d_is_turned_back() -> None:
    tensors = {"blk.0.attn_qkv.weight": Layout("F16", (192, 64), 12288, 24576)}
    made, _ = renamed(TABLES["gpt2"], tensors)
    assert made["transformer.h.0.attn.c_attn.weight"].shape == (64, 192)


def test_two_tensors_of_one_name_both_stay() -> None:
    layout = Layout("F32", (8,), 8, 32)
    made, _ = renamed(TABLES["llama"], {"blk.0.attn_q.weight": layout, "blk.00.attn_q.weight": layout})
    assert len(made) == 2
