"""Record the classes of image processors and feature extractors of transformers 5.

Needs transformers 5 (`tests/oracle/make_loads.py` has the environment):

    five/bin/python -m tests.oracle.make_processor_classes

Writes `inspector/loading/processor_classes.json`: under "" the names that a preprocessor_config.json may state, and
type -> the class that `AutoImageProcessor` or `AutoFeatureExtractor` takes for it if none is stated.
"""

from __future__ import annotations

import json
from pathlib import Path

import inspector.loading

ENDS = ("ImageProcessor", "FeatureExtractor")


def main() -> None:
    import transformers  # type: ignore[import-not-found]
    from transformers.models.auto.feature_extraction_auto import (  # type: ignore[import-not-found]
        FEATURE_EXTRACTOR_MAPPING_NAMES,
    )
    from transformers.models.auto.image_processing_auto import (  # type: ignore[import-not-found]
        IMAGE_PROCESSOR_MAPPING_NAMES,
    )

    images = {
        kind: next(name for name in (named.get("torchvision"), named.get("pil")) if name)
        for kind, named in IMAGE_PROCESSOR_MAPPING_NAMES.items()
    }
    of_types = {kind: name.removesuffix("Pil") for kind, name in {**FEATURE_EXTRACTOR_MAPPING_NAMES, **images}.items()}
    names = sorted({name for name in dir(transformers) if name.endswith(ENDS)} | set(of_types.values()))
    table = {"": " ".join(names), **dict(sorted(of_types.items()))}
    lines = ",\n".join(f" {json.dumps(one)}: {json.dumps(stated)}" for one, stated in table.items())
    Path(inspector.loading.__file__).with_name("processor_classes.json").write_text(f"{{\n{lines}\n}}\n")


if __name__ == "__main__":
    main()
