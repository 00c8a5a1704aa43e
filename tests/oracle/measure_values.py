"""Measure which changed configs transformers refuses, for `tests/oracle/make_refused_kinds.py`.

Needs torch and transformers; run in an environment of each major version (`tests/oracle/make_loads.py` has them). A
type that has a result is skipped, so that a run can be stopped and several can share the types:

    five/bin/python -m tests.oracle.measure_values FOLDER [PART OF]

Run `tests/oracle/confirm_values.py` after it. The first classes with a record are built on the meta device, as
`from_pretrained` builds them, from the config of the record with one changed value (`tests/oracle/value_cases.py`).
FOLDER/MAJOR/TYPE.json is a list of [class, path, kind, value, outcome, message] of every change that does not load like
the unchanged config:

    config    the config class refuses it
    model     the class cannot be built
    finish    a step after loading the weights fails
    differs   the model is built with other tensors
    late      it takes too long
"""

from __future__ import annotations

import contextlib
import copy
import importlib
import io
import json
import logging
import signal
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from inspector.architectures.defaults import NEWEST
from inspector.reconciler.config_keys import mistyped
from tests.judged import oracle_types, records
from tests.oracle.value_cases import changed, changes, decoded, places

SECONDS = 3
"""Limit of CPU seconds for a model."""
MOST_CLASSES = 2
IN_TURN: Mapping[str, str] = {"o": "m", "u": "h"}
"""Kind -> the kind that is measured before it; where that is accepted, this one is not measured."""
LONGEST = 160
"""Maximum length of a stored message."""


class Refusal(Exception):
    """Where a config is refused."""


@contextlib.contextmanager
def limited(stage: str) -> Iterator[None]:
    """Stop a step that takes too long, and add the stage to exceptions."""

    def late(*_: object) -> None:
        raise TimeoutError

    signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        yield
    except TimeoutError:
        raise Refusal("late", "") from None
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        raise Refusal(stage, f"{type(error).__name__}: {' '.join(str(error).split())}") from None
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


Shapes = Mapping[str, tuple[int, ...]]


class Builder:
    """Builds models of the installed version. types: those of its own classes, which are measured by themselves."""

    def __init__(self) -> None:
        self.torch = importlib.import_module("torch")
        self.transformers = importlib.import_module("transformers")
        self.major = self.transformers.__version__.partition(".")[0]
        auto, names = self.transformers.models.auto.configuration_auto, set(dir(self.transformers))
        self.types = frozenset(
            one
            for one in frozenset(oracle_types()) & auto.CONFIG_MAPPING_NAMES.keys()
            if any(record["class"] in names for record in records(one))
        )

    def config(self, kind: Any, values: Mapping[str, Any]) -> Any:
        """The config of a class."""
        with limited("config"):
            return kind.config_class.from_dict(copy.deepcopy(dict(values)))

    def shapes(self, kind: Any, config: Any) -> Shapes:
        """The tensors of the model that a class builds; raises Refusal where it fails."""
        with limited("model"):
            model = self._built(kind, copy.deepcopy(config))
        tensors = {name: tuple(one.shape) for name, one in model.state_dict().items()}
        with limited("finish"):
            self._finish(model)
        return tensors

    def _built(self, kind: Any, config: Any) -> Any:
        torch = self.torch
        dtype = getattr(config, "dtype", None)
        if not (isinstance(dtype, torch.dtype) and dtype.is_floating_point):
            dtype = torch.float32
        if self.major == "4":
            contexts = [self.transformers.modeling_utils.no_init_weights(), torch.device("meta")]
            config.dtype = torch.get_default_dtype()  # as `_get_dtype` does, which fails where a part is null
            for key in config.sub_configs:
                getattr(config, key).dtype = config.dtype
        else:
            contexts = kind.get_init_context(dtype, False, False, None)
        with contextlib.ExitStack() as stack:
            for one in contexts:
                stack.enter_context(one)
            return kind(config)

    def _finish(self, model: Any) -> None:
        """Run the steps of `from_pretrained` after loading the weights.

        Version 4 draws weights anew for every module with buffers that are not stored, and reads their deviation.
        """
        if self.major == "4":
            model._initialize_missing_keys([], False)
        else:
            for one in (*model.parameters(), *model.buffers()):
                one._is_hf_initialized = True
            model._move_missing_keys_from_meta_to_device(set(), None, None, None)
            model._initialize_missing_keys(False)
            model.tie_weights(recompute_mapping=False)
        if model.can_generate():
            self.transformers.GenerationConfig.from_model_config(model.config)


def classes_of(model_type: str, transformers: Any) -> Iterator[tuple[str, Any, dict[str, Any]]]:
    """(name, class, config) of the classes with a record, those with the most tensors first."""
    major = transformers.__version__.partition(".")[0]
    found: dict[str, dict[str, Any]] = {}
    for record in records(model_type):
        fits = record["writer"].startswith(f"transformers {major}.")
        if not record["variant"] and record["config"] and (fits or record["class"] not in found):
            found[record["class"]] = record
    ordered = sorted(found.values(), key=lambda one: (-len(one["tensors"]), one["class"]))
    for record in ordered[:MOST_CLASSES]:
        kind = getattr(transformers, record["class"], None)
        if kind is not None and getattr(kind, "config_class", None) is not None:
            yield record["class"], kind, {**decoded(record["config"]), "model_type": model_type}


def measured(builder: Builder, model_type: str) -> Iterator[list[Any]]:
    """[class, path, kind, value, outcome, message] of every change that is not loaded like the unchanged config.

    Nested configs of a type that is measured by itself are skipped. Refusals of the config class, and other nested
    configs, are measured for the first class only. Values that the types of the config class refuse, and further values
    of a kind of which one is accepted, are not measured. only: the changes to measure, if not all.
    """
    known: set[str] = set()
    measured_one = False
    for name, kind, config in classes_of(model_type, builder.transformers):
        try:
            healthy = builder.shapes(kind, builder.config(kind, config))
        except Refusal as error:
            yield [name, [], "", None, error.args[0], error.args[1][:LONGEST]]
            continue
        yield [name, [], "", None, "loads", ""]
        for path, value in places(config, known=builder.types):
            if len(path) > 1 and measured_one:
                continue
            accepted = ""
            for letter, other in changes(value):
                change = changed(config, path, other)
                key = json.dumps([path, other])
                if key in known or IN_TURN.get(letter, letter) in accepted:
                    continue
                if builder.major == NEWEST and path in [one.path for one in mistyped(change)]:
                    known.add(key)
                    continue
                try:
                    shapes = builder.shapes(kind, builder.config(kind, change))
                except Refusal as error:
                    if error.args[0] == "config":
                        known.add(key)
                    yield [name, list(path), letter, other, error.args[0], error.args[1][:LONGEST]]
                else:
                    accepted += letter
                    if shapes != healthy:
                        yield [name, list(path), letter, other, "differs", ""]
        measured_one = True


def measure_types(suffix: str, measured_of: Callable[[Builder, str], list[Any]]) -> None:
    """Write the results of every type that has none, of a part of the types; argv: FOLDER [PART OF]."""
    folder, part, parts = Path(sys.argv[1]), *map(int, sys.argv[2:4] or (0, 1))
    builder = Builder()
    builder.torch.set_num_threads(1)
    builder.transformers.logging.set_verbosity_error()
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    place = folder / builder.major
    place.mkdir(parents=True, exist_ok=True)
    for number, model_type in enumerate(oracle_types()):
        result = place / f"{model_type}{suffix}"
        if number % parts != part or result.exists() or model_type not in builder.types:
            continue
        with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
            found = measured_of(builder, model_type)
        partial = result.with_suffix(".partial")
        partial.write_text(json.dumps(found, separators=(",", ":")), encoding="utf-8")
        partial.rename(result)
        print(number, model_type, len(found), flush=True)


def main() -> None:
    """Measure every type that has no result, of a part of the types."""
    measure_types(".json", lambda builder, model_type: list(measured(builder, model_type)))


if __name__ == "__main__":
    main()
