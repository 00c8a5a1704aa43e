"""Two checkpoints in one: an encoder of one type beside a decoder of another, for text and for speech.

modeling_encoder_decoder.py: the sub-configs are `encoder` and `decoder`; `enc_to_dec_proj` exists where the widths differ
and the decoder's `cross_attention_hidden_size` does not say so already.
"""

from inspector.notation.card import Architecture, Dims, graft, head, part, rows
from inspector.notation.kinds import dense

PROJECT = part("enc_to_dec_proj", "project", dense("encoder.d -> decoder.d"),
               when="encoder.d != decoder.d and decoder.cross_attention_hidden_size == null")
ENCODER_DECODER = Architecture("encoder-decoder", dims=Dims(),
    heads=(head("EncoderDecoderModel", ""),),
    parts=rows(
        graft("encoder", "encoder.", config="encoder"),
        graft("decoder", "decoder.", config="decoder", head="ForCausalLM"),
        PROJECT))
SPEECH_ENCODER_DECODER = Architecture("speech-encoder-decoder", ignores="tie_word_embeddings", dims=Dims(o="encoder.output_hidden_size | encoder.d"),
    heads=(head("SpeechEncoderDecoderModel", ""),),
    parts=rows(
        graft("encoder", "encoder.", config="encoder"),
        graft("decoder", "decoder.", config="decoder", head="ForCausalLM"),
        part("enc_to_dec_proj", "project", dense("o -> decoder.d"),
             when="o != decoder.d and decoder.cross_attention_hidden_size == null")))
