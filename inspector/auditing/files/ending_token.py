"""Checks whether generation ends at the token that ends the text, or a turn of the chat template.

Measured with `generate` of transformers 5.23 and 4.57: the ids are those of generation_config.json, which without the
key has none, and those of config.json only in the absence of that file. The tokenizer's `eos_token` is not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from inspector.auditing.files.added_tokens import READ, added_tokens
from inspector.auditing.json_beside import object_beside
from inspector.findings.finding import Finding, Place
from inspector.loader.config_file import named_class
from inspector.loading.processors import GENERATION
from inspector.loading.tables import default_token_ids
from inspector.loading.tokenizer_files import SETTINGS, WHOLE

if TYPE_CHECKING:
    from inspector.auditing.result import Audit
    from inspector.loader.checkpoint import Checkpoint
    from inspector.loader.config_file import Config

KEY: Final = "eos_token_id"
TOKEN: Final = "eos_token"
FIRST: Final = "bos_token_id"
OF_CLASSES: Final = ("ForCausalLM", "ForConditionalGeneration")
OTHER_ROLES: Final = ("bos_token", "unk_token")
"""Tokens that end no text, unless one of them is the `eos_token`, too."""
TEMPLATE: Final = "chat_template"
TEMPLATE_FILE: Final = "chat_template.jinja"
BEHIND_CONTENT: Final = re.compile(
    r"""\bcontent\b['"]?[\])]*(?: *\| *\w+(?:\(\))?)* *[)]*(?: *[+~] *['"]| *-?\}\}\s*)"""
)
"""What stands in a template between the name of the content and the token behind it: filters, and a sum of texts or the
end of the expression.
"""
LARGEST: Final = 1 << 18
"""Bytes of the largest template in a file of its own that is read; the longest have some ten thousand."""


def generation_not_ended(audited: Audit) -> Iterator[Finding]:
    """The finding on a local folder of a model with which `generate` does not stop."""
    checkpoint, config = audited.checkpoint, audited.checkpoint.config
    if config is None or not checkpoint.folder or checkpoint.adapter is not None or checkpoint.origin is not None:
        return
    name = named_class(config.values) or ""
    if not name.endswith(OF_CLASSES) or audited.case is None or audited.case.causes or audited.case.solved:
        return
    file, stated = _stated(checkpoint, config)
    if not stated:
        return
    rows = config.values.get("vocab_size")
    usual = default_token_ids(str(config.values.get("model_type")))
    if file == GENERATION and type(rows) is int and all(one >= rows and one not in usual for one in stated):
        from inspector.findings.reading.generation_ending import GenerationNotEnded

        yield GenerationNotEnded(place=Place(file=file, key=KEY), stated=stated, embedding=rows)
        return
    settings = object_beside(checkpoint, SETTINGS)
    tokens, complete = special_tokens(checkpoint, settings)
    ending = Ending(
        place=Place(file=file, key=KEY), stated=stated, settings=settings, tokens=tokens, complete=complete,
        template=_template(checkpoint, settings),
    )  # fmt: skip
    wanted = tokens.get(ending.token)
    if wanted is None or wanted in stated:
        yield from _of_turns(ending)
    else:
        yield from _of_other_token(ending, wanted, defaults=_are_defaults(config, stated, wanted))


class Ending(Struct, frozen=True, kw_only=True):
    """The ids that end generation, and what the tokenizer's files say of them.

    settings: of tokenizer_config.json. tokens: token -> id, complete: of all special tokens. template: the text of all
    chat templates.
    """

    place: Place
    stated: tuple[int, ...]
    settings: Mapping[str, Any]
    tokens: Mapping[str, int]
    complete: bool
    template: str

    @property
    def token(self) -> str:
        """The tokenizer's `eos_token`; "" if it has none."""
        return token_text(self.settings.get(TOKEN))

    @property
    def named(self) -> Mapping[int, str]:
        """Id -> token."""
        return {number: text for text, number in self.tokens.items()}


def _of_other_token(ending: Ending, wanted: int, *, defaults: bool) -> Iterator[Finding]:
    """The finding on ids that are not the tokenizer's `eos_token`, if no chat template writes their tokens.

    defaults: the ids may be those of the class.
    """
    stated, named, token = ending.stated, ending.named, ending.token
    if ending.complete and not defaults and not any(one in named for one in stated):
        from inspector.findings.reading.generation_ending import GenerationEndsAtWord

        yield GenerationEndsAtWord(place=ending.place, stated=stated, token=token, wanted=wanted)
    if any(one not in named for one in stated):
        return  # a token whose text is not known may end the text, too
    template = ending.template
    if any(named[one] in template for one in stated):
        return
    of_roles = {token_text(ending.settings.get(role)): role for role in OTHER_ROLES}
    roles = tuple(of_roles.get(named[one], "") for one in stated)
    by_template = bool(template) and (token in template or TOKEN in template)
    if by_template or (all(roles) and not defaults):
        from inspector.findings.reading.generation_ending import GenerationNotEnded

        yield GenerationNotEnded(
            place=ending.place, stated=stated, token=token, wanted=wanted, names=tuple(named[one] for one in stated),
            roles=() if by_template else roles,
        )  # fmt: skip


def _of_turns(ending: Ending) -> Iterator[Finding]:
    """The note on a chat template that ends each turn with a token at which generation goes on."""
    named = ending.named
    if TOKEN in ending.template or any(named.get(one, ending.template) in ending.template for one in ending.stated):
        return  # a token whose text is not known may end the turns, too
    if behind := set(_behind_content(ending)):
        from inspector.findings.reading.generation_ending import TurnsEndElsewhere

        wanted = tuple(sorted((ending.tokens[text], text) for text in behind))
        yield TurnsEndElsewhere(
            place=ending.place, stated=ending.stated, names=tuple(named[one] for one in ending.stated), wanted=wanted
        )


def _behind_content(ending: Ending) -> Iterator[str]:
    """The tokens that a template writes directly behind the content of a message."""
    for content in BEHIND_CONTENT.finditer(ending.template):
        fitting = (one for one in ending.tokens if one and ending.template.startswith(one, content.end()))
        yield from sorted(fitting, key=len)[-1:]


def _are_defaults(config: Config, stated: tuple[int, ...], wanted: int) -> bool:
    """True if the ids may be the defaults of the class, which nobody chose for this tokenizer.

    wanted: the id of the tokenizer's `eos_token`. Early conversions of LLaMA have other ids than the defaults.
    """
    usual = default_token_ids(str(config.values.get("model_type")))
    first = config.values.get(FIRST)
    return all(one in usual for one in stated) and (wanted not in usual or first is None or first in usual)


def _stated(checkpoint: Checkpoint, config: Config) -> tuple[str, tuple[int, ...]]:
    """(the file whose ids end generation, the ids)."""
    if GENERATION in checkpoint.siblings:
        return GENERATION, _ids(object_beside(checkpoint, GENERATION).get(KEY))
    return config.file, _ids(config.values.get(KEY))


def _ids(value: Any) -> tuple[int, ...]:
    """The ids of a number or a list; none if any is not a number."""
    ids = value if isinstance(value, list) else [value]
    return tuple(ids) if all(type(one) is int for one in ids) else ()


def special_tokens(checkpoint: Checkpoint, settings: Mapping[str, Any]) -> tuple[Mapping[str, int], bool]:
    """(token -> id of the added tokens, with the special ones of the vocabulary, True if these are all).

    Those of two ids are left out.
    """
    size = checkpoint.siblings.get(WHOLE, 0)
    start = checkpoint.reach().read_part(WHOLE, 0, min(size, READ)) if checkpoint.reach is not None and size else b""
    listed, complete = added_tokens(start) if isinstance(start, bytes) else ({}, False)
    found = dict(listed)
    decoder = settings.get("added_tokens_decoder")
    for number, token in decoder.items() if isinstance(decoder, dict) else ():
        text = token_text(token)
        if text and number.isdecimal() and len(number) < 18 and found.setdefault(text, int(number)) != int(number):
            del found[text]
    return found, complete


def _template(checkpoint: Checkpoint, settings: Mapping[str, Any]) -> str:
    """The text of all chat templates."""
    size = checkpoint.siblings.get(TEMPLATE_FILE, 0)
    if size and checkpoint.reach is not None:
        raw = checkpoint.reach().read_part(TEMPLATE_FILE, 0, size) if size <= LARGEST else b""
        return raw.decode("utf-8", "replace") if isinstance(raw, bytes) else ""
    stated = settings.get(TEMPLATE)
    several = [one.get("template") for one in stated if isinstance(one, dict)] if isinstance(stated, list) else [stated]
    return "\n".join(one for one in several if isinstance(one, str))


def token_text(token: Any) -> str:
    """A special token, which is a text or an object with its text."""
    stated = token.get("content") if isinstance(token, Mapping) else token
    return stated if isinstance(stated, str) else ""
