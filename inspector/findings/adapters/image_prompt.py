"""Findings on IP-Adapters under the names of their training, under those of the UNet, and without attention layers."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy, Step


class AdapterInTraining(Finding, frozen=True, kw_only=True):
    """The file is a save of the training of an IP-Adapter, under names that no program reads.

    What it means
        The training scripts save their own class: the network for images as `image_proj_model.`, the attention layers
        as `adapter_modules.` or under their names in the UNet, and the UNet with both. Programs read `image_proj.` and
        `ip_adapter.` alone.

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
    wanted: str = ""
    """The name of this tensor for programs, if it has its name in the UNet."""
    loras: int = 0
    """Tensors of LoRA in the attention layers of the UNet, which adapters for faces have."""

    headline_text = "an IP-Adapter under the names of its training"
    row_texts = (
        ("stored", "{tensors:count tensor}, such as {such_as}"),
        ("of these", "{loras:count tensor} of LoRA, such as to_q_lora, which belong to the adapter", "loras"),
        ("wanted", "{wanted}", "wanted"),
        ("also", "{beside:count tensor} of the UNet", "beside"),
    )

    def remedy(self) -> Remedy:
        words = "save the tensors of image_proj_model. as image_proj. and those of adapter_modules. as ip_adapter."
        if self.wanted:
            words = (
                "save the tensors of image_proj_model. as image_proj. and to_k_ip and to_v_ip of the UNet's layers as "
                "ip_adapter.1, 3, 5 ... in the order down_blocks, up_blocks, mid_block"
            )
        if self.loras:
            words += (
                ", their to_q_lora, to_k_lora, to_v_lora and to_out_lora too, those of attn1 as ip_adapter.0, 2, 4 ..."
            )
        if self.beside or self.wanted:
            return Remedy(f"{words}, without the UNet")
        renames = (("image_proj_model.*", "image_proj.*"), ("adapter_modules.*", "ip_adapter.*"))
        return Remedy(words, tuple(Step(action="rename", old=old, new=new) for old, new in renames))


class AdapterNamedByUnet(Finding, frozen=True, kw_only=True):
    """The attention layers of an IP-Adapter have the names of the UNet instead of numbers.

    What it means
        Programs read `ip_adapter.1.to_k_ip.weight` and so on: the number is the position among the UNet's attention
        processors, those of the blocks down first, then up, then the middle. This file has the modules' names.

    Why it matters
        diffusers (`load_ip_adapter`) and ComfyUI refuse the file: KeyError '1.to_k_ip.weight'.

    Example
        error[A980] adapter-named-by-unet: an IP-Adapter under the names of the UNet
          stored
            4 tensors, such as
            ip_adapter.down_blocks.0.attentions.0.transformer_blocks.0.attn2.processor.to_k_ip.weight
          wanted  ip_adapter.1.to_k_ip.weight
          help    replace the names of the attention layers by their numbers: 1, 3, 5
                  ... in the order down_blocks, up_blocks, mid_block

    What to do
        Rename the tensors; `inspector mend` prints each step where all layers of a UNet are there.
    """

    code = "A980"

    tensors: int
    such_as: str
    wanted: str
    renames: tuple[tuple[str, str], ...] = ()

    headline_text = "an IP-Adapter under the names of the UNet"
    row_texts = (("stored", "{tensors:count tensor}, such as {such_as}"), ("wanted", "{wanted}"))

    def remedy(self) -> Remedy:
        words = (
            "replace the names of the attention layers by their numbers: 1, 3, 5 ... in the order down_blocks, "
            "up_blocks, mid_block"
        )
        return Remedy(words, tuple(Step(action="rename", old=old, new=new) for old, new in self.renames))


class AdapterWithoutAttention(Finding, frozen=True, kw_only=True):
    """An IP-Adapter has its network for images and no attention layers.

    What it means
        A file of an IP-Adapter has two parts: `image_proj.` and `ip_adapter.`. The second is absent or empty, as when
        a conversion looks for names that the training did not save.

    Why it matters
        diffusers (`load_ip_adapter`) and ComfyUI refuse the file.

    Example
        error[A981] adapter-without-attention: an IP-Adapter without attention layers
          stored  4 tensors of image_proj, none of ip_adapter
          help    convert the training's checkpoint again: its to_k_ip and to_v_ip
                  tensors belong under ip_adapter.

    What to do
        Convert the checkpoint of the training again, and check that both parts have tensors.
    """

    code = "A981"

    tensors: int

    headline_text = "an IP-Adapter without attention layers"
    row_texts = (("stored", "{tensors:count tensor} of image_proj, none of ip_adapter"),)
    remedy_text = "convert the training's checkpoint again: its to_k_ip and to_v_ip tensors belong under ip_adapter."


class AdapterWithoutProjection(Finding, frozen=True, kw_only=True):
    """An IP-Adapter has its attention layers and no network for images.

    What it means
        A file of an IP-Adapter has two parts: `image_proj.` and `ip_adapter.`. The first, which turns the embedding of
        an image into tokens, is absent, as when only the layers of the UNet were saved or converted.

    Why it matters
        diffusers (`load_ip_adapter`) and ComfyUI refuse the file, and the layers of another adapter's network do not
        fit: both parts were trained together.

    Example
        error[A982] adapter-without-projection: an IP-Adapter without its network for
          images
          stored  32 tensors of ip_adapter, none of image_proj
          help    convert the training's checkpoint again: the tensors of its
                  image_proj_model belong under image_proj.

    What to do
        Convert the checkpoint of the training again, and check that both parts have tensors.
    """

    code = "A982"

    tensors: int

    headline_text = "an IP-Adapter without its network for images"
    row_texts = (("stored", "{tensors:count tensor} of ip_adapter, none of image_proj"),)
    remedy_text = (
        "convert the training's checkpoint again: the tensors of its image_proj_model belong under image_proj."
    )


class AdapterImagesDiffer(Finding, frozen=True, kw_only=True):
    """The image encoder next to an IP-Adapter gives vectors of another width than the adapter reads.

    What it means
        An IP-Adapter reads what one image encoder gives for an image: the last hidden states, or their projection. The
        folder `image_encoder` next to this file is another encoder, such as ViT-bigG where ViT-H is meant, or ViT-L.

    Why it matters
        diffusers (`load_ip_adapter`) loads the encoder of this folder if no other is given; each call then fails: mat1
        and mat2 shapes cannot be multiplied. ComfyUI refuses the pair: size mismatch for proj_in.weight or proj.weight.

    Example
        warning[A989] adapter-images-differ: image_encoder gives 1,664 numbers
          adapter  reads 1,280 numbers, hidden_size of its encoder
          help     pass image_encoder_folder= with an encoder whose hidden_size is 1280

    What to do
        Use the image encoder that the adapter was trained with: for the adapters of h94/IP-Adapter,
        models/image_encoder (ViT-H), or sdxl_models/image_encoder (ViT-bigG) for the plain one of SDXL and for `vit-G`.
    """

    code = "A989"
    severity = "warning"

    folder: str
    given: int
    reads: int
    of: str
    """The key of the encoder's config with the width."""

    headline_text = "{folder} gives {given} numbers"
    row_texts = (("adapter", "reads {reads} numbers, {of} of its encoder"),)

    def remedy(self) -> Remedy:
        return Remedy(f"pass image_encoder_folder= with an encoder whose {self.of} is {self.reads}")
