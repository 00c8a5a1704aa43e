"""Janus and DeepSeek-VL as their authors publish them (github.com/deepseek-ai/Janus, DeepSeek-VL): one type for both.

modeling_vlm.py there: SigLIP's tower as timm names it, with its pooling head, whose sizes follow from `model_name`;
aligners of `depth` linears; the text is Llama's. Janus also paints: a VQ autoencoder whose sizes are constants, a table
of picture tokens, an aligner and a head. The tower of two parts of the larger DeepSeek-VL is not described.
"""

from inspector.architectures.multimodal.janus import ATTENTION, RESNET
from inspector.architectures.text.llama import LLAMA
from inspector.architectures.vision.vision_blocks import TIMM_POOL, TIMM_TOWER
from inspector.notation.definition import Architecture, Dims, head, maybe, opaque, part, rows, submodel, under
from inspector.notation.kinds import affine, buffer, conv, dense, table

VISION = Architecture("multi_modality_vision", heads=(head("tower", ""),), ignores="cls params.select_feature",
    dims=Dims(large="params.model_name == 'siglip_large_patch16_384'", d="1024 when large | 1152",
              n="24 when large | 27", s="params.select_layer", L="n + s + 1 when s <= 0 | min(n, s)",
              p="16 when large | 14", g="((params.image_size | 384)//p)**2", ff="4096 when large | 4304"),
    parts=rows(TIMM_TOWER, TIMM_POOL))
MIDDLE = rows(
    under("mid.0", RESNET, i="m", o="m", tower="middle"),
    under("mid.1", ATTENTION, tower="middle"),
    under("mid.2", RESNET, i="m", o="m", tower="middle.last"))
DECODER_MIDDLE = rows(
    under("mid.0", RESNET, i="m", o="m", tower="decoder.middle"),
    under("mid.1", ATTENTION, tower="decoder.middle"),
    under("mid.2", RESNET, i="m", o="m", tower="decoder.middle.last"))
# S, U: stages of encoder and decoder; w, v, u, p: channels of a stage and of the one before; m: of the middle
VQ16 = Architecture("multi_modality_vq", heads=(head("tower", ""),),
    ignores="cls params.image_token_size params.n_embed",
    dims=Dims(a="128", m="512", z="256", d="8", S="5", U="5", w="128 when {S} < 2 | 256 when {S} < 4 | 512",
              v="128 when {S} < 3 | 256", u="512 when {U} == 0 | 256 when {U} < 3 | 128",
              p="512 when {U} < 2 | 256 when {U} < 4 | 128", D="S[:S-1]", W="U[:U-1]"),
    parts=rows(
        part("quantize.embedding",      "embed.code",      table("16384 d")),
        maybe("quantize.codebook_used", "quantizer.count", buffer("65536")),
        part("quant_conv",      "head.quantise",  conv("z -> d, 1 1")),
        part("post_quant_conv", "embed.quantise", conv("d -> z, 1 1")),
        under("encoder", MIDDLE,
            part("conv_in", "embed.image", conv("3 -> a, 3 3")),
            under("conv_blocks.{S}.res.0", RESNET, i="v", o="w"),
            under("conv_blocks.{S}.res.1", RESNET, i="w", o="w"),
            under("conv_blocks.4.attn.0", ATTENTION),
            under("conv_blocks.4.attn.1", ATTENTION, tower="second"),
            part("conv_blocks.{D}.downsample.conv", "resnet.down", conv("w -> w, 3 3")),
            part("norm_out", "norm.final",  affine("m")),
            part("conv_out", "head.latent", conv("m -> z, 3 3")), tower="encoder"),
        under("decoder", DECODER_MIDDLE,
            part("conv_in", "embed.latent", conv("z -> m, 3 3")),
            under("conv_blocks.{U}.res.0", RESNET, i="p", o="u"),
            under("conv_blocks.{U}.res.1", RESNET, i="u", o="u"),
            under("conv_blocks.{U}.res.2", RESNET, i="u", o="u", tower="decoder.third"),
            under("conv_blocks.0.attn.0", ATTENTION),
            under("conv_blocks.0.attn.1", ATTENTION, tower="decoder.second"),
            under("conv_blocks.0.attn.2", ATTENTION, tower="decoder.third"),
            part("conv_blocks.{W}.upsample.conv", "resnet.up", conv("u -> u, 3 3")),
            part("norm_out", "norm.final", affine("a")),
            part("conv_out", "head.image", conv("a -> 3, 3 3")), tower="decoder")))
ALIGNER = rows(                                # i channels in, o out, K further linears
    part("layers.0",   "bridge.in",    dense("i -> o")),
    part("layers.{K}", "bridge.inner", dense("o -> o")))
SPLIT = "aligner_config.params.projector_type == 'low_high_hybrid_split_mlp_gelu'"
KNOWN = "vision_config.cls == 'CLIPVisionTower'"
MULTI_MODALITY = Architecture("multi_modality", ties="language_config.tie_word_embeddings | false",
    heads=(head("MultiModalityCausalLM", "", default=True),),
    dims=Dims(a="aligner_config.params.n_embed", e="aligner_config.params.input_dim",
              A="2 : 2*(aligner_config.params.depth | 1) : 2", B="1 : 2*(aligner_config.params.depth | 1) - 1 : 2",
              b="gen_aligner_config.params.n_embed", c="gen_aligner_config.params.input_dim",
              G="2 : 2*(gen_aligner_config.params.depth | 1) : 2", q="gen_vision_config.params.n_embed",
              t="gen_vision_config.params.image_token_size", y="gen_head_config.params.n_embed",
              k="gen_head_config.params.image_token_embed", r="gen_head_config.params.image_token_size"),
    parts=rows(
        submodel("vision", "vision_model.vision_tower.", VISION, head="tower", when=KNOWN),
        opaque("vision_model.", "a tower of two parts", when=f"not ({KNOWN})"),
        rows(
            under("aligner", ALIGNER, i="e", o="a", K="A", when=f"not ({SPLIT})"),
            under("aligner",
                part("high_up_proj", "bridge.in.high", dense("e -> a//2")),
                part("low_up_proj",  "bridge.in",      dense("e -> a//2")),
                part("layers.{B}",   "bridge.inner",   dense("a -> a")), when=SPLIT)),
        rows(
            submodel("gen_vision", "gen_vision_model.", VQ16, head="tower"),
            under("gen_aligner", ALIGNER, i="c", o="b", K="G", tower="painted"),
            part("gen_embed", "embed.picture", table("t q")),
            part("gen_head.output_mlp_projector", "head.image.project", dense("y -> k")),
            part("gen_head.vision_head",          "head.image",         dense("k -> r")),
            when="gen_vision_config != null"),
        submodel("text", "language_model.", LLAMA, config="language_config", head="ForCausalLM")))
