"""Files beside the modules of a sentence encoder that sentence-transformers reads: configs, and the code of modules.

Source: `_load_config_modules` and `import_module_class` of sentence-transformers 6.2. A type of two words is a class in
a file of the folder; a longer one is imported from a package.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from inspector.auditing.sentence_listing import (
    MODULES,
    OF_ENCODER,
    OF_TRANSFORMER,
    OWN_TYPES,
    json_of,
    listed_modules,
)
from inspector.findings.finding import Finding, Place
from inspector.loader.checkpoint import SIBLINGS_KEPT, Checkpoint

SCRIPT: Final = "__main__"
"""The Python module of a class that was defined in the script that saved it."""


def of_encoder_files(checkpoint: Checkpoint) -> Iterator[Finding]:
    """The findings on configs of an encoder that are not valid JSON, and on types with code that is not here."""
    if MODULES not in checkpoint.siblings or checkpoint.alone or checkpoint.reach is None:
        return
    for name in (OF_ENCODER, OF_TRANSFORMER):
        read = json_of(checkpoint, name) if name in checkpoint.siblings else None
        if isinstance(read, Finding):
            yield read
    if len(checkpoint.siblings) < SIBLINGS_KEPT:
        yield from _without_code(checkpoint)


def _without_code(checkpoint: Checkpoint) -> Iterator[Finding]:
    listed = listed_modules(checkpoint)
    types = {} if isinstance(listed, Finding) else {one.type_name: one for one in listed}
    for name, one in types.items():
        module, _, class_name = name.rpartition(".")
        if not class_name or module.count(".") or "--" in name or not module or name.startswith(OWN_TYPES):
            continue
        if module == SCRIPT:
            from inspector.findings.sentence_modules import ModuleMissing

            yield ModuleMissing(
                place=Place(file=MODULES), folder=one.path or MODULES, type_name=name,
                problem=f'its type "{name}" is a class of the script that saved it',
            )  # fmt: skip
        elif f"{module}.py" not in checkpoint.siblings:
            from inspector.findings.declared import CodeFileMissing

            yield CodeFileMissing(place=Place(file=MODULES), files=(f"{module}.py",), named_by=(MODULES,))
