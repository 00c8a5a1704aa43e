"""Finds linear layers that are stored without quantization among quantized ones, although the quantization block does
not exclude them.

Measured: transformers 5.23 with bitsandbytes 0.50 builds a quantized layer for each and fails in its first forward;
with compressed-tensors 0.20 the scale of each is missing and left uninitialised.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from inspector.algebra.boxes import Box, minus
from inspector.algebra.names import key_of
from inspector.auditing.quantized.stale_entries import stale_entries
from inspector.findings.types.unpacked import LayersNotPacked, ModuleNotPacked
from inspector.quantization.linear_routers import is_linear_router
from inspector.quantization.loaders import BY_ENDS, is_of_another, is_read, plain_expected
from inspector.quantization.missing_block import MOST_LISTED
from inspector.quantization.module import FLOATS
from inspector.quantization.targets import exact, regex
from inspector.quantization.unpacked import ModuleProblem, Unpacked
from inspector.reconciler.ledger import Line
from inspector.reconciler.wording import names_in

Plain = tuple[Line, tuple[Box, ...]]
"""A family and the index boxes of its modules that are stored without quantization."""
GPTQ: Final = "gptq"
Namer = Callable[[str], str]
"""Name of a family in the file -> its name in the model."""
EVERY_TOOL: Final = frozenset({
    "attention.query", "attention.key", "attention.value", "attention.output", "attention.qkv", "mlp.gate", "mlp.up",
    "mlp.down", "mlp.gate_up", "mlp.shared.gate", "mlp.shared.up", "mlp.shared.down", "mlp.shared.gate_up",
})  # fmt: skip
"""Roles of linear layers that every tool quantizes unless a list excludes them."""
AUTO_ROUND: Final = "auto-round"
ROUTER: Final = "router"
NO_LAYERS: Final = ("head", "embed", ROUTER, "norm")
"""Beginnings of the roles of matrices that are not quantized even without a list, or are not linear layers."""
EMBEDDINGS: Final = ("embed.token", "embed.shared")
"""Beginnings of the roles of embeddings of tokens."""
HEAD: Final = "head"
"""Role of a head: it is not quantized even without a list, except by the method that quantizes everything (measured:
its scale is missing).
"""
HEAD_INSIDE: Final = "head.dense"
"""Role of a layer of a head before its last one; the default list of a method does not name it."""
LISTS: Final = {
    "bitsandbytes": "llm_int8_skip_modules", "compressed-tensors": "ignore", "awq": "modules_to_not_convert",
    "fp8": "modules_to_not_convert", "gptq": None, AUTO_ROUND: "extra_config", "quark": "exclude",
}  # fmt: skip
"""Method -> the key of its list of unquantized modules, None if its loader has no list."""
SIGNS: Final = {"compressed-tensors": "re:.*", AUTO_ROUND: ".*"}
"""Method -> the text that turns the end of a name into a pattern in its list."""
OF_MODULES: Final = frozenset({"bitnet", "eetq", "fbgemm_fp8", "fp_quant", "spqr", "vptq"})
"""Methods with loaders in transformers that replace every linear layer outside `modules_to_not_convert`."""
HQQ: Final = "hqq"
"""The method with a list of which each entry holds for all modules whose names contain it (`HqqHfQuantizer` of
transformers 4.57). Its loader fails on a plain module that the list does not name (measured for Qwen2-MoE).
"""
AQLM: Final = "aqlm"
"""The method with whole names in its list, which transformers 5 compares with modules and 4 with their weights; without
a list its loader builds the head quantized too (measured with transformers 5.24 and aqlm 1.1.7).
"""
LISTS_OF_BLOCKS: Final = {**LISTS, "modelopt": "ignore", AQLM: "linear_weights_not_to_quantize", "hqq": "skip_modules",
                          **dict.fromkeys(sorted(OF_MODULES), "modules_to_not_convert")}  # fmt: skip
"""Method -> the key of its list in a block that is written for it."""
BY_NAME: Final = frozenset({"quark", "modelopt", AQLM})
"""Methods with whole names in their list: their writers and vLLM read patterns differently. Their loaders build
quantized routers unless they are listed.
"""
FP8: Final = "fp8"
"""The method with a list that vLLM compares with whole names (`is_layer_skipped` in `quantization/utils/quant_utils.py`
of 0.33), and transformers with the beginnings and ends of names.
"""
HEAD_LISTED: Final = frozenset({"bitsandbytes", "awq", "fp8", "gptq", *OF_MODULES})
"""Methods with a list that replaces a default that excludes the head."""

PATTERN: Final = "re:"
"""The beginning of an entry of compressed-tensors that is a pattern, which the beginning of a name must match."""
BY_PATTERN: Final = "compressed-tensors"
"""The method with whole names and patterns in its list; entries of other methods may be the end of a name."""
EVERYWHERE: Final = frozenset({BY_PATTERN, "awq", "bitsandbytes"})
"""Methods with loaders that replace each linear layer that is in no list, including layers of towers, for any widths.

Source: `replace_with_awq_linear` and `replace_with_bnb_linear` of transformers 5, `apply_quantization_config` of
compressed-tensors.
"""
EXACT: Final = frozenset({"bitsandbytes"})
"""Methods with a loader that replaces layers of exactly the class `Linear`: `replace_with_bnb_linear`."""
JOINED: Final = "in_proj_weight"
"""The name of torch's `MultiheadAttention` for queries, keys and values in one matrix."""


def layers_not_packed(unpacked: Unpacked, lines: Sequence[Line], namer: Namer | None = None) -> list[ModuleProblem]:
    """One case for each family without any quantized module, if other linear layers of the same stack are quantized.

    namer: the name that transformers 5 gives to a family.
    """
    settings = unpacked.settings
    method = settings.base.method or ""
    if method not in LISTS or not settings.whole or not any(unpacked.schemes.values()):
        return []
    found = []
    stated = tuple(entry.text for entry in settings.ignored)
    routers = (namer or str) if method == BY_PATTERN else None
    joined = _outputs_of_joined(lines) if method in EXACT else frozenset()
    whole = method in EVERYWHERE and not settings.of_text_alone
    for line, scheme in among_packed(lines, everywhere=whole, heads=method == BY_PATTERN, routers=routers):
        if line.family in joined:
            continue
        pieces = settings.for_family(line.family.removesuffix(".weight"), line.boxes)
        boxes = tuple(
            box for setting, inside in pieces if setting.method and setting.sized and setting.skipped is None
            for box in inside
        )  # fmt: skip
        if boxes and namer is not None:
            boxes = left_by_model_names(stated, method, namer(line.family).removesuffix(".weight"), boxes)
        if boxes:
            found.append((line, scheme, boxes))
    body = [line for line, _, _ in found if not line.role.startswith(HEAD)]
    towers = _towers(body, lines) if whole else []
    inside = [(line, boxes) for line, _, boxes in found if not line.family.startswith(tuple(towers))]
    entries = [*_of_towers(towers, lines, method, namer if method in BY_ENDS else None),
               *_inside(inside, lines, method, namer)]  # fmt: skip
    key = LISTS[method]
    kept = stated or (("lm_head",) if key is not None and method in HEAD_LISTED else ())
    exceptions = without_blocks(inside, lines) if method == GPTQ and not (settings.special or stated) else {}
    kept = () if method == AUTO_ROUND else kept  # its entries are objects, which others are added to
    families = [line.family for line in lines]
    stale = stale_entries(stated, [line.family for line, _, _ in found], families, namer) if found else ()
    return [
        ModuleProblem(
            LayersNotPacked(
                dtype=line.layout.dtype,
                method=method,
                source=settings.source,
                key=key,
                entries=(*kept, *(entry for entry in entries if entry not in kept)),
                exceptions=exceptions,
                stated=len(stated) if kept else 0,
                stale=stale,
            ),
            line.family,
            boxes,
            scheme,
        )
        for line, scheme, boxes in found
    ]


def entries_left_out(lines: Sequence[Line], method: str) -> tuple[str, list[str]]:
    """(key, entries) of a method's list for all plain linear layers, if no list is stated. A head is not in it.

    Routers are also in the list if its entries are patterns: transformers 4 builds them as linear layers.
    """
    everywhere = method in EVERYWHERE or method in BY_NAME or method in OF_MODULES or method in (FP8, HQQ)
    plain = [line for line, _ in among_packed(lines, everywhere=everywhere)]
    if method in (BY_PATTERN, HQQ) or method in BY_NAME:
        routers = (line for line in lines if line.role.startswith(ROUTER) and line.packed is None)
        plain += [line for line in routers if len(line.layout.shape) == 2]
    towers = _towers(plain, lines) if method in EVERYWHERE or method in OF_MODULES else []
    inside = [(line, line.boxes) for line in plain if not line.family.startswith(tuple(towers))]
    return str(LISTS_OF_BLOCKS[method]), [*_of_towers(towers, lines, method, None), *_inside(inside, lines, method)]


def has_towers(lines: Sequence[Line]) -> bool:
    """True if plain linear layers are in stacks without any quantized layer."""
    return len([*among_packed(lines, everywhere=True)]) > len([*among_packed(lines)])


def _inside(found: Sequence[Plain], lines: Sequence[Line], method: str, namer: Namer | None = None) -> list[str]:
    """The entries for modules of stacks in which others are quantized. namer: as in `layers_not_packed`."""
    if method == FP8:
        stored = [name for line, boxes in found for name in _names(line.family, boxes)]
        if namer is None:  # the names in the model are open: the ends of names are read, too
            return list(dict.fromkeys([*stored, *entries_for(found, lines)]))
        built = [name for line, boxes in found for name in _names(namer(line.family), boxes)]
        return list(dict.fromkeys([*stored, *built]))
    if method in BY_NAME:
        return [name for line, boxes in found for name in _names(line.family, boxes)]
    return entries_for(found, lines, SIGNS.get(method, ""), anywhere=method == HQQ)


PlainExpected = dict[tuple[str, str], list[Line]]
"""(scheme, role) -> the quantized families."""


def built_plain(unpacked: Unpacked, lines: Sequence[Line], namer: Namer | None = None) -> PlainExpected:
    """Norms, routers, embeddings and heads that the loaders of their quantization expect as plain weights.

    namer: as in `layers_not_packed`.
    """
    settings, found = unpacked.settings, PlainExpected()
    routers = (namer or str) if settings.base.method == BY_PATTERN else None
    embeds = any(line.role.startswith(EMBEDDINGS) for line in lines)
    for line in lines:
        packed = line.packed
        if packed is None or line.block is None or is_of_another(packed.scheme, settings):
            continue
        linear = routers is not None and is_linear_router(line.role, routers(line.family))
        if not linear and plain_expected(
            packed.scheme, line.role, len(line.block.shape), settings, embeds_tokens=embeds
        ):
            found.setdefault((packed.scheme, line.role), []).append(line)
    return found


def with_list(finding: ModuleNotPacked, members: Sequence[ModuleProblem], unpacked: Unpacked) -> ModuleNotPacked:
    """The finding on plain modules in families with quantized modules, with the list that excludes the plain ones."""
    settings = unpacked.settings
    key = LISTS.get(settings.base.method or "")
    if key is None:
        return finding
    stated = tuple(entry.text for entry in settings.ignored)
    kept = stated or (("lm_head",) if settings.base.method in HEAD_LISTED else ())
    kept = () if settings.base.method == AUTO_ROUND else kept
    names = [name for case in members for name in _names(case.key, case.boxes)]
    entries = (*kept, *(name for name in names if name not in kept))
    return replace(finding, source=settings.source, key=key, entries=entries)


def among_packed(
    lines: Sequence[Line], *, everywhere: bool = False, heads: bool = False, routers: Namer | None = None
) -> Iterator[tuple[Line, str]]:
    """Yields plain weights that every tool quantizes, from families without a quantized module, with the scheme of
    other families.

    everywhere: also in stacks without any quantized layer, such as a tower. heads: also heads. routers: also routers
    that are linear layers under the names it gives.
    """
    packed = {
        _stack(line.family): line.packed.scheme
        for line in lines
        if line.packed is not None and line.packed.known and line.role in EVERY_TOOL
    }
    families = {line.family for line in lines if line.packed is not None}
    for line in lines if packed else ():
        stack = _stack(line.family)
        plain = line.packed is None and line.family not in families and line.layout.dtype in FLOATS
        usual = line.role in EVERY_TOOL and stack in packed
        more = (heads and line.role.startswith(HEAD)) or (
            routers is not None and is_linear_router(line.role, routers(line.family))
        )
        other = everywhere and (more or not line.role.startswith(NO_LAYERS))
        if plain and (usual or other) and _is_linear(line):
            yield line, packed.get(stack) or next(iter(packed.values()))


def _outputs_of_joined(lines: Sequence[Line]) -> frozenset[str]:
    """The output projections of torch's `MultiheadAttention`: their class is derived from `Linear`."""
    joined = (line.family for line in lines if line.family.endswith(JOINED))
    return frozenset(f"{family.removesuffix(JOINED)}out_proj.weight" for family in joined)


def _is_linear(line: Line) -> bool:
    """True if a weight belongs to a linear layer; experts, which have an additional axis, need not be layers."""
    linear = line.block is not None and line.block.slot.kind.name == "linear"
    return linear and line.family.endswith(".weight") and line.family.count("#") <= 1 and len(line.layout.shape) == 2


def _stack(family: str) -> str:
    """The part of a family before its layers: equal for the linear layers of one stack."""
    return family.partition(".#")[0] if ".#" in family else family


def _towers(found: Sequence[Line], lines: Sequence[Line]) -> list[str]:
    """The shortest beginnings of the names of parts without any quantized module."""
    packed = [line.family for line in lines if line.packed is not None]
    towers: list[str] = []
    for line in found:
        segments = line.family.partition(".#")[0].split(".")
        stems = (".".join(segments[: number + 1]) for number in range(len(segments) - 1))
        stem = next((one for one in stems if not any(family.startswith(f"{one}.") for family in packed)), None)
        if stem is not None and f"{stem}." not in towers:
            towers.append(f"{stem}.")
    return towers


def _of_towers(towers: Sequence[str], lines: Sequence[Line], method: str, namer: Namer | None) -> Iterator[str]:
    """Yields the entries that exclude whole parts: the name of each part, and also the paths if the method has no
    patterns.

    transformers 5 compares an entry with the beginning and the end of a path in the model, vLLM with any part of its
    own path.
    """
    for tower in towers:
        last = _shortest(tower, lines)
        if method == BY_PATTERN:
            yield f"re:.*{last}.*"
        else:
            first = next(line.family for line in lines if line.family.startswith(tower))
            path = path_of(last, namer(first)) if namer is not None else ""
            yield from dict.fromkeys(one for one in (tower.rstrip("."), last, path) if one)


def finds(entries: Sequence[str], module: str) -> bool:
    """True if a list of entries contains a module, as transformers 5 compares them with the module's
    name in the model.
    """
    return any(is_read(entry, module, 1) for entry in entries)


def left_by_model_names(entries: Sequence[str], method: str, module: str, boxes: tuple[Box, ...]) -> tuple[Box, ...]:
    """The boxes of a plain module that transformers 5 finds by no entry. module: its name in the model."""
    if method in BY_ENDS:
        return () if finds(entries, module) else boxes
    if method != BY_PATTERN:
        return boxes
    return minus(boxes, covered(entries, module, boxes))


def covered(entries: Sequence[str], module: str, boxes: tuple[Box, ...]) -> tuple[Box, ...]:
    """The boxes that a list of compressed-tensors names: a whole name, or a pattern for the beginning of one."""
    read = [regex(one.removeprefix(PATTERN), one) if one.startswith(PATTERN) else exact(one) for one in entries]
    return tuple(box for entry in read for box in entry.within(module, boxes))


def path_of(entry: str, module: str) -> str:
    """The path of the part of a module that an entry names; "" if the entry names none."""
    before, found, _ = f".{module}.".partition(f".{entry}.")
    return f"{before}.{entry}".lstrip(".") if found else ""


def _shortest(tower: str, lines: Sequence[Line]) -> str:
    """The last word of a part's name, which each loader has below its own prefix, if no quantized
    module contains it.
    """
    last = tower.rstrip(".").rpartition(".")[2]
    return tower.rstrip(".") if any(last in line.family for line in lines if line.packed is not None) else last


def entries_for(found: Sequence[Plain], lines: Sequence[Line], sign: str = "", *, anywhere: bool = False) -> list[str]:
    """The entries that a list of unquantized modules needs: the end of a name that no quantized module has, or else
    whole names.

    sign: what makes the end a pattern, which is compared with the beginning of a name (`re.match`). anywhere: an entry
    holds for all modules whose names contain it.
    """
    packed = {line.family.removesuffix(".weight") for line in lines if line.packed is not None}
    entries: list[str] = []
    for line, boxes in found:
        ends = (one for one in _ends(line.family) if not any(_names_it(one, name, anywhere) for name in packed))
        end = next(ends, None)
        if boxes == line.boxes and end is not None:
            within = sign and any(end in name for name in packed)
            entries.append(f"{sign}{end}{'$' if within else ''}")
        else:
            entries += _names(line.family, boxes)
    return list(dict.fromkeys(entries))


def _names_it(entry: str, module: str, anywhere: bool) -> bool:
    """True if an entry names a module by its end, or by any part of its name."""
    return entry in module if anywhere else module.endswith(entry)


def names_packed(entries: Sequence[str], lines: Sequence[Line]) -> bool:
    """True if an entry that holds for all names that contain it also holds for quantized modules of another family."""
    packed = {line.family.removesuffix(".weight") for line in lines if line.packed is not None}
    keys = {key_of(entry)[0] for entry in entries}
    return any(key in name and key != name for key in keys for name in packed)


def without_blocks(found: Sequence[Plain], lines: Sequence[Line]) -> dict[str, dict[str, object]]:
    """The exceptions of GPTQ for whole blocks such as an attention; {} if a block also has quantized modules.

    vLLM looks for its own names, and joins query, key and value: a pattern has to fit all names of a block.
    """
    packed = {line.family.split(".")[-3] for line in lines if line.packed is not None and line.family.count(".") > 2}
    blocks = dict.fromkeys((line.family.split(".")[-3:-2] or [""])[0] for line, boxes in found if boxes == line.boxes)
    whole = len(blocks) and all(boxes == line.boxes for line, boxes in found)
    if not whole or any(block in packed or not block.isidentifier() for block in blocks):
        return {}
    return {f"-:.*\\.{block}\\..*": {} for block in blocks}


def _names(family: str, boxes: tuple[Box, ...]) -> list[str]:
    return [name.removesuffix(".weight") for name in names_in(family, boxes, MOST_LISTED)]


def _ends(family: str) -> Iterator[str]:
    """The ends of a module's name that contain no number, the shortest first."""
    segments = family.removesuffix(".weight").rpartition("#.")[2].split(".")
    ends = (".".join(segments[-number:]) for number in range(1, len(segments) + 1))
    return (one for one in ends if not one.endswith("#"))
