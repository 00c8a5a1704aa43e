"""Findings on the tensors that the architecture of a GGUF file has, needs or lacks."""

from __future__ import annotations

from inspector.findings.finding import ContentFinding, Remedy, Rows
from inspector.findings.severity import SeverityIf


class TensorsOfNoArchitecture(ContentFinding, frozen=True, kw_only=True):
    """A GGUF file has tensors that its architecture does not have.

    What it means
        They are of a layer that the metadata does not count, or have names that llama.cpp does not read in this
        architecture: norms of queries and keys in a file marked `llama`. Or the file is the checkpoint of a training
        run, with the state of the optimizer.

    Why it matters
        llama.cpp compares the number of tensors in the file with that of the model that it builds, and refuses the
        file ("wrong number of tensors").

    Example
        error[N466] tensors-of-no-architecture: llama.cpp refuses 1 tensor
          tensors  blk.0.attn_q.lora_a
          help     convert the model again without them

    What to do
        Convert the model again. An adapter that is merged leaves no tensors of its own. `read_by`: architectures that
        read all tensors of the file, of which one may have been meant.
    """

    code = "N466"

    names: tuple[str, ...]
    tensors: int
    read_by: tuple[str, ...] = ()
    experts: bool = False
    """True if the tensors are those of a mixture of experts, and the architecture has dense layers."""

    program: str = ""
    """The program with a converter that stores these tensors in the file of the text model."""

    meant: str = ""
    """The name under which llama.cpp reads the first tensor, if only the ends of the names differ."""

    training: bool = False
    """True if all of the tensors are the state of an optimizer."""

    headline_text = "llama.cpp refuses {tensors:count tensor}"
    row_texts = (
        ("tensors", "{names:first tensors 3}"),
        ("read as", "{meant}", "meant"),
        ("read by", "{read_by:listed 4}", "read_by"),
    )

    def remedy(self) -> Remedy:
        if self.meant:
            return Remedy(f"convert the model again with a current llama.cpp, which names them as {self.meant}")
        if self.read_by:
            return Remedy("convert the model again: the file has the tensors of another architecture")
        if self.program:
            apart = "for llama.cpp convert the model again, with the towers in a file of their own (--mmproj)"
            return Remedy(f"load it with {self.program}; {apart}")
        if self.experts:
            return Remedy("llama.cpp has no experts in this architecture: use a program that has, or the dense model")
        if self.training:
            return Remedy(
                "this is a checkpoint of a training run: use the model file that the training wrote beside it, or copy "
                "the file without these tensors"
            )
        return Remedy("convert the model again without them")


class TensorsNeeded(ContentFinding, frozen=True, kw_only=True):
    """A GGUF file lacks a tensor that llama.cpp needs and that the model may do without.

    What it means
        llama.cpp's converter computes some tensors from the config: the factors of rotary embeddings of Gemma 4. Or
        the model has some biases and norms by choice, of which llama.cpp needs each: here all of a kind are absent.
        Or the metadata count layers that predict further tokens, which a program dropped from the model, as many do
        when they train or merge it, and left in its config.

    Why it matters
        llama.cpp refuses a file without them, whatever else is in it.

    Example
        error[N515] tensors-needed: rope_freqs.weight
          reference  llama.cpp refuses it: tensor not found
          help       convert the model again with a current llama.cpp

    What to do
        Convert the model again with a current llama.cpp. Layers that predict further tokens: change the two numbers in
        the metadata, or take these layers from the original model.
    """

    code = "N515"

    names: tuple[str, ...]
    without: dict[str, int] | None = None
    """The keys of the metadata, with their values for a model without layers that predict further tokens, if all absent
    tensors are in these.
    """

    headline_text = "{names:listed 3}"
    row_texts = (("reference", "llama.cpp refuses it: tensor not found"),)

    def remedy(self) -> Remedy:
        if not self.without:
            return Remedy("convert the model again with a current llama.cpp")
        keys = " and ".join(f'"{key}": {value}' for key, value in self.without.items())
        source = 'with "num_nextn_predict_layers": 0 in its config.json'
        return Remedy(f"set {keys} in the metadata, or convert the model again {source} or with these layers")


class VocabularyOnly(ContentFinding, frozen=True, kw_only=True):
    """A GGUF file without tensors.

    What it means
        The file has metadata and no tensors. llama.cpp's converter writes such files with --vocab-only: they hold a
        tokenizer.

    Why it matters
        There is nothing to count or to check, and no model to load: it is an error for a program that loads models.

    Example
        note[N440] vocabulary-only: ggml-vocab-llama.gguf
          help  it has a tokenizer and no weights: download the file of the model, or
                convert it without --vocab-only

    What to do
        Nothing, if a tokenizer was wanted; otherwise download the file with the weights.
    """

    code = "N440"
    severity = SeverityIf(lambda finding: finding.refused_by, "error", "note", usual="note")
    """An error for a program that is to load a model."""

    refused_by: str = ""

    remedy_text = (
        "it has a tokenizer and no weights: download the file of the model, or convert it without --vocab-only"
    )

    def rows(self) -> Rows:
        return [("loads", f"{self.refused_by} refuses it")] if self.refused_by else []


class ExpertsOneByOne(ContentFinding, frozen=True, kw_only=True):
    """A GGUF file has a tensor for each expert, which llama.cpp no longer reads.

    What it means
        Converters of 2023 and early 2024 wrote the matrices of each expert by themselves (`blk.0.ffn_gate.0.weight`);
        those of today write one tensor for all experts of a layer (`blk.0.ffn_gate_exps.weight`).

    Why it matters
        llama.cpp of 2025 and later looks for the joined tensors alone, and refuses the file.

    Example
        error[N596] experts-one-by-one: 99 tensors such as blk.0.ffn_down.0.weight
          reference  llama.cpp refuses it: tensor blk.0.ffn_down_exps.weight not found
          help       convert the model again with a current llama.cpp, or download a
                     file of 2024 or later

    What to do
        Convert the model again, or download a newer file of it.
    """

    code = "N596"

    example: str
    tensors: int
    absent: str

    headline_text = "{tensors:count tensor} such as {example}"
    row_texts = (("reference", "llama.cpp refuses it: tensor {absent} not found"),)
    remedy_text = "convert the model again with a current llama.cpp, or download a file of 2024 or later"


class GgufArchitectureAbsent(ContentFinding, frozen=True, kw_only=True):
    """A GGUF file with a language model states no architecture.

    What it means
        The metadata has no `general.architecture`, and no sizes under the name of an architecture. An error if the
        tensors have the names of llama.cpp: the metadata was lost. A warning if they have the names of the model's
        library: candle writes such files and reads them with a config beside.

    Why it matters
        llama.cpp and what is built on it, such as Ollama and LM Studio, refuse the file: "unknown model architecture".

    Example
        warning[N643] gguf-architecture-absent: general.architecture is not stated
          tensors  named as in transformers, such as lm_head.weight
          read by  candle
          help     load it with candle; for llama.cpp and Ollama convert the model with
                   convert_hf_to_gguf.py of llama.cpp

    What to do
        Load the file with the program that wrote it, or convert the model with llama.cpp's converter.
    """

    code = "N643"
    severity = SeverityIf(lambda finding: not finding.read_by, "error", "warning", usual="warning")
    """An error if no program reads files of this kind, else a warning."""

    example: str
    read_by: str = ""

    headline_text = "general.architecture is not stated"
    row_texts = (("read by", "{read_by}", "read_by"),)

    def rows(self) -> Rows:
        scheme = "transformers" if self.read_by else "llama.cpp"
        return [("tensors", f"named as in {scheme}, such as {self.example}"), *super().rows()]

    def remedy(self) -> Remedy:
        if not self.read_by:
            return Remedy("convert the model again with convert_hf_to_gguf.py of llama.cpp: the metadata was lost")
        other = "for llama.cpp and Ollama convert the model with convert_hf_to_gguf.py of llama.cpp"
        return Remedy(f"load it with {self.read_by}; {other}")


class GgufOfAnotherModel(ContentFinding, frozen=True, kw_only=True):
    """A GGUF file was written under the architecture of another model.

    What it means
        `general.architecture` is that of Llama, a key contradicts the tensors, and the file has Gemma's vocabulary
        (<pad>, <eos>, <bos> at its start) and no head, as Gemma. Older converters wrote models that they did not know
        as Llama.

    Why it matters
        llama.cpp refuses the file. With a corrected key it would load it and compute another model: Gemma scales its
        embedding and has another activation. The text would be wrong without any error.

    Example
        error[N769] gguf-of-another-model: general.architecture
          stated        llama
          tokens        <bos> 2, <eos> 1 and no output.weight, as in Gemma
          contradicted  llama.attention.head_count_kv
          help          convert the original model again with a present
                        convert_hf_to_gguf.py; do not change the keys of this file

    What to do
        Convert the original model again. Changing keys of the file makes it load, not compute the right thing.
    """

    code = "N769"

    stated: str
    meant: str
    contradicted: str

    headline_text = "general.architecture"
    row_texts = (
        ("stated", "{stated}"),
        ("tokens", "<bos> 2, <eos> 1 and no output.weight, as in {meant}"),
        ("contradicted", "{contradicted}"),
    )
    remedy_text = (
        "convert the original model again with a present convert_hf_to_gguf.py; do not change the keys of this file"
    )
