"""Pi0: PaliGemma and a smaller Gemma that acts, each layer of which reads the keys and values of the other's.

modeling_pi0.py: the smaller model's vocabulary is PaliGemma's. Actions, noise and time become its input. The release
holds a head of each model in place of its embedding.
"""

from inspector.architectures.multimodal.llava import PALIGEMMA
from inspector.architectures.text.gemma import GEMMA
from inspector.notation.definition import Architecture, Dims, head, part, rows, submodel
from inspector.notation.kinds import dense

RELEASE = {                                    # LeRobot's
    "embed_action_time.": "", "model.vlm.language_model.embed_tokens": "paligemma_with_expert.paligemma.lm_head",
    "model.vlm.": "paligemma_with_expert.paligemma.model.",
    "model.dit.embed_tokens": "paligemma_with_expert.gemma_expert.lm_head",
    "model.dit.": "paligemma_with_expert.gemma_expert.model."}
SAVED = {                                      # by the class that acts
    "embed_action_time.": "", "model.vlm.": "paligemma_with_expert.paligemma.model.",
    "model.vlm.language_model.": "paligemma_with_expert.paligemma.model.language_model.model.",
    "model.dit.embed_tokens": "paligemma_with_expert.gemma_expert.lm_head",
    "model.dit.": "paligemma_with_expert.gemma_expert.model."}
WRAPPED = {                                    # by LeRobot, which holds the model in a policy
    **{canonical: f"model.{name}" for canonical, name in RELEASE.items()}, "action_out_proj.": "model.action_out_proj."}
BODY_SAVED = {"vlm.language_model.": "vlm.language_model.model."}
BARE_PALIGEMMA = submodel(
    "vlm", "vlm.", Architecture("paligemma", dims=PALIGEMMA.dims, parts=PALIGEMMA.parts, heads=(head("Model", ""),)))
PI0 = Architecture("pi0", ties="false", dims=Dims(d="dit.d", V="vlm.V", a="max_action_dim", s="max_state_dim"),
    parts=rows(
        BARE_PALIGEMMA,
        submodel("dit", "dit.", GEMMA, head="Model", by_type=True, vocab_size="vlm.V")),
    heads=(
        head("Model", ""),
        head("ForConditionalGeneration", "model.",
            part("embed_action_time.action_in_proj",      "embed.action",     dense("a -> d")),
            part("embed_action_time.state_proj",          "embed.state",      dense("s -> d")),
            part("embed_action_time.action_time_mlp_in",  "embed.action.in",  dense("2*d -> d")),
            part("embed_action_time.action_time_mlp_out", "embed.action.out", dense("d -> d")),
            part("action_out_proj",                       "head.action",      dense("d -> a")), default=True)),
    dialects=({}, SAVED, BODY_SAVED, RELEASE, WRAPPED), writers=("", "", "", "LeRobot", "LeRobot"))
