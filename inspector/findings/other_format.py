"""The finding on checkpoints in another format than the loader named by the user reads."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy, Rows, Step

FROM_FOLDER, FROM_FILE = "convert-h5-to-ggml.py", "convert-pt-to-ggml.py"
"""Converters of whisper.cpp, for a folder of transformers and for a file of OpenAI's code."""
FROM_GGUF = "convert it with convert_hf_to_gguf.py of llama.cpp, and create it FROM that file"
"""What ollama does with a model that only the converter of llama.cpp reads."""
OF_TRANSFORMERS = "folders with a config.json"
"""What programs read that take the format of transformers."""
AFTER = "then convert it to GGUF, with convert_hf_to_gguf.py of llama.cpp"


class FormatNotRead(Finding, frozen=True, kw_only=True):
    """The loader that was asked for does not read this format.

    What it means
        `--for` names a loader that reads another kind of files: llama.cpp runs GGUF files, PEFT loads adapters, and
        diffusers loads its own models and pipelines. ollama converts safetensors of floats,
        and of fp8 in blocks, of the classes on its list.

    Why it matters
        The checkpoint may be whole, but this loader refuses it as it is.

    Example
        error[N598] format-not-read: llama.cpp does not load it
          reads      only GGUF files
          this is    a checkpoint for transformers
          converter  does not list BartForSequenceClassification (conversion/__init__.py
                     in convert-hf-to-gguf 0.1.1)
          help       use another loader, or a newer converter of llama.cpp that supports
                     the class

    What to do
        Convert it first where the loader has a converter; else use the loader that the checkpoint is made for. The
        converter of llama.cpp reads some quantizations only; of others, convert the unquantized model.
        `stops at` names a head for which llama.cpp has no tensor: the converter raises "Can not map tensor"; or a
        number that is not JSON, which ollama's parser refuses and Python reads. `alone`
        names a tied head without the embedding: the converter writes it as it is, and llama.cpp does not start without
        the embedding. `instead` names the config of Mistral's or another program's format in a folder that has no
        config.json: transformers and mlx-lm open no other, vLLM also params.json beside consolidated*.safetensors.
        `this copy` says what MLX changed in the values: converted, it would answer nonsense. `counts`
        names layers for further tokens that the converter counts and that are not stored. `lacks` is what the converter
        reads from the same folder besides. llama.cpp runs no Whisper: whisper.cpp does, in a format of its own, and has
        one converter for the files of transformers and one for those of OpenAI.
    """

    code = "N598"

    loader: str
    reads: str
    own: str | None = None
    class_name: str | None = None
    converter: str | None = None
    converts: bool | None = None
    lacks_config: bool = False
    quantization: str | None = None
    stopped_at: str = ""
    tied: bool = False
    tokenizer: str = ""
    """What the converter reads of the model's tokenizer, and the folder lacks."""
    added_head: bool = False
    """True if it stops at a head that a program for training added to the model."""
    alone: str = ""
    """A tied head that is stored without the embedding."""
    embedding: str = ""
    """The name of that embedding."""
    meant: str = ""
    """The class whose tensors are stored, if the config names none and the converter supports it."""
    further: str = ""
    """The key of the config that counts layers for further tokens, none of which is stored."""
    whisper: str = ""
    """The converter of whisper.cpp for these names."""
    unread_by_whisper: str = ""
    """Its other converter."""
    by_llama_cpp: bool = False
    """True if llama.cpp's converter supports a class that ollama's does not."""
    refusing: str = ""
    """The builds of llama.cpp that refuse a file that counts them."""
    rewritten: str = ""
    """What MLX changed in this copy that the converter changes again, or does not read."""
    instead: str = ""
    """The config of another program that the folder has in place of config.json."""
    exporter: str = ""
    """The converter from the format of that program."""
    readers: str = ""
    """The programs that read the folder as it is."""

    def headline(self) -> str:
        return f"{self.loader} does not load it"

    def rows(self) -> Rows:
        rows: Rows = [("reads", self.reads)]
        if self.own is not None:
            rows.append(("this is", f"a checkpoint for {self.own}"))
        if self.instead:
            rows.append(("this is", f"a checkpoint in another format, with {self.instead} and no config.json"))
        if self.converter is not None:
            verb = "supports" if self.converts else "does not list"
            rows.append(("converter", f"{verb} {self.class_name or 'a model without a class'} ({self.converter})"))
        if self.quantization is not None:
            rows.append(("quantized", f"{self.quantization}, which the converter does not read"))
        if self.rewritten:
            rows.append(("this copy", self.rewritten))
        if self.stopped_at:
            rows.append(("stops at", self.stopped_at))
        if self.tokenizer:
            reader = self.whisper or "the converter"
            rows.append(("lacks", f"{self.tokenizer}, which {reader} reads from the same folder"))
        if self.alone:
            rows.append(("alone", f"{self.alone}, without {self.embedding}, which llama.cpp requires"))
        if self.further:
            rows.append(
                ("counts", f"the layers of {self.further}, which are not stored: {self.refusing} refuses the file")
            )
        return rows

    def _of_other_program(self) -> Remedy:
        """What to do with a folder that has no config.json."""
        words = "take the model for transformers, with a config.json, from its repository or a converted one"
        words = f"{words}, convert it with {self.exporter}" if self.exporter else words
        return Remedy(f"{words}, or load it with {self.readers or 'the program of this format'}")

    def remedy(self) -> Remedy:
        if self.instead:
            return self._of_other_program()
        return self._of_folder() if self.loader == "llama.cpp" else self._for_others()

    def _for_others(self) -> Remedy:
        """The remedy for another loader than llama.cpp."""
        if self.loader == "ollama" and self.converts is False:
            neither = "use another loader: the converter of llama.cpp does not list the class either"
            return Remedy(FROM_GGUF if self.by_llama_cpp else neither)
        if self.loader == "ollama" and self.stopped_at:
            return Remedy(FROM_GGUF if self.by_llama_cpp else "create it from a GGUF file of the model")
        if self.loader == "ollama":
            return Remedy("create it from the model from which it was quantized, or from a GGUF file of that model")
        return Remedy(f"load it with {self.own}" if self.own else "use the loader that it is made for")

    def _of_folder(self) -> Remedy:
        """What to do before llama.cpp can run the model."""
        if self.whisper:
            first = f"; before that copy {self.tokenizer} of the same model into the folder" if self.tokenizer else ""
            names = "OpenAI's" if self.unread_by_whisper == FROM_FILE else "transformers'"
            other = f"not with {self.unread_by_whisper}, which reads {names} names"
            return Remedy(f"run it with whisper.cpp: convert it with its {self.whisper}, {other}{first}")
        if self.meant:
            step = Step(action="set", file="config.json", key=("architectures",), new=[self.meant])
            words = f'set "architectures": ["{self.meant}"] in config.json, and convert it to GGUF'
            return Remedy(f"{words} with convert_hf_to_gguf.py of llama.cpp", (step,))
        if self.converts is False:
            return Remedy("use another loader, or a newer converter of llama.cpp that supports the class")
        if self.rewritten:
            return Remedy("convert the original model, from which MLX made this copy, not the copy")
        if self.quantization is not None:
            return Remedy("convert the model from which it was quantized, or dequantize it before the conversion")
        if self.stopped_at:
            return self._before_converting()
        if self.alone:
            step = Step(action="rename", old=self.alone, new=self.embedding)
            return Remedy(f"rename {self.alone} to {self.embedding}; {AFTER}", (step,))
        if self.further:
            step = Step(action="set", file="config.json", key=tuple(self.further.split(".")), new=0)
            return Remedy(f'set "{self.further}": 0 in config.json, or fetch these layers; {AFTER}', (step,))
        if self.tokenizer:
            return Remedy(f"copy {self.tokenizer} of the same model into the folder; {AFTER}")
        needed = ", which needs its config.json" if self.lacks_config else ""
        return Remedy(f"convert it to GGUF first, with convert_hf_to_gguf.py of llama.cpp{needed}")

    def _before_converting(self) -> Remedy:
        """What the converter needs first: it leaves no file if it stops."""
        if self.added_head:
            return Remedy(f"save the model without {self.stopped_at}: llama.cpp has no tensor for it; {AFTER}")
        if not self.tied:
            return Remedy("use another loader: llama.cpp has no head of its own for this class")
        return Remedy(f"remove {self.stopped_at}, which is tied to the embedding, from the weights; {AFTER}")
