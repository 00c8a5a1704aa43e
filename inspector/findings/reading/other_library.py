"""Findings on files of unsupported libraries."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy


class AdapterOfLibrary(Finding, frozen=True, kw_only=True):
    """An adapter of the library `adapters` (AdapterHub).

    What it means
        Its adapter_config.json has the same name as PEFT's and other keys (`config`, `model_name`), and its tensors
        other names. They are counted, and not compared with a formula.

    Why it matters
        PEFT and transformers do not load it.

    Example
        note[R050] adapter-of-library: an adapter of the library adapters, for
          bert-base-uncased
          help  load it with model.load_adapter of the library adapters: PEFT does not
                read it

    What to do
        Load it with the library `adapters`, in the class that `model_class` names.
    """

    code = "R050"
    severity = "note"

    base: str

    remedy_text = "load it with model.load_adapter of the library adapters: PEFT does not read it"

    def headline(self) -> str:
        return f"an adapter of the library adapters{f', for {self.base}' if self.base else ''}"


class TunedByLitgpt(Finding, frozen=True, kw_only=True):
    """A litgpt file contains only what was trained on top of a base model.

    What it means
        litgpt saves the tensors of a LoRA or LLaMA-Adapter in a separate file with a special name. The base
        model is the `lit_model.pth` of another folder.

    Why it matters
        No other program reads this file, and under another name it would be mistaken for a whole model.

    Example
        error[R051] tuned-by-litgpt: lit_model.pth.lora holds a LoRA of litgpt
          help  merge it into its base: litgpt merge_lora FOLDER; it writes
                lit_model.pth

    What to do
        Merge a LoRA into its base with litgpt. LLaMA-Adapters cannot be merged: litgpt has no conversion for
        them.
    """

    code = "R051"
    unreadable = True

    file: str
    method: str
    command: str
    merges: bool

    headline_text = "{file} holds {method} of litgpt"

    def remedy(self) -> Remedy:
        if self.merges:
            return Remedy(f"merge it into its base: {self.command}; it writes lit_model.pth")
        return Remedy(f"load it together with its base with {self.command}: litgpt has no conversion for it")


class ValueHeadBeside(Finding, frozen=True, kw_only=True):
    """The head of a reward model, or of PPO's critic, is in a file of its own next to the model.

    What it means
        LLaMA-Factory trains TRL's `AutoModelForCausalLMWithValueHead` and saves its head apart: `v_head.summary.weight`
        and `v_head.summary.bias` in `value_head.safetensors` or `value_head.bin`. The other files have the language
        model, or the adapter.

    Why it matters
        Only LLaMA-Factory reads this file. transformers, PEFT and vLLM load the language model without it: a reward
        model then generates text and gives no scores. After PPO nothing is lost: the head is needed only to continue.

    Example
        note[R085] value-head-beside: value_head.safetensors, next to
          model.safetensors.index.json
          read by  LLaMA-Factory alone; other programs load the language model
          help     for scores, load both with LLaMA-Factory, or save the model as a
                   class for sequence classification with "num_labels": 1 and
                   v_head.summary.weight as its score.weight

    What to do
        Nothing after PPO. For a reward model: `reward_model` of LLaMA-Factory reads the head. A class such as
        `LlamaForSequenceClassification`, which transformers and vLLM load, has a head without a bias: the scores differ
        by that constant.
    """

    code = "R085"
    severity = "note"
    advises = True

    file: str
    audited: str

    headline_text = "{file}, next to {audited}"
    row_texts = (("read by", "LLaMA-Factory alone; other programs load the language model"),)
    remedy_text = (
        "for scores, load both with LLaMA-Factory, or save the model as a class for sequence classification with "
        '"num_labels": 1 and v_head.summary.weight as its score.weight'
    )
