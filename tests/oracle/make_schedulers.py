"""Make `inspector/loading/schedulers.json`: settings with which schedulers of diffusers cannot be built or called.

Needs torch, scipy and diffusers:

    python -m venv five && five/bin/pip install torch==2.13.0 transformers==5.23.0 diffusers==0.42.1 scipy
    five/bin/python -m tests.oracle.make_schedulers

Each scheduler is built with one setting changed, and called: `set_timesteps`, and a step on a small sample. What fails
counts where it also fails with every other switch and word of the scheduler, so that it does not depend on them. For
each class, in `built` what its constructor refuses and in `called` what only its calls refuse:

    null, zero, negative, float, text, number, list, empty   keys that take no such value
    words     key -> the words that it knows, where it refuses one that it does not know
    most      key -> the greatest number that it takes
    given     (kind of value, key, other key, its words) where the value fails only with these words of the other key
    together  (key, value, key, value) that cannot be combined, with the defaults of these keys, as of those
              in `given`, in `defaults`
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import copy
import importlib
import inspect
import io
import itertools
import json
import logging
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from inspector.loading.schedulers import CONDITIONS
from tests.oracle.make_diffusers_values import NO_WORD, candidates

TABLE = Path(__file__).parents[2] / "inspector" / "loading" / "schedulers.json"
SMALL: Final = 8
"""Settings with defaults up to this may have a maximum."""
GREATER: Final = (*range(1, 13), 100, 1000)
CHANNELS: Final = (4, 8)
"""Channels of a model's output: those of the sample, or twice as many where it learned the variance."""


def calls(kind: Any) -> Iterator[dict[str, Any]]:
    """The ways in which pipelines set the time steps."""
    takes = inspect.signature(kind.set_timesteps).parameters
    shifts: Sequence[dict[str, Any]] = ({}, {"mu": 0.5}) if "mu" in takes else ({},)
    for shift, steps in itertools.product(shifts, (2, 4)):
        yield {"num_inference_steps": steps, **shift}
        if "sigmas" in takes:
            yield {"sigmas": [1.0 - number / (steps + 1) for number in range(steps)], **shift}


class Probe:
    """A scheduler, the values of its settings and whether it can be called as pipelines do."""

    def __init__(self, kind: Any) -> None:
        self.kind = kind
        parameters = list(inspect.signature(kind.__init__).parameters.values())[1:]
        named = [one for one in parameters if one.kind is one.POSITIONAL_OR_KEYWORD]
        self.defaults = {one.name: one.default for one in named if one.default is not one.empty}
        self.texts = {one.name for one in named if "str" in str(one.annotation) or "Literal" in str(one.annotation)}
        self.words: dict[str, list[str]] = {}
        self.calls = False
        self.bases: Sequence[Mapping[str, Any]] = ({},)

    def error(self, config: Mapping[str, Any]) -> tuple[str, str]:
        """(error of the constructor, error of the calls); "" where nothing fails, or only a library is absent."""
        quiet = contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO())
        with quiet[0], quiet[1]:
            try:
                built = self.kind.from_config(dict(config))
            except ImportError:
                return "", ""
            except Exception as error:
                return f"{type(error).__name__}: {error}", ""
            return "", self._called(built) if self.calls else ""

    def _called(self, built: Any) -> str:
        problem = ""
        for call, channels in itertools.product(calls(self.kind), CHANNELS):
            try:
                self._step(copy.deepcopy(built), call, channels)
            except Exception as error:
                problem = problem or f"{type(error).__name__}: {error}"
            else:
                return ""
        return problem

    def _step(self, scheduler: Any, call: Mapping[str, Any], channels: int) -> None:
        torch = importlib.import_module("torch")
        scheduler.set_timesteps(**call)
        sample = torch.full((1, CHANNELS[0], 2, 2), 0.5)
        for step in scheduler.timesteps[:2]:
            given = scheduler.scale_model_input(sample, step) if hasattr(scheduler, "scale_model_input") else sample
            output = torch.cat([given] * (channels // CHANNELS[0]), dim=1)
            sample = scheduler.step(output, step, sample).prev_sample

    def prepare(self) -> None:
        """Find out whether it can be called, its words, and the settings with which others are tested."""
        self.calls = hasattr(self.kind, "set_timesteps") and self._called(self.kind()) == ""
        for key, value in self.defaults.items():
            if isinstance(value, str) or (value is None and key in self.texts):
                known = self._known(key)
                if known:
                    self.words[key] = known
        options = [{key: value} for key, value in self.options()]
        self.bases = ({}, *(one for one in options if self.error(one) == ("", "")))

    def options(self) -> Iterator[tuple[str, Any]]:
        """Other values of switches and words than the defaults."""
        for key, value in self.defaults.items():
            if type(value) is bool:
                yield key, not value
            yield from ((key, word) for word in self.words.get(key, ()) if word != value)

    def _known(self, key: str) -> list[str]:
        unknown = self.error({key: NO_WORD})
        if unknown == ("", ""):
            return []
        found = []
        for word in candidates(self.kind.__module__, ()):
            got = self.error({key: word})
            if [text.casefold() for text in got] != [text.replace(NO_WORD, word).casefold() for text in unknown]:
                found.append(word)
        return found

    def refuses(self, changed: Mapping[str, Any]) -> str:
        """Where it fails with all other settings, "built" or "called"; "" where it does not."""
        places = set()
        for base in self.bases:
            if not base.keys() & changed.keys():
                built, called = self.error({**base, **changed})
                if not built and not called:
                    return ""
                places.add("built" if built else "called")
        return "built" if places == {"built"} else "called"

    def kinds(self) -> Iterator[tuple[str, str, str]]:
        """(where, kind of value, key) of what is refused."""
        for key, value in self.defaults.items():
            for kind, samples in self._samples(value).items():
                where = {self.refuses({key: sample}) for sample in samples}
                if len(where) == 1 and (place := where.pop()):
                    yield place, kind, key

    def _samples(self, value: Any) -> dict[str, list[Any]]:
        number = type(value) in (int, float)
        found: dict[str, list[Any]] = {"number": [3, 3.5, 1, 0], "list": [[1.0, 2.0], [3]], "empty": [[]]}
        if number:
            found = {"zero": [0], "negative": [-1, -value or -2], "text": [str(value), "x"], **found}
            found.pop("number")
        if type(value) is int:
            found["float"] = [value + 0.5]
        if value is None:  # the setting may be meant for a list
            found["text"] = ["1", "x"]
            found.pop("list")
        if value is not None:
            found["null"] = [None]
        if isinstance(value, list | tuple):
            found.pop("list", None)
        return found

    def given(self) -> Iterator[tuple[str, list[Any]]]:
        """(where, [kind of value, key, other key, the words of it with which the value is refused])."""
        for key, value in self.defaults.items():
            for kind, samples in self._samples(value).items():
                errors = [
                    (base, self.error({**base, key: sample}))
                    for base in self.bases if key not in base for sample in samples
                ]  # fmt: skip
                passing = [base for base, (built, called) in errors if not built and not called]
                others = {other for base in passing for other in base}
                if not passing or {} in passing or len(others) != 1 or not others <= self.words.keys():
                    continue
                (other,) = others
                passed = {base[other] for base in passing}
                words = {self.defaults[other], *(base[other] for base in self.bases if other in base)} - passed
                place = "built" if all(built for base, (built, _) in errors if base not in passing) else "called"
                yield place, [kind, key, other, sorted(map(str, words))]

    def most(self) -> Iterator[tuple[str, str, int]]:
        """(where, key, the greatest number that it takes)."""
        for key, value in self.defaults.items():
            if type(value) is int and 0 < value <= SMALL:
                where = {number: self.refuses({key: number}) for number in GREATER}
                greatest = max((number for number, place in where.items() if not place), default=GREATER[-1])
                places = {place for number, place in where.items() if number > greatest}
                if greatest < GREATER[-1] and places:
                    yield "built" if places == {"built"} else "called", key, greatest

    def together(self) -> Iterator[tuple[str, list[Any]]]:
        """(where, [key, value, key, value]) of what fails together, and not each alone."""
        own = [(key, value) for key, value in self.defaults.items() if type(value) is bool or key in self.words]
        options = [*own, *self.options()]
        alone = {(key, value) for key, value in options if self.refuses({key: value})}
        for (key, value), (other, second) in itertools.combinations(options, 2):
            if key == other or {(key, value), (other, second)} & alone:
                continue
            place = self.refuses({key: value, other: second})
            if place:
                yield place, [key, value, other, second]


def recorded(kind: Any) -> dict[str, Any]:
    """The entry of a scheduler."""
    probe = Probe(kind)
    probe.prepare()
    entry: dict[str, Any] = {"built": {}, "called": {}}
    for place, name, key in probe.kinds():
        assert name in CONDITIONS
        entry[place].setdefault(name, []).append(key)
    for key, known in probe.words.items():
        place = probe.refuses({key: NO_WORD})
        if place:
            accepted = [word for word in known if not probe.refuses({key: word})]
            entry[place].setdefault("words", {})[key] = " ".join(sorted(accepted))
    for place, found in probe.given():
        entry[place].setdefault("given", []).append(found)
        entry.setdefault("defaults", {})[found[2]] = probe.defaults[found[2]]
    for place, key, number in probe.most():
        entry[place].setdefault("most", {})[key] = number
    for place, pair in probe.together():
        entry[place].setdefault("together", []).append(pair)
        entry.setdefault("defaults", {}).update({key: probe.defaults[key] for key in pair[::2]})
    for place in ("built", "called"):
        entry[place] = {
            name: " ".join(found) if name in CONDITIONS else found for name, found in entry[place].items()
        }  # fmt: skip
    return {name: found for name, found in entry.items() if found}


def line_of(name: str) -> str:
    """The line of a class in the table; "" where it is not a scheduler that can be built here."""
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    importlib.import_module("torch").set_num_threads(1)
    diffusers: Any = importlib.import_module("diffusers")
    try:
        built: Any = getattr(diffusers, name)()
        if not isinstance(built, diffusers.SchedulerMixin) or not dict(built.config):
            return ""
    except Exception:
        return ""
    found = f"{json.dumps(name)}: {json.dumps(recorded(type(built)))}"
    print(found[:100], flush=True)
    return found


def main() -> None:
    """Write the table."""
    names = [name for name in dir(importlib.import_module("diffusers")) if "Scheduler" in name]
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        lines = [line for line in pool.map(line_of, names) if line]
    TABLE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
