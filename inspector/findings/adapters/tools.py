"""Adapters of tools that store no config: missing parts, pairs that do not fit, and names that no module has."""

from __future__ import annotations

import msgspec

from inspector.findings.finding import Finding, Remedy, Rows, Step
from inspector.findings.words import count, first, listed, number, shape


class Pair(msgspec.Struct, frozen=True):
    """Two tensors of one module, with their shapes."""

    first: str
    first_shape: tuple[int, ...]
    second: str
    second_shape: tuple[int, ...]


class AdapterHoldsModel(Finding, frozen=True, kw_only=True):
    """The file of the adapter holds the weights of a model, and no adapter.

    What it means
        adapter_config.json names a method, but no tensor is one of that method: the whole state dict was saved under
        the adapter's name, often after the adapter was merged or before it was added.

    Why it matters
        PEFT uses none of these tensors: the adapter stays at its initial values, with a warning at most.

    Example
        error[N457] adapter-holds-model: 291 tensors of a model, none of adapter
          such as  base_model.model.model.embed_tokens.weight
          help     save the adapter with save_pretrained of the PEFT model; if these are
                   the merged weights, save them as model.safetensors with the base's
                   config.json, the names without "base_model.model."

    What to do
        Save the adapter again, or keep the weights as a model of their own.
    """

    code = "N457"

    method: str
    tensors: int
    such_as: str
    prefix: str

    headline_text = "{tensors:count tensor} of a model, none of {method}"
    row_texts = (("such as", "{such_as}"),)

    def remedy(self) -> Remedy:
        names = f', the names without "{self.prefix}"' if self.prefix else ""
        return Remedy(
            "save the adapter with save_pretrained of the PEFT model; if these are the merged weights, save them as "
            f"model.safetensors with the base's config.json{names}"
        )


class AdapterPartMissing(Finding, frozen=True, kw_only=True):
    """Some modules of the adapter are incomplete.

    What it means
        A module has one matrix of a low-rank pair without the other, or lacks a scale that all others have.

    Why it matters
        Loaders skip such a module, refuse the file, or scale the module differently from the others.

    Example
        error[A916] adapter-part-missing: 1 of 3 modules lacks lora's up
          module   lora_unet_mid_block_attentions_0_attn1_to_q
          present  lora_unet_mid_block_attentions_0_attn1_to_q.lora_down.weight
          help     download or save the adapter again

    What to do
        Download the adapter again, or save it again from the training run.
    """

    code = "A916"

    method: str
    part: str
    modules: int
    of: int
    names: tuple[str, ...]
    present: str

    remedy_text = "download or save the adapter again"

    def headline(self) -> str:
        verb = "lacks" if self.modules == 1 else "lack"
        kind = self.method.partition(",")[0]
        part = f"{kind}'s {self.part}" if kind else f"all but a scale: the {self.part}"
        return f"{number(self.modules)} of {count(self.of, 'module')} {verb} {part}"

    def rows(self) -> Rows:
        label = "module" if self.modules == 1 else "modules"
        return [(label, first(self.names, self.modules, 3)), ("present", self.present)]


class AdapterPairDiffers(Finding, frozen=True, kw_only=True):
    """Two matrices of an adapter module cannot be multiplied.

    What it means
        The matrices of a low-rank pair have different ranks.

    Why it matters
        Loading fails at this module, or the module is skipped.

    Example
        error[A917] adapter-pair-differs:
          lora_unet_mid_block_attentions_0_attn1_to_q.lora_up.weight
          stored  [64, 8]
          other   lora_unet_mid_block_attentions_0_attn1_to_q.lora_down.weight [4, 64]
          help    download or save the adapter again

    What to do
        Download the adapter again; if the error remains, two adapters were mixed when it was saved.
    """

    code = "A917"

    pairs: tuple[Pair, ...]
    count: int

    remedy_text = "download or save the adapter again"

    def headline(self) -> str:
        return self.place.tensor or f"{number(self.count)} pairs with different ranks"

    def rows(self) -> Rows:
        pair = self.pairs[0]
        lead = [] if self.count == 1 else [("such as", pair.second)]
        return [*lead, ("stored", shape(pair.second_shape)), ("other", f"{pair.first} {shape(pair.first_shape)}")]


class AdapterModulesUnmatched(Finding, frozen=True, kw_only=True):
    """The adapter changes modules that the base does not have.

    What it means
        The base has no module of these names, also after the spelling of the adapter's tool is undone
        (`down_blocks_0` is `down_blocks.0`).

    Why it matters
        Loaders skip such modules with a warning, or refuse the file: this part of the training is lost.

    Example
        error[A928] adapter-modules-unmatched: 3 of 3 modules are not in base
          modules  down_blocks_0_attentions_0_attn1_to_q,
                   mid_block_attentions_0_attn1_to_q,
                   up_blocks_1_attentions_0_attn1_to_q
          help     use the base that the adapter was trained on

    What to do
        Use the base that the adapter was trained on; where a few modules are left over, two adapters were mixed. Where
        the base has q, k and v apart and the adapter changes one joined matrix (`to_qkv`, of `fuse_qkv_projections`),
        the pair of a LoRA can be split by rows, and another method has to be trained again with separate matrices.
    """

    code = "A928"

    base: str
    names: tuple[str, ...]
    modules: int
    of: int

    prefix: str = ""
    """What is before the names of the base's components and modules in the file."""
    joins: tuple[str, ...] = ()
    """The base's modules that the first one joins, if each joins the base's matrices for q, k and v."""
    splits: bool = False
    """True if each of these is a pair of matrices, of which the second one can be split by rows."""
    model: str = ""
    """The published model that the widths of the adapter show, if the base's show another one."""
    types: tuple[str, ...] = ()
    """The few model types that have all modules of these names."""
    joined: tuple[str, ...] = ()
    """The base's modules that join these, which another form of the model has apart."""
    of_image: bool = False
    """True if all of these are Wan's attention to the image, and the base has the adapter's other modules."""
    renamed: str = ""
    """One of these modules, whose pair of matrices has the widths of the base's head."""
    head: str = ""

    def remedy(self) -> Remedy:
        if self.of_image:
            rest = f"ComfyUI and diffusers load the other {count(self.of - self.modules, 'module')}, and skip these"
            return Remedy(f"use the image-to-video base of Wan 2.1 if it was trained on that; here {rest}")
        if self.joined:
            return Remedy("use the base that the adapter was trained on, which has these modules apart")
        if self.joins and self.splits:
            return Remedy(
                "split each second matrix (lora_up, lora_B) by rows into those of q, k and v in this order, and copy"
                " the first one and alpha to each"
            )
        if self.joins:
            return Remedy("train it again with separate matrices for q, k and v (no fuse_qkv_projections)")
        if self.renamed.endswith(".unembed_tokens"):
            return Remedy(
                "convert the adapter with tinker_cookbook's build_lora_adapter, or merge it with its build_hf_model: "
                f"{self.renamed} is Tinker's name of {self.head}"
            )
        if self.renamed and self.modules == 1:
            return Remedy(
                f"rename {self.renamed} to {self.head}, whose widths it has, and list {self.head} with the other "
                "modules in target_modules of adapter_config.json"
            )
        if self.prefix:
            step = Step(action="rename", old=f"{self.prefix}*", new="*")
            return Remedy(
                f'remove "{self.prefix}" from the beginning of the names: the base has them without it', (step,)
            )
        return Remedy(f"use the base that the adapter was trained on{f', {self.model}' if self.model else ''}")

    def headline(self) -> str:
        verb = "is" if self.modules == 1 else "are"
        return f"{number(self.modules)} of {count(self.of, 'module')} {verb} not in {self.base}"

    def rows(self) -> Rows:
        rows: Rows = [("module" if self.modules == 1 else "modules", first(self.names, self.modules, 3))]
        has = self.joins or self.joined
        rows.extend([("base has", ", ".join(has))] if has else [])
        rows.extend([("widths", f"those of {self.head}")] if self.head else [])
        rows.extend(
            [("these", "attend to an image; text-to-video and Wan 2.2 have no such modules")] if self.of_image else []
        )
        rows.extend([("widths", f"those of {self.model}")] if self.model else [])
        return [*rows, ("names", f"as in {first(self.types, len(self.types), 3)}")] if self.types else rows


class AdapterHoldsBase(Finding, frozen=True, kw_only=True):
    """The adapter's file also holds weights of its base.

    What it means
        Next to the tensors of the method there are the base's own, as in the state dict of a whole PEFT model, or of
        modules that were trained whole and that the config no longer names.

    Why it matters
        PEFT silently loads them in the place of the base's. They are not counted as parameters of the adapter.

    Example
        note[A931] adapter-holds-base: 1 tensor of the base, 4,096 elements
          such as  model.norm.weight
          help     save it with save_pretrained to store the adapter alone

    What to do
        Nothing, if this is the base's own state; save the adapter with `save_pretrained` to store it alone.
    """

    code = "A931"
    severity = "note"

    tensors: int
    elements: int
    such_as: str

    headline_text = "{tensors:count tensor} of the base, {elements:count element}"
    row_texts = (("such as", "{such_as}"),)
    remedy_text = "save it with save_pretrained to store the adapter alone"


class AdapterTypeUnknown(Finding, frozen=True, kw_only=True):
    """adapter_config.json does not name a method that PEFT knows.

    What it means
        `peft_type` is absent, or not one of PEFT's methods, which are written in capital letters.

    Why it matters
        PEFT chooses its classes by this key and refuses the folder.

    Example
        error[A920] adapter-type-unknown: peft_type
          config  "lora"
          shown   the names are those of lora
          help    set "peft_type": "LORA" in adapter_config.json

    What to do
        Set the key to the method that the names show.
    """

    code = "A920"

    stated: str | None
    shown: str | None

    headline_text = "peft_type"

    def rows(self) -> Rows:
        rows = [("config", "absent" if self.stated is None else f'"{self.stated}"')]
        return [*rows, ("shown", f"the names are those of {self.shown}")] if self.shown else rows

    def remedy(self) -> Remedy:
        if not self.shown:
            return Remedy("set peft_type in adapter_config.json to the method that was trained")
        old = {} if self.stated is None else {"old": self.stated}
        step = Step(action="set", file="adapter_config.json", key=("peft_type",), new=self.shown.upper(), **old)
        return Remedy(f'set "peft_type": "{self.shown.upper()}" in adapter_config.json', (step,))


class AdapterTensorUnknown(Finding, frozen=True, kw_only=True):
    """The adapter holds tensors that no known method has.

    What it means
        Most names are an adapter's, these are not: they belong to no method that is known here, or to a damaged name.

    Why it matters
        Loaders ignore what they do not know. The tensors are not counted as parameters.

    Example
        warning[A918] adapter-tensor-unknown:
          lora_unet_mid_block_attentions_0_attn1_to_q.lora_side
          stored  1 tensor, 256 elements
          help    compare with the tool that wrote the file

    What to do
        Compare with the tool that wrote the file; remove the tensors if they are leftovers.
    """

    code = "A918"
    severity = "warning"

    tensors: int
    elements: int
    names: tuple[str, ...]

    row_texts = (("stored", "{tensors:count tensor}, {elements:count element}"),)
    remedy_text = "compare with the tool that wrote the file"

    def headline(self) -> str:
        return self.place.tensor or self.place.family or listed(self.names, 2)


class AdapterTransposed(Finding, frozen=True, kw_only=True):
    """The matrices of an adapter are stored transposed.

    What it means
        Every matrix that does not fit has the expected shape with its two dims swapped, as MLX and some
        converters store them. Where inputs and outputs of a module have the same size, the same shapes result
        if the two matrices were stored under each other's names (lora_A as lora_B).

    Why it matters
        PEFT compares the shapes and refuses the adapter. The two faults need different remedies: the wrong
        one gives an adapter that loads but computes something else.

    Example
        error[A930] adapter-transposed: 128 of 128 tensors
          such as   base_model.model.model.layers.{layer}.self_attn.q_proj.lora_A.weight
          stored    [4096, 16]
          expected  [16, 4096]
          help      transpose each: tensor.t().contiguous()

    What to do
        Transpose the matrices, or convert the adapter again. If the names may have been exchanged instead,
        check the code of the converter: the headers do not show which of the two it was.
    """

    code = "A930"

    tensors: int
    of: int
    stored: tuple[int, ...]
    expected: tuple[int | None, ...]
    exchanged: tuple[str, str] = ("", "")

    headline_text = "{tensors} of {of:count tensor}"

    def remedy(self) -> Remedy:
        if not any(self.exchanged):
            return Remedy("transpose each: tensor.t().contiguous()")
        names = "{} and {}".format(*self.exchanged)
        return Remedy(
            f"convert the adapter again: the shapes allow that each is transposed (tensor.t().contiguous()), and that "
            f"the names {names} are exchanged (rename each to the other); only the converter shows which"
        )

    def rows(self) -> Rows:
        return [
            ("such as", str(self.place.tensor or self.place.family)),
            ("stored", shape(self.stored)),
            ("expected", shape(["any" if dim is None else dim for dim in self.expected])),
        ]
