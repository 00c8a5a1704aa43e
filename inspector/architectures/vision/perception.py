"""Perception Encoders, networks of the library timm that its name and `model_args` describe.

timm's eva.py (`vit_pe_core_…`, `vit_pe_lang_…`, `vit_pe_spatial_…`): a norm follows the patches, which have no bias;
the largest have no class token and a wider MLP. Core models end with a norm and an attention pool, and a projection
where the class asks for one; the others end with the last block.
modeling_timm_wrapper.py: everything is below `timm_model.`.
"""

from inspector.notation.definition import Architecture, Dims, Row, head, opaque, part, rows, submodel, under
from inspector.notation.kinds import affine, conv, dense, param

SIZES = (("tiny", 192), ("small", 384), ("base", 768), ("large", 1024), ("gigantic", 1536))
NAMES = {
    "core": "tiny_patch16_384 small_patch16_384 base_patch16_224 large_patch14_336 gigantic_patch14_448",
    "lang": "large_patch14_448 gigantic_patch14_448",
    "spatial": "tiny_patch16_512 small_patch16_512 base_patch16_512 large_patch14_448 gigantic_patch14_448"}
ALL = tuple(f"vit_pe_{use}_{name}" for use, names in NAMES.items() for name in names.split())


def those(*words: str) -> str:
    """The predicate that the name has one of these words."""
    return f"name in '{' '.join(name for name in ALL if any(word in name for word in words))}'"


WIDTH = " | ".join(f"{width} when {those(size)}" for size, width in SIZES)
MLP = rows(
    part("fc1", "mlp.up",   dense("d -> f")),
    part("fc2", "mlp.down", dense("f -> d")))
TOWER: Architecture = Architecture("vit_pe",   # no model type of its own
    ignores="num_classes label_names do_pooling global_pool initializer_range",
    dims=Dims(
        name="architecture", core=those("core"), big=those("gigantic"), d=f"model_args.embed_dim | {WIDTH}",
        L=f"model_args.depth | 50 when big and not {those('lang')} | 47 when big | 23 when {those('lang')}"
          f" | 24 when {those('large')} | 12",
        p=f"model_args.patch_size | 16 when {those('patch16')} | 14",
        i="model_args.img_size | " + " | ".join(f"{s} when {those(f'_{s}')}" for s in (224, 336, 384, 448, 512)),
        t="1 when (model_args.class_token | not big) | 0", c="model_args.in_chans | 3",
        n="(i[0]//p)*(i[1]//p) + t", ff="floor(d*model_args.mlp_ratio) | d*8960//1536 when big | 4*d",
        pf="floor(d*model_args.attn_pool_mlp_ratio) | 4*d", C="num_labels | len(id2label)",
        pool="model_args.global_pool | 'map' when core | 'avg'", fc="model_args.use_fc_norm | pool == 'avg' when core",
        post="model_args.use_post_transformer_norm | not (fc | false) when core",
        scaled=f"model_args.init_values | 1 when {those('lang', 'spatial_gigantic')}"),
    parts=rows(
        part("cls_token",        "embed.class",    param("1 1 d"), when="t > 0"),
        part("pos_embed",        "embed.position", param("1 n d")),
        part("patch_embed.proj", "embed.patch",    conv("c -> d, p p", bias=False)),
        part("norm_pre",         "norm.embed",     affine("d")),
        under("blocks.{L}",
            part("norm1",     "norm.attention",   affine("d")),
            part("attn.qkv",  "attention.qkv",    dense("d -> d + d + d", packs="q k v")),
            part("attn.proj", "attention.output", dense("d -> d")),
            part("gamma_1",   "attention.scale",  param("d"), when="scaled"),
            part("norm2",     "norm.mlp",         affine("d")),
            under("mlp", MLP, f="ff"),
            part("gamma_2",   "mlp.scale",        param("d"), when="scaled")),
        part("norm",          "norm.final",       affine("d"), when="post"),
        part("fc_norm",       "norm.head",        affine("d"), when="fc"),
        under("attn_pool",
            part("latent", "embed.latent", param("1 1 d")),
            part("q",      "cross.query",  dense("d -> d")),
            part("kv",     "cross.kv",     dense("d -> d + d", packs="k v")),
            part("proj",   "cross.output", dense("d -> d")),
            part("norm",   "norm.mlp",     affine("d")),
            under("mlp", MLP, f="pf"), when="pool == 'map'", tower="pool")),
    heads=(
        head("Model",                  "timm_model."),
        head("ForImageClassification", "timm_model.", part("timm_model.head", "head.class", dense("d -> C")))))


def perception(at: str, config: str, class_name: str) -> Row:
    """The tower that `config` names, below `at`: its symbols are `vision.d`, …. Another network is not described."""
    known = f"{config}.architecture in '{' '.join(ALL)}'"
    return rows(
        submodel("vision", at, TOWER, config=config, head=class_name, when=known),
        opaque(at, "a network of the library timm", when=f"not ({known})"))
