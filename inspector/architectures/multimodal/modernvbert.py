"""ModernVBERT, an encoder of text and pictures, and ColModernVBERT, which embeds each token.

modeling_modernvbert.py: SigLIP's tower, pixels are shuffled by `pixel_shuffle_factor` and projected by one matrix, the
text is ModernBERT's. The switches of the heads' dense layer and norm are the text config's; the classifier always has a
bias. modeling_colmodernvbert.py: a whole ModernVBERT below `vlm.`.
"""

from inspector.architectures.blocks import CLASSIFIER
from inspector.notation.definition import Architecture, Dims, head, part, rows, submodel, under
from inspector.notation.kinds import affine, dense, linear, param

PREDICTION = rows(
    part("dense", "head.dense", linear("d -> d", bias="text_config.classifier_bias")),
    part("norm",  "norm.head",  affine("d", bias="text_config.norm_bias")))
MODERNVBERT = Architecture("modernvbert",
    dims=Dims(d="text.d", V="text.V", v="vision.d", s="pixel_shuffle_factor", C="labels"),
    parts=rows(
        submodel("text",   "text_model.", head="Model"),
        submodel("vision", "vision_model.", head="tower"),
        part("connector.modality_projection", "bridge.out", linear("v*s**2 -> d"))),
    heads=(
        head("Model", ""),
        head("ForMaskedLM", "model.",
            under("projection_head", PREDICTION),
            part("lm_head",      "head.token",      linear("d -> V"), tied="embed.token"),
            part("lm_head.bias", "head.token.bias", param("V"), when="text_config.decoder_bias")),
        head("ForSequenceClassification", "model.", under("head", PREDICTION), CLASSIFIER),
        head("ForTokenClassification",    "model.", under("head", PREDICTION), CLASSIFIER)))
COLMODERNVBERT = Architecture("colmodernvbert", dims=Dims(d="vlm.d", q="embedding_dim"),
                              heads=(head("ForRetrieval", ""),),
    parts=rows(
        submodel("vlm", "vlm.", MODERNVBERT, head="Model"),
        part("embedding_proj_layer", "head.project", dense("d -> q"))))
