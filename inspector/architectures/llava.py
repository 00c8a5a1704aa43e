"""Llava: the text card is chosen by the config."""

from inspector.architectures.blocks import LM_HEAD
from inspector.notation.card import Architecture, Dims, graft, head, part, rows
from inspector.notation.kinds import linear

LLAVA = Architecture("llava", ties="tie_word_embeddings | text_config.tie_word_embeddings | false",
    dims=Dims(d="text.d", V="text.V", b="multimodal_projector_bias | true"),
    parts=rows(
        graft("text",   "language_model.", head="Model"),           # which card: text_config.model_type says
        graft("vision", "vision_tower.",   head="tower"),
        part("multi_modal_projector.linear_1", "bridge.in",  linear("vision.d -> d", bias="b")),
        part("multi_modal_projector.linear_2", "bridge.out", linear("d -> d", bias="b"))),
    heads=(head("Model ForConditionalGeneration", "model.", LM_HEAD), head("LlavaModel", "model.")),
    dialects=({},
        {"model.vision_tower.": "model.vision_tower.vision_model."},
        {"model.language_model.": "language_model.model.", "lm_head": "language_model.lm_head",
         "model.vision_tower.": "vision_tower.vision_model.", "model.multi_modal_projector.": "multi_modal_projector."},
        {"model.language_model.": "language_model.model.", "lm_head": "language_model.lm_head",
         "model.vision_tower.": "vision_tower.", "model.multi_modal_projector.": "multi_modal_projector."}))
