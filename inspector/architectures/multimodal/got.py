"""GOT-OCR 2.0 as its authors publish it: Qwen2's layers and SAM's ViT-B, whose sizes are numbers in the code.

GOT_ocr_2_0.py, vary_b.py (github.com/Ucas-HaoranWei/GOT-OCR2.0): the tower ends in two convolutions more, and a linear
of its width is before the text. transformers has the same model as `got_ocr2`, with other names.
"""

from inspector.architectures.blocks import CAUSAL, DECODER
from inspector.architectures.multimodal.deepseek_ocr import SAM
from inspector.architectures.text.qwen import QWEN2
from inspector.notation.definition import Architecture, Dims, part, rows, under
from inspector.notation.kinds import dense

GOT = Architecture("GOT", heads=CAUSAL,
    ignores="vision_tower image_token_len im_start_token im_end_token im_patch_token use_im_start_end"
            " vision_select_layer freeze_vision_tower",
    dims=DECODER | Dims(s="768", t="12", W="t - G", G="t[2::3]", n="1024"),
    parts=rows(
        QWEN2.parts,
        under("vision_tower_high", SAM.parts, d="s", L="t", dh="64", p="16", g="64", w="14", o="n", use_rel_pos="true",
              tower="vision"),
        part("mm_projector_vary", "bridge.out", dense("n -> n"))))
