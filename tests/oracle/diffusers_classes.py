"""The model classes of diffusers, including those defined in the module of a pipeline."""

from __future__ import annotations

from importlib import import_module
from typing import Any

_ACE_STEP = "ace_step.modeling_ace_step"
IN_PIPELINES = {
    "AceStepAudioTokenDetokenizer": _ACE_STEP,
    "AceStepAudioTokenizer": _ACE_STEP,
    "AceStepConditionEncoder": _ACE_STEP,
    "AceStepLyricEncoder": _ACE_STEP,
    "AceStepTimbreEncoder": _ACE_STEP,
    "CLIPImageProjection": "stable_diffusion.clip_image_project_model",
    "Ideogram4PromptEnhancerHead": "ideogram4.prompt_enhancer",
    "LearnedClassifierFreeSamplingEmbeddings": "deprecated.vq_diffusion.pipeline_vq_diffusion",
    "LTX2DurationHead": "ltx2.duration_head",
    "LTX2LatentUpsamplerModel": "ltx2.latent_upsampler",
    "LTX2TextConnectors": "ltx2.connectors",
    "LTX2Vocoder": "ltx2.vocoder",
    "LTX2VocoderWithBWE": "ltx2.vocoder",
    "LTXLatentUpsamplerModel": "ltx.modeling_latent_upsampler",
    "PaellaVQModel": "deprecated.wuerstchen.modeling_paella_vq_model",
    "StableAudio3DurationEmbedder": "stable_audio_3.modeling_stable_audio_3",
    "StableUnCLIPImageNormalizer": "stable_diffusion.stable_unclip_image_normalizer",
    "UnCLIPTextProjModel": "deprecated.unclip.text_proj",
    "UniDiffuserTextDecoder": "deprecated.unidiffuser.modeling_text_decoder",
    "UTransformer2DModel": "deprecated.unidiffuser.modeling_uvit",
    "WuerstchenDiffNeXt": "deprecated.wuerstchen.modeling_wuerstchen_diffnext",
    "WuerstchenPrior": "deprecated.wuerstchen.modeling_wuerstchen_prior",
}
"""Class -> its module below `diffusers.pipelines`."""


def class_of(name: str) -> Any:
    """A model class; None if diffusers has no class of this name."""
    import diffusers  # type: ignore[import-not-found]

    if name in IN_PIPELINES:
        return getattr(import_module(f"diffusers.pipelines.{IN_PIPELINES[name]}"), name)
    return getattr(diffusers, name, None)
