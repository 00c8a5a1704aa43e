"""Findings on model types that the Auto classes of one or all versions do not have."""

from __future__ import annotations

from inspector.findings.finding import ContentFinding


class ClassAlone(ContentFinding, frozen=True, kw_only=True):
    """The Auto classes of an older version do not know the model type, although it has the class.

    What it means
        The config is that of a part of a larger model. The version has the class of the part, and no entry for its
        model type: AutoConfig, AutoModel and programs that use them refuse it.

    Why it matters
        `from_pretrained` of the class itself loads all weights. AutoConfig raises: "The checkpoint you are trying to
        load has model type ... but Transformers does not recognize this architecture".

    Example
        note[N645] class-alone: Auto classes of transformers 4.57 do not know
          qwen2_5_omni_thinker
          loads  Qwen2_5OmniThinkerForConditionalGeneration.from_pretrained loads it
                 there
          help   load it with
                 Qwen2_5OmniThinkerForConditionalGeneration.from_pretrained, or with
                 transformers 5.23

    What to do
        Load it with the class, with a newer version, or put the part back into the whole model.
    """

    code = "N645"
    severity = "note"

    model_type: str
    class_name: str
    older: str
    newer: str

    headline_text = "Auto classes of transformers {older:or} do not know {model_type:or}"
    row_texts = (("loads", "{class_name:or}.from_pretrained loads it there"),)
    remedy_text = "load it with {class_name:or}.from_pretrained, or with transformers {newer:or}"


class TypeWithoutCode(ContentFinding, frozen=True, kw_only=True):
    """The model type is one of its authors' code, and config.json does not say where that code is.

    What it means
        transformers has no such model type. Repositories of these models have the code beside the weights, and name it
        in `auto_map`; this config has no `auto_map`, as after a training with the authors' own program.

    Why it matters
        AutoConfig and AutoModel raise "does not recognize this architecture", also with trust_remote_code.

    Example
        note[N744] type-without-code: GOT
          loaders  transformers has no such type, and config.json has no auto_map
          help     load it with the program of its authors, which registers the type;
                   for AutoModel add auto_map and the .py files that it names from the
                   original repository

    What to do
        Load it with the authors' program, or add `auto_map` and the code from the original repository.
    """

    code = "N744"
    severity = "note"
    advises = True

    model_type: str

    headline_text = "{model_type}"
    row_texts = (("loaders", "transformers has no such type, and config.json has no auto_map"),)
    remedy_text = (
        "load it with the program of its authors, which registers the type; for AutoModel add auto_map and the .py "
        "files that it names from the original repository"
    )
