"""Adapters that were saved together with a model's weights, or instead of them."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy, Rows, Step
from inspector.findings.words import listed


class AdapterNotMerged(Finding, frozen=True, kw_only=True):
    """The model was saved with an unmerged adapter.

    What it means
        The model was saved while PEFT's layers wrapped its own: names contain `base_layer` and `lora_A`. Or the
        matrices of another tool, such as MLX or x-flux, are stored among the weights.

    Why it matters
        Loaders of the plain model do not find the wrapped matrices and initialize them randomly; of matrices that are
        only stored among the weights they ignore the change, and mlx-lm refuses them.

    Example
        error[A910] adapter-not-merged: lora around 32 modules, not merged
          base     291 tensors of the model, 8,030,261,248 elements
          adapter  64 tensors, 4,194,304 elements
          such as  model.layers.0.self_attn.q_proj.lora_A.default.weight
          help     call model.merge_and_unload() before save_pretrained, or save only
                   the adapter; from this file: model = get_peft_model(base model,
                   LoraConfig(r=16, target_modules=["q_proj"], lora_alpha=as trained)),
                   then model.base_model.model.load_state_dict(the tensors with lora_ in
                   their names, strict=False), of which unexpected_keys must be empty,
                   and model.merge_and_unload()

    What to do
        Load the model with its adapter, call `merge_and_unload()` of PEFT's model, or `fuse_lora()` and `unload_lora()`
        of a model of diffusers, and save the result; or save only the adapter. If only this file is left, load its
        matrices into the base model with a new LoRA of this rank; the file does not contain its `lora_alpha`. With
        `strict=False` names that do not fit are passed over in silence, so look at what it returns. PEFT's model may
        wrap a part of the model alone (`parts`): then that part is loaded and merged, under names that begin in it.
        Where only whole modules were trained (`modules_to_save`), giving the trained copies the names of their modules
        does the same.
    """

    code = "A910"

    type: str | None
    modules: int
    tensors: int
    elements: int
    base_tensors: int
    base_elements: int
    example: str
    library: str = "peft"
    trained: str = ""
    """The part of names that marks the trained copies, if nothing but whole modules was trained."""
    rank: int = 0
    """The rank of all modules of a LoRA; 0 if they differ, or for other adapters."""
    targets: tuple[str, ...] = ()
    """The last names of the modules of a LoRA with one rank."""
    inside: bool = False
    """Whether the names lack the prefix of PEFT's model."""
    parts: tuple[str, ...] = ()
    """The parts that PEFT's models wrap, if they do not wrap the whole."""
    copied: tuple[str, ...] = ()
    """The last names of the modules of a LoRA that were trained as a whole."""

    headline_text = "{type} around {modules:count module}, not merged"
    row_texts = (
        ("base", "{base_tensors:count tensor} of the model, {base_elements} elements"),
        ("adapter", "{tensors:count tensor}, {elements} elements"),
        ("such as", "{example}"),
    )

    def remedy(self) -> Remedy:
        if self.library == "diffusers":
            return Remedy(
                "call model.fuse_lora() and model.unload_lora() before save_pretrained, or save only the adapter "
                "(save_lora_adapter)"
            )
        if self.library == "mlx":
            return Remedy("fuse the adapter with mlx_lm.fuse and save that, or save only the adapter")
        if not self.library:
            return Remedy("merge the adapter with the tool that made it, or store its tensors in a file of their own")
        if self.trained:
            return Remedy(
                f'rename: key.replace("{self.trained}", "."), and remove the tensors with ".original_module.", '
                "which are those before the training; or call model.merge_and_unload() and save again"
            )
        again = f"{self._merging()} before save_pretrained, or save only the adapter"
        return Remedy(f"{again}; {self._of_this_file()}" if self.rank else again)

    def _merging(self) -> str:
        if not self.parts:
            return "call model.merge_and_unload()"
        each, part = self._part()
        return f"set {part} = {part}.merge_and_unload(){each}"

    def _part(self) -> tuple[str, str]:
        """(the words for several parts, the expression for one)."""
        if len(self.parts) == 1:
            return "", f"model.{self.parts[0]}"
        return f" for each PART of {listed(self.parts)}", "model.PART"

    def _of_this_file(self) -> str:
        """How to take a LoRA out of the file; measured with PEFT 0.21 for each way to name the base's weights."""
        targets, copied = (", ".join(f'"{name}"' for name in names) for names in (self.targets, self.copied))
        settings = f"target_modules=[{targets}],{f' modules_to_save=[{copied}],' * bool(copied)} lora_alpha=as trained"
        config = f"LoraConfig(r={self.rank}, {settings})"
        marks = "lora_ or modules_to_save" if copied else "lora_"
        if self.parts:
            each, part = self._part()
            name = part.removeprefix("model.")
            return (
                f"from this file, with model as the base model{each and ','}{each}: "
                f"part = get_peft_model({part}, {config}), then "
                f"part.load_state_dict(the tensors below {name}. with {marks} in their names, each as "
                f'name.removeprefix("{name}."), strict=False), of which unexpected_keys must be empty, and {part} = '
                "part.merge_and_unload()"
            )
        return (
            f"from this file: model = get_peft_model(base model, {config}), then "
            f"model{'.base_model.model' * self.inside}.load_state_dict(the tensors with {marks} in their "
            "names, strict=False), of which unexpected_keys must be empty, and model.merge_and_unload()"
        )


class AdapterWrapperLeft(Finding, frozen=True, kw_only=True):
    """A quantized model was saved from inside an adapter, without the adapter.

    What it means
        The model was trained with PEFT on quantized weights. Its state dict was saved without the matrices of the
        adapter, and the names still contain `base_layer`, under which PEFT keeps the original module.

    Why it matters
        Loaders do not find these modules and initialize them randomly. The training is not in this file: it is in the
        adapter.

    Example
        error[A990] adapter-wrapper-left: base_layer in the names of 56 tensors
          such as  model.layers.0.mlp.down_proj.base_layer.weight
          help     rename them without "base_layer."; these are the weights before the
                   training, whose adapter is to be saved with model.save_pretrained

    What to do
        Rename the tensors, or use the original model; save the adapter from the training.
    """

    code = "A990"

    tensors: int
    example: str
    renames: tuple[tuple[str, str, str], ...]
    """(file, name, new name) of each tensor."""

    headline_text = "base_layer in the names of {tensors:count tensor}"
    row_texts = (("such as", "{example}"),)

    def remedy(self) -> Remedy:
        steps = tuple(Step(action="rename", file=file, old=old, new=new) for file, old, new in self.renames)
        return Remedy(
            'rename them without "base_layer."; these are the weights before the training, whose adapter is to be '
            "saved with model.save_pretrained",
            steps,
        )


class AdapterAsWeights(Finding, frozen=True, kw_only=True):
    """The file of the model's weights holds only an adapter.

    What it means
        The file has the name under which a loader looks for the weights of the model in config.json, and contains the
        tensors of an adapter alone: the adapter was saved over the weights, or only its state dict was saved.

    Why it matters
        Loaders build the whole model with random weights and ignore the adapter.

    Example
        error[A950] adapter-as-weights: model.safetensors holds only an adapter (lora)
          config  a whole model, which transformers builds from config.json
          stored  128 tensors of the adapter, 6,815,744 elements
          help    download the weights of the model again as model.safetensors; keep
                  this file elsewhere, as an adapter of the model

    What to do
        Restore the weights of the model. Keep the adapter in a folder of its own: PEFT looks for
        adapter_model.safetensors next to adapter_config.json, a pipeline of diffusers for the file that
        `load_lora_weights` is given.
    """

    code = "A950"

    type: str
    loader: str
    tensors: int
    elements: int

    headline_text = "{place.file} holds only an adapter ({type})"
    row_texts = (
        ("config", "a whole model, which {loader} builds from config.json"),
        ("stored", "{tensors:count tensor} of the adapter, {elements} elements"),
    )
    remedy_text = (
        "download the weights of the model again as {place.file}; keep this file elsewhere, as an adapter of the model"
    )


class AdapterBesideWeights(Finding, frozen=True, kw_only=True):
    """Weights that are not an adapter's are stored together with adapter_config.json.

    What it means
        The weights are a model's or part of one, not an adapter's. Headers cannot show whether the adapter was
        merged into them. It is a note where the loader that the folder is made for does not read the adapter, or where
        the class is made of both (`has_lora_adapter`); A940 and A941 are what transformers does.

    Why it matters
        transformers with PEFT installed reads adapter_config.json first.

    Example
        note[A911] adapter-beside-weights: an adapter for meta-llama/Meta-Llama-3-8B
          weights  not an adapter's; headers cannot show whether it was merged into them
          help     remove adapter_config.json if the weights are merged: with PEFT,
                   transformers reads it

    What to do
        If the weights are merged, remove adapter_config.json; if not, keep the adapter in a separate folder.
    """

    code = "A911"
    severity = "note"

    base: str | None
    adapter_file: str | None
    refused: str = ""
    of_newest: bool = False
    """True if only version 5 refuses it."""
    added: bool = True

    row_texts = (
        ("weights", "not an adapter's; headers cannot show whether it was merged into them"),
        ("adapter", "{adapter_file} is also here, not included in these counts", "adapter_file"),
    )
    remedy_text = "remove adapter_config.json if the weights are merged: with PEFT, transformers reads it"

    def headline(self) -> str:
        return f"an adapter for {self.base}" if self.base else "an adapter's config"

    def after_loading(self, loader: str, outcome: str, because: str) -> Finding | None:
        if outcome == "unsupported" or not loader.startswith(("transformers", "sentence-transformers")):
            return self
        if self.refused:
            return AdapterConfigLeft(**self.stated_fields())
        return AdapterAdded(**self.stated_fields()) if self.added else self


class AdapterConfigLeft(AdapterBesideWeights, frozen=True, kw_only=True):
    """adapter_config.json is stored next to a model, without an adapter that transformers could add.

    What it means
        The merged model was saved into the folder of its adapter, and the config of the adapter stayed behind.

    Why it matters
        transformers with PEFT installed finds adapter_config.json, looks for the adapter and raises an exception.
        Version 4 does not read the weights of the folder at all, but the base that the file names.

    Example
        error[A940] adapter-config-left: an adapter for meta-llama/Meta-Llama-3-8B
          weights  not an adapter's; headers cannot show whether it was merged into them
          because  with PEFT installed, transformers refuses the folder: there is no
                   adapter_model.safetensors
          help     move adapter_config.json out of this folder

    What to do
        Move adapter_config.json out of the folder.
    """

    code = "A940"
    severity = "error"

    def rows(self) -> Rows:
        version = " 5" if self.of_newest else ""
        why = f"with PEFT installed, transformers{version} refuses the folder: {self.refused}"
        return [*super().rows(), ("because", why)]

    def remedy(self) -> Remedy:
        also = f", and {self.adapter_file} with it" if self.adapter_file else ""
        return Remedy(f"move adapter_config.json out of this folder{also}")

    def after_loading(self, loader: str, outcome: str, because: str) -> Finding | None:
        return self


class AdapterAdded(AdapterBesideWeights, frozen=True, kw_only=True):
    """transformers adds the adapter next to a model to its weights whenever it loads the folder.

    What it means
        The folder has the weights of a model, an adapter and adapter_config.json. Headers cannot show whether the
        adapter was merged into these weights.

    Why it matters
        With PEFT installed, transformers 5 adds the adapter to these weights: a merged one is then counted twice,
        without a warning. Version 4, and version 5 by the name of the repository, load the base that
        adapter_config.json names instead of these weights.

    Example
        warning[A941] adapter-added: an adapter for meta-llama/Meta-Llama-3-8B
          weights  not an adapter's; headers cannot show whether it was merged into them
          adapter  adapter_model.safetensors is also here, not included in these counts
          because  with PEFT installed, transformers 5 adds the adapter to these
                   weights; 4.57 loads meta-llama/Meta-Llama-3-8B instead
          help     if these weights are merged, move adapter_config.json and
                   adapter_model.safetensors out of this folder; if not, keep the
                   adapter in a folder of its own

    What to do
        If the weights are merged, move both files out of the folder. If not, keep the adapter in a folder of its own.
    """

    code = "A941"
    severity = "warning"

    def rows(self) -> Rows:
        other = f"4.57 loads {self.base} instead" if self.base else "4.57 refuses the folder"
        why = f"with PEFT installed, transformers 5 adds the adapter to these weights; {other}"
        return [*super().rows(), ("because", why)]

    def remedy(self) -> Remedy:
        return Remedy(
            f"if these weights are merged, move adapter_config.json and {self.adapter_file} out of this folder; if "
            "not, keep the adapter in a folder of its own"
        )

    def after_loading(self, loader: str, outcome: str, because: str) -> Finding | None:
        return self
