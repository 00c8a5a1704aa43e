"""Two checkpoints in one: an encoder of one type and a decoder of another, for text, for speech and for images, and
two encoders with outputs that are projected to one width.

modeling_encoder_decoder.py: the sub-configs are `encoder` and `decoder`; `enc_to_dec_proj` exists where the widths
differ and the decoder's `cross_attention_hidden_size` is not set.
modeling_rag.py: the sub-configs are `question_encoder`, DPR without a model type, and `generator`, BART without one.
modeling_vision_encoder_decoder.py: the same. modeling_vision_text_dual_encoder.py: a CLIP vision model has a prefix.
"""

from inspector.architectures.text.bart import BART
from inspector.architectures.text.bert_like import DPR
from inspector.notation.definition import Architecture, Dims, head, part, rows, submodel
from inspector.notation.kinds import dense, linear, param

PROJECT = part("enc_to_dec_proj", "project", dense("encoder.d -> decoder.d"),
               when="encoder.d != decoder.d and decoder.cross_attention_hidden_size == null")
KEPT = "decoder.add_cross_attention decoder.cross_attention_hidden_size"
"""The decoder reads the encoder's output in every forward pass: without cross attention it raises ValueError."""
ENCODER_DECODER = Architecture("encoder-decoder", keeps=KEPT, dims=Dims(),
    heads=(head("EncoderDecoderModel", ""),),
    parts=rows(
        submodel("encoder", "encoder.", config="encoder"),
        submodel("decoder", "decoder.", config="decoder", head="ForCausalLM"),
        PROJECT))
SPEECH_ENCODER_DECODER = Architecture("speech-encoder-decoder", ignores="tie_word_embeddings", keeps=KEPT,
                                      dims=Dims(o="encoder.output_hidden_size | encoder.d"),
    heads=(head("SpeechEncoderDecoderModel", ""),),
    parts=rows(
        submodel("encoder", "encoder.", config="encoder"),
        submodel("decoder", "decoder.", config="decoder", head="ForCausalLM"),
        part("enc_to_dec_proj", "project", dense("o -> decoder.d"),
             when="o != decoder.d and decoder.cross_attention_hidden_size == null")))
VISION_ENCODER_DECODER = Architecture("vision-encoder-decoder", ignores="tie_word_embeddings", keeps=KEPT, dims=Dims(),
    heads=(head("VisionEncoderDecoderModel", ""),),
    parts=rows(
        submodel("encoder", "encoder.", config="encoder"),
        submodel("decoder", "decoder.", config="decoder", head="ForCausalLM"),
        PROJECT))
VISION_TEXT_DUAL_ENCODER = Architecture("vision-text-dual-encoder", dims=Dims(q="projection_dim"),
    heads=(head("VisionTextDualEncoderModel", ""),),
    parts=rows(
        submodel("vision", "vision_model."),
        submodel("text", "text_model."),
        part("logit_scale",       "head.scale",          param("")),
        part("text_projection",   "head.project.text",   linear("text.d -> q")),
        part("visual_projection", "head.project.image", linear("vision.d -> q"))))
RAG = Architecture("rag", ignores="tie_word_embeddings vocab_size", dims=Dims(),
    heads=(
        head("SequenceForGeneration TokenForGeneration", "rag.", default=True),
        head("Model",                                    "")),
    parts=rows(
        submodel("question_encoder", "question_encoder.", DPR, config="question_encoder", head="QuestionEncoder",
                 by_type=True),
        submodel("generator", "generator.", BART, config="generator", head="ForConditionalGeneration", by_type=True)))
