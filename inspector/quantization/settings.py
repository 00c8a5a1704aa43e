"""Quantisation settings, from wherever a tool writes them, as what they say of each module.

config.json has `quantization_config` (at the top or for the text part; `compression_config` in old
compressed-tensors) or MLX's `quantization`; ModelOpt writes hf_quant_config.json, GPTQ and AWQ tools
quantize_config.json, quant_config.json, auto-round quantization_config.json. Settings differ by module:
ignore lists (names, `re:` patterns, globs), auto-round's extra_config, GPTQ's dynamic, MLX's entries by module,
config_groups of compressed-tensors, VPTQ's config_for_layers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final

from msgspec import Struct

from inspector.algebra.boxes import Box, less
from inspector.loader.config_file import SIDE_FILES
from inspector.quantization.stated import NOTHING_SAID, Said
from inspector.quantization.targets import Budget, Entry, exact, listed, regex

MOST_ENTRIES: Final = 20_000

Values = Mapping[str, Any]
Piece = tuple[Said, tuple[Box, ...]]


@dataclass(frozen=True)
class Settings:
    """What is said of a checkpoint's quantisation.

    base: of every module. special: entries with settings of their own, the last that fits wins. ignored: modules
    left as they are. unclear: entries of a form that is not understood; with them the ignore list is not whole.
    """

    base: Said = NOTHING_SAID
    source: str = ""
    special: tuple[tuple[Entry, Said], ...] = ()
    ignored: tuple[Entry, ...] = ()
    unclear: tuple[str, ...] = ()
    kv_cache: bool | None = None
    values: Values | None = None
    budget: Budget = field(default_factory=Budget, compare=False, repr=False)

    @property
    def whole(self) -> bool:
        """Whether every entry was understood and tried, so that a module without one is left out by none."""
        return not self.unclear and not self.budget.spent

    @property
    def known(self) -> bool:
        """Whether anything is said."""
        return self.base.method is not None

    def among(self, dims: frozenset[int]) -> Settings:
        """The same settings, with the dims that settle what widths leave open."""
        special = tuple((entry, replace(said, dims=dims)) for entry, said in self.special)
        return replace(self, base=replace(self.base, dims=dims), special=special)

    def doubting(self, shown: Mapping[str, int]) -> Settings:
        """The same settings, with the bits that some modules show in the place of those stated. shown: key -> bits."""

        def doubted(said: Said) -> Said:
            return replace(said, other_bits=shown.get(said.key("bits")))

        special = tuple((entry, doubted(said)) for entry, said in self.special)
        return replace(self, base=doubted(self.base), special=special)

    def of(self, key: str, boxes: tuple[Box, ...]) -> list[Piece]:
        """What is said of a family of modules, piece by piece."""
        left = boxes
        pieces: list[Piece] = []
        for said, inside in self._special(key, boxes):
            taken = _common(left, inside)
            if taken:
                pieces.append((said, taken))
                for box in taken:
                    left = less(left, box)
        if left:
            pieces.insert(0, (self.base, left))
        for entry in self.ignored:
            inside = entry.within(key, boxes, self.budget)
            if inside:
                pieces = [part for piece in pieces for part in _skipped(piece, inside, entry.text)]
        return pieces

    def _special(self, key: str, boxes: tuple[Box, ...]) -> list[Piece]:
        """Entries that name a part of a family, those of equal settings joined; the last in the config first."""
        found: dict[Said, list[Box]] = {}
        last = key.rsplit(".", 1)[-1]
        for entry, said in reversed(self._by_last.of(last)):
            inside = entry.within(key, boxes, self.budget)
            if inside:
                found.setdefault(said, []).extend(inside)
        return [(said, tuple(inside)) for said, inside in found.items()]

    @cached_property
    def _by_last(self) -> _Buckets:
        return _Buckets(self.special)


class _Buckets:
    """Entries by the last segment of the modules they can name: hundreds of them are the rule for MLX."""

    def __init__(self, special: Sequence[tuple[Entry, Said]]) -> None:
        self.ended: dict[str, list[tuple[int, Entry, Said]]] = {}
        self.open: list[tuple[int, Entry, Said]] = []
        for number, (entry, said) in enumerate(special):
            if entry.at_end and not entry.open_end and entry.segments and len(entry.segments) > 1:
                self.ended.setdefault(_digits(entry.segments[-1]), []).append((number, entry, said))
            else:
                self.open.append((number, entry, said))

    def of(self, last: str) -> list[tuple[Entry, Said]]:
        found = sorted([*self.ended.get(last, ()), *self.open], key=lambda one: one[0])
        return [(entry, said) for _, entry, said in found]


def _digits(segment: str) -> str:
    return "#" if segment.isdecimal() else segment


def _common(boxes: tuple[Box, ...], inside: tuple[Box, ...]) -> tuple[Box, ...]:
    """The common part of two sets of boxes, disjoint."""
    left: tuple[Box, ...] = boxes
    for box in inside:
        left = less(left, box)
    taken = boxes
    for box in left:
        taken = less(taken, box)
    return taken


def _skipped(piece: Piece, inside: tuple[Box, ...], text: str) -> list[Piece]:
    said, boxes = piece
    taken = _common(boxes, inside)
    if not taken:
        return [piece]
    left = boxes
    for box in taken:
        left = less(left, box)
    parts: list[Piece] = [(replace(said, skipped=text), taken)]
    return [(said, left), *parts] if left else parts


NO_SETTINGS: Final = Settings()


def settings_of(config: Values, side: Mapping[str, Values] | None = None) -> Settings:
    """The settings of a checkpoint. config: config.json's values; side: file name -> values of SIDE_FILES."""
    found = _found(config, side or {})
    if found is None:
        return NO_SETTINGS
    key, values = found
    method = _method(key, values)
    reader = _READERS.get(method or "", _simple)
    said = Said(method=method, keys=_Keys(key), dims=dims_of(config))
    settings = reader(_Source(key, values, said))
    unclear = [entry.text for entry in settings.ignored if not entry.understood]
    unclear += [entry.text for entry, _ in settings.special if not entry.understood]
    return replace(settings, source=key, unclear=tuple(unclear), kv_cache=_kv_cache(values), values=values)


def _found(config: Values, side: Mapping[str, Values]) -> tuple[str, Values] | None:
    for key in ("quantization_config", "compression_config", "quantization"):
        if isinstance(config.get(key), Mapping):
            if key == "quantization_config" and isinstance(config.get("quantization"), Mapping):
                return "quantization", config["quantization"]
            return key, config[key]
    for name in SIDE_FILES:
        if isinstance(side.get(name), Mapping):
            return name, side[name]
    for part in ("text_config", "llm_config", "language_config", "thinker_config"):
        inner = config.get(part)
        if isinstance(inner, Mapping) and (found := _found(inner, {})) is not None:
            return f"{part}.{found[0]}", found[1]
    return None


def _method(key: str, values: Values) -> str | None:
    if key.endswith("quantization") and "quant_method" not in values and "config_groups" not in values:
        return "mlx"
    stated = values.get("quant_method")
    if isinstance(stated, str):
        name = stated.casefold().replace("_", "-")
        known = {"intel/auto-round": "auto-round", "modelopt-fp4": "modelopt", "modelopt-mixed": "modelopt",
                 "awq-marlin": "awq", "gptq-marlin": "gptq", "gptqmodel": "gptq", "fbgemm-fp8": "fbgemm_fp8",
                 "bnb": "bitsandbytes", "compressed-tensor": "compressed-tensors"}  # fmt: skip
        return known.get(name, name)
    if key == "hf_quant_config.json" or isinstance(values.get("quantization"), Mapping) or "quant_algo" in values:
        return "modelopt"
    if "w_bit" in values or "q_group_size" in values or key == "quant_config.json":
        return "awq"
    if "config_groups" in values or key == "compression_config":
        return "compressed-tensors"
    if values.get("load_in_4bit") or values.get("load_in_8bit"):
        return "bitsandbytes"
    if "mode" in values and "bits" in values:
        return "mlx"
    if key in ("quantize_config.json", "quantization_config.json") or ("bits" in values and "desc_act" in values):
        return "gptq"
    return None


class _Keys(dict[str, str]):
    """Field -> key as written below a prefix; what is not noted is written as the field itself."""

    def __init__(self, prefix: str, **named: str) -> None:
        super().__init__({what: f"{prefix}.{name}" for what, name in named.items()})
        self.prefix = prefix

    def get(self, what: str, default: Any = None) -> Any:
        names = {"method": "quant_method"}
        return super().get(what) or f"{self.prefix}.{names.get(what, what)}"


class _Source(Struct, frozen=True):
    key: str
    values: Values
    said: Said

    def names(self, **named: str) -> Said:
        return replace(self.said, keys=_Keys(self.key, **named))


def _integer(thing: object) -> int | None:
    if isinstance(thing, str) and thing.lstrip("-").isdecimal() and len(thing) < 9:
        return int(thing)
    return thing if isinstance(thing, int) and not isinstance(thing, bool) else None


def _text(thing: object) -> str | None:
    return thing if isinstance(thing, str) else None


def _truth(thing: object) -> bool | None:
    return thing if isinstance(thing, bool) else None


def _pair(thing: object) -> tuple[int, int] | None:
    if isinstance(thing, (list, tuple)) and len(thing) == 2:
        first, second = _integer(thing[0]), _integer(thing[1])
        if first is not None and second is not None and first > 0 and second > 0:
            return first, second
    return None


def _entries(*lists: object) -> tuple[Entry, ...]:
    found: dict[str, None] = {}
    for one in lists:
        if isinstance(one, str):
            found[one] = None
        elif isinstance(one, (list, tuple)):
            found.update(dict.fromkeys(text for text in one[:MOST_ENTRIES] if isinstance(text, str)))
    return tuple(listed(text) for text in found if text)


def _mapping(thing: object) -> Mapping[str, Any]:
    return thing if isinstance(thing, Mapping) else {}


def _items(thing: object) -> list[tuple[str, Any]]:
    return [(str(key), value) for key, value in list(_mapping(thing).items())[:MOST_ENTRIES]]


def _ignored(values: Values) -> tuple[Entry, ...]:
    return _entries(values.get("modules_to_not_convert"), values.get("ignored_layers"), values.get("ignore"),
                    values.get("exclude_modules"), values.get("linear_weights_not_to_quantize"),
                    values.get("skip_modules"))  # fmt: skip


def _simple(source: _Source) -> Settings:
    values = source.values
    said = replace(source.said, bits=_integer(values.get("bits")), group_size=_integer(values.get("group_size")))
    return Settings(said, ignored=_ignored(values))


def _method_only(source: _Source) -> Settings:
    return Settings(source.said, ignored=_ignored(source.values))


def _gptq(source: _Source) -> Settings:
    values = source.values
    base = replace(
        source.said,
        bits=_integer(values.get("bits")),
        group_size=_integer(values.get("group_size")),
        variant="desc_act" if values.get("desc_act") is True else None,
    )
    special: list[tuple[Entry, Said]] = []
    ignored = list(_ignored(values))
    for text, change in reversed(_items(values.get("dynamic"))):  # the first that matches wins
        if text.startswith("-:"):
            ignored.append(regex(text[2:], text))
        else:
            said = _changed(base, change, source.key, f"dynamic.{text}")
            special.append((regex(text.removeprefix("+:"), text), said))
    return Settings(base, special=tuple(special), ignored=tuple(ignored))


def _changed(base: Said, change: object, prefix: str, entry: str) -> Said:
    """The settings with bits and group size of an entry; what the entry leaves out keeps its key."""
    stated = _mapping(change)
    bits, size = _integer(stated.get("bits")), _integer(stated.get("group_size"))
    keys = _Keys(prefix, **{what: f"{entry}.{what}" for what in ("bits", "group_size") if what in stated})
    return replace(
        base, bits=base.bits if bits is None else bits, group_size=base.group_size if size is None else size, keys=keys
    )


def _awq(source: _Source) -> Settings:
    values = source.values
    short = "w_bit" in values
    said = source.names(bits="w_bit", group_size="q_group_size") if short else source.said
    base = replace(
        said,
        bits=_integer(values.get("bits", values.get("w_bit"))),
        group_size=_integer(values.get("group_size", values.get("q_group_size"))),
        variant=(_text(values.get("version")) or "gemm").casefold(),
        zeros=_truth(values.get("zero_point")),
    )
    return Settings(base, ignored=_ignored(values))


def _auto_round(source: _Source) -> Settings:
    values = source.values
    packing = _text(values.get("packing_format")) or ""
    base = replace(
        source.said,
        bits=_integer(values.get("bits")),
        group_size=_integer(values.get("group_size")),
        block=_pair(values.get("weight_block_size")) or _pair(values.get("group_size")),
        variant=packing.rpartition(":")[2] or None,
    )
    special: list[tuple[Entry, Said]] = []
    ignored = list(_ignored(values))
    for name, change in _items(values.get("extra_config")):
        entry = regex(name, anywhere=True) if set(name) & set("*[](|\\^$+") else exact(name)
        bits = _integer(_mapping(change).get("bits"))
        if bits is not None and bits >= 16:
            ignored.append(entry)
        else:
            special.append((entry, _changed(base, change, source.key, f"extra_config.{name}")))
    return Settings(base, special=tuple(special), ignored=tuple(ignored))


def _fp8(source: _Source) -> Settings:
    values = source.values
    block = _pair(values.get("weight_block_size"))
    said = source.names(block="weight_block_size")
    strategy = "channel" if source.said.method == "fbgemm_fp8" else None
    static = "input_scale" if values.get("activation_scheme") == "static" else None
    return Settings(replace(said, block=block, strategy=strategy, activations=static), ignored=_ignored(values))


def _compressed(source: _Source) -> Settings:
    values = source.values
    base, special = source.said, []
    for name, group in _items(values.get("config_groups")):
        said = _group(source, name, _mapping(group))
        targets = _mapping(group).get("targets")
        for target in targets[:MOST_ENTRIES] if isinstance(targets, list) else ():
            if not isinstance(target, str):
                continue
            if target.startswith("re:"):
                special.append((regex(target[3:], target), said))
            elif "." in target or target.islower():
                special.append((exact(target), said))
            else:  # the name of a class
                base = said
    if base is source.said:
        variant = _text(values.get("format"))
        base = replace(base, variant=variant)
    return Settings(base, special=tuple(special), ignored=_ignored(values))


def _group(source: _Source, name: str, group: Values) -> Said:
    weights = _mapping(group.get("weights"))
    keys = _Keys(f"{source.key}.config_groups.{name}.weights", bits="num_bits", block="block_structure",
                 zeros="symmetric")  # fmt: skip
    strategy = _text(weights.get("strategy"))
    symmetric = _truth(weights.get("symmetric"))
    variant = _text(group.get("format")) or _text(source.values.get("format"))
    size = _integer(weights.get("group_size"))
    if strategy in ("channel", "tensor"):
        size = -1
    return replace(
        source.said,
        bits=_integer(weights.get("num_bits")),
        group_size=None if variant in ("float-quantized", "int-quantized", "naive-quantized") else size,
        block=_pair(weights.get("block_structure")),
        strategy=strategy if strategy in ("channel", "tensor", "block", "group") else None,
        zeros=None if symmetric is None or weights.get("type") == "float" else not symmetric,
        variant=variant,
        activations=_activations(group),
        keys=keys,
    )


def _activations(group: Values) -> str | None:
    """The helper of inputs that are quantised with a fixed scale; "local" ones have a fixed scale of their scales."""
    dynamic = _mapping(group.get("input_activations")).get("dynamic")
    return "input_scale" if dynamic is False else "input_global_scale" if dynamic == "local" else None


def _bitsandbytes(source: _Source) -> Settings:
    values = source.values
    four = values.get("load_in_4bit") or values.get("_load_in_4bit")
    eight = values.get("load_in_8bit") or values.get("_load_in_8bit")
    said = source.names(
        bits="load_in_4bit" if four else "load_in_8bit",
        variant="bnb_4bit_quant_type",
        nested="bnb_4bit_use_double_quant",
    )
    base = replace(said, bits=4 if four else 8 if eight else None, shown={"bits": True})
    if four:
        base = replace(
            base,
            variant=_text(values.get("bnb_4bit_quant_type")),
            nested=_truth(values.get("bnb_4bit_use_double_quant")),
        )
    return Settings(base, ignored=_entries(values.get("llm_int8_skip_modules")))


_ALGORITHMS: Final[Mapping[str, tuple[int, int | None]]] = {
    "fp8": (8, None), "nvfp4": (4, 16), "w4a16_nvfp4": (4, 16), "nvfp4_awq": (4, 16), "mxfp4": (4, 32),
    "mxfp8": (8, 32), "w4a16_awq": (4, 128), "w4a8_awq": (4, 128), "int8_sq": (8, None), "w8a16": (8, None),
    "w8a8_sq_per_channel": (8, None), "fp8_pb_wo": (8, None), "fp8_per_channel_per_token": (8, None),
}  # fmt: skip
"""ModelOpt's quant_algo in lower case -> bits, group size unless another is stated."""


def _modelopt(source: _Source) -> Settings:
    values = _mapping(source.values.get("quantization")) or source.values
    prefix = f"{source.key}.quantization" if values is not source.values else source.key
    base = _algorithm(replace(source.said, keys=_Keys(prefix, bits="quant_algo", variant="quant_algo")), values)
    special = [
        (exact(name), _algorithm(replace(base, keys=_Keys(f"{prefix}.quantized_layers.{name}")), _mapping(layer)))
        for name, layer in _items(values.get("quantized_layers"))
    ]
    return Settings(base, special=tuple(special), ignored=_ignored(values))


def _algorithm(said: Said, values: Values) -> Said:
    algorithm = (_text(values.get("quant_algo")) or "").casefold()
    bits, size = _ALGORITHMS.get(algorithm, (None, None))
    stated = _integer(values.get("group_size"))
    groups = [_mapping(group) for group in _mapping(values.get("config_groups")).values()]
    if stated is None:
        for group in groups:
            stated = stated or _integer(_mapping(group.get("weights")).get("group_size"))
    if algorithm in ("fp8", "int8_sq", "fp8_pb_wo", "w8a8_sq_per_channel"):
        stated = None
    stated_algorithm = values.get("quant_algo")
    return replace(
        said,
        bits=bits,
        group_size=stated or (size if algorithm != "w4a16_awq" else None),
        variant=algorithm or None,
        block=(128, 128) if algorithm == "fp8_pb_wo" else None,
        activations=_activations(groups[0]) if len(groups) == 1 else None,
        shown={"bits": stated_algorithm, "variant": stated_algorithm, "block": stated_algorithm},
    )


_QUARK: Final = {"int4": 4, "uint4": 4, "int8": 8, "uint8": 8, "fp8_e4m3": 8, "fp8_e5m2": 8, "fp4": 4, "mxfp4": 4,
                 "int2": 2, "int3": 3}  # fmt: skip


def _quark(source: _Source) -> Settings:
    values = source.values
    prefix = f"{source.key}.global_quant_config.weight"
    base = _quark_weight(source, _mapping(values.get("global_quant_config")), prefix)
    special = [
        (listed(name), _quark_weight(source, _mapping(layer), f"{source.key}.layer_quant_config.{name}.weight"))
        for name, layer in _items(values.get("layer_quant_config"))
    ]
    return Settings(base, special=tuple(special), ignored=_entries(values.get("exclude")))


def _quark_weight(source: _Source, config: Values, prefix: str) -> Said:
    weight = config.get("weight")
    if isinstance(weight, list) and weight:
        weight = weight[0]
    weight = _mapping(weight)
    dtype = _text(weight.get("dtype")) or ""
    strategy = {"per_tensor": "tensor", "per_channel": "channel", "per_group": "group"}
    bits = _QUARK.get(dtype)
    return replace(
        source.said,
        bits=bits,
        group_size=_integer(weight.get("group_size")),
        strategy=strategy.get(_text(weight.get("qscheme")) or "") if bits == 8 else None,
        activations="input_scale" if _mapping(config.get("input_tensors")).get("is_dynamic") is False else None,
        keys=_Keys(prefix, bits="dtype", strategy="qscheme"),
        shown={"bits": dtype, "strategy": weight.get("qscheme")},
    )


def _mlx(source: _Source) -> Settings:
    values = source.values
    base = _mlx_entry(source.said, values)
    special: list[tuple[Entry, Said]] = []
    ignored: list[Entry] = []
    for name, change in _items(values):
        if change is False:
            ignored.append(exact(name))
        elif isinstance(change, Mapping):
            said = replace(source.said, keys=_Keys(f"{source.key}.{name}"))
            special.append((exact(name), _mlx_entry(said, change)))
    return Settings(base, special=tuple(special), ignored=tuple(ignored))


def _mlx_entry(said: Said, values: Values) -> Said:
    from inspector.quantization.schemes.mlx import MODES

    mode = _text(values.get("mode")) or "affine"
    size = _integer(values.get("group_size"))
    if size is None and ("bits" in values or "mode" in values):
        size = MODES.get(mode, 64)
    return replace(said, bits=_integer(values.get("bits")), group_size=size, variant=mode)


def _hqq(source: _Source) -> Settings:
    config = _mapping(source.values.get("quant_config"))
    stated = config.get("weight_quant_params")
    prefix = f"{source.key}.quant_config"
    special: list[tuple[Entry, Said]] = []
    if stated is None:
        for name, layer in _items(config):
            inner = _mapping(layer)
            inner = _mapping(inner.get("weight_quant_params")) or inner
            special.append((listed(name), _hqq_entry(source.said, inner, f"{prefix}.{name}")))
    base = _hqq_entry(source.said, _mapping(stated), f"{prefix}.weight_quant_params")
    return Settings(base, special=tuple(special), ignored=_ignored(source.values))


def _hqq_entry(said: Said, values: Values, prefix: str) -> Said:
    keys = _Keys(prefix, bits="nbits")
    return replace(said, bits=_integer(values.get("nbits")), group_size=_integer(values.get("group_size")), keys=keys)


def _torchao(source: _Source) -> Settings:
    kind = source.values.get("quant_type")
    bits = size = None
    if isinstance(kind, str):
        bits = 4 if "int4" in kind else 8 if "8" in kind else None
        size = _integer(_mapping(source.values.get("quant_type_kwargs")).get("group_size"))
    data = _mapping(_mapping(_mapping(kind).get("default")).get("_data"))
    name = _text(_mapping(data.get("weight_dtype")).get("_data"))
    if name is not None and name.removeprefix("int").isdecimal():
        bits = int(name.removeprefix("int")) if len(name) < 6 else None
    return Settings(replace(source.said, bits=bits, group_size=size), ignored=_ignored(source.values))


def _vptq(source: _Source) -> Settings:
    special: list[tuple[Entry, Said]] = []
    for name, layer in _items(source.values.get("config_for_layers")):
        shape = _pair([_mapping(layer).get("out_features"), _mapping(layer).get("in_features")])
        special.append((exact(name), replace(source.said, shape=shape)))
    return Settings(source.said, special=tuple(special), ignored=_ignored(source.values))


_READERS: Final[Mapping[str, Callable[[_Source], Settings]]] = {
    "gptq": _gptq, "awq": _awq, "auto-round": _auto_round, "fp8": _fp8, "fbgemm_fp8": _fp8,
    "compressed-tensors": _compressed, "bitsandbytes": _bitsandbytes, "modelopt": _modelopt, "quark": _quark,
    "mlx": _mlx, "hqq": _hqq, "torchao": _torchao, "vptq": _vptq, "mxfp4": _method_only, "eetq": _method_only,
    "bitnet": _method_only, "aqlm": _method_only, "spqr": _simple, "exl2": _method_only, "exl3": _method_only,
    "quanto": _method_only,
}  # fmt: skip


def _kv_cache(values: Values) -> bool | None:
    inner = _mapping(values.get("quantization")) or values
    for key in ("kv_cache_scheme", "kv_cache_quant_algo"):
        if key in inner:
            return bool(inner[key])
    return None


def dims_of(config: Values) -> frozenset[int]:
    """The integers of a model's config, and heads times their width: candidates for a dim."""
    found: set[int] = set()
    for part in _parts(config):
        numbers = {key: number for key, number in part.items() if _integer(number) is not None}
        found.update(number for number in numbers.values() if isinstance(number, int) and number >= 16)
        hidden, heads = numbers.get("hidden_size"), numbers.get("num_attention_heads")
        width = numbers.get("head_dim") or (hidden // heads if hidden and heads and heads > 0 else None)
        for key in ("num_attention_heads", "num_key_value_heads"):
            if width and numbers.get(key):
                found.add(width * numbers[key])
    return frozenset(found)


def _parts(config: Values) -> Iterable[Values]:
    yield config
    for key, part in list(config.items())[:200]:
        if isinstance(part, Mapping) and "quant" not in str(key):
            yield part
