"""Findings on weights beside a config of OpenCLIP."""

from __future__ import annotations

from inspector.findings.finding import ContentFinding, Remedy, Rows, Step
from inspector.findings.words import listed

PREFIX = "model_cfg."


class OpenClipConfigDiffers(ContentFinding, frozen=True, kw_only=True):
    """The config of OpenCLIP describes a model of other sizes than the weights.

    What it means
        `open_clip_config.json` gives the sizes of both towers, or the name of timm's model with the vision tower. The
        weights have other sizes: the config belongs to another model.

    Why it matters
        OpenCLIP builds the model of the config and loads strictly: it refuses the weights with missing and unexpected
        keys or a size mismatch.

    Example
        error[N661] open-clip-config-differs: vision_cfg.timm_model_name is
          vit_base_patch16_224
          width       768 in the config, 1024 in the weights
          blocks      12 in the config, 24 in the weights
          patch size  16 in the config, 14 in the weights
          help        set "timm_model_name" in open_clip_config.json to the model that
                      the weights have (vit_large_patch14...), or use the config that
                      belongs to them

    What to do
        Use the config of the repository from which the weights come.
    """

    code = "N661"

    keys: tuple[str, ...]
    stated: tuple[int, ...]
    stored: tuple[int, ...]
    named: str = ""
    """The model of timm that the config names."""
    means: str = ""
    """The beginning of the names of timm's models with the stored sizes."""

    def _of_timm(self) -> bool:
        return any("timm_model_name" in one for one in self.keys)

    def headline(self) -> str:
        if self._of_timm():
            return f"vision_cfg.timm_model_name is {self.named}"
        return listed(self.keys, 3)

    def rows(self) -> Rows:
        numbers = zip(self.keys, self.stated, self.stored, strict=True)
        return [
            (key.partition(" of ")[0], f"{stated} in the config, {stored} in the weights")
            for key, stated, stored in numbers
        ]

    def remedy(self) -> Remedy:
        if self._of_timm():
            means = f" ({self.means}...)" if self.means else ""
            return Remedy(
                f'set "timm_model_name" in open_clip_config.json to the model that the weights have{means}, or use the '
                f"config that belongs to them"
            )
        steps = tuple(
            Step(action="set", file=self.place.file, key=tuple(f"{PREFIX}{key}".split(".")), new=number)
            for key, number in dict(zip(self.keys, self.stored, strict=True)).items()
        )
        return Remedy("use the open_clip_config.json that belongs to these weights, or set these values in it", steps)


class NamesUnreadByOpenClip(ContentFinding, frozen=True, kw_only=True):
    """The weights beside a config of OpenCLIP have the names of transformers.

    What it means
        A repository can hold a model twice: for OpenCLIP (`visual.`, `transformer.resblocks.`) and for transformers
        (`vision_model.`, `text_model.`). The file is the one for transformers, under another name.

    Why it matters
        OpenCLIP loads strictly and finds none of its names: "Missing key(s) in state_dict: positional_embedding,
        text_projection ..., Unexpected key(s): text_model.embeddings.position_ids ...".

    Example
        error[N662] names-unread-by-open-clip: open_clip_pytorch_model.safetensors
          stored  text_model.embeddings.position_embedding.weight
          help    download open_clip_model.safetensors or open_clip_pytorch_model.bin of
                  the repository; transformers loads these weights as model.safetensors
                  or pytorch_model.bin beside a config.json

    What to do
        Take the file for OpenCLIP from the repository, or load this one with transformers.
    """

    code = "N662"

    file: str
    example: str

    headline_text = "{file}"
    row_texts = (("stored", "{example}"),)
    remedy_text = (
        "download open_clip_model.safetensors or open_clip_pytorch_model.bin of the repository; transformers loads "
        "these weights as model.safetensors or pytorch_model.bin beside a config.json"
    )
