"""What the config of an adapter says of the model around it, and the adapter does not have: a head, a base."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy, Rows
from inspector.findings.words import either


class AdapterHeadAbsent(Finding, frozen=True, kw_only=True):
    """The adapter does not store the head that its task trains.

    What it means
        For the tasks SEQ_CLS, TOKEN_CLS and QUESTION_ANS, PEFT trains the head of the model as a whole and saves it
        with the adapter. The class of the base for this task has such a head, and the adapter has no tensor of it.

    Why it matters
        PEFT 0.21 raises KeyError for a base of this class; versions that do not leave the head at random numbers, and
        each load gives other predictions.

    Example
        warning[N730] adapter-head-absent: score
          because  task_type "SEQ_CLS" trains it as a whole, and no tensor of it is
                   stored
          then     PEFT raises KeyError for a llama with this head; around one without
                   it the task has no head
          help     save the adapter again from the trained model, with
                   "modules_to_save": ["score"]; if that is gone, the head must be
                   trained again

    What to do
        Save the adapter again with `save_pretrained` of the trained model. The numbers of the head are in no other
        file: without that model it must be trained again.
    """

    code = "N730"
    severity = "warning"

    task: str
    heads: tuple[str, ...]
    base: str

    def headline(self) -> str:
        return either(self.heads)

    def rows(self) -> Rows:
        then = f"PEFT raises KeyError for a {self.base} with this head; around one without it the task has no head"
        return [
            ("because", f'task_type "{self.task}" trains it as a whole, and no tensor of it is stored'),
            ("then", then),
        ]

    def remedy(self) -> Remedy:
        saved = ", ".join(f'"{one}"' for one in self.heads)
        return Remedy(
            f'save the adapter again from the trained model, with "modules_to_save": [{saved}]; if that is gone, the '
            "head must be trained again"
        )


class AdapterBaseUnnamed(Finding, frozen=True, kw_only=True):
    """The config of the adapter names no base.

    What it means
        `base_model_name_or_path` in adapter_config.json is absent, null or empty: the adapter was trained around a
        model that was built in memory, or the name was removed.

    Why it matters
        `PeftModel.from_pretrained` loads it around a base that is passed to it. PEFT's Auto classes and
        `from_pretrained` of transformers look for the base by this name and refuse the folder.

    Example
        note[N731] adapter-base-unnamed: base_model_name_or_path is null
          then  transformers and AutoPeftModel refuse the folder;
                PeftModel.from_pretrained loads it around a base that it is given
          help  set "base_model_name_or_path" in adapter_config.json to the base that
                the adapter was trained on

    What to do
        Write the repository or folder of the base of the training into adapter_config.json.
    """

    code = "N731"
    severity = "note"
    advises = True

    stated: str

    headline_text = "base_model_name_or_path is {stated}"
    row_texts = (
        ("then", "transformers and AutoPeftModel refuse the folder; PeftModel.from_pretrained loads it around a base "
         "that it is given"),
    )  # fmt: skip
    remedy_text = 'set "base_model_name_or_path" in adapter_config.json to the base that the adapter was trained on'


class AdapterBaseElsewhere(Finding, frozen=True, kw_only=True):
    """The config of the adapter names a folder as its base, which is not on this machine.

    What it means
        `base_model_name_or_path` in adapter_config.json is the path from which the base was loaded in the training.

    Why it matters
        `PeftModel.from_pretrained` loads the adapter around a base that is passed to it. PEFT's Auto classes and
        `from_pretrained` of transformers look for this folder, then for a repository of this name, and fail.

    Example
        note[A991] adapter-base-elsewhere: /home/user/models/llama
          then  transformers and AutoPeftModel do not find it; PeftModel.from_pretrained
                loads the adapter around a base that it is given
          help  set "base_model_name_or_path" in adapter_config.json to the repository
                or the folder of this base here

    What to do
        Write the repository of the base, which others find too, into adapter_config.json.
    """

    code = "A991"
    severity = "note"
    advises = True

    path: str

    headline_text = "{path}"
    row_texts = (
        ("then", "transformers and AutoPeftModel do not find it; PeftModel.from_pretrained loads the adapter around a "
         "base that it is given"),
    )  # fmt: skip
    remedy_text = (
        'set "base_model_name_or_path" in adapter_config.json to the repository or the folder of this base here'
    )
