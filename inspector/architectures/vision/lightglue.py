"""LightGlue: matches the points of interest that SuperPoint finds in two images.

modeling_lightglue.py: every layer attends to its own image, then to the other one, each time with an MLP of twice the
width; behind each layer a matcher, and behind each but the last one a score of confidence. A projection stands before
them where the descriptors have another width.
"""

from inspector.architectures.vision.vitdet import SUPERPOINT
from inspector.notation.definition import Architecture, Dims, head, part, rows, submodel, under
from inspector.notation.kinds import affine, dense, linear

LIGHTGLUE = Architecture("lightglue", ties="false",
    dims=Dims(d="descriptor_dim", L="num_hidden_layers", h="num_attention_heads", kv="num_key_value_heads | h",
              dh="head_dim | d//h", F="L[:L-1]", b="attention_bias | true",
              found="keypoint_detector_config.descriptor_decoder_dim"),
    heads=(head("ForKeypointMatching", ""),),
    parts=rows(
        submodel("keypoint_detector", "keypoint_detector.", SUPERPOINT, by_type=True),
        part("input_projection",             "embed.project",  dense("found -> d"), when="found != d"),
        part("positional_encoder.projector", "embed.position", linear("2 -> d//h//2")),
        under("transformer_layers.{L}",
            part("self_attention.q_proj",  "attention.query",  linear("d -> h*dh", bias="b")),
            part("self_attention.k_proj",  "attention.key",    linear("d -> kv*dh", bias="b")),
            part("self_attention.v_proj",  "attention.value",  linear("d -> kv*dh", bias="b")),
            part("self_attention.o_proj",  "attention.output", linear("h*dh -> d", bias="b")),
            part("self_mlp.fc1",           "mlp.up",           dense("d + d -> 2*d")),
            part("self_mlp.layer_norm",    "norm.mlp.inner",   affine("2*d")),
            part("self_mlp.fc2",           "mlp.down",         dense("2*d -> d")), tower="self"),
        under("transformer_layers.{L}",
            part("cross_attention.q_proj", "cross.query",      linear("d -> h*dh", bias="b")),
            part("cross_attention.k_proj", "cross.key",        linear("d -> kv*dh", bias="b")),
            part("cross_attention.v_proj", "cross.value",      linear("d -> kv*dh", bias="b")),
            part("cross_attention.o_proj", "cross.output",     linear("h*dh -> d", bias="b")),
            part("cross_mlp.fc1",          "mlp.up",           dense("d + d -> 2*d")),
            part("cross_mlp.layer_norm",   "norm.mlp.inner",   affine("2*d")),
            part("cross_mlp.fc2",          "mlp.down",         dense("2*d -> d")), tower="cross"),
        part("match_assignment_layers.{L}.final_projection", "head.project",    dense("d -> d")),
        part("match_assignment_layers.{L}.matchability",     "head.match",      dense("d -> 1")),
        part("token_confidence.{F}.token",                   "head.confidence", dense("d -> 1"))))
