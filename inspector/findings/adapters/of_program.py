"""The finding on a LoRA of a language model under the names of the program that trained it."""

from __future__ import annotations

from inspector.findings.finding import Finding


class AdapterOfProgram(Finding, frozen=True, kw_only=True):
    """The adapter has the names of a program that names the modules of a model itself.

    What it means
        torchtune, mistral-finetune and litgpt save LoRA under their own names of the modules, without an
        adapter_config.json. litgpt also keeps one matrix for q, k and v, and torchtune and Mistral order the rows of q
        and k otherwise than transformers.

    Why it matters
        The program that wrote it reads it. PEFT, vLLM and llama.cpp do not, and new names alone do not make it right.

    Example
        note[N732] adapter-of-program: LoRA as mistral-finetune writes it
          such as  layers.0.attention.wq.lora_A.weight
          then     PEFT, vLLM and llama.cpp do not read it
          help     load it with load_lora of mistral-inference, or merge it with
                   mistral-finetune's utils.merge_lora, and convert the merged weights

    What to do
        Load it with that program, or merge it there and convert the merged model.
    """

    code = "N732"
    severity = "note"

    program: str
    itself: str
    convert: str
    such_as: str
    trained: int = 0
    """Tensors of the model itself that were trained with it, such as norms."""

    headline_text = "LoRA as {program} writes it"
    row_texts = (
        ("such as", "{such_as}"),
        ("also", "{trained:count tensor} of the model itself, trained as a whole", "trained"),
        ("then", "PEFT, vLLM and llama.cpp do not read it"),
    )
    remedy_text = "load it with {itself}, or {convert}"


class AdapterOfProgramUnread(AdapterOfProgram, frozen=True, kw_only=True):
    """The adapter has the names of another program than its base.

    What it means
        The base has the format of transformers, and the adapter the names of torchtune, mistral-finetune or litgpt.

    Why it matters
        PEFT, vLLM and llama.cpp, which load such a base, find none of the adapter's modules in it. torchtune does.

    Example
        warning[N733] adapter-of-program-unread: LoRA as torchtune writes it
          such as  layers.0.attn.q_proj.lora_a.weight
          base     llama has other names, and PEFT, vLLM and llama.cpp do not read it
          help     convert it with torchtune's tune_to_peft_adapter_weights, and write
                   adapter_config.json; or load it with a recipe of torchtune

    What to do
        Merge the adapter with that program and convert the merged model, or load it there.
    """

    code = "N733"
    severity = "warning"

    base: str

    row_texts = (
        ("such as", "{such_as}"),
        ("also", "{trained:count tensor} of the model itself, trained as a whole", "trained"),
        ("base", "{base} has other names, and PEFT, vLLM and llama.cpp do not read it"),
    )
    remedy_text = "{convert}; or load it with {itself}"
