"""LXMERT.

modeling_lxmert.py: BERT's layers for text and for objects, then layers in which one attention, stored once, lets each
side read the other. Pretraining has a head for each loss that the config names; transformers 4 ties the vocabulary
whatever the config says.
"""

from inspector.architectures.text.bert import LONE_LAYER, MASKED, NEXT
from inspector.notation.definition import Architecture, Dims, head, part, rows, under
from inspector.notation.kinds import affine, dense, table

SELF = rows(
    part("self.query",       "attention.query",  dense("d -> d")),
    part("self.key",         "attention.key",    dense("d -> d")),
    part("self.value",       "attention.value",  dense("d -> d")),
    part("output.dense",     "attention.output", dense("d -> d")),
    part("output.LayerNorm", "norm.attention",   affine("d")))
ANSWERS = under("answer_head.logit_fc",
    part("0", "head.answer.up",   dense("d -> 2*d")),
    part("2", "norm.head.answer", affine("2*d")),
    part("3", "head.answer",      dense("2*d -> num_qa_labels")))
LXMERT = Architecture("lxmert", ignores="num_hidden_layers",
                      ties="(tie_word_embeddings | true) or transformers_version[0] == '4'",
    dims=Dims(V="vocab_size", d="hidden_size", h="num_attention_heads", a="d", ff="intermediate_size",
              T="max_position_embeddings",
              y="type_vocab_size", L="l_layers", R="r_layers", X="x_layers", f="visual_feat_dim"),
    parts=rows(
        under("embeddings",
            part("word_embeddings",       "embed.token",    table("V d")),
            part("position_embeddings",   "embed.position", table("T d")),
            part("token_type_embeddings", "embed.type",     table("y d")),
            part("LayerNorm",             "norm.embed",     affine("d"))),
        under("encoder",
            part("visn_fc.visn_fc",         "embed.object",      dense("f -> d")),
            part("visn_fc.visn_layer_norm", "norm.embed.object", affine("d")),
            part("visn_fc.box_fc",          "embed.box",         dense("visual_pos_dim -> d")),
            part("visn_fc.box_layer_norm",  "norm.embed.box",    affine("d")),
            under("layer.{L}", LONE_LAYER),
            under("r_layers.{R}", LONE_LAYER, tower="objects"),
            under("x_layers.{X}",
                part("visual_attention.att.query",        "cross.query",  dense("d -> d")),
                part("visual_attention.att.key",          "cross.key",    dense("d -> d")),
                part("visual_attention.att.value",        "cross.value",  dense("d -> d")),
                part("visual_attention.output.dense",     "cross.output", dense("d -> d")),
                part("visual_attention.output.LayerNorm", "norm.cross",   affine("d")),
                under("lang_self_att", SELF, tower="joined.text"),
                under("visn_self_att", SELF, tower="joined.objects"),
                part("lang_inter.dense",      "mlp.text.up",      dense("d -> ff")),
                part("lang_output.dense",     "mlp.text.down",    dense("ff -> d")),
                part("lang_output.LayerNorm", "norm.mlp.text",    affine("d")),
                part("visn_inter.dense",      "mlp.objects.up",   dense("d -> ff")),
                part("visn_output.dense",     "mlp.objects.down", dense("ff -> d")),
                part("visn_output.LayerNorm", "norm.mlp.objects", affine("d")), tower="joined")),
        part("pooler.dense", "pooler", dense("d -> d"))),
    heads=(
        head("Model", ""),
        head("ForPreTraining", "lxmert.", MASKED, NEXT,
            under("obj_predict_head",
                part("transform.dense",     "head.object.dense",     dense("d -> d")),
                part("transform.LayerNorm", "norm.head.object",      affine("d")),
                part("decoder_dict.obj",    "head.object",           dense("d -> num_object_labels"),
                     when="visual_obj_loss"),
                part("decoder_dict.attr",   "head.object.attribute", dense("d -> num_attr_labels"),
                     when="visual_attr_loss"),
                part("decoder_dict.feat",   "head.object.feature",   dense("d -> f"),
                     when="visual_feat_loss"),
                when="task_obj_predict"),
            rows(ANSWERS, when="task_qa"), default=True),
        head("ForQuestionAnswering", "lxmert.", ANSWERS)))
