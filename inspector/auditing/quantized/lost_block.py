"""A config that does not say that its weights are quantized, and the block that the weights determine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from inspector.auditing.quantized.compressed import SPARSE
from inspector.auditing.quantized.copy_left import copy_left
from inspector.auditing.quantized.plain_modules import (
    AQLM,
    HEAD,
    HEAD_INSIDE,
    HEAD_LISTED,
    HQQ,
    among_packed,
    entries_for,
    entries_left_out,
    has_towers,
    names_packed,
)
from inspector.auditing.quantized.tied_head import head_entry
from inspector.findings.finding import Finding, Place
from inspector.loader.checkpoint import Checkpoint
from inspector.loader.packed import Packed
from inspector.quantization.loaders import CHATGLM_METHOD, is_of_chatglm
from inspector.quantization.method_block import block_of_method
from inspector.quantization.missing_block import (
    BLOCK,
    GROUP_SIZE,
    MOST_LISTED,
    OLD_BLOCK,
    STATE_OF_QUANTIZERS,
    block_for,
    excluding,
    is_named,
    main_scheme,
    mixed_block,
    one_packing,
    settled,
    with_stated,
)
from inspector.quantization.scales_block import Determined, block_of_scales, scaled
from inspector.quantization.signs import BITS_OF_CHATGLM
from inspector.quantization.tool_block import QUARK, blocks_of_tools
from inspector.quantization.torchao_block import is_plain, torchao_block
from inspector.quantization.unpacked import Unpacked
from inspector.reconciler.ledger import Line
from inspector.reconciler.wording import names_in

OF_CHATGLM = frozenset({CHATGLM_METHOD, "int8"})
"""Schemes of ChatGLM's own code: the tensors of 8 bits are those of others."""
TORCHAO = "torchao"
BY_PATH = frozenset({QUARK, AQLM, "hqq", "spqr", "vptq"})
"""Methods with whole names of modules in the model, which files of models with towers may not have."""
NAMES_A_CLASS = frozenset({"model_type", "auto_map", "_class_name"})
"""Keys of a config.json for loaders that read the quantization from it."""


def block_missing(checkpoint: Checkpoint, unpacked: Unpacked, lines: Sequence[Line]) -> Iterator[Finding]:
    """The finding that a config.json of transformers, diffusers or MLX does not name the quantization shown by the
    tensors.
    """
    config, scheme = checkpoint.config, main_scheme(unpacked)
    known = config is not None and config.kind == "config" and NAMES_A_CLASS & config.values.keys()
    if config is None or not known or scheme is None or scheme in (SPARSE, STATE_OF_QUANTIZERS):
        return
    of_transformers = "_class_name" not in config.values
    stated = config.values.get(unpacked.settings.source)
    keys = stated if isinstance(stated, dict) else (GROUP_SIZE,)
    if is_named(unpacked, of_transformers, checkpoint.siblings, keys, checkpoint.set_name):
        return
    left = copy_left(checkpoint, scheme, lines)
    if left is not None:
        yield left
        return
    from inspector.findings.types.block import QuantizationBlockMissing, QuantizationBlockRenamed

    if unpacked.settings.source == OLD_BLOCK:
        place = Place(file=config.file, key=OLD_BLOCK)
        yield QuantizationBlockRenamed(place=place, key=BLOCK, block=config.values[OLD_BLOCK], scheme=scheme,
                                       modules=sum(unpacked.schemes.values()))  # fmt: skip
        return
    packed = [(settled(line.packed, line.layout.shape), line) for line in lines if line.packed is not None]
    packing = one_packing(scheme, ((one, line.layout.shape) for one, line in packed))
    if is_of_chatglm(config.values) and scheme in OF_CHATGLM and packing is not None:
        yield QuantizationBlockMissing(
            place=Place(file=config.file, key=BITS_OF_CHATGLM), scheme=scheme, modules=sum(unpacked.schemes.values()),
            bits=packing.bits, group_size=None, key=BITS_OF_CHATGLM, block=None, value=int(packing.bits),
        )  # fmt: skip
        return
    determined = block_of_weights(scheme, unpacked, lines, of_transformers=of_transformers)
    key = determined.key
    usual, others = (determined.blocks[0], determined.blocks[1:]) if determined.blocks else (None, ())
    block = _for_all(usual, scheme, packed)
    if block is None and scheme == TORCHAO and of_transformers and not any(map(_is_around_layers, lines)):
        block = torchao_block(_entries(checkpoint))
    beside = checkpoint.side.get(unpacked.settings.source)
    if beside is not None:
        block = with_stated(block, beside, unpacked.settings.base.method)
    first = next((one for one in unpacked.helpers if one.scheme == scheme), None)
    entries = [name for _, line in packed for name in modules_of(line)] if key.endswith(".json") and block else []
    yield QuantizationBlockMissing(
        place=Place(file=config.file, key=key),
        scheme=scheme,
        modules=sum(unpacked.schemes.values()),
        bits=None if packing is None else packing.bits,
        group_size=None if packing is None else packing.group_size,
        key=key,
        block=block,
        others=others,
        readings=determined.readings,
        assumed=determined.assumed if block == usual else (),
        absent=determined.absent if block is None else (),
        known=determined.known if block is None and determined.absent else None,
        module="" if first is None else names_in(first.of, first.boxes, 1)[0].removesuffix(".weight"),
        entries=tuple(entries) if len(entries) <= MOST_LISTED else (),
    )


def _for_all(usual: dict[str, Any] | None, scheme: str, packed: Sequence[tuple[Packed, Line]]) -> dict[str, Any] | None:
    """The block for all modules; that of MLX has an entry for each module where they are packed in several ways."""
    ways = {(one.scheme, one.bits, one.group_size) for one, _ in packed}
    if scheme.startswith("mlx") and len(ways) > 1 and all(way[0].startswith("mlx") for way in ways):
        return mixed_block([(one, modules_of(line)) for one, line in packed])
    return usual


def _entries(checkpoint: Checkpoint) -> Iterator[str]:
    """The entry that torchao wrote for each quantized weight."""
    for file in checkpoint.files:
        for name, entry in (file.metadata or {}).items():
            module, _, leaf = name.rpartition(".")
            if module and leaf and f"{module}._{leaf}_qdata" in checkpoint.tensors and not is_plain(entry):
                yield entry


def _is_around_layers(line: Line) -> bool:
    """True if a line is of a quantized embedding or head, which torchao quantizes only if asked."""
    return line.packed is not None and line.role.startswith((HEAD, "embed"))


class OfWeights(Struct, frozen=True):
    """What the weights determine of a block.

    key: in config.json. blocks: of loaders that read the tensors in the same way, the usual one first. readings: blocks
    that read them in different ways, if no tensor shows which one is meant. assumed, absent, known: see `Determined`.
    """

    key: str
    blocks: tuple[dict[str, Any], ...] = ()
    readings: tuple[dict[str, Any], ...] = ()
    assumed: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    known: dict[str, Any] = {}


def block_of_weights(
    scheme: str, unpacked: Unpacked, lines: Sequence[Line], *, of_transformers: bool = True
) -> OfWeights:
    """What the modules of the most frequent scheme determine."""
    found = [(settled(line.packed, line.layout.shape), line.layout.shape) for line in lines if line.packed is not None]
    families = [one.key for one in unpacked.helpers]
    by_file = of_transformers or any(len(shape) != 2 for _, shape in found)  # diffusers quantizes linear layers only
    key, block = block_for(scheme, one_packing(scheme, found), families, of_transformers=by_file)
    if block is not None or key != BLOCK or not of_transformers:
        heads = (line for line in lines if line.role.startswith(HEAD) and line.role != HEAD_INSIDE)
        head = any(line.packed is not None for line in heads)
        block = excluding(block, scheme, _left_plain(lines), head=head)
        return OfWeights(key, () if block is None else (block,))
    modules = [
        scaled(line.family, line.boxes, line.layout.shape, settled(line.packed, line.layout.shape), unpacked.helpers)
        for line in lines
        if line.packed is not None
    ]
    whole = [one for one in modules if one is not None]
    if len(whole) < len(modules) or not whole or sum(line.tensors for line in lines if line.packed) > MOST_LISTED:
        return OfWeights(key)
    determined = block_of_method(scheme, whole, unpacked.helpers)
    if determined is not None:
        return _of_method(key, determined, lines)
    of_scales = block_of_scales(whole)
    blocks = [*([] if of_scales is None else [of_scales]), *blocks_of_tools(whole)]
    return OfWeights(key, tuple(one for block in blocks if (one := _with_list(block, lines)) is not None))


def _of_method(key: str, determined: Determined, lines: Sequence[Line]) -> OfWeights:
    """What the tensors of a method determine, with the lists of unquantized modules."""
    blocks = tuple(made for block in determined.blocks if (made := _with_list(block, lines)) is not None)
    if len(blocks) < len(determined.blocks):
        return OfWeights(key)
    one = blocks if len(blocks) == 1 else ()
    readings = blocks if len(blocks) > 1 else ()
    return OfWeights(key, one, readings, determined.assumed, determined.absent, determined.known)


def _with_list(block: dict[str, Any], lines: Sequence[Line]) -> dict[str, Any] | None:
    """The block with the list of the modules that are not quantized."""
    method = str(block["quant_method"])
    if method in BY_PATH and has_towers(lines):
        return None
    key, entries = entries_left_out(lines, method)
    plain = [*_plain_among_quantized(lines), *entries]
    if not plain and method in HEAD_LISTED:  # without a list their loaders leave the head out
        return block
    listed = plain_listed(lines, method)
    if method == HQQ and names_packed(listed, lines):
        return None
    if method == AQLM:  # transformers 5 reads the names of modules, 4.57 those of their weights
        listed += [f"{name}.weight" for name in listed]
    return {**block, key: listed} if len(listed) <= MOST_LISTED else None


def plain_listed(lines: Sequence[Line], method: str) -> list[str]:
    """The entries of a method's list for all modules that are not quantized, the head first."""
    entries = [*_plain_among_quantized(lines), *entries_left_out(lines, method)[1]]
    return list(dict.fromkeys([*_heads(lines, method), *entries]))


def _heads(lines: Sequence[Line], method: str) -> Iterator[str]:
    """The entries for a head that is not quantized, also for one that is tied and not stored."""
    heads = [line for line in lines if line.role.startswith(HEAD) and line.block is not None]
    if not any(line.packed is not None for line in heads):
        yield "lm_head"
    for line in heads:
        if line.packed is None and len(line.layout.shape) == 2:
            yield head_entry(line.family.removesuffix(".weight"), method)


def modules_of(line: Line) -> list[str]:
    """The names of the modules of a line, at most one more than may be listed."""
    return [name.removesuffix(".weight") for name in names_in(line.family, line.boxes, MOST_LISTED + 1)]


def _left_plain(lines: Sequence[Line]) -> list[str]:
    """The modules that are not quantized among quantized ones."""
    return _plain_among_quantized(lines) + entries_for([(line, line.boxes) for line, _ in among_packed(lines)], lines)


def _plain_among_quantized(lines: Sequence[Line]) -> list[str]:
    """The modules that are not quantized although other modules of their family are."""
    packed = {line.family for line in lines if line.packed is not None}
    return [name for line in lines if line.packed is None and line.family in packed for name in modules_of(line)]
