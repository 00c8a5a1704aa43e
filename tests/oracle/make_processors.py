"""Record the parts of the processor that `AutoProcessor` of transformers 5 builds for each model type.

Needs torch, torchvision, Pillow and transformers 5 (`tests/oracle/make_loads.py` has the environment):

    five/bin/python -m tests.oracle.make_processors

Writes `inspector/loading/processors.json`: type -> the parts. A type is listed if `AutoProcessor` refuses a folder with
config.json and a tokenizer for want of another part; the auto class of each listed part then refuses it, too.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import inspector.loading

AUTO = {"image_processor": "AutoImageProcessor", "feature_extractor": "AutoFeatureExtractor"}
ABSENT = ("Can't load image processor", "Can't load feature extractor", "Can't load video processor")


def main() -> None:
    import transformers  # type: ignore[import-not-found]
    from transformers.models.auto.processing_auto import PROCESSOR_MAPPING_NAMES  # type: ignore[import-not-found]

    parts: dict[str, list[str]] = {}
    for model_type, name in sorted(PROCESSOR_MAPPING_NAMES.items()):
        made = getattr(transformers, name if isinstance(name, str) else name[0])
        with tempfile.TemporaryDirectory() as folder:
            _write(Path(folder), model_type)
            if _refused(transformers.AutoProcessor, folder):
                own = [one for one in made.get_attributes() if one != "tokenizer"]
                assert all(_refused(getattr(transformers, AUTO[one]), folder) for one in own if one in AUTO), model_type
                parts[model_type] = made.get_attributes()
    lines = ",\n".join(f" {json.dumps(one)}: {json.dumps(' '.join(own))}" for one, own in parts.items())
    Path(inspector.loading.__file__).with_name("processors.json").write_text(f"{{\n{lines}\n}}\n")


def _write(folder: Path, model_type: str) -> None:
    """A config and a tokenizer with two words."""
    from tokenizers import Tokenizer, models  # type: ignore[import-not-found]

    (folder / "config.json").write_text(json.dumps({"model_type": model_type}))
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "PreTrainedTokenizerFast"}))
    Tokenizer(models.WordLevel({"a": 0, "<unk>": 1}, unk_token="<unk>")).save(str(folder / "tokenizer.json"))


def _refused(auto: type, folder: str) -> bool:
    """True if an auto class finds no settings of a part in a folder."""
    try:
        auto.from_pretrained(folder)  # type: ignore[attr-defined]
    except Exception as problem:  # the classes raise many
        return str(problem).startswith(ABSENT)
    return False


if __name__ == "__main__":
    main()
