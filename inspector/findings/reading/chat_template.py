"""The finding on a model of chats without a chat template."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy


class ChatTemplateAbsent(Finding, frozen=True, kw_only=True):
    """The text ends with the end of a turn, and no file has a chat template.

    What it means
        The `eos_token` of the tokenizer is a token that ends the turn of a chat, as in a model that was trained on
        chats. Neither tokenizer_config.json nor another file has a `chat_template`.

    Why it matters
        The model loads and generates. `apply_chat_template` of transformers raises "tokenizer.chat_template is not
        set", and the chat endpoint of vLLM needs one, too.

    Example
        note[R090] chat-template-absent: eos_token is <|im_end|>
          refused  by apply_chat_template of transformers: chat_template is not set
          help     save the template of its training as chat_template.jinja; vLLM takes
                   one with --chat-template

    What to do
        Save the template with which the turns were written in training: that of the instruct model from which the
        training began, or of the program of the training. A model that was trained on plain text needs none.
    """

    code = "R090"
    severity = "note"
    advises = True

    end: str

    row_texts = (("refused", "by apply_chat_template of transformers: chat_template is not set"),)

    def headline(self) -> str:
        return f"{self.place.key} is {self.end}"

    def remedy(self) -> Remedy:
        return Remedy("save the template of its training as chat_template.jinja; vLLM takes one with --chat-template")
