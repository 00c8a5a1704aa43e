"""Make `inspector/loading/config_rules.json`: configs that transformers refuses, as expressions of config keys;
`inspector/architectures/config_types.jsonl`: which types of values its config classes accept, and the stages of
backbones; and
`fixtures/loads/configs.json.gz`: whether it refuses configs with one changed key.

Needs torch and transformers 5:

    five/bin/python -m tests.oracle.make_config_rules [MODEL_TYPE ...]

Reads the source of `validate_architecture` of every config class: each `if ... raise` whose condition is made of
config keys, numbers and arithmetic becomes an expression that must not hold. Other conditions are skipped. A width
that must be a multiple of the number of heads, cross-attention without a decoder and a padding token without a row are
found by building the model of the first record with other values (`model`), and those of other classes (`classes`);
the numbers of heads also for the types of configs within others that have no record.
Conditions under which the result depends on what is installed or on other switches (`open`) are kept.
Which rules hold in transformers 4.57 (`older`), `tests/oracle/make_setting_rules.py` measures, and those on each stage
(`stages`), `tests/oracle/make_stage_rules.py`.
The accepted types are those that the validators of a field accept.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import gzip
import importlib
import inspect
import json
import re
import sys
import tempfile
import textwrap
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from inspector.architectures.config_types import types_of as types_within
from tests.judged import base_record, oracle_types, records
from tests.oracle.field_types import types_of
from tests.oracle.value_cases import changed as placed
from tests.oracle.value_cases import decoded, parts

RULES = Path(__file__).parents[2] / "inspector" / "loading" / "config_rules.json"
TYPES = Path(__file__).parents[2] / "inspector" / "architectures" / "config_types.jsonl"
RECORDS = Path(__file__).parents[2] / "fixtures" / "loads" / "configs.json.gz"
OPERATORS: Mapping[type[ast.AST], str] = {
    ast.Mult: "*", ast.Mod: "%", ast.FloorDiv: "//", ast.Pow: "**", ast.Add: "+", ast.Sub: "-",
    ast.Eq: "==", ast.NotEq: "!=",
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.And: "and", ast.Or: "or",
}  # fmt: skip


class Untranslated(Exception):
    """The condition has more than keys, numbers and arithmetic."""


def path_of(node: ast.expr) -> str:
    """The dotted path of a key of a config, or of one within it; "" for anything else."""
    match node:
        case ast.Attribute(value=ast.Name(id="self"), attr=key):
            return key
        case ast.Attribute(value=outer, attr=key) if path_of(outer):
            return f"{path_of(outer)}.{key}"
    return ""


def text_of(node: ast.expr, known: Mapping[str, str]) -> str:
    """An expression over config keys. known: local names and their expressions."""
    match node:
        case ast.Attribute() if path_of(node):
            return path_of(node)
        case ast.Name(id=name) if name in known:
            return known[name]
        case ast.Call(func=ast.Name(id="len"), args=[ast.Attribute() as listed], keywords=[]) if path_of(listed):
            return f"len({path_of(listed)})"
        case ast.Subscript(value=ast.Attribute() as listed, slice=index) if path_of(listed):
            return f"{path_of(listed)}[{_index_of(index, path_of(listed))}]"
        case ast.Call(func=ast.Attribute(value=ast.Name(id="math"), attr="sqrt"), args=[value], keywords=[]):
            return f"({text_of(value, known)} ** 0.5)"
        case ast.BinOp(left=left, op=ast.Div(), right=right):  # whose quotient has fractions
            return f"(({text_of(left, known)} * 1.0) / {text_of(right, known)})"
        case ast.Constant(value=value) if value is None or type(value) in (int, bool):
            return json.dumps(value)
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in OPERATORS:
            return f"({text_of(left, known)} {OPERATORS[type(operator)]} {text_of(right, known)})"
        case ast.Compare(left=left, ops=[ast.Is() | ast.IsNot() as operator], comparators=[right]):
            word = "==" if isinstance(operator, ast.Is) else "!="
            return f"({text_of(left, known)} {word} {text_of(right, known)})"
        case ast.Compare(left=left, ops=[operator], comparators=[right]) if type(operator) in OPERATORS:
            return f"({text_of(left, known)} {OPERATORS[type(operator)]} {text_of(right, known)})"
        case ast.Compare(left=left, ops=[first, *more], comparators=[middle, *rest]) if more:
            one = text_of(ast.Compare(left, [first], [middle]), known)
            return f"({one} and {text_of(ast.Compare(middle, more, rest), known)})"
        case ast.BoolOp(op=operator, values=values):
            return "(" + f" {OPERATORS[type(operator)]} ".join(truth_of(one, known) for one in values) + ")"
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return f"(not {truth_of(operand, known)})"
    raise Untranslated


def _index_of(node: ast.expr, listed: str) -> str:
    """The index of an entry of a list, from the end where it is negative."""
    match node:
        case ast.Constant(value=index) if type(index) is int:
            return str(index)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=index)) if type(index) is int:
            return f"len({listed}) - {index}"
    raise Untranslated


def truth_of(node: ast.expr, known: Mapping[str, str]) -> str:
    """A condition; a remainder alone means that it is not zero."""
    text = text_of(node, known)
    return f"({text} != 0)" if isinstance(node, ast.BinOp) else text


def refused(body: Sequence[ast.stmt], known: dict[str, str], outer: tuple[str, ...] = ()) -> Iterator[str]:
    """The condition of each exception that a body raises, up to the first statement that may return."""
    for at, statement in enumerate(body):
        if any(isinstance(one, ast.Return) for one in ast.walk(statement)):
            return
        match statement:
            case ast.Assign(targets=[ast.Name() as name], value=ast.IfExp(test=test, body=first, orelse=second)):
                for condition, value in ((test, first), (_negated(test), second)):
                    with contextlib.suppress(Untranslated):
                        rest = [ast.Assign([name], value), *body[at + 1 :]]
                        yield from refused(rest, dict(known), (*outer, truth_of(condition, known)))
                return
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                known.pop(name, None)
                with contextlib.suppress(Untranslated):
                    known[name] = text_of(value, known)
            case ast.If(test=test, body=inner):
                with contextlib.suppress(Untranslated):
                    yield from refused(inner, dict(known), (*outer, truth_of(test, known)))
            case ast.Raise() if outer:
                yield " and ".join(outer)


def _negated(test: ast.expr) -> ast.expr:
    """The opposite condition."""
    match test:
        case ast.Compare(left=left, ops=[ast.Is()], comparators=right):
            return ast.Compare(left, [ast.IsNot()], right)
    return ast.UnaryOp(ast.Not(), test)


def rules_of(kind: Any) -> Iterator[str]:
    """The rules of a config class, from its checks and its constructor, for the keys that it does not change."""
    for name in ("validate_architecture", "__post_init__"):
        method = getattr(kind, name, None)
        if method is None or "configuration_utils" in method.__module__:
            continue
        tree = ast.parse(textwrap.dedent(inspect.getsource(method))).body[0]
        if isinstance(tree, ast.FunctionDef):
            set_here = {one.attr for one in ast.walk(tree) if isinstance(one, ast.Attribute) and _is_set(one)}
            for rule in refused(tree.body, {}):
                keys = re.findall(r"\w+", rule)
                if set_here.isdisjoint(keys) and not any(key.startswith("_") for key in keys):
                    yield rule


def computed_by(kind: Any, rules: Sequence[str]) -> list[str]:
    """The keys in rules that a config class always computes: where a config does not state them, no default counts."""
    method = vars(kind).get("__post_init__")
    tree = ast.parse(textwrap.dedent(inspect.getsource(method))).body[0] if method is not None else None
    body = tree.body if isinstance(tree, ast.FunctionDef) else []
    always = [target for one in body if isinstance(one, ast.Assign) for target in one.targets]
    computed = {one.attr for one in always if isinstance(one, ast.Attribute)}
    return sorted(computed.intersection(key for rule in rules for key in re.findall(r"\w+", rule)))


def _is_set(node: ast.Attribute) -> bool:
    """Whether a statement sets an attribute."""
    return isinstance(node.ctx, ast.Store)


STAGES = re.compile(
    r"self\.stage_names = (?P<stem>\[.stem.\] \+ )?\[f.stage\{\w+\}. for \w+ in "
    r"range\(1, (?:len\()?(?:self\.)?(?P<number>\w+)\)?(?P<last> \+ 1)?\)\]"
)
"""How the config class of a backbone names its stages: by a number, or by the length of a list."""


def stages_of(kind: Any) -> str:
    """`stem`, where it is one of the stages of a backbone, and the key, or the number, of the others."""
    method = vars(kind).get("__post_init__")
    found = None if method is None else STAGES.search(inspect.getsource(method))
    if found is None:
        return ""
    number = found["number"] if found["last"] else str(int(found["number"]) - 1)
    return f"stem {number}" if found["stem"] else number


NEWEST_WRITER = "transformers 5."


def configs_in(auto: Any, model_type: str, kind: Any) -> dict[str, Any]:
    """Key -> class of each config within a config: those that a class declares, and those created for a record."""
    declared = dict(kind.sub_configs or {})
    if declared or model_type not in oracle_types():
        return declared
    newest = [one for one in records(model_type) if one["config"] and one["writer"].startswith(NEWEST_WRITER)]
    stated = decoded(newest[0]["config"]) if newest else {}
    if not any(isinstance(one, dict) and "model_type" in one for one in stated.values()):
        return declared
    made = kind.from_dict(copy.deepcopy(stated))
    base = importlib.import_module("transformers").PreTrainedConfig
    keys = [key for key, one in stated.items() if isinstance(one, dict) and isinstance(getattr(made, key, None), base)]
    return {**declared, **dict.fromkeys(keys, auto.AutoConfig)}


def lines_of(auto: Any, model_type: str, kind: Any, fields: dict[str, int]) -> Iterator[str]:
    """The line of a model type, and those of the configs within it whose classes have no separate type.

    Such a class without a name goes by the type and the key that it is under.
    """
    numbers = [fields.setdefault(f"{name} {accepted}", len(fields)) for name, accepted in types_of(kind)]
    inner: dict[str, str] = {}
    for key, one in configs_in(auto, model_type, kind).items():
        name = getattr(one, "model_type", "")
        inner[key] = name
        if one is not auto.AutoConfig and name not in auto.CONFIG_MAPPING_NAMES:
            inner[key] = name or f"{model_type}.{key}"
            yield from lines_of(auto, inner[key], one, fields)
    line = {"type": model_type, "fields": sorted(numbers), "inner": inner, "stages": stages_of(kind)}
    yield json.dumps({key: part for key, part in line.items() if part}, separators=(",", ":"))


def record_types(auto: Any, activations: Sequence[str]) -> None:
    """Write the accepted types of the fields of every model type, and the types of the configs within it."""
    fields: dict[str, int] = {}
    lines: list[str] = []
    kinds_by_type: dict[str, Any] = {}
    for model_type in sorted(auto.CONFIG_MAPPING_NAMES):
        with contextlib.suppress(Exception):
            kind = auto.CONFIG_MAPPING[model_type]
            lines.extend(lines_of(auto, model_type, kind, fields))
            kinds_by_type[model_type] = kind
    utils = importlib.import_module("transformers.configuration_utils")
    kinds = {*utils.ALLOWED_ATTN_LAYER_TYPES, *utils._LEGACY_LAYER_TYPE_REMAP}  # renamed before the check
    general = utils.PreTrainedConfig.validate_layer_type
    table = {
        "fields": list(fields), "activations": sorted(activations), "layer_types": sorted(kinds),
        "mlp_layer_types": sorted(utils.ALLOWED_MLP_LAYER_TYPES),
        "own_layers": sorted(name for name, kind in kinds_by_type.items() if kind.validate_layer_type is not general),
    }  # fmt: skip
    head = json.dumps(table, separators=(",", ":"))
    TYPES.write_text("\n".join([head, *lines, ""]), encoding="utf-8")
    print(len(lines), "types with", len(fields), "fields")


WIDTHS = ("hidden_size", "d_model", "n_embd", "dim", "embed_dim", "emb_dim")
RATE = re.compile(r"downsample_rate$")
HEADS = re.compile(r"(encoder_|decoder_)?(num_)?(attention_)?heads|n_heads?|num_(encoder|decoder)_attention_heads")


PAD_BELOW = "((pad_token_id + vocab_size) < 0)"
"""Lower limit: a negative padding token counts from the end."""
PAD, CROSS = "(pad_token_id >= vocab_size)", "(add_cross_attention == true) and (is_decoder == false)"
ZERO, DIVIDED = re.compile(r"\((\w+) == 0\)"), re.compile(r"\(\((\w+) % (\w+)\) != 0\)")


LARGE = 60
"""A token id beyond the vocabularies of records and of reduced models."""


def default_pad(kind: Any) -> int:
    """The padding token that a config class has by default, 0 where it is not large."""
    default = getattr(kind(), "pad_token_id", None)
    return default if type(default) is int and default > LARGE else 0


def against(rule: str, config: Mapping[str, Any]) -> dict[str, Any] | None:
    """A config for which a rule on building holds; None where a key is absent."""
    zero, divided = ZERO.fullmatch(rule), DIVIDED.fullmatch(rule)
    if rule == PAD and type(config.get("vocab_size")) is int:
        return {**config, "pad_token_id": config["vocab_size"]}
    if rule == PAD_BELOW and type(config.get("vocab_size")) is int:
        return {**config, "pad_token_id": -config["vocab_size"] - 1}
    if rule == CROSS:
        return {**config, "is_decoder": False, "add_cross_attention": True}
    if zero is not None and zero[1] in config:
        return {**config, zero[1]: 0}
    if divided is not None and type(config.get(divided[1])) is int:
        return {**config, divided[2]: next(one for one in range(2, 100) if config[divided[1]] % one)}
    return None


def by_class(model_type: str, rules: Sequence[str]) -> tuple[list[str], dict[str, list[str]]]:
    """(the rules that hold for every class of a type, class -> those that hold for it and not for all)."""
    transformers = importlib.import_module("transformers")
    first = base_record(model_type)
    config = {**(first["config"] or {}), "model_type": model_type}
    module, own = inspect.getmodule(getattr(transformers, first["class"])), getattr(transformers, first["class"])
    named = [
        name
        for name, one in sorted(vars(module).items())
        if getattr(one, "config_class", None) is own.config_class
        and hasattr(transformers, name)
        and not name.endswith("PreTrainedModel")  # builds nothing
    ]
    holding: dict[str, list[str]] = {}
    for name in [one for one in named if _builds(one, config)]:
        others = {rule: against(rule, config) for rule in rules}
        holding[name] = [rule for rule, other in others.items() if other is None or not _builds(name, other)]
    of_all = [rule for rule in rules if all(rule in listed for listed in holding.values())]
    some = {name: [rule for rule in listed if rule not in of_all] for name, listed in holding.items()}
    return of_all, {name: listed for name, listed in some.items() if listed}


OTHERS = 4
"""Maximum number of classes of a type, in addition to that of the first record, to build models of."""


def of_classes(model_type: str, known: Sequence[str]) -> dict[str, list[str]]:
    """Class -> the rules that hold for it, and not for the class of the first record."""
    first = base_record(model_type)["class"]
    others = {one["class"]: one for one in records(model_type) if not one["variant"] and one["class"] != first}
    found = {name: building(model_type, others[name]) for name in sorted(others)[:OTHERS]}
    extra = {name: [rule for rule in rules if rule not in known] for name, rules in found.items()}
    return {name: rules for name, rules in extra.items() if rules}


def building(model_type: str, record: Mapping[str, Any]) -> Iterator[str]:
    """Rules on the padding token, on cross-attention, which only a decoder has, and on a number of heads: it is not
    zero, and a width is a multiple of it.
    """
    config = {**(record["config"] or {}), "model_type": model_type}

    def builds(values: Mapping[str, Any]) -> bool:
        return _builds(record["class"], values)

    if not builds(config):
        return
    rows = config.get("vocab_size")
    if type(rows) is int and not builds({**config, "pad_token_id": rows}):
        yield PAD
        if [builds({**config, "pad_token_id": number}) for number in (-rows, -rows - 1)] == [True, False]:
            yield PAD_BELOW
    plain = {**config, "add_cross_attention": False, "is_decoder": False}
    if builds(plain) and not builds({**plain, "add_cross_attention": True}):
        yield CROSS
    yield from of_heads(config, builds)


def of_parts(model_type: str, known: Collection[str]) -> Iterator[tuple[str, list[str]]]:
    """(type, rules on numbers of heads) of the configs within that of a type which have no record of their own.

    known: the types of which the rules are known.
    """
    first = base_record(model_type)
    config = {**decoded(first["config"] or {}), "model_type": model_type}
    declared = types_within(model_type)
    for path, stated in parts(config):
        inner: Any = config
        for key in path:
            inner = inner[key]
        kind = stated or (declared.inner.get(path[0], "") if declared is not None and len(path) == 1 else "")
        if (
            kind
            and kind not in known
            and any(HEADS.fullmatch(key) for key in inner)
            and _builds(first["class"], config)
        ):
            yield kind, list(of_heads(inner, partial(_builds_with, first["class"], config, path)))


def has_class(model_type: str) -> bool:
    """Whether transformers exports the class of a record of a type, with which its rules are found."""
    exported = dir(importlib.import_module("transformers"))
    return any(one["class"] in exported for one in records(model_type))


def _builds_with(class_name: str, config: Mapping[str, Any], path: tuple[str, ...], inner: Mapping[str, Any]) -> bool:
    """Whether a class builds a model of a config with another config within it."""
    return _builds(class_name, placed(config, path, inner))


def of_heads(config: Mapping[str, Any], builds: Callable[[Mapping[str, Any]], bool]) -> Iterator[str]:
    """Rules on the numbers of heads of a config."""
    for key in [key for key in config if HEADS.fullmatch(key) and type(config[key]) is int]:
        if not builds({**config, key: 0}):
            yield f"({key} == 0)"
        numbers = [number for number in range(1, 13) if number != config[key]]
        wrong = {number for number in numbers if not builds({**config, key: number})}
        for width, size in widths_of(config):
            if wrong and wrong == {number for number in numbers if size % number}:
                yield f"(({width} % {key}) != 0)"
                break


def widths_of(config: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    """(expression, size) of the widths of a config, and of those divided by a rate."""
    sizes = {width: config[width] for width in WIDTHS if type(config.get(width)) is int}
    yield from sizes.items()
    for rate in [key for key, one in config.items() if RATE.search(key) and type(one) is int and one > 1]:
        yield from ((f"({width} // {rate})", size // config[rate]) for width, size in sizes.items())


def _builds(class_name: str, config: Mapping[str, Any]) -> bool:
    torch, transformers = (importlib.import_module(name) for name in ("torch", "transformers"))
    try:
        kind = getattr(transformers, class_name)
        with tempfile.TemporaryDirectory() as place:
            (Path(place) / "config.json").write_text(json.dumps(config), encoding="utf-8")
            made = kind.config_class.from_pretrained(place)
        with torch.device("meta"):
            kind(made)
    except NotImplementedError:  # it computes with its weights while it is built
        return _builds_in_memory(kind, made)
    except Exception:
        return False
    return True


def _builds_in_memory(kind: Any, config: Any) -> bool:
    try:
        kind(config)
    except Exception:
        return False
    return True


def changed(rules: Mapping[str, Mapping[str, Any]], types: Sequence[str]) -> Iterator[list[Any]]:
    """[model type, key, value] of configs that differ from a recorded one in a key that a rule reads."""
    for model_type in types:
        config = base_record(model_type).get("config") or {}
        text = " ".join(rule for kind in ("config", "model") for rule in rules.get(model_type, {}).get(kind, ()))
        for key, value in config.items():
            if type(value) is int and re.search(rf"\b{key}\b", text):
                yield from ([model_type, key, other] for other in (value + 1, 2 * value))


def record(rules: Mapping[str, Mapping[str, Any]], types: Sequence[str]) -> None:
    """Write whether the config class refuses each changed config, and whether the model cannot be built from it."""
    auto = importlib.import_module("transformers.models.auto.configuration_auto")
    kept: list[list[Any]] = json.loads(gzip.decompress(RECORDS.read_bytes())) if RECORDS.exists() else []
    found = [row for row in kept if row[0] not in types]
    for model_type, key, value in changed(rules, types):
        record = base_record(model_type)
        config = {**record["config"], "model_type": model_type, key: value}
        with tempfile.TemporaryDirectory() as place:
            (Path(place) / "config.json").write_text(json.dumps(config), encoding="utf-8")
            refuses = False
            try:
                auto.CONFIG_MAPPING[model_type].from_pretrained(place)
            except Exception:
                refuses = True
        found.append([model_type, key, value, refuses, refuses or not _builds(record["class"], config)])
    raw = json.dumps(sorted(found, key=lambda row: row[0]), separators=(",", ":")).encode()
    RECORDS.write_bytes(gzip.compress(raw, 9, mtime=0))
    print(len(found), "configs,", sum(one[3] for one in found), "refused")


def write_rules(found: Mapping[str, Mapping[str, Any]]) -> None:
    """Write the table: a line for each model type."""
    lines = [f"{json.dumps(name)}: {json.dumps(rules)}" for name, rules in sorted(found.items())]
    RULES.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def main() -> None:
    """Write the rules of the given model types, or of all."""
    auto = importlib.import_module("transformers.models.auto.configuration_auto")
    record_types(auto, importlib.import_module("transformers.activations").ACT2FN)
    recorded = list(oracle_types())
    named = sys.argv[1:]
    before: dict[str, dict[str, Any]] = json.loads(RULES.read_text(encoding="utf-8"))
    kept = before if named else {}
    found = {model_type: rules for model_type, rules in kept.items() if model_type not in named}
    for model_type in named or auto.CONFIG_MAPPING_NAMES:
        with contextlib.suppress(Exception):
            stated = list(rules_of(auto.CONFIG_MAPPING[model_type]))
            more = list(building(model_type, base_record(model_type))) if model_type in recorded else []
            of_all, some = by_class(model_type, [rule for rule in more if rule not in stated]) if more else ([], {})
            rules: dict[str, Any] = {"config": stated, "model": of_all, "classes": some}
            rules["stated"] = computed_by(auto.CONFIG_MAPPING[model_type], stated)
            for name, listed in of_classes(model_type, [*stated, *more]).items() if model_type in recorded else ():
                some[name] = [*some.get(name, ()), *listed]
            rules["stages"] = before.get(model_type, {}).get("stages", [])
            if any(rules.values()):
                rules["older"] = [one for one in before.get(model_type, {}).get("older", ()) if one in stated]
                rules["open"] = before.get(model_type, {}).get("open", [])
                rules["pad"] = default_pad(auto.CONFIG_MAPPING[model_type]) if PAD in str(rules) else 0
                found[model_type] = {key: listed for key, listed in rules.items() if listed}
    for model_type in named or recorded:
        of_models = {name for name, rules in found.items() if "model" in rules}
        for name, listed in (
            of_parts(model_type, {*filter(has_class, recorded), *of_models}) if model_type in recorded else ()
        ):
            if listed:
                found[name] = {**found.get(name, {}), "model": listed}
    write_rules(found)
    print(len(found), "types")
    record(found, named or recorded)


if __name__ == "__main__":
    main()
