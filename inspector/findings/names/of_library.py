"""The finding on names of a library that has its own models and configs."""

from __future__ import annotations

import msgspec

from inspector.findings.finding import ContentFinding, Finding, Remedy, Rows, Step
from inspector.findings.words import listed


class NamesOfLibrary(ContentFinding, frozen=True, kw_only=True):
    """The tensor names are those of another library.

    What it means
        The config is one of transformers, and the weights have the names under which a library with models of its own,
        such as timm, torchvision or OpenCLIP, saves them.

    Why it matters
        A loader that follows the config finds none of its weights and uses random values. There is no config.json
        under which it would read these names.

    Example
        error[N462] names-of-library: config says vit, tensor names are of timm
          class  ViTForImageClassification
          help   load them with timm, or convert the names to those of vit

    What to do
        Load the weights with that library, or convert their names.
    """

    code = "N462"
    of_another_type = True

    claimed: str
    class_name: str | None = msgspec.field(name="class")
    library: str

    headline_text = "config says {claimed}, tensor names are of {library}"
    row_texts = (("class", "{class_name}"),)
    remedy_text = "load them with {library}, or convert the names to those of {claimed}"

    def after_loading(self, loader: str, outcome: str, because: str) -> Finding | None:
        """None if the loader finds every tensor of the class under these names."""
        return None if outcome == "complete" else self


class LibraryByNames(ContentFinding, frozen=True, kw_only=True):
    """The tensor names show the library that wrote the file.

    What it means
        There is no config, and no definition has these names. A library with models of its own saves them like this.

    Why it matters
        Nothing is wrong for that library. What it needs was not checked; other programs do not read these names.
        BasicSR looks for the weights below a key (`load_network`) and raises KeyError if they are not below it.

    Example
        note[N542] library-by-names: gpt-fast
          tensors  9
          help     load it with gpt-fast; other programs need the weights that it was
                   converted from

    What to do
        Load the file with that library.
    """

    code = "N542"
    severity = "note"

    library: str
    tensors: int
    reads_below: str = ""
    """The key below which the library looks for the weights, if the file has them at its top."""

    headline_text = "{library}"
    row_texts = (("tensors", "{tensors}"), ("reads", "the weights below the key {reads_below}", "reads_below"))

    def remedy(self) -> Remedy:
        if not self.reads_below:
            return Remedy(f"load it with {self.library}; other programs need the weights that it was converted from")
        saved = f'torch.save({{"{self.reads_below}": torch.load(FILE)}}, NEW_FILE)'
        return Remedy(f"for {self.library} save them below this key, {saved}, or set param_key_g: ~ in its options")


class LibraryReadsOthers(ContentFinding, frozen=True, kw_only=True):
    """The tensor names are those of a library, below a prefix that it does not remove, or without one that it needs.

    What it means
        There is no config, and no definition has these names. A training program saved the object that contained the
        model of a library, or only a part of what the library saves.

    Why it matters
        The library finds none of its names: it refuses the file, or skips all of it and keeps random values. The
        program that saved the object may still read it.

    Example
        warning[N682] library-reads-others: segment-anything
          tensors  2
          below    model.
          help     for segment-anything rename the tensors: key.removeprefix("model.")

    What to do
        Rename the tensors, or load them with the program that trained the model and save the inner model.
    """

    code = "N682"
    severity = "warning"

    library: str
    tensors: int
    below: str = ""
    """The prefix of an object that contained the model, before all names, which the library does not remove; "" if none
    is.
    """
    lacking: str = ""
    """The prefix of the only names that the library reads, which no name has; "" if it reads these."""

    headline_text = "{library}"
    row_texts = (
        ("tensors", "{tensors}"),
        ("below", "{below}", "below"),
        ("reads", "only names below {lacking} and skips all others", "lacking"),
    )

    def remedy(self) -> Remedy:
        old, inner = f"{self.below}*", f'key.removeprefix("{self.below}")' if self.below else "key"
        step = Step(action="rename", old=old, new=f"{self.lacking}*")
        return Remedy(
            f"for {self.library} rename the tensors: " + (f'"{self.lacking}" + ' if self.lacking else "") + inner,
            (step,),
        )


class PartsByNames(ContentFinding, frozen=True, kw_only=True):
    """The names are those of a model of unknown code, and parts of them are known.

    What it means
        No definition has all these names, and no config says which model this is. Below some prefixes the names are
        those of a known model or library: code of a repository contains these as parts.

    Why it matters
        Only the code that saved the file reads all of it. The sizes of the parts were not checked.

    Example
        note[N545] parts-by-names: text_encoder. has the names of bert
          outside  temp, vision_proj
          help     load it with the code that saved it; for a part alone, keep the
                   tensors below its prefix without the prefix, with a config of its
                   type

    What to do
        Load the file with the code that saved it, or keep the part that you need.
    """

    code = "N545"
    severity = "note"

    prefixes: tuple[str, ...]
    models: tuple[str, ...]
    """For each prefix the model type or library whose names are below it."""
    tensors: tuple[int, ...]
    """For each prefix the number of tensors below it."""
    outside: tuple[str, ...]
    """The first segments of the other names."""

    remedy_text = (
        "load it with the code that saved it; for a part alone, keep the tensors below its prefix without the prefix, "
        "with a config of its type"
    )

    def headline(self) -> str:
        return f"{self.prefixes[0]} has the names of {self.models[0]}"

    def rows(self) -> Rows:
        others = zip(self.prefixes[1:], self.models[1:], strict=True)
        rows: Rows = [("also", f"{prefix} has those of {model}") for prefix, model in others]
        return [*rows, ("outside", listed(self.outside, 4))] if self.outside else rows


class LibraryConfigDiffers(Finding, frozen=True, kw_only=True):
    """A library's own config states another size than its weights have.

    What it means
        The names are those of a library that builds its model from a config of its own. A number in the config, or the
        length of a list, is not the number of rows that are stored: the config is that of another model or version.

    Why it matters
        The library builds the model of the config and refuses the weights with a size mismatch.

    Example
        error[N647] library-config-differs: symbols
          library  VITS' own code
          config   50
          weights  52 (rows of enc_p.emb.weight)
          help     use the config.json that was saved with these weights

    What to do
        Use the config of the training that wrote the weights. A symbol or a token that is only added to the list moves
        those after it, and the model says something else.
    """

    code = "N647"

    key: str
    library: str
    stated: int
    stored: int
    family: str

    headline_text = "{key}"
    row_texts = (
        ("library", "{library}"),
        ("config", "{stated}"),
        ("weights", "{stored} (rows of {family})"),
    )
    remedy_text = "use the config.json that was saved with these weights"


class LibraryVocabularyDiffers(Finding, frozen=True, kw_only=True):
    """The vocabulary beside the weights of a library has not as many tokens as they have rows.

    What it means
        The library takes the number of rows of the text embedding from the vocabulary in the folder. It was replaced,
        or extended for another language, and the weights were not. F5-TTS has one row more, for padding.

    Why it matters
        The library refuses the weights: "size mismatch for gpt.text_embedding.weight".

    Example
        error[N663] library-vocabulary-differs: vocab.json has 77 tokens
          library  Coqui TTS
          weights  66 rows of gpt.text_embedding.weight
          help     use the vocab.json that was saved with these weights, or add rows to
                   the text embedding and to the text head and train them

    What to do
        Use the vocabulary of the training that wrote the weights. To add a language, extend the weights first.
    """

    code = "N663"

    library: str
    tokens: int
    stored_rows: int
    family: str
    head: bool = True
    """True if the model also has a head of as many rows."""

    headline_text = "{place.file:or} has {tokens} tokens"
    row_texts = (("library", "{library}"), ("weights", "{stored_rows} rows of {family}"))

    def remedy(self) -> Remedy:
        head = " and to the text head" if self.head else ""
        file = self.place.file or "vocabulary"
        use = f"use the {file} that was saved with these weights"
        return Remedy(f"{use}, or add rows to the text embedding{head} and train them")


class FileUnreadByMlxWhisper(Finding, frozen=True, kw_only=True):
    """mlx-whisper does not look for a file of this name.

    What it means
        The model is in the format of mlx-whisper. The package reads `weights.safetensors`, or else `weights.npz`; later
        scripts of its repository write `model.safetensors`.

    Why it matters
        mlx_whisper stops: there is no weights.npz. Other programs for MLX read this name.

    Example
        note[N761] file-unread-by-mlx-whisper: model.safetensors
          reads  weights.safetensors, or else weights.npz (mlx-whisper 0.4.3)
          help   for mlx-whisper rename the file to weights.safetensors

    What to do
        Rename the file for mlx-whisper, or keep it for a program that reads it.
    """

    code = "N761"
    severity = "note"

    wanted: str

    headline_text = "{place.file:or}"
    row_texts = (("reads", "{wanted}, or else weights.npz (mlx-whisper 0.4.3)"),)
    remedy_text = "for mlx-whisper rename the file to {wanted}"


class TimmNamesDiffer(ContentFinding, frozen=True, kw_only=True):
    """The weights beside a config of timm have the names of transformers.

    What it means
        timm's config.json names one of its architectures. The same model exists for transformers, with other names
        (`embeddings.`, `encoder.layers.`), and these weights are those.

    Why it matters
        timm loads strictly: "Missing key(s) in state_dict: cls_token, pos_embed, patch_embed.proj.weight".

    Example
        error[N664] timm-names-differ: vit_intern300m_patch14_448
          stored  embeddings.class_embedding
          help    take the weights of timm's own repository of this model, or load these
                  with the config.json and the code of the repository that they come
                  from

    What to do
        Take the converted weights, which timm publishes, or the config that belongs to these.
    """

    code = "N664"

    architecture: str
    example: str

    headline_text = "{architecture}"
    row_texts = (("stored", "{example}"),)
    remedy_text = (
        "take the weights of timm's own repository of this model, or load these with the config.json and the code of "
        "the repository that they come from"
    )


class TimmPositionsDiffer(ContentFinding, frozen=True, kw_only=True):
    """The table of positions of a vision transformer of timm has rows for no image.

    What it means
        `pos_embed` has a row for each patch of the image, and in most models one for each further token (`cls_token`,
        `reg_token`, `dist_token`). Without the rows of the stored tokens no square of patches is left, and not the
        patches of the size that the config states: the model has tokens that the architecture does not have, or lacks
        one.

    Why it matters
        timm resizes the table of another image size if its patches are a square. This one it refuses: "size mismatch
        for pos_embed", or "shape '[1, 14, 14, -1]' is invalid".

    Example
        error[N684] timm-positions-differ: pos_embed has 198 rows
          config   vit_tiny_patch16_224
          tokens   cls_token: 1 row
          patches  197, which are no square
          help     load it with the code that trained it, which has further tokens, or
                   take weights of vit_tiny_patch16_224

    What to do
        Use the code of the authors, whose class has these tokens. Rows that are cut off change what the model computes.
    """

    code = "N684"

    architecture: str
    positions: int
    tokens: tuple[str, ...]
    patches: int

    headline_text = "{place.family} has {positions:count row}"
    remedy_text = "load it with the code that trained it, which has further tokens, or take weights of {architecture}"

    def rows(self) -> Rows:
        rows = [("config", self.architecture), ("patches", f"{self.patches:,}, which are no square")]
        if self.tokens:
            held = self.positions - self.patches
            rows.insert(1, ("tokens", f"{listed(self.tokens, 4)}: {held} row{'s' * (held != 1)}"))
        return rows
