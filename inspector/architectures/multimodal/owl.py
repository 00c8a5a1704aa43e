"""OWL-ViT and OWLv2: CLIP's towers with heads for boxes and classes.

modeling_owlvit.py: `pre_layernorm`, spelled right; the class head compares in the text's width; OWLv2 adds a head that
separates objects from background. The whole model is below `owlvit.` or `owlv2.` in the detector.
"""

from inspector.architectures.multimodal.clip import CLIP_TEXT
from inspector.architectures.vision.vision_blocks import CLIP_LAYER, VISION
from inspector.notation.definition import Architecture, Dims, head, maybe, part, rows, submodel, under
from inspector.notation.kinds import affine, buffer, conv, dense, linear, param, table

OWL_VISION = Architecture("owlvit_vision_model owlv2_vision_model", dims=VISION | Dims(n="g + 1"),
    heads=(head("tower", ""), head("VisionModel", "vision_model.")),
    dialects=({}, {"": "vision_model."}, {"vision_model.": ""}),
    parts=rows(
        part("embeddings.class_embedding",    "embed.class",    param("d")),
        part("embeddings.patch_embedding",    "embed.patch",    conv("c -> d, p pw", bias=False)),
        part("embeddings.position_embedding", "embed.position", table("n d")),
        maybe("embeddings.position_ids",      "embed.position.index", buffer("1 n")),
        part("pre_layernorm",                 "norm.embed",     affine("d")),
        under("encoder.layers.{L}", CLIP_LAYER),
        part("post_layernorm",                "norm.final",     affine("d"))))
OWL_PARTS = rows(
    submodel("vision", "vision_model.", OWL_VISION),
    submodel("text", "text_model.", CLIP_TEXT),
    part("logit_scale",       "head.scale",          param("")),
    part("text_projection",   "head.project.text",   linear("t -> q")),
    part("visual_projection", "head.project.image", linear("v -> q")))
CLASS_HEAD = under("class_head",
    part("dense0",      "head.class",       dense("v -> t")),
    part("logit_shift", "head.class.shift", dense("v -> 1")),
    part("logit_scale", "head.class.scale", dense("v -> 1")))
BOX_HEAD = under("box_head",
    part("dense0", "head.box.1", dense("v -> v")),
    part("dense1", "head.box.2", dense("v -> v")),
    part("dense2", "head.box",   dense("v -> 4")))
OBJECT_HEAD = under("objectness_head",
    part("dense0", "head.object.1", dense("v -> v")),
    part("dense1", "head.object.2", dense("v -> v")),
    part("dense2", "head.object",   dense("v -> 1")))
NORM = part("layer_norm", "norm.head", affine("v"))
OWL_DIMS = Dims(d="v", v="vision.d", t="text.d", q="projection_dim")
OWLVIT = Architecture("owlvit", dims=OWL_DIMS, parts=OWL_PARTS,
    heads=(
        head("Model", ""),
        head("ForObjectDetection", "owlvit.", CLASS_HEAD, BOX_HEAD, NORM)))
OWLV2 = Architecture("owlv2", dims=OWL_DIMS, parts=OWL_PARTS,
    heads=(
        head("Model", ""),
        head("ForObjectDetection", "owlv2.", CLASS_HEAD, BOX_HEAD, OBJECT_HEAD, NORM)))
