"""Searches for errors that no record shows: builds, saves and audits models of random configurations.

Every case changes one to four keys of a type's tiny base at once (`tiny.py`, `make_records.py`), in a random class of
the type, and sometimes omits keys of the base, which then have the default. Configurations that a class refuses
do not count. The models are made in the environment of torch and transformers, and audited in that of the project:

    five/bin/python -m tests.oracle.random_switches make SEED CASES FOLDER [MODEL_TYPE ...]
    four/bin/python -m tests.oracle.random_switches make SEED CASES FOLDER [MODEL_TYPE ...]
    python -m tests.oracle.random_switches audit FOLDER

`audit` prints every case that is not exact and clean, by the config as written and by the sparse one. Some of
these are inconsistent configs (a width that its heads do not divide, zero groups); the others belong in `COMBINED` of
`make_records.py` once they are fixed. Ten thousand cases take a few minutes.
"""

from __future__ import annotations

import json
import random
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.oracle.make_records import (
    BASE_SWITCHES,
    INERT_WORDS,
    LARGEST,
    base_arguments,
    config_class_of,
    model_classes,
    record,
    sketched,
    with_definitions,
)
from tests.oracle.tiny import declared, flat, merged

# Numbers by the key's name, the first pattern that matches; few of them divide one another.
NUMBERS: tuple[tuple[str, tuple[int, ...]], ...] = (
    (r".*vocab_size", (64, 89, 101, 128, 131)),
    (r".*(layers?|depth)", (1, 2, 3, 4, 5, 6, 7, 12)),
    (r".*(kv|key_value|query).*(heads|groups)", (1, 2, 3, 4, 6)),
    (r".*heads?", (1, 2, 3, 4, 6, 8, 12)),
    (r".*(hidden_size|d_model|n_embd|embed_dim|width|dim)", (24, 36, 48, 64, 72, 96)),
    (r".*(intermediate|ffn|d_ff|inner).*", (33, 37, 52, 64, 80, 100)),
    (r".*experts", (1, 2, 3, 5, 8, 12)),
    (r".*(image|input)_size", (32, 33, 45, 56, 64, 80)),
    (r".*patch_size", (2, 4, 5, 7, 8, 16)),
    (r".*(head_dim|d_kv)", (7, 8, 10, 12, 16, 24)),
    (r".*rank", (3, 5, 8, 12, 16)),
)
FRACTIONS = (0.0, 0.3, 0.5, 0.75, 1.0, 1.7, 2.3, 2.7)
ACTIVATIONS = ("relu", "gelu", "silu", "gelu_new", "gated-gelu", "relu2")
MEANINGLESS = ("pruned_heads", "num_labels", "is_encoder_decoder", "architectures", "model_type", "label", "dtype")
SHARE_OF_DEFAULTS = 0.25


def other(key: str, value: Any, choice: Callable[[Any], Any]) -> Any:
    """Another value for a key, of the kind that it has."""
    name = key.rpartition(".")[2]
    if isinstance(value, bool):
        return not value
    if isinstance(value, float):
        return choice((value, value * 2, *FRACTIONS))
    if isinstance(value, str):
        return choice(ACTIVATIONS) if "act" in name or "feed_forward" in name else value
    if isinstance(value, list | tuple):
        return [choice(value) for _ in value] if value else [choice((0, 1, 2))]
    plain = (1, 2, 3, 5, 7, True, None) if value is None else (value + 1, value * 2, 1, 2, 3, 0)
    numbers = next((row for pattern, row in NUMBERS if re.fullmatch(pattern, name)), plain)
    if name.endswith(("image_size", "patch_size")) and choice((True, False, False, False)):
        return [choice(numbers), choice(numbers)]
    return choice(numbers)


def cases(model_type: str, seed: int, wanted: int) -> Iterator[dict[str, Any]]:
    """Records of one type; a class that refuses a configuration costs an attempt."""
    chance = random.Random(f"{seed} {model_type}")
    config_class, classes, base = config_class_of(model_type), model_classes(model_type), base_arguments(model_type)
    keys = [
        (key, value)
        for key, _, value in flat({**BASE_SWITCHES, **base}, config_class)
        if not any(word in key for word in (*INERT_WORDS, *MEANINGLESS))
    ]
    by_default = [key for key, default in declared(config_class).items() if key in base and default is None]
    for _ in range(wanted * 3):
        name = chance.choice(sorted(classes))
        drawn = chance.sample(keys, min(len(keys), chance.choice((1, 2, 2, 3, 4))))
        changes = {key: other(key, value, chance.choice) for key, value in drawn}
        left = chance.choice(by_default) if by_default and chance.random() < SHARE_OF_DEFAULTS else None
        arguments = {key: value for key, value in base.items() if key != left}
        try:
            _, parameters = sketched(model_type, classes[name], merged(arguments, changes))
            found = record(model_type, classes[name], arguments, changes) if 0 < parameters <= LARGEST else None
        except Exception:
            continue  # configurations that a class refuses do not count
        if found is not None and found["config"].get("model_type") == model_type:
            yield {**found, "model_type": model_type}
            wanted -= 1
            if not wanted:
                return


def make(seed: int, wanted: int, folder: Path, model_types: list[str]) -> None:
    import transformers  # type: ignore[import-not-found]

    transformers.logging.set_verbosity(transformers.logging.CRITICAL)
    transformers.utils.logging.disable_progress_bar()
    folder.mkdir(parents=True, exist_ok=True)
    for model_type in model_types or with_definitions():
        lines = [json.dumps(found) for found in cases(model_type, seed, wanted)]
        file = folder / f"{model_type}.{transformers.__version__}.{seed}.jsonl"
        file.write_text("\n".join(lines), encoding="utf-8")
        print(f"{model_type}: {len(lines)} cases", flush=True)


def audit(folder: Path) -> None:
    from tests.judged import codes, judged, spec_of
    from tests.test_oracle import sparse

    total = wrong = 0
    for file in sorted(folder.glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            found = json.loads(line)
            written = {**found["config"], "architectures": [found["class"]]}
            thin = sparse(written, found["model_type"], found["writer"].split()[1][0])
            parameters = found["num_parameters"] - found.get("unwritten", 0)
            total += 1
            for config in (written, thin):
                audited = judged(spec_of(found), config)
                counted = audited.counts.unique_parameters, audited.counts.expected_parameters
                if codes(audited) or counted != (parameters, parameters) or audited.counts.unexplained:
                    reported = [finding.message for finding in audited.findings][:2]
                    print(found["class"], found["variant"], found["writer"], parameters, counted, reported)
                    wrong += 1
                    break
    print(f"{wrong} of {total} are not exact and clean")


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]), sys.argv[5:])
    else:
        audit(Path(sys.argv[2]))
