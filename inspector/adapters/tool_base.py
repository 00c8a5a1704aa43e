"""An adapter of another tool than PEFT compared with its base: which of its modules the base has, and whether they fit.

Tools name the modules of the model in memory, with underscores for dots (sd-scripts, LyCORIS) or with the names of the
model's first authors (ComfyUI, sd-scripts for SDXL and FLUX). The base names them as its files and its definition do.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import prod
from typing import Final

from msgspec import Struct

from inspector.adapters.base import BaseTensor, other_widths
from inspector.adapters.tool_modules import FULL, ChangedModule, like
from inspector.algebra.boxes import tuples
from inspector.algebra.names import name_of
from inspector.findings.adapters.tensors import AdapterShapeDiffers
from inspector.findings.adapters.tools import AdapterModulesUnmatched, AdapterPartMissing
from inspector.findings.adapters.whole import AdapterBaseDiffers, ShapeExample
from inspector.findings.finding import NAMES_SHOWN, Finding, Place

Shape = tuple[int, ...]
COMPONENTS: Final[Mapping[str, tuple[str, ...]]] = {
    "unet": ("unet", "transformer", "prior"), "transformer": ("transformer", "unet"),
    "diffusion_model": ("transformer", "unet"), "prior": ("prior", "unet"),
    "text_encoder": ("text_encoder",), "text_encoder_2": ("text_encoder_2",), "text_encoder_3": ("text_encoder_3",),
    "transformer_2": ("transformer_2",), "controlnet": ("controlnet",),
}  # fmt: skip
"""Component of an adapter -> what a pipeline may call it."""
PREFIXES: Final = ("base_model_model_", "model_", "text_model_")
AUTHORS: Final = ("input_blocks", "output_blocks", "middle_block", "double_blocks", "single_blocks", "blk.")
"""Parts of names that only the files of a model's first authors, or of llama.cpp, have."""


class BaseModules(Struct, frozen=True):
    """What a base has. modules: component ("" for a base of one model) -> plain name of a weight -> its shape."""

    name: str
    source: str
    modules: Mapping[str, Mapping[str, Shape]]


def plain(name: str) -> str:
    """A name as Kohya's tools write it, without the prefixes that a model has in some releases of its library."""
    spelled = name.replace(".", "_")
    for prefix in PREFIXES:
        spelled = spelled.removeprefix(prefix)
    return spelled


def shapes_of(tensors: Iterable[BaseTensor], stored: Mapping[str, Shape], layers: object = None) -> dict[str, Shape]:
    """Plain name of each module of a model -> shape of its weight, in all spellings that adapters use.

    stored: names in its files. layers: layers of a UNet's block, which number the blocks of its first authors.
    """
    found: dict[str, Shape] = {}
    for tensor in tensors:
        if tensor.ending != ".weight" or any(dim is None for dim in tensor.shape):
            continue
        shape = tuple(dim for dim in tensor.shape if dim is not None)
        for index in tuples(tensor.axes):
            found[name_of(tensor.module, index)] = shape
    found.update({name.removesuffix(".weight"): shape for name, shape in stored.items() if name.endswith(".weight")})
    spelled = {**found, **dict(_of_flux(found))}
    if isinstance(layers, int):
        spelled |= {other: shape for name, shape in found.items() if (other := _of_ldm(name, layers + 1))}
    return {plain(name): shape for name, shape in spelled.items()}


_STAGE: Final = re.compile(r"(down|up)_blocks\.(\d+)\.(attentions|resnets|downsamplers|upsamplers)\.(\d+)\.(.+)")
_RESIDUAL: Final = {
    "norm1": "in_layers.0", "conv1": "in_layers.2", "time_emb_proj": "emb_layers.1", "norm2": "out_layers.0",
    "conv2": "out_layers.3", "conv_shortcut": "skip_connection",
}  # fmt: skip


def _of_ldm(name: str, length: int) -> str | None:
    """The name that CompVis' latent-diffusion gives a module of a UNet; `inspector.dialects.ldm` has the reverse."""
    if name.startswith("mid_block."):
        _, kind, number, rest = name.split(".", 3)
        inner = rest if kind == "attentions" else _RESIDUAL.get(rest, rest)
        return f"middle_block.{1 if kind == 'attentions' else 2 * int(number)}.{inner}"
    found = _STAGE.fullmatch(name)
    if found is None:
        return None
    side, stage, kind, layer, rest = found[1], int(found[2]), found[3], int(found[4]), found[5]
    if kind == "downsamplers":
        return f"input_blocks.{(stage + 1) * length}.0.op"
    if kind == "upsamplers":
        return None
    at = stage * length + layer
    block = f"input_blocks.{at + 1}" if side == "down" else f"output_blocks.{at}"
    return f"{block}.1.{rest}" if kind == "attentions" else f"{block}.0.{_RESIDUAL.get(rest, rest)}"


_FLUX: Final[tuple[tuple[str, str, tuple[str, ...]], ...]] = (
    ("double_blocks.{}.img_attn.qkv", "transformer_blocks.{}", ("attn.to_q", "attn.to_k", "attn.to_v")),
    ("double_blocks.{}.txt_attn.qkv", "transformer_blocks.{}",
     ("attn.add_q_proj", "attn.add_k_proj", "attn.add_v_proj")),
    ("double_blocks.{}.img_attn.proj", "transformer_blocks.{}", ("attn.to_out.0",)),
    ("double_blocks.{}.txt_attn.proj", "transformer_blocks.{}", ("attn.to_add_out",)),
    ("double_blocks.{}.img_mlp.0", "transformer_blocks.{}", ("ff.net.0.proj",)),
    ("double_blocks.{}.img_mlp.2", "transformer_blocks.{}", ("ff.net.2",)),
    ("double_blocks.{}.txt_mlp.0", "transformer_blocks.{}", ("ff_context.net.0.proj",)),
    ("double_blocks.{}.txt_mlp.2", "transformer_blocks.{}", ("ff_context.net.2",)),
    ("double_blocks.{}.img_mod.lin", "transformer_blocks.{}", ("norm1.linear",)),
    ("double_blocks.{}.txt_mod.lin", "transformer_blocks.{}", ("norm1_context.linear",)),
    ("single_blocks.{}.linear1", "single_transformer_blocks.{}", ("attn.to_q", "attn.to_k", "attn.to_v", "proj_mlp")),
    ("single_blocks.{}.linear2", "single_transformer_blocks.{}", ("proj_out",)),
    ("single_blocks.{}.modulation.lin", "single_transformer_blocks.{}", ("norm.linear",)),
)  # fmt: skip
"""Module of FLUX by its first authors -> block and modules of diffusers; several are one matrix, row after row."""


def _of_flux(modules: Mapping[str, Shape]) -> Iterator[tuple[str, Shape]]:
    """The modules of a transformer of FLUX under the names of its first authors."""
    for name in modules:
        found = re.fullmatch(r"(transformer_blocks|single_transformer_blocks)\.(\d+)\.(norm1?\.linear)", name)
        if found is None:
            continue
        for theirs, block, own in _FLUX:
            parts = [modules.get(f"{block.format(found[2])}.{one}") for one in own]
            if block.startswith(f"{found[1]}.") and all(parts):
                whole = [part for part in parts if part is not None]
                yield theirs.format(found[2]), (sum(part[0] for part in whole), *whole[0][1:])


# --- the comparison ---


class ModuleDifference(Struct, frozen=True):
    """A tensor that does not fit its module."""

    name: str
    module: str
    stored: Shape
    expected: tuple[int | None, ...]


class Compared(Struct, frozen=True):
    """An adapter compared with a base. unmatched: modules that the base does not have, as the adapter names them.

    unchecked: modules of components that the base does not show, or under names of which it says nothing. absent: those
    without a whole difference although their like in all other blocks, and others of their block, have one.
    """

    modules: int
    tensors: int
    unmatched: tuple[str, ...]
    unchecked: tuple[str, ...]
    differences: tuple[ModuleDifference, ...]
    absent: tuple[str, ...] = ()


def compare(modules: Sequence[ChangedModule], base: BaseModules) -> Compared:
    """Each module of an adapter with the one of the base that it changes."""
    matched = tensors = 0
    lost: dict[str, list[str]] = {}
    unchecked: list[str] = []
    differences: list[ModuleDifference] = []
    fitting: set[str] = set()
    for module in modules:
        shapes = _component(module.component, base)
        for index in (index for box in module.everywhere for index in tuples(box)):
            name = name_of(module.name, index) if "#" in module.name else module.name
            weight = None if shapes is None else shapes.get(plain(name))
            if shapes is None:
                unchecked.append(name)
            elif weight is None:
                lost.setdefault(module.component, []).append(name)
            else:
                matched += 1
                fitting.add(module.component)
                for part, stored in _at(module, index):
                    tensors += 1
                    expected = misfit(module.method, part, stored, weight, dict(_at(module, index)))
                    if expected is not None:
                        differences.append(ModuleDifference(_key(module, part, index), name, stored, expected))
    for component in [one for one in lost if one not in fitting]:
        of_another = "" in base.modules and fitting
        if of_another or all(_in_another_world(name) for name in lost[component]):
            unchecked.extend(lost.pop(component))
    unmatched = tuple(name for names in lost.values() for name in names)
    absent = tuple(_absent_of_full(modules, base))
    return Compared(matched + len(unmatched), tensors, unmatched, tuple(unchecked), tuple(differences), absent)


def _absent_of_full(modules: Sequence[ChangedModule], base: BaseModules) -> Iterator[str]:
    """Modules of the base that an adapter of whole differences lacks in one block alone."""
    stored: dict[str, set[str]] = {}
    for module in modules:
        if module.method in ("full", "") and not FULL.isdisjoint(module.parts):
            names = (name_of(module.name, index) if "#" in module.name else module.name
                     for box in module.everywhere for index in tuples(box))  # fmt: skip
            stored.setdefault(module.component, set()).update(plain(name) for name in names)
    for component, own in stored.items():
        groups: dict[str, list[str]] = {}
        for name in _component(component, base) or ():
            groups.setdefault(like(name), []).append(name)
        for group in groups.values():
            lost = [name for name in group if name not in own]
            if len(lost) == 1 and len(group) > 2 and any(one.startswith(_block(lost[0])) for one in own):
                yield lost[0]


def _block(name: str) -> str:
    """A name up to its last number: what all modules of its block begin with."""
    numbers = [found.end() for found in re.finditer(r"\d+", name)]
    return name[: numbers[-1] + 1] if numbers else name


def _in_another_world(name: str) -> bool:
    """Whether a name is of the model's first authors or of llama.cpp: a base under other names says nothing of it."""
    return any(sign in name for sign in AUTHORS)


def _component(component: str, base: BaseModules) -> Mapping[str, Shape] | None:
    """The modules of the part of the base that a component means.

    Empty where a pipeline lacks it, None where no part of the base is meant.
    """
    if "" in base.modules:
        return base.modules[""]
    for name in COMPONENTS.get(component, (component,)):
        if name in base.modules:
            return base.modules[name]
    if not component:
        return next((base.modules[name] for name in ("transformer", "unet") if name in base.modules), None)
    return {} if component in COMPONENTS else None


def _at(module: ChangedModule, index: tuple[int, ...]) -> Iterator[tuple[str, Shape]]:
    for part, (_, family) in module.parts.items():
        for stored in family.stored:
            if any(all(at in axis for at, axis in zip(index, box, strict=False)) for box in stored.boxes):
                yield part, stored.layout.shape


def _key(module: ChangedModule, part: str, index: tuple[int, ...]) -> str:
    key = module.parts[part][0]
    return name_of(key, index) if "#" in key else key


def misfit(
    method: str, part: str, stored: Shape, weight: Shape, parts: Mapping[str, Shape]
) -> tuple[int | None, ...] | None:
    """The shape that a part should have for a weight [out, in, kernel ...]; None where it fits or is free."""
    outputs, inputs = weight[0], prod(weight[1:])
    kernel = weight[2:] if len(weight) > 2 else ()
    wide = weight[1] if len(weight) > 1 else outputs
    if method == "lora":
        return _of_lora(part, stored, outputs, wide, kernel, "mid" in parts)
    if method == "lora, transposed":
        rows = {"down": ((wide, None), 0), "up": ((None, outputs), -1)}.get(part)
        return None if rows is None or stored[rows[1]] == rows[0][rows[1]] else rows[0]
    if method == "loha" and "t1" not in parts:
        if part in ("w1_a", "w2_a") and stored[0] != outputs:
            return outputs, None
        if part in ("w1_b", "w2_b") and prod(stored[1:]) != inputs:
            return None, inputs
    if method == "lokr" and part in ("w1", "w1_a") and (wanted := _of_lokr(parts, outputs, inputs)):
        return wanted
    if method == "full" and part == "diff" and prod(stored) != outputs * inputs:
        return weight
    if method == "oft" and part in ("blocks", "diag") and stored and prod(stored[:2]) != outputs and len(stored) == 3:
        return outputs // stored[1] if stored[1] else None, stored[1], stored[1]
    if method == "norm" and part == "w_norm" and prod(stored) != outputs:
        return (outputs,)
    if part == "diff_b" and prod(stored) != outputs:
        return (outputs,)
    if method == "ia3" and part == "weight" and prod(stored) not in (outputs, wide):
        return (outputs,)
    if part == "magnitude" and prod(stored) not in (outputs, wide):
        return (outputs,)
    return None


def _of_lora(
    part: str, stored: Shape, outputs: int, wide: int, kernel: Shape, tucker: bool
) -> tuple[int | None, ...] | None:
    if part == "up" and stored[0] != outputs:
        return outputs, None, *((1,) * len(kernel))
    if part == "down" and (
        len(stored) < 2
        or stored[1] != wide
        or (len(stored) > 2 and not tucker and kernel and stored[2:] not in (kernel, (1,) * len(kernel)))
    ):
        return None, wide, *kernel
    if part == "mid" and kernel and stored[2:] != kernel:
        return None, None, *kernel
    return None


def _of_lokr(parts: Mapping[str, Shape], outputs: int, inputs: int) -> tuple[int | None, ...] | None:
    """The shape of the first factor, where both do not multiply to the weight's; convolutions in any layout."""
    first, second = parts.get("w1"), parts.get("w2")
    left = first[0] if first else parts.get("w1_a", (0,))[0]
    right = second[0] if second else parts.get("w2_a", (0,))[0]
    if "t2" in parts or not left or not right:
        return None
    width = (prod(first[1:]) if first else prod(parts.get("w1_b", (0, 0))[1:])) * (
        prod(second[1:]) if second else prod(parts.get("w2_b", (0, 0))[1:])
    )
    if left * right == outputs and width == inputs:
        return None
    return outputs // right, None


def tool_findings(compared: Compared, base: BaseModules) -> Iterator[Finding]:
    """What does not fit: one finding where the base is another one, else one for each kind of difference."""
    if compared.unmatched:
        yield AdapterModulesUnmatched(
            base=base.name or base.source,
            names=compared.unmatched[:NAMES_SHOWN],
            modules=len(compared.unmatched),
            of=compared.modules,
        )
    if compared.absent:
        names, others = compared.absent[:NAMES_SHOWN], "the same module of other blocks"
        yield AdapterPartMissing(method="full", part="diff", modules=len(compared.absent), of=compared.modules,
                                 names=names, present=others)  # fmt: skip
    if 2 * len(compared.differences) > compared.tensors:
        first = compared.differences[0]
        example = ShapeExample(first.name, first.stored, first.expected)
        widths = other_widths((one.stored, one.expected) for one in compared.differences)
        yield AdapterBaseDiffers(base=base.name, source=base.source, tensors=len(compared.differences),
                                 of=compared.tensors, example=example, named=False, widths=widths)  # fmt: skip
        return
    for one in compared.differences[:3]:
        yield AdapterShapeDiffers(place=Place(tensor=one.name), stored=one.stored, expected=one.expected,
                                  tensors=1, module=one.module, base=base.name or base.source)  # fmt: skip
