"""Compares the roles in definitions with the module names of modelling code.

The names are an external reference: `q_proj` is the query. `NAMES` maps ends of paths to roles; a definition that gives
the module another role is wrong, unless `EXCEPTIONS` states the reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from inspector.architectures.catalog import all_definitions
from inspector.notation.definition import Architecture, Either, Group, Part, Row, Submodel

NAMES = {
    "query": """
        q q_a_layernorm q_attn q_bias q_conv1d q_head q_img q_layer_norm q_layernorm q_lin q_linear q_norm q_proj
        q_proj_weight
        q_rms_norm q_rms_norm_t wq wq_b Wq to_q to_q_t to_query linear_q project_q projection_query add_q_proj
        indexer.q_b_proj attn_queries.{} mlp_queries.{}
        structure_attention_cell.hidden_to_hidden
        query query_decay query_global query_layernorm query_proj index_q_norm index_q_proj lambda_q1 lambda_q2
        layout_query norm_added_q norm_q pos_q_proj pos_query_proj ca_qcontent_proj q_weight sa_qcontent_proj
        cross_attn_query_content_proj self_attn_query_content_proj query.proj self_attention.experts.input_linear
    """,
    "key": """
        k self_attn.conv_k k_conv1d k_head k_img k_layer_norm k_layernorm k_lin k_linear k_norm k_proj k_proj_weight
        k_rms_norm k_rms_norm_t wk Wk to_k to_k_t to_key linear_k project_k projection_key add_k_proj
        structure_attention_cell.input_to_hidden
        key key_decay key_global key_layernorm key_proj index_k_norm index_k_proj lambda_k1 lambda_k2
        layout_key key_protein norm_added_k norm_k pos_key_proj bias_k k_weight emb_rel_k time_mix_key ca_kcontent_proj
        key.mu x_k zero_k_bias sa_kcontent_proj cross_attn_key_content_proj self_attn_key_content_proj key.proj
        attention.self.pos_proj
    """,
    "value": """
        v v_bias bias_v v_conv1d v_head v_img v_lin v_proj v_proj_weight wv Wv to_v to_v_t to_value linear_v
        project_v projection_value add_v_proj value value_global value_proj value_projection layout_value
        self_attn.conv_v value_protein v_proj_current v_proj_delayed
        emb_rel_v time_mix_value ca_v_proj sa_v_proj cross_attn_value_proj self_attn_value_proj value.proj
    """,
    "output out": """
        transformer_encoder.{}.wo blocks.{}.wo
        o o_proj self_attn.output_proj encoder_attn.output_proj cross_attn.output_proj {}.0.output_proj to_out to_out.0
        to_out_t to_add_out out_lin output.proj attention.wo attn.Wo head.output_proj
        attn.proj attn_pool.proj attention.proj cross_attn.proj window_attn.proj channel_attn.proj assign.proj
        attentions.0.proj out_proj out_proj.convolution
        attn.{}.proj_out attn.0.proj_out attn.1.proj_out attn.2.proj_out mid.1.proj_out attn_1.proj_out
        single_transformer_blocks.{}.proj_out
        attn.c_proj crossattention.c_proj pooler.c_proj self_attn.linear_out attn.final post.linear
        attention.output self_attn.output attention.post attention.post_proj attention.projection_layer
        self_attn.projection self_attn.projection_layer post_attention.conv1d ogate_preact
        attention.dense attention.dense_bias self_attention.dense self_attn.dense multi_head_attention.dense
        attention.output.dense crossattention.output.dense attention.layout_output.dense
        lang_self_att.output.dense visn_self_att.output.dense temporal_attention.output.dense
        visual_attention.output.dense self_attention.attention_out
        self_attention.experts.output_linear self_attention.experts.bias
        blocks.{}.attn_out multi_head_attention.linear self_attn.linear_attn
        self_attention.out_layer cross_attention.out_layer attn.out_layer va_cross_attention.out_layer
        av_cross_attention.out_layer img_attn_proj txt_attn_proj attentions.0.proj_out
        self_attn.attn_out attn.out token_mixer.projection o_net
        self_attn.attn_out attentions.{}.proj_attn vision_expert_dense language_expert_dense cross_attn.dense
    """,
    "gate": """
        gate_projections.{}
        gate_proj w1 w_0 wi_0 c_fc_0 fc12 g_proj in_proj_z output_gate alpha_cross_attn cross_attn_attn_gate gate_attn
        gate_ffn gate_attention gateway.gate gru_rel_pos_linear temporal_block.linear_y ifgate_preact proj_up_gate
        feed_forward.linear_1 ff.linear_1 ff_context.linear_1 experts.{}.gate ff_proj moe.{}.linear
        to_gate ff.gate gate_layer layers.{}.gate index_kpool_compress_gate
        to_gate_logits
        gate_bias mlp.w0
    """,
    "up in": """
        up_proj w3 w_1 wi wi_1 v1 c_fc c_fc_1 fc11 fc_in lin1 linear1 ffw_layer_1 intermediate input_layer ff0
        intermediate.dense intermediate_dense intermediate.conv1d lang_inter.dense visn_inter.dense ffn.proj_up
        layout_intermediate.dense intermediate_query.dense linear_fc1 message_fc dense1 up_embed channelwise.0
        pointwise_conv1 point_wise_conv1 pwconv1 output.conv1 layers.{}.conv1 ffn.conv1.convolution redux_up
        feed_forward.dense.dense
        mlp.in_proj mlp.proj_in mlp.0 ff.0 ffn.0 albert_layers.{}.ffn ff.layer_1 ffn.linear_1 layers.{}.linear_1
        feed_forward.conv_1 feed_forward.linear_3 ff.linear_2 ff_context.linear_2 prompt_trans.0
        feed_forward.conv1 feed_forward_macaron.conv1 mlp.fc3
        continuous_position_bias_mlp.0 {}.1.1 {}.1.fc experts.{}.up moe.{}.linear_v
        q_b_proj kv_b_proj o_b_proj embed_q unembed_out f_b_proj g_b_proj attention.f_proj lora_B.speech lora_B.vision
        gate_up_proj_adapter_list.{}.1
        mlp.convolution1 mlp.linear_in mlp.in_dense blocks.{}.l1 CoreNet.0 hidden_layer
        pw_exp.conv pw_exp.bn conv_exp upsample.conv upsampler.{} upsamplers.0.conv upsamplers.0.conv.conv
        adapter_layer.linear_2 local_att.3 global_att.4 se_block.conv2
        channelwise_linear_1 ff.up img_mlp.proj feed_forward.in_layer feed_forward.0
        linear_q_adapter_list.{}.1 linear_k_adapter_list.{}.1 linear_v_adapter_list.{}.1
    """,
    "down out": """
        down_proj w2 w_out fc2 fc_out lin2 linear2 ffw_layer_2 linear_fc2 dense_4h_to_h output_layer ff1 output_dense
        mlp.c_proj {}.1.c_proj mlp.wo mlp.Wo mlp.bias DenseReluDense.wo expert_{}.wo output.dense layout_output.dense
        lang_output.dense visn_output.dense output_query.dense net.2 ff.linear_out ff_context.linear_out weights_out
        dense2 down_embed channelwise.4 pointwise_conv2 point_wise_conv2 pwconv2 conv_point output.conv2 output.conv1d
        layers.{}.conv2 ffn.conv2.convolution redux_down mlp.out_proj mlp.proj_out ffn.proj_down ffn.proj_2
        mlp.1 mlp.2 mlp.3 ff.3 ffn.2 ff.layer_2 ffn.linear_2 layers.{}.linear_2 feed_forward.linear_2
        feed_forward.conv_2 feed_forward.output ff.out_projection ff_context.out_projection albert_layers.{}.ffn_output
        mlp.output_linear shared_mlp.output_linear block_sparse_moe.output_linear prompt_trans.2
        w2_weight w2_md shared_w2_weight
        experts.{}.down blocks.{}.ff_out moe.{}.linear_1
        feed_forward.conv2 feed_forward_macaron.conv2
        continuous_position_bias_mlp.2 {}.1.3 key.down_conv value.down_conv layers.{}.attention_biases
        mlp.convolution2 mlp.linear_out mlp.out_dense blocks.{}.l2 CoreNet.3
        q_a_proj kv_a_proj_with_mqa f_a_proj g_a_proj lora_A.speech lora_A.vision gate_up_proj_adapter_list.{}.0
        pw_proj.conv pw_proj.bn conv_pwl downsample.conv downsampler.resample.1 downsamplers.0.conv
        downsamplers.0.conv.conv adapter_layer.linear_1 local_att.0 global_att.1 se_block.conv1
        ff.down img_mlp.out feed_forward.out_layer feed_forward.2
        linear_q_adapter_list.{}.0 linear_k_adapter_list.{}.0 linear_v_adapter_list.{}.0 o_a_proj
        channelwise_linear_2 channelwise.2 ff_out ff.proj_out mlp.down_layer
    """,
    "up gate_up in": "fc0 fc1 dense_h_to_4h net.0.proj proj_mlp",
    "qkv": """
        qkv qkv_proj Wqkv wqkv to_qkv query_key_value W_pack att_proj in_proj_weight in_proj_bias in_proj_qkv
        qkv_opreact qkv_linear qkv_net attn.c_attn attn.in_proj attention.self.in_proj
        qkv_proj.convolution img_qkv_proj img_attn_qkv txt_attn_qkv vision_expert_query_key_value
        language_expert_query_key_value
    """,
    "gqkv": "gqkv_proj",
    "kv": "kv_proj txt_kv_proj to_kv crossattention.c_attn attn.kv attn_pool.kv key_value",
    "gate_up": """
        fn.net.0 ff_in ff.proj_in mlp.gated_layers mlp.up_gated_layer
        gate_up_proj ffn.w12 Wi weights_in net.0.linear ffn.proj_1 proj_up_gate_z
        up_gate_proj mlp.ff_proj transformer.blocks.{}.ff_proj conv_inverted ff.linear_in ff_context.linear_in
        w13_weight w13_dn shared_w13_weight
        mlp.fc1.proj
        mlp.input_linear shared_mlp.input_linear block_sparse_moe.input_linear
    """,
}
"""End of a role -> the ends of paths that have it; the longest end that matches a path counts."""

SUBJECTS = ("attention", "cross", "mlp")
"""Roles of these end in a word of `NAMES` only where the table lists the path. Elsewhere `fc1` and `proj_in` may also
be numbered layers of any small network."""

EXCEPTIONS = {
    ("resampler.kv_proj", "bridge.in"): "minicpmv: brings patches to the text's width, before key and value are made",
    ("attn_pool.kv_proj", "bridge.in"): "qwen (the first): brings patches to the text's width, as minicpmv does",
    ("feed_forward.w1", "mlp.up"): "molmo: the tower's MLP has no gate",
    ("mlp.w1", "mlp.up"): "qwen (the first): `w2` goes through the activation, so it is the gate",
    ("mlp.w2", "mlp.gate"): "qwen (the first): `w2` goes through the activation, so it is the gate",
    ("blocks.{}.mlp.fc1", "mlp.down"): "kimi_vl: the tower's two matrices are `fc0` and `fc1`",
    ("mlp.fc1", "mlp.gate"): "dots.ocr: `fc1` goes through the activation, so it is the gate",
    ("mlp.gate_proj", "mlp.up"): "timesfm: an MLP of two matrices without a gate",
    ("feed_forward.key", "mlp.up"): "rwkv: its channel mixing calls the two matrices of the MLP key and value",
    ("feed_forward.value", "mlp.down"): "rwkv: its channel mixing calls the two matrices of the MLP key and value",
    ("ffn.key", "mlp.up"): "rwkv7: as in rwkv",
    ("ffn.w3", "mlp.down"): "neobert: xformers calls gate, up and down w1, w2 and w3",
    ("blocks.{}.mlp.w2", "mlp.up"): "cogagent: EVA-02 calls gate, up and down w1, w2 and w3",
    ("blocks.{}.mlp.w3", "mlp.down"): "cogagent: EVA-02 calls gate, up and down w1, w2 and w3",
    ("ffn.value", "mlp.down"): "rwkv6, rwkv7: as in rwkv",
    ("attn.proj", "attention.value"): "swiftformer: additive attention, `proj` is what `final` follows",
    ("attn2.norm_added_k", "norm.cross.image"): "WAN: the norm of the key of the image",
    ("ada_rms_norm.linear1", "time.down"): "voxtral: `linear1` narrows and `linear2` widens",
    ("ada_rms_norm.linear2", "time.up"): "voxtral: `linear1` narrows and `linear2` widens",
    ("indexer.k_norm", "norm.indexer"): "DeepSeek 3.2: the indexer norms its key only",
    ("attention.dense", "bottleneck.attention"): "mobilebert: narrows what attention reads",
    ("self_attn.bias_v", "attention.position.bias"): "parakeet: `v` of the relative positions of Transformer-XL",
    ("pooler.to_out", "pooler"): "mochi: what an attention pooler ends in",
    ("dense1", "adapter.down"): "xmod: an adapter narrows, then widens",
    ("dense2", "adapter.up"): "xmod: an adapter narrows, then widens",
    ("mlp.up_proj", "mlp.gate_up"): "phi3small: gate and up in turn in one matrix",
    ("kernel_generator.w1", "ssm.conv.down"): "jet_nemotron: the generator of the kernel narrows, then widens",
    ("kernel_generator.w2", "ssm.conv.up"): "jet_nemotron: the generator of the kernel narrows, then widens",
    ("self_attn.q_proj", "attention.query.down"): "step3_text: the query is narrowed, and widened by `wq`",
    ("self_attn.wq", "attention.query.up"): "step3_text: the query is narrowed, and widened by `wq`",
    ("project_q", "head.dense.q"): "wav2vec2: the quantized targets of pretraining, not queries",
}
"""(end of a path, role) -> why the name has another role than elsewhere."""


PACKS = {
    "qkv": ("query key value", "query value key", "query key value output"),
    "gqkv": ("gate query key value",),
    "qkvz": ("query key value gate",),
    "qkv_mlp": ("query key value mlp.gate mlp.up",),
    "kv": ("key value",),
    "kv.up": ("key value",),
    "kv.down": ("latent rotary",),
    "query": ("query gate",),
    "gate_up": ("gate up", "up gate"),
    "ssm.in": ("gate conv step", "input gate", "B C x"),  # Mamba 2, Mamba, the short convolution of LFM2
    "ssm.select": ("dt B C", "B C dt"),
    "ssm.gate": ("input forget",),
    "ssm.beta_alpha": ("beta alpha",),
    "resnet.in": ("input gate",),
    "head.modulation": ("scale shift", "shift scale"),
    "norm.modulation": ("shift scale gate",),
}
"""A role, or its end -> the parts of a packed matrix, in order. `ORDERS` has the orders that depend on the name."""

ORDERS = {
    "B C dt": ("bcdt_proj",),
    "query value key": ("h.{}.attn.qkv_proj",),  # codegen: q, v, k of each quarter
    "scale shift": ("norm_out",),  # AdaLayerNormZero_Final
    "shift scale": ("final_layer.linear_1",),  # VibeVoice's diffusion head
    "query key value output": ("mlstm_layer.qkv_opreact",),
    "gate up": (
        "gate_up_proj", "ffn.w12", "w13_weight", "w13_dn", "shared_w13_weight",
        "Wi", "input_linear", "weights_in", "dense_h_to_4h", "proj_1", "proj_up_gate_z",
        "experts.fc1", "gated_layers",
        "ff.linear_in", "ff_context.linear_in",
    ),
    "up gate": (
        "fn.net.0", "net.0.proj", "net.0.linear", "proj_mlp", "up_gate_proj", "up_gated_layer", "mlp.fc1",
        "mlp.ff_proj",
        "transformer.blocks.{}.ff_proj",
        "mlp.fc1.proj",
        "ff_in", "ff.proj_in",
        "feed_forward_in.gate_up_proj", "feed_forward_out.gate_up_proj",  # phi4: chunk() gives the gate last
    ),
}  # fmt: skip
"""Order -> the ends of the paths that have it; other orders are the only one of their role."""

SHORT = {"q": "query", "k": "key", "v": "value"}
MEANING = {name: frozenset(words.split()) for words, names in NAMES.items() for name in names.split()}
WORDS = frozenset(word for words in NAMES for word in words.split())
REQUIRED = WORDS - {"in", "out"}


def parts_of(row: Row, prefix: str = "") -> Iterator[tuple[str, Part]]:
    """Every part below a row with its whole path."""
    if isinstance(row, Part):
        yield prefix + row.path, row
    elif isinstance(row, Group):
        for inner in row.rows:
            yield from parts_of(inner, f"{prefix}{row.prefix}." if row.prefix else prefix)
    elif isinstance(row, Either):
        yield from parts_of(row.first, prefix)
        yield from parts_of(row.second, prefix)
    elif isinstance(row, Submodel) and row.definition is not None:
        yield from all_parts(row.definition)


def all_parts(definition: Architecture) -> Iterator[tuple[str, Part]]:
    """Every part of a definition: the body's and those of its heads."""
    yield from parts_of(definition.parts)
    for head in definition.heads:
        for row in head.rows:
            yield from parts_of(row)


def ends(path: str) -> list[str]:
    """The last one to four segments of a path, longest first, without the name of the tensor in its module."""
    segments = re.sub(r"\{\w+\}", "{}", path).split(".")
    while segments[-1] in ("weight", "bias", "linear", "norm", "base_layer") and len(segments) > 1:
        if ".".join(segments[-3:]) in MEANING or ".".join(segments[-2:]) in MEANING:
            break
        segments.pop()
    return [".".join(segments[-length:]) for length in (4, 3, 2, 1)]


def last_word(role: str) -> str:
    """The last word of a role: "query" of "attention.query", "up" of "mlp.up.bias"."""
    return [word for word in role.split(".") if word != "bias" and not word.isdigit()][-1]


def fault(path: str, role: str) -> str | None:
    """Why a role does not agree with the path, None where it does."""
    tails = ends(path)
    if any((tail, role) in EXCEPTIONS for tail in tails):
        return None
    word = last_word(role)
    meant = next((MEANING[tail] for tail in tails if tail in MEANING), None)
    subject = role.partition(".")[0]
    if meant is None:
        return "not in the table" if subject in SUBJECTS and word in REQUIRED else None
    if word in meant or (subject not in SUBJECTS and word not in WORDS):
        return None
    return f"the name means {' or '.join(sorted(meant))}"


def test_the_names_of_modules_agree_with_their_roles() -> None:
    wrong = [
        (name, path, part.role, why)
        for name, definition in all_definitions()
        for path, part in all_parts(definition)
        if (why := fault(path, part.role)) is not None
    ]
    assert wrong == []


def test_every_exception_is_used() -> None:
    used = {
        (tail, part.role)
        for _, definition in all_definitions()
        for path, part in all_parts(definition)
        for tail in ends(path)
    }
    assert set(EXCEPTIONS) - used == set()


def packs_fault(path: str, part: Part) -> str | None:
    """Why the parts of a matrix do not agree with its role, its name and its width; None where they do."""
    order = " ".join(SHORT.get(word, word) for word in part.kind.packs)
    rest, word = part.role.partition(".")[2], last_word(part.role)
    known = PACKS.get(part.role) or PACKS.get(rest) or PACKS.get(word)
    if known is None:
        return "no order is known of this role"
    if order not in known:
        return f"the role packs {' or '.join(known)}"
    tails = ends(path)
    listed = [(len(name), text) for text, names in ORDERS.items() for name in names if name in tails]
    if listed and word in ("qkv", "gate_up", "modulation") and order != max(listed)[1]:
        return f"the name packs {max(listed)[1]}"
    if order in ORDERS and not listed:
        return "the order is not that of the name"
    return None


def widths(part: Part) -> list[str]:
    """The terms of a packed width: of `h*(dh + dh)` they are `dh` and `dh`."""
    assert part.kind.flow is not None
    text = part.kind.flow[1]
    inner = re.fullmatch(r"[^+]*\((.* \+ .*)\)", text)
    return [term.strip() for term in re.split(r"\+(?![^(]*\))", inner[1] if inner else text)]


def test_packed_matrices_agree_with_their_roles() -> None:
    wrong = [
        (name, path, part.role, part.kind.packs, why)
        for name, definition in all_definitions()
        for path, part in all_parts(definition)
        if part.kind.packs and (why := packs_fault(path, part)) is not None
    ]
    assert wrong == []


def test_packed_matrices_have_a_width_for_each_part() -> None:
    """In one matrix key and value have the same width, and the query may be wider."""
    for name, definition in all_definitions():
        for path, part in all_parts(definition):
            if not part.kind.packs:
                continue
            width = dict(zip((SHORT.get(word, word) for word in part.kind.packs), widths(part), strict=True))
            if {"query", "key", "value"} <= set(width) and part.role.startswith("attention"):
                assert width["key"] == width["value"], (name, path)


SWAPS = (("query", "key"), ("up", "down"))
"""Words of roles of attention and MLPs to exchange, as in a wrong definition."""


def swapped(role: str, one: str, other: str) -> str:
    """A role with two words exchanged."""
    words = {one: other, other: one}
    return ".".join(words.get(word, word) for word in role.split("."))


@pytest.mark.parametrize(("one", "other"), SWAPS, ids="-".join)
def test_exchanged_roles_are_found_in_every_definition(one: str, other: str) -> None:
    missed = []
    for name, definition in all_definitions():
        changed = [(path, part.role, swapped(part.role, one, other)) for path, part in all_parts(definition)]
        changed = [(path, role, new) for path, role, new in changed if role != new and role.startswith(SUBJECTS)]
        if changed and not any(fault(path, new) for path, _, new in changed):
            missed.append((name, changed[:2]))
    assert missed == []


def test_exchanged_parts_of_packed_matrices_are_found() -> None:
    missed = []
    for name, definition in all_definitions():
        for path, part in all_parts(definition):
            first, second, *rest = part.kind.packs or ("", "")
            turned = replace(part, kind=replace(part.kind, packs=(second, first, *rest)))
            if first and packs_fault(path, turned) is None:
                missed.append((name, path))
    assert missed == []
