"""Record the tokenizer classes that `AutoTokenizer` of transformers 4.57 finds by name.

Needs torch and transformers 4.57 (`tests/oracle/make_loads.py` has the environment):

    four/bin/python -m tests.oracle.make_tokenizer_classes

Writes `inspector/loading/tokenizer_classes.json`, a sorted list. transformers 5 needs none: under a name that it does
not know it reads tokenizer.json with a general class.
"""

from __future__ import annotations

import json
from pathlib import Path

import inspector.loading

ENDS = ("Tokenizer", "TokenizerFast")


def main() -> None:
    import transformers  # type: ignore[import-not-found]
    from transformers.models.auto.tokenization_auto import (  # type: ignore[import-not-found]
        TOKENIZER_MAPPING_NAMES,
        tokenizer_class_from_name,
    )

    mapped = {name for names in TOKENIZER_MAPPING_NAMES.values() for name in names if name}
    names = mapped | {name for name in dir(transformers) if name.endswith(ENDS)}
    found = sorted(name for name in names if tokenizer_class_from_name(name) is not None)
    file = Path(inspector.loading.__file__).with_name("tokenizer_classes.json")
    file.write_text(json.dumps(found, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
