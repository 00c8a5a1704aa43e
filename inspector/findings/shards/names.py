"""Findings on names of weight files."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy, Rows, Step
from inspector.findings.words import count, first

INDEX = ".index.json"


class FileNameUnknown(Finding, frozen=True, kw_only=True):
    """No loader looks for a weight file of this name.

    What it means
        The config shows which loader the folder is made for. This loader looks for weights under fixed names,
        and no file has one of them. For a modular pipeline diffusers reads only the entries of
        modular_model_index.json.

    Why it matters
        The loader reports that there are no weights, although they are stored and healthy.

    Example
        error[S221] file-name-unknown: model-finetuned.safetensors
          loader  transformers looks for model.safetensors
          help    rename model-finetuned.safetensors to model.safetensors

    What to do
        Rename the file. Shards may keep their names if an index lists them. A variant
        (`model.fp16.safetensors`) is found with `variant="fp16"`. A file with another program's tensor names,
        such as Mistral's `consolidated.safetensors`, belongs to that program: renamed, it would leave the
        whole model randomly initialized.
    """

    code = "S221"

    loader: str
    wanted: str
    single: bool
    variant: str
    files: tuple[str, ...] = ()
    sliced: bool = False
    writer: str = ""
    lacking: bool = False
    """True if shards are missing as well, which an index of the others would hide."""

    row_texts = (
        ("shards", "{files:listed 4}", "files"),
        ("loader", "{loader} looks for {wanted}"),
        ("names", "as written by {writer}", "writer"),
    )

    def remedy(self) -> Remedy:
        named = f', or load it with variant="{self.variant}"' if self.variant else ""
        if self.sliced:
            return Remedy(f"convert the weights, of which each file holds a slice, for {self.loader}")
        if self.writer:
            shards = ", or its shards and their index" if self.single else ""
            of = f"{self.place.file} has the tensor names of {self.writer}, which {self.loader} does not read"
            return Remedy(f"download {self.wanted}{shards}: {of}")
        if not self.single and not str(self.place.file).endswith(".json"):
            if self.lacking:
                when = "when all shards are there"
                return Remedy(f"generate {self.wanted} from the headers, {when}: it lists them by their names{named}")
            words = f"generate {self.wanted} from the headers: it lists the shards by their names"
            return Remedy(f"{words}{named}", (Step(action="write", file=self.wanted),))
        step = Step(action="move", file=self.place.file, new=self.wanted)
        return Remedy(f"rename {self.place.file} to {self.wanted}{named}", (step,))


class NamedWeightsRefused(Finding, frozen=True, kw_only=True):
    """The config names a file of weights that transformers refuses.

    What it means
        transformers reads the file that `transformers_weights` names in place of model.safetensors. The file is not
        in the folder, or is neither a safetensors file nor an index of safetensors files.

    Why it matters
        transformers looks for no other file: the folder does not load, whatever else is in it.

    Example
        error[S236] named-weights-refused: model-bf16.safetensors
          problem  transformers_weights names model-bf16.safetensors, which is absent
          audited  model.safetensors
          help     remove "transformers_weights" from config.json, or download
                   model-bf16.safetensors

    What to do
        Remove the key where the weights have the usual name; otherwise name their file in it.
    """

    code = "S236"

    named: str
    problem: str
    audited: str
    usual: bool
    """The weights have the usual name, or none that the key may state."""

    headline_text = "{named}"
    row_texts = (("problem", "{problem}"), ("audited", "{audited}"))

    def remedy(self) -> Remedy:
        file, key = str(self.place.file), str(self.place.key)
        fetch = f", or download {self.named}" if self.problem.endswith("absent") else ""
        if self.usual:
            step = Step(action="remove", file=file, key=(key,), old=self.named)
            return Remedy(f'remove "{key}" from {file}{fetch}', (step,))
        step = Step(action="set", file=file, key=(key,), old=self.named, new=self.audited)
        return Remedy(f'set "{key}": "{self.audited}" in {file}{fetch}', (step,))


class ModelWeightsAbsent(Finding, frozen=True, kw_only=True):
    """The only weights of the folder are not the model's, or a part of them.

    What it means
        The config shows which loader the folder is made for. None of its files of weights is here. The file that is has
        another name, and holds tensors that the model does not have, or less than half of its tensors: a projector that
        was trained alone, the head of a training program, an adapter, a piece of a save.

    Why it matters
        The loader reports that there are no weights. Under the name that it looks for, the file would load, and leave
        most of the model randomly initialized.

    Example
        error[S240] model-weights-absent: mm_projector.bin has other names than llava
          stored  2 tensors, such as model.mm_projector.0.weight
          loader  transformers looks for pytorch_model.bin
          help    download the weights of the model, or save the whole model again; keep
                  mm_projector.bin for the program that reads it

    What to do
        Download or save the weights of the model. The file is read by the program that wrote it.
    """

    code = "S240"

    loader: str
    wanted: str
    model_type: str
    tensors: int
    example: str
    missing: int | None = None
    adapter: str = ""
    """The method of the adapter in the file."""

    def headline(self) -> str:
        if self.adapter:
            return f"{self.place.file} holds an adapter ({self.adapter}), not the weights of {self.model_type}"
        if self.missing is None:
            return f"{self.place.file} has other names than {self.model_type}"
        return f"{self.place.file} is a small part of {self.model_type}"

    def rows(self) -> Rows:
        rows = [
            ("stored", f"{count(self.tensors, 'tensor')}, such as {self.example}"),
            ("loader", f"{self.loader} looks for {self.wanted}"),
        ]
        return [*rows, ("missing", count(self.missing, "tensor"))] if self.missing else rows

    def remedy(self) -> Remedy:
        keep = f"keep {self.place.file} for the program that reads it"
        if self.loader == "PEFT":
            return Remedy(f"download {self.wanted}, or save the adapter again; {keep}")
        return Remedy(f"download the weights of the model, or save the whole model again; {keep}")


class VariantOnly(Finding, frozen=True, kw_only=True):
    """Only one variant of the weights of several components is there.

    What it means
        The files are named `diffusion_pytorch_model.fp16.safetensors`: they were downloaded alone, or the repository
        has no others.

    Why it matters
        Without `variant="fp16"` diffusers looks for the plain names and reports that there are no weights.

    Example
        error[S233] variant-only: fp16, in 3 components
          files  unet/diffusion_pytorch_model.fp16.safetensors,
                 vae/diffusion_pytorch_model.fp16.safetensors and 1 more
          help   load the pipeline with variant="fp16", or rename each file to its name
                 without ".fp16"

    What to do
        Pass the variant, or rename the files.
    """

    code = "S233"

    variant: str
    components: tuple[str, ...]
    files: tuple[str, ...]
    all: bool

    def headline(self) -> str:
        return f"{self.variant}, in {count(len(self.components), 'component')}"

    def rows(self) -> Rows:
        return [("files", first(self.files, len(self.files)))]

    def remedy(self) -> Remedy:
        named = f'load the pipeline with variant="{self.variant}"'
        return Remedy(
            f'{named}, or rename each file to its name without ".{self.variant}"', tuple(map(self._step, self.files))
        )

    def _step(self, file: str) -> Step:
        """The step that gives a file its usual name; for shards without an index, the step that writes the index."""
        plain = file.replace(f".{self.variant}", "", 1)
        if "*" in file:
            return Step(action="write", file=plain.replace("-*", "") + INDEX)
        return Step(action="move", file=file, new=plain)


class ShardRenamed(Finding, frozen=True, kw_only=True):
    """A shard is stored under another name than the index lists.

    What it means
        The index lists a file that does not exist, and another file of the folder contains exactly the tensors that
        it should contain: a second download (`(1)`), another spelling, a copy.

    Why it matters
        Loaders look for the name in the index and refuse the checkpoint, although its weights are complete.

    Example
        error[S231] shard-renamed: model-00003-of-00004.safetensors
          stored   model-00003-of-00004 (1).safetensors
          tensors  87 tensors, all that the index lists for it
          help     rename model-00003-of-00004 (1).safetensors to
                   model-00003-of-00004.safetensors

    What to do
        Rename the file.
    """

    code = "S231"

    listed: tuple[str, ...]
    stored: tuple[str, ...]
    tensors: int

    def headline(self) -> str:
        return self.listed[0] if len(self.listed) == 1 else f"{len(self.listed):,} files"

    def rows(self) -> Rows:
        whose = "it" if len(self.listed) == 1 else "them"
        return [
            ("stored", first(self.stored, len(self.stored))),
            ("tensors", f"{count(self.tensors, 'tensor')}, all that the index lists for {whose}"),
        ]

    def remedy(self) -> Remedy:
        pairs = list(zip(self.stored, self.listed, strict=True))
        steps = tuple(Step(action="move", file=stored, new=listed) for stored, listed in pairs)
        if len(pairs) == 1:
            return Remedy(f"rename {pairs[0][0]} to {pairs[0][1]}", steps)
        return Remedy(f"rename each to the name in the index: {pairs[0][0]} to {pairs[0][1]}", steps)


class WeightsWithoutFolder(Finding, frozen=True, kw_only=True):
    """The weights of a text model are alone, under a name of their own.

    What it means
        The folder has the weights of a model that transformers knows, under its tensor names. No config.json is with
        them, and no loader of text models looks for a file of this name.

    Why it matters
        transformers, vLLM, MLX and ollama read a folder with config.json and refuse this one. Programs that read the
        file alone, such as ComfyUI a text encoder, need neither.

    Example
        note[S263] weights-without-folder: llama.safetensors is alone, without
          config.json
          help  for transformers, vLLM, MLX and ollama rename it to model.safetensors
                and put config.json and the tokenizer of the model next to it

    What to do
        For a program that reads the file alone: nothing. Otherwise rename it, and copy the other files from the
        repository of the model.
    """

    code = "S263"
    severity = "note"

    wanted: str

    headline_text = "{place.file} is alone, without config.json"
    remedy_text = (
        "for transformers, vLLM, MLX and ollama rename it to {wanted} and put config.json and the tokenizer of the"
        " model next to it"
    )
