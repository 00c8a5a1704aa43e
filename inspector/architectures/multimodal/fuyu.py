"""Fuyu: patches go straight into the text model, which is a Persimmon.

modeling_fuyu.py: one linear embeds flat patches; there is no vision tower. Its output has the text's width in
transformers 5, the top config's `hidden_size` in 4.
"""

from inspector.architectures.blocks import LM_HEAD
from inspector.architectures.multimodal.joined_blocks import SPELLINGS, TIES
from inspector.notation.definition import Architecture, Dims, head, part, rows, submodel
from inspector.notation.kinds import dense

FUYU = Architecture("fuyu", ignores="vocab_size", ties=TIES, dialects=SPELLINGS,
    dims=Dims(d="text.d", V="text.V", c="num_channels", p="patch_size",
              e="hidden_size when transformers_version[0] == '4' | d"),
    heads=(head("ForCausalLM", "model.", LM_HEAD, default=True), head("Model", "model."), head("Model", "")),
    parts=rows(
        submodel("text", "language_model.", head="Model"),
        part("vision_embed_tokens", "embed.patch", dense("c*p*p -> e"))))
