"""Models of other authors that join Qwen's tower to a text model: OpenCUA and Sarashina2-Vision.

vLLM's `opencua.py`, SGLang's `sarashina2_vision.py`: the first has Qwen2.5-VL's tower, the other Qwen2-VL's with a norm
behind it.
"""

from collections.abc import Mapping
from typing import Any

from inspector.architectures.multimodal.qwen_vl import QWEN2_5_VL_VISION, QWEN2_VL_VISION
from inspector.architectures.text.llama import LLAMA
from inspector.architectures.text.qwen import QWEN2
from inspector.notation.definition import Architecture, Dims, head, part, rows, submodel
from inspector.notation.kinds import affine

DEFAULTS: Mapping[str, Any] = {               # of the towers' classes
    "patch_size": "vision_config.patch_size | 14", "temporal_patch_size": "vision_config.temporal_patch_size | 2",
    "spatial_merge_size": "vision_config.spatial_merge_size | 2", "in_channels": "vision_config.in_channels | 3"}
OPENCUA = Architecture("opencua", ties="text_config.tie_word_embeddings | false", dims=Dims(d="text.d", V="text.V"),
    heads=(head("ForConditionalGeneration", "", default=True),),
    ignores="media_placeholder_token_id ignore_index",
    parts=rows(                                # no record exercises this definition
        submodel("text",   "language_model.", QWEN2, head="ForCausalLM"),
        submodel("vision", "vision_tower.", QWEN2_5_VL_VISION, **DEFAULTS)))
SARASHINA2_VISION = Architecture("sarashina2_vision", ties="text_config.tie_word_embeddings | false",
    dims=Dims(d="text.d", V="text.V"), ignores="image_token_index start_image_token_index end_image_token_index",
    heads=(head("ForCausalLM", "", default=True),),
    parts=rows(                                # no record exercises this definition
        submodel("text",   "llm.", LLAMA, head="ForCausalLM", vocab_size="vocab_size | text_config.vocab_size"),
        submodel("vision", "visual.", QWEN2_VL_VISION, mlp_ratio="vision_config.mlp_ratio | 4", **DEFAULTS),
        part("norm", "norm.bridge", affine("d"))))
