"""The finding on an IP-Adapter as its training saves it."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy, Step


class AdapterInTraining(Finding, frozen=True, kw_only=True):
    """The file is a save of the training of an IP-Adapter, under names that no program reads.

    What it means
        The training scripts save their own class: the network for images as `image_proj_model.`, the attention layers
        as `adapter_modules.`, and the UNet with both. Programs read `image_proj.` and `ip_adapter.` alone.

    Why it matters
        diffusers (`load_ip_adapter`) and ComfyUI refuse the file.

    Example
        error[A976] adapter-in-training: an IP-Adapter under the names of its training
          stored  10 tensors, such as adapter_modules.1.to_k_ip.weight
          also    2 tensors of the UNet
          help    save the tensors of image_proj_model. as image_proj. and those of
                  adapter_modules. as ip_adapter., without the UNet

    What to do
        Save the tensors of both under the names that programs read, in a file without the UNet.
    """

    code = "A976"

    tensors: int
    such_as: str
    beside: int

    headline_text = "an IP-Adapter under the names of its training"
    row_texts = (
        ("stored", "{tensors:count tensor}, such as {such_as}"),
        ("also", "{beside:count tensor} of the UNet", "beside"),
    )

    def remedy(self) -> Remedy:
        words = "save the tensors of image_proj_model. as image_proj. and those of adapter_modules. as ip_adapter."
        if self.beside:
            return Remedy(f"{words}, without the UNet")
        renames = (("image_proj_model.*", "image_proj.*"), ("adapter_modules.*", "ip_adapter.*"))
        return Remedy(words, tuple(Step(action="rename", old=old, new=new) for old, new in renames))
