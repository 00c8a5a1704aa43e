"""Unpacks one family of modules: quantized with a known scheme, with an unknown one, or not quantized."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from inspector.algebra.boxes import Box
from inspector.findings.types.modules import PackedModules
from inspector.findings.types.packed import (
    PackedValuesMissing,
    PackedValuesRetyped,
    PackingHelperDiffers,
    PackingHelperMissing,
)
from inspector.findings.types.packing_config import PackingConfigDisagrees
from inspector.findings.types.packing_helpers import CacheScalesStored, PackingHelperOrphaned
from inspector.findings.types.undecided import PackingUnknown
from inspector.findings.types.unpacked import ModuleNotPacked, SkipEntryUnread, SkippedButPacked
from inspector.loader.packed import Packed
from inspector.quantization.catalog import BY_VALUES, FOREIGN, HELPERS, KV_CACHE, PACKED_DTYPES, PLAIN, STRANGE
from inspector.quantization.likeness import like_others, like_siblings, with_all_helpers, with_helpers
from inspector.quantization.loaders import BY_ENDS, follows_tensors, is_foreign, is_read, method_for
from inspector.quantization.module import FLOATS, INTEGERS, SCALE_DTYPES, Scheme, UnpackedTensor
from inspector.quantization.modules import COMMON, Module, is_cache_scale, pieces_of
from inspector.quantization.pieces import (
    is_by_row,
    is_lone,
    recognised,
    scheme_name,
    transposed,
    without_plain_integers,
)
from inspector.quantization.stated import ModuleSettings
from inspector.quantization.uneven import Lacking, uneven_cache_scales, uneven_helpers, uneven_of_unknown
from inspector.quantization.work import Known, ModuleGroup, Work

TELLING: Final = frozenset({"weight_scale", "weight_scale_inv", "qzeros", "g_idx", "weight.absmax", "weight.quant_map",
                            "weight.nested_absmax", "weight.nested_quant_map", "SCB", "weight_format", "weight_shape",
                            "weight_global_scale", "weight_scale_2", "weight_g_idx", "pre_quant_scale", "codebooks",
                            "weight.quant_state.bitsandbytes__nf4", "weight.quant_state.bitsandbytes__fp4",
                            "weight._scale", "weight._shift", "_weight_scale", "_weight_zero_point", "q_scale_max",
                            "q_invperm", "block_scales", "input_global_scale", "embedding_scale",
                            "meta.scale.x", "meta.zero.x"})  # fmt: skip
"""Helpers that are recognised by name, even if their values are missing."""
BY_METHOD: Final[Mapping[str, frozenset[str]]] = {
    "gptq": frozenset({"scales"}), "awq": frozenset({"scales"}), "auto-round": frozenset({"scales"}),
    "mlx": frozenset({"scales", "biases"}), "hqq": frozenset({"scale", "zero"}), "eetq": frozenset({"weight_scales"}),
    "aqlm": frozenset({"scales"}), "higgs": frozenset({"scales", "tables", "tables2"}),
    "exl3": frozenset({"suh", "svh"}),
}  # fmt: skip
"""Helpers with ambiguous names, which are recognised only if the config states the method."""


FACTORS: Final = (COMMON | {"activation_scale", "activation_scale_inv", "input_scale_inv", "input_scale_ub"}) - {
    "input_zero_point", "output_zero_point", "weight_zero_point", "k_zero_point", "v_zero_point", "q_scale",
}  # fmt: skip
"""Helpers of any scheme that are factors. `q_scale` is excluded, since it is packed in EXL2."""


LIST: Final = 2
"""Least number of elements of a helper that is not a switch."""


def groups_of(work: Work, module: Module) -> list[ModuleGroup]:
    """The modules of a family by their layouts and settings."""
    pieces = [
        ModuleGroup(boxes, layouts, setting, *recognised(layouts, setting))
        for whole, layouts in pieces_of(module.parts)
        for setting, boxes in work.settings.for_family(module.key, whole)
    ]
    if is_foreign(work.settings):
        return [_without_doubtful(piece) for piece in pieces]
    return without_plain_integers(module.key, pieces)


def _without_doubtful(piece: ModuleGroup) -> ModuleGroup:
    """A group under an unknown method, without a scheme that explains only a part of its tensors."""
    scheme = piece.scheme
    named = {scheme.values, "bias", *scheme.needs, *scheme.may, *COMMON} if scheme is not None else set()
    if scheme is None or (piece.layouts.keys() <= named and not scheme.open(piece.read, piece.setting).faults):
        return piece
    return replace(piece, scheme=None, turned={})


def unpack_module(work: Work, module: Module, pieces: Sequence[ModuleGroup]) -> None:
    """Unpacks every piece of a family of modules."""
    known = [(piece, piece.scheme) for piece in pieces if piece.scheme is not None]
    if not known and not any(
        _strange(work, piece) or _orphans(work, module, piece, None) or with_all_helpers(work, piece)
        for piece in pieces
    ):
        return
    work.clear(module)
    for piece in pieces:
        scheme = piece.scheme or (None if is_lone(piece) else like_siblings(piece, known) or like_others(work, piece))
        if scheme is not None:
            _open(work, module, piece, scheme)
        elif _strange(work, piece):
            _unknown(work, module, piece)
        else:
            _plain(work, module, piece, known)
    strange = [piece for piece in pieces if piece.scheme is None and _strange(work, piece) is not None]
    for lacking in (*uneven_helpers(known), *uneven_of_unknown(strange), *uneven_cache_scales(work, module)):
        lacks(work, module, lacking)


def _open(work: Work, module: Module, piece: ModuleGroup, scheme: Scheme) -> None:
    if scheme.values != PLAIN and PLAIN in piece.layouts and piece.layouts[PLAIN].dtype in FLOATS:
        _twice(work, module, piece, scheme)
        return
    opened = _opened(work, module, piece, scheme)
    name = opened.packed.scheme if opened.packed is not None else scheme.name
    helpers = {*scheme.needs, *scheme.may, *COMMON}.intersection(opened.helpers)
    for suffix in piece.layouts:
        if suffix == scheme.values:
            work.add_logical(module, opened.layout, piece, opened.packed)
        elif suffix in helpers:
            work.add_helper(module, suffix, piece, name)
        else:
            work.keep(module, suffix, piece)
    for suffix, expected in piece.recast.items():
        stored = piece.layouts[suffix]
        retyped = PackedValuesRetyped(dtype=stored.dtype, shape=stored.shape, expected=expected.dtype)
        work.report(retyped, module, suffix, piece.boxes, name)
    if opened.packed is None:
        for fault in opened.faults:
            work.report(fault, module, scheme.values, piece.boxes, name)
        return
    work.schemes[name] = work.schemes.get(name, 0) + piece.modules
    if scheme.values == "qweight":
        work.biased.add(f"{module.key}.bias")
    _judge(work, module, piece, scheme, opened)


def _opened(work: Work, module: Module, piece: ModuleGroup, scheme: Scheme) -> UnpackedTensor:
    """The logical tensor of modules. Settings of another method say nothing about their sizes."""
    opened = scheme.open(piece.read, piece.setting)
    stated = piece.setting.method
    if opened.packed is None or stated is None:
        return opened
    written, by_row = work.settings.written_for, is_by_row(piece.layouts)
    method = method_for(opened.packed.scheme, piece.setting, scheme.values, written, by_row=by_row)
    if method == stated:
        return _by_algorithm(opened, module, piece, scheme)
    own = ModuleSettings(method=stated, prefix=piece.setting.prefix, keys=piece.setting.keys, dims=piece.setting.dims,
                         skipped=piece.setting.skipped)  # fmt: skip
    return scheme.open(piece.read, own)


def _by_algorithm(opened: UnpackedTensor, module: Module, piece: ModuleGroup, scheme: Scheme) -> UnpackedTensor:
    if piece.setting.method == "compressed-tensors":
        from inspector.quantization.schemes.compressed_tensors_groups import by_groups

        return by_groups(opened, piece.read, piece.setting)
    if piece.setting.method != "modelopt" or scheme.values != PLAIN:
        return opened
    from inspector.quantization.schemes.modelopt_algorithms import by_algorithm

    return by_algorithm(opened, scheme, piece.read, piece.setting, module.key)


def _judge(work: Work, module: Module, piece: ModuleGroup, scheme: Scheme, opened: UnpackedTensor) -> None:
    """Compares the shapes with the settings and with each other."""
    assert opened.packed is not None
    name = opened.packed.scheme
    by_row = is_by_row(piece.layouts)
    method = method_for(name, piece.setting, scheme.values, work.settings.written_for, by_row=by_row)
    agreed = opened.agreed
    if method is not None and method == piece.setting.method:
        agreed = (*agreed, "method")
    for what in agreed:
        setting = (piece.setting.key(what), what)
        work.agreed[setting] = work.agreed.get(setting, 0) + piece.modules
    for suffix, layout in piece.turned.items():
        work.report(transposed(suffix, piece.layouts[suffix], layout), module, suffix, piece.boxes, name)
    skipped = piece.setting.skipped is not None and not follows_tensors(name, special=True)
    listed = skipped and bool(piece.setting.skipped)  # settings of another method do not apply
    if method != piece.setting.method and not listed:
        written = work.settings.written_for is not None
        key = f"{work.settings.source}.quant_method" if written else piece.setting.key("method")
        other = PackingConfigDisagrees(key=key, what="method", config=piece.setting.method, plain=True, weights=method)
        work.report(other, module, scheme.values, piece.boxes, name)
    faults = opened.faults
    if skipped:
        _excluded(work, module, piece, scheme, opened, otherwise=listed and method != piece.setting.method)
    if listed:
        faults = tuple(fault for fault in faults if not isinstance(fault, PackingConfigDisagrees))
    _integers(work, module, piece, faults)
    if is_lone(piece):  # all of its helpers are missing: report only the first one
        missing = [fault for fault in faults if isinstance(fault, PackingHelperMissing)]
        faults = tuple(fault for fault in faults if fault not in missing[1:])
    for fault in faults:
        if isinstance(fault, PackingHelperMissing):
            boxes = work.not_lost(module.name(fault.helper), piece.boxes)
            work.report(fault, module, fault.helper, boxes, name)
        else:
            suffix = fault.helper if isinstance(fault, PackingHelperDiffers) else scheme.values
            work.report(fault, module, suffix, piece.boxes, name)


def _excluded(
    work: Work, module: Module, piece: ModuleGroup, scheme: Scheme, opened: UnpackedTensor, *, otherwise: bool
) -> None:
    """Reports quantized modules that the settings exclude. otherwise: another method than the stated one made them."""
    assert opened.packed is not None
    disagree = any(isinstance(fault, PackingConfigDisagrees) for fault in opened.faults)
    entry, source = piece.setting.skipped or "", work.settings.source
    otherwise = otherwise or (bool(entry) and disagree)
    stacks = {key.partition(".")[0] for key in work.stored if "#" in key}
    unread = work.settings.base.method in BY_ENDS and not is_read(entry, module.key, len(stacks))
    kind = SkipEntryUnread if unread and not otherwise else SkippedButPacked
    found = kind(entry=entry, source=source, otherwise=otherwise)
    work.report(found, module, scheme.values, piece.boxes, opened.packed.scheme)


def _integers(work: Work, module: Module, piece: ModuleGroup, faults: Sequence[PackedModules]) -> None:
    """Reports scales of any scheme that are stored as integers, and helpers that are stored as booleans.

    faults: the findings of its own scheme.
    """
    known = {fault.helper for fault in faults if isinstance(fault, PackingHelperDiffers)}
    for suffix, layout in piece.layouts.items():
        wanted = SCALE_DTYPES if suffix in FACTORS else SCALE_DTYPES | INTEGERS if suffix in HELPERS else ()
        single = suffix not in FACTORS and layout.elements < LIST
        if wanted and suffix not in known and layout.dtype not in wanted and not single:
            differs = PackingHelperDiffers(
                helper=suffix, stored=layout.shape, dtype=layout.dtype, expected=(layout.shape,),
                dtypes=tuple(sorted(wanted)), because="",
            )  # fmt: skip
            work.report(differs, module, suffix, piece.boxes, "")


def lacks(work: Work, module: Module, lacking: Lacking) -> None:
    """Reports a helper that the same module has in other layers or experts."""
    name = module.name(lacking.suffix)
    boxes = work.not_lost(name, lacking.boxes)
    if not any(case.key == name and case.boxes == boxes for case in work.cases):
        finding = PackingHelperMissing(helper=lacking.suffix, expected=(lacking.shape,))
        work.report(finding, module, lacking.suffix, boxes, lacking.scheme)


def _twice(work: Work, module: Module, piece: ModuleGroup, scheme: Scheme) -> None:
    """Reports quantized tensors next to the dense weight. The dense weight counts, since loaders use it."""
    beside = [suffix for suffix in piece.layouts if suffix != PLAIN]
    work.keep(module, PLAIN, piece)
    for suffix in beside:
        work.add_helper(module, suffix, piece, scheme.name)
    orphaned = PackingHelperOrphaned(helpers=tuple(beside), beside=piece.layouts[PLAIN].dtype)
    work.report(orphaned, module, beside[0], piece.boxes, scheme.name)


def _strange(work: Work, piece: ModuleGroup) -> str | None:
    """The suffix of an unsupported scheme's values; for an unknown method, that of the largest integers."""
    found = [suffix for suffix in piece.layouts if suffix in STRANGE and piece.layouts[suffix].dtype not in FLOATS]
    if not found and is_foreign(work.settings) and piece.setting.skipped is None:
        packed = [suffix for suffix, layout in piece.layouts.items() if layout.dtype in PACKED_DTYPES]
        found = sorted(packed, key=lambda suffix: -piece.layouts[suffix].bytes)
    return found[0] if found else None


def _unknown(work: Work, module: Module, piece: ModuleGroup) -> None:
    values = _strange(work, piece)
    assert values is not None
    layout = piece.layouts[values]
    work.add_logical(module, layout, piece, Packed("unknown", 0, None, layout, known=False))
    for suffix in piece.layouts:
        named = suffix in HELPERS or suffix in FOREIGN or suffix in STRANGE
        if suffix != values and (named or (is_foreign(work.settings) and suffix != "bias")):
            work.add_helper(module, suffix, piece, "unknown")
        elif suffix != values:
            work.keep(module, suffix, piece)
    work.schemes["unknown"] = work.schemes.get("unknown", 0) + piece.modules
    unknown = PackingUnknown(
        signature=tuple(f"{suffix} {piece.layouts[suffix].dtype}" for suffix in sorted(piece.layouts)),
        method=piece.setting.method,
        bytes=sum(each.bytes for each in piece.layouts.values()) * piece.modules,
        elements=layout.elements * piece.modules,
    )
    work.report(unknown, module, values, piece.boxes, "unknown")


def _orphans(work: Work, module: Module, piece: ModuleGroup, packed: Scheme | None) -> list[str]:
    """Helpers of a piece without packed values. packed: the scheme of its siblings."""
    believed = TELLING | BY_METHOD.get(work.settings.base.method or "", frozenset())
    if packed is not None and packed.values not in piece.layouts:
        believed |= COMMON.union(packed.needs, packed.may)
    if not believed.isdisjoint(piece.layouts):
        believed |= COMMON
    cache = [suffix for suffix in piece.layouts
             if suffix in KV_CACHE and is_cache_scale(module.parts[suffix], work.settings)]  # fmt: skip
    return [suffix for suffix in piece.layouts if suffix in believed] + cache


def _plain(work: Work, module: Module, piece: ModuleGroup, known: Known) -> None:
    """Handles a piece that is not quantized: dense among quantized siblings, helpers without values, or neither."""
    packed = known[0][1] if known else None
    orphans = _orphans(work, module, piece, packed)
    lost = with_helpers(work, piece, orphans) if packed is None and PLAIN not in piece.layouts else None
    lost = lost or (with_all_helpers(work, piece) if packed is None else None)
    orphans = _orphans(work, module, piece, lost) if lost is not None else orphans
    cache = [suffix for suffix in orphans if suffix in KV_CACHE]
    alone = [suffix for suffix in orphans if suffix not in KV_CACHE]
    for suffix in piece.layouts:
        if suffix in cache:
            work.add_helper(module, suffix, piece, "kv-cache", of="")
        elif suffix in alone:
            work.add_helper(module, suffix, piece, "")
        else:
            work.keep(module, suffix, piece)
    _integers(work, module, piece, ())
    if cache:
        scales = CacheScalesStored(helpers=tuple(cache), stated=work.settings.kv_cache)
        work.report(scales, module, cache[0], piece.boxes, "")
    dense = piece.layouts.get(PLAIN)
    undeclared = work.settings.known and work.settings.whole and piece.setting.skipped is None
    if alone:
        _without_values(work, module, piece, alone, known, lost)
    elif packed is not None and dense is not None and dense.dtype in FLOATS and undeclared:
        if follows_tensors(packed.name, special=piece.setting != work.settings.base):
            return
        others = sum(other.modules for other, _ in known)
        plain = ModuleNotPacked(dtype=dense.dtype, shape=dense.shape, others=others, method=piece.setting.method)
        work.report(plain, module, PLAIN, piece.boxes, packed.name)


def _without_values(
    work: Work, module: Module, piece: ModuleGroup, alone: Sequence[str], known: Known, lost: Scheme | None
) -> None:
    """Reports helpers without quantized values: either the values are lost, or the helpers are superfluous.

    known: the same modules that are quantized. lost: the scheme of other modules with such helpers, if no module is.
    """
    packed, dense = known[0][1] if known else None, piece.layouts.get(PLAIN)
    if packed is not None and dense is None:
        boxes: tuple[Box, ...] = work.not_lost(module.name(packed.values), piece.boxes)
        missing = PackedValuesMissing(helpers=tuple(alone), values=packed.values)
        work.report(missing, module, packed.values, boxes, scheme_name(*known[0]))
        work.lose_values(module, boxes)
    elif work.whole and not any(module.name(suffix) in work.lost for suffix in {PLAIN, *BY_VALUES}):
        orphaned = PackingHelperOrphaned(helpers=tuple(alone), beside=dense.dtype if dense is not None else None)
        work.report(orphaned, module, alone[0], piece.boxes, packed.name if packed is not None else "")
        if lost is not None:
            missing = PackedValuesMissing(helpers=tuple(alone), values=lost.values)
            work.cases[-1] = replace(work.cases[-1], scheme=lost.name, missing=(missing, module.name(lost.values)))
            work.lose_values(module, piece.boxes)
