"""Bunny as its authors publish it: a text model with SigLIP's So400m tower and a projector inside of it.

bunny_arch.py (github.com/BAAI-DCAI/Bunny): the tower is in an object of the same name, whole, with its pooling head;
its sizes follow from `mm_vision_tower`. With `use_s2` the projector reads several resolutions. Phi's head has no bias.
The text models StableLM, MiniCPM and Phi-3 are not described.
"""

from inspector.architectures.blocks import LM_HEAD
from inspector.architectures.multimodal.siglip import SIGLIP_VISION
from inspector.architectures.text.llama import LLAMA
from inspector.architectures.text.phi import PHI
from inspector.architectures.text.qwen import QWEN2
from inspector.notation.definition import Architecture, Dims, head, opaque, part, rows, under
from inspector.notation.kinds import dense

SO400M = "mm_vision_tower == 'google/siglip-so400m-patch14-384'"
TWO = "(mm_projector_type | 'mlp2x_gelu') == 'mlp2x_gelu'"
BESIDE = rows(
    under("model.vision_tower.vision_tower.vision_model", SIGLIP_VISION.parts, d="vw", L="vL", ff="vf", c="3", p="14",
          pw="14", g="729", pools="true", tower="vision", when=SO400M),
    opaque("model.vision_tower.", "a tower that is not described", when=f"not ({SO400M})"),
    rows(
        part("model.mm_projector.0", "bridge.in",  dense("mm -> d")),
        part("model.mm_projector.2", "bridge.out", dense("d -> d")), when=TWO),
    opaque("model.mm_projector.", "a projector of another kind", when=f"not ({TWO})"))
HEADS = (head("ForCausalLM", "model.", LM_HEAD, BESIDE, default=True),)
SIZES = Dims(vw="1152", vL="27", vf="4304", mm="mm_hidden_size")
IGNORED = ("continuous_training freeze_mm_mlp_adapter image_aspect_ratio mm_projector_lr s2_scales tune_mm_mlp_adapter"
           " tokenizer_model_max_length tokenizer_padding_side unfreeze_vision_tower use_mm_proj use_s2")
TOWER = "model.vision_tower."  # the names of the text models alone are not Bunny's
BUNNY_PHI = Architecture("bunny-phi", parts=PHI.parts, dims=Dims(**PHI.dims) | SIZES, heads=HEADS, ignores=IGNORED,
                         sign=TOWER)
BUNNY_LLAMA = Architecture("bunny-llama", parts=LLAMA.parts, dims=Dims(**LLAMA.dims) | SIZES, heads=HEADS,
                           ignores=IGNORED, sign=TOWER)
BUNNY_QWEN2 = Architecture("bunny-qwen2", parts=QWEN2.parts, dims=Dims(**QWEN2.dims) | SIZES, heads=HEADS,
                           ignores=IGNORED, sign=TOWER)
