"""Compares an adapter of another tool than PEFT with its base: finds each module of the adapter in the base and checks
its shapes.

Tools name the modules of the model in memory, with underscores for dots (sd-scripts, LyCORIS) or with the names of the
model's first authors (ComfyUI, sd-scripts for SDXL and FLUX). The base names them as its files and its definition do.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from typing import Final

from msgspec import Struct

from inspector.adapters.author_names import in_authors_names, in_names_of_ldm, in_own_names
from inspector.adapters.base import BaseTensor
from inspector.adapters.changed_modules import ChangedModule, like
from inspector.adapters.image_prompt_base import absent_layers, attention_to_text, of_image_prompt
from inspector.adapters.joined_attention import is_pair
from inspector.adapters.rotated_pieces import misfit_of_pieces
from inspector.adapters.tool_modules import FULL
from inspector.adapters.tool_shapes import Shape, is_wider, misfit
from inspector.adapters.tools import PIECES, VECTORS
from inspector.adapters.trained_on import trained_on
from inspector.algebra.boxes import count, tuples
from inspector.algebra.names import name_of

COMPONENTS: Final[Mapping[str, tuple[str, ...]]] = {
    "unet": ("unet", "transformer", "prior"), "transformer": ("transformer", "unet"),
    "diffusion_model": ("transformer", "unet"), "prior": ("prior", "unet"),
    "text_encoder": ("text_encoder",), "text_encoder_2": ("text_encoder_2",),
    "text_encoder_3": ("text_encoder_3", "text_encoder_2"),  # T5, which is the second of FLUX
    "transformer_2": ("transformer_2",), "controlnet": ("controlnet",),
    "text_conditioner": ("text_conditioner",), "connectors": ("connectors",),
}  # fmt: skip
"""Component of an adapter -> possible names of this component in a pipeline."""
BESIDE: Final = frozenset({"text_conditioner", "connectors"})
"""Parts next to a transformer that share module names with it: a base of one model is not both."""
PREFIXES: Final = ("base_model_model_", "model_", "text_model_")
WIDENED: Final = frozenset({"x_embedder"})
"""Modules that diffusers widens for an adapter that also reads a control image (FLUX.1 Canny and Depth)."""
PAIR: Final = ("down", "up")
"""The low-rank matrices; for an embedding in MLX they are [vocabulary, r] and [r, width]."""
OF_PEFT: Final = re.compile(r"(?:unet|transformer)\..*\.lora(?:_[AB]|\.down|\.up)\.weight")
"""Names that diffusers passes to PEFT's modules unchanged: these modules accept no matrix for a convolution with a
kernel of size 1.
"""
PROMPTED: Final = ("ip-adapter", "image projection")
"""The methods with matrices next to those of the attention to the text, or before them."""
ENCODERS: Final = (
    ("clip_l", "text_encoder"), ("text_encoders_0", "text_encoder"), ("clip_g", "text_encoder_2"),
    ("text_encoders_1", "text_encoder_2"), ("t5", "text_encoder_3"),
)  # fmt: skip
"""(part of the name of vectors, text encoder that they are for); other vectors may be for any encoder."""
TABLES_OF_WORDS: Final = ("token_embedding", "shared", "embed_tokens", "word_embeddings", "wte")
"""Endings of the names of text encoders' token tables."""
MODULATIONS: Final = (".modulation", ".scale_shift_table")
"""Endings of the vectors of a block in Wan, in its authors' names and in diffusers, which `diff_m` changes."""
AUTHORS: Final = ("input_blocks", "output_blocks", "middle_block", "double_blocks", "single_blocks")
"""Parts of names that only files of a model's first authors contain."""


class BaseModules(Struct, frozen=True):
    """The modules of a base.

    modules: component ("" for a base of one model) -> plain name of a weight -> its shape. authors: the components that
    are included under their first authors' names. tables: plain names of embeddings. kinds: the class or type of a
    component. own: component -> plain name -> the name of a module in its class. listed: the components in the index of
    a pipeline. spelled: component -> the names of all modules with their dots.
    """

    name: str
    source: str
    modules: Mapping[str, Mapping[str, Shape]]
    authors: frozenset[str] = frozenset()
    tables: frozenset[str] = frozenset()
    kinds: Mapping[str, str] = {}
    own: Mapping[str, Mapping[str, str]] = {}
    listed: frozenset[str] = frozenset()
    spelled: Mapping[str, Collection[str]] = {}


def plain(name: str) -> str:
    """A name in the format of Kohya's tools, without the prefixes that a model has in some releases of its library."""
    spelled = name.replace(".", "_")
    for prefix in PREFIXES:
        spelled = spelled.removeprefix(prefix)
    return spelled


def spelled_shapes(
    kind: str, tensors: Iterable[BaseTensor], stored: Mapping[str, Shape], layers: int = 0
) -> dict[str, Shape]:
    """Name of each module of a model -> shape of its weight, in all naming schemes of adapters.

    kind: its class or type. stored: names in its files. layers: of each block of a UNet, by which its first authors
    number the blocks; 0 if unknown.
    """
    found = dict(_of_class(tensors))
    found.update({name.removesuffix(".weight"): shape for name, shape in stored.items() if name.endswith(".weight")})
    found.update({
        name.removesuffix(one): shape for name, shape in stored.items() for one in MODULATIONS if name.endswith(one)
    })  # fmt: skip
    found = {name: shape for name, shape in found.items() if shape}
    found = {**dict(in_own_names(kind, found)), **found}
    spelled = {**dict(in_authors_names(kind, found)), **found}
    if layers:
        spelled |= dict(in_names_of_ldm(found, layers))
    return spelled


def own_names(tensors: Iterable[BaseTensor]) -> dict[str, str]:
    """Plain name of each module of a model -> its name in the class."""
    weights = (one for one in tensors if one.ending == ".weight")
    names = (name_of(one.module, index) for one in weights for index in tuples(one.axes))
    return {plain(name): name for name in names}


def _of_class(tensors: Iterable[BaseTensor]) -> Iterator[tuple[str, Shape]]:
    """(name in its class, shape) of each module with a weight, or with the vectors of a modulation."""
    for tensor in tensors:
        shape = tuple(dim for dim in tensor.shape if dim is not None)
        if tensor.ending in (".weight", *MODULATIONS) and len(shape) == len(tensor.shape):
            yield from ((name_of(tensor.module, index), shape) for index in tuples(tensor.axes))


# --- the comparison ---


class ModuleDifference(Struct, frozen=True):
    """A tensor that does not fit its module."""

    name: str
    module: str
    stored: Shape
    expected: tuple[int | None, ...]


class Compared(Struct, frozen=True):
    """The result of comparing an adapter with a base. unmatched: modules that the base lacks, under the adapter's
    names.

    unchecked: modules of components that the base does not show, or under names that cannot be compared. absent:
    modules without a full difference although the same module of all other blocks, and other modules of their block,
    have one. widened: modules with several times the base's inputs -> the numbers of inputs of both. layers: those
    of the base's attention that an IP-Adapter lacks. pairs: all are pairs of matrices of low rank. model: `trained_on`.
    """

    modules: int
    tensors: int
    unmatched: tuple[str, ...]
    unchecked: tuple[str, ...]
    differences: tuple[ModuleDifference, ...]
    absent: tuple[str, ...] = ()
    widened: Mapping[str, tuple[int, int]] = {}
    layers: tuple[str, ...] = ()
    pairs: bool = False
    model: str = ""


def compare(modules: Sequence[ChangedModule], base: BaseModules) -> Compared:
    """Compares each module of an adapter with the module of the base that it changes."""
    matched = tensors = 0
    lost: dict[str, list[str]] = {}
    unchecked: list[str] = []
    differences: list[ModuleDifference] = []
    fitting: set[str] = set()
    widened: dict[str, tuple[int, int]] = {}
    several = len({module.component for module in modules}) > 1
    apart = BESIDE if several and "" in base.modules else frozenset[str]()
    attention = _attention(base)
    for module in modules:
        if module.method in PROMPTED and attention:
            continue
        if module.method == VECTORS:
            tensors += count(module.boxes("vectors"))
            differences.extend(_of_vectors(module, base))
            if (encoder := _lacked_encoder(module.name, base)) is not None:
                lost.setdefault(encoder, []).append(module.name)
            continue
        shapes = None if module.component in apart else _component(module.component, base)
        for index in (index for box in module.everywhere for index in tuples(box)):
            name = name_of(module.name, index) if "#" in module.name else module.name
            weight = None if shapes is None else shapes.get(plain(name))
            if weight is None and module.component == "controlnet" and module.method != "lora":
                continue  # what a ControlNet has and a UNet does not
            if module.method == "hint":
                continue
            if shapes is None or (weight is None and (_of_vectors_alone(module) or name.startswith("blk."))):
                unchecked.append(name)  # some norms have no weights, and llama.cpp has stacked matrices
            elif weight is None:
                lost.setdefault(module.component, []).append(name)
            else:
                matched += 1
                fitting.add(module.component)
                differences.extend(_of_pieces(module, name, weight))
                tensors += len(dict(_at(module, index)))
                down = dict(_at(module, index)).get(PAIR[0])
                if plain(name) in WIDENED and down is not None and is_wider(down, weight):
                    widened[name] = (down[1], weight[1])
                differences.extend(_differing(module, index, name, weight, base))
    layers: tuple[str, ...] = ()
    if attention:
        checked, differing, beyond = of_image_prompt(modules, attention)
        tensors, matched = tensors + checked, matched + checked
        differences.extend(ModuleDifference(*one) for one in differing)
        if beyond:
            lost[""] = [*lost.get("", ()), *beyond]
            fitting.add("")
        layers = () if beyond or differing else tuple(absent_layers(modules, len(attention)))
    for component in _of_another(lost, fitting, base):
        unchecked.extend(lost.pop(component))
    unmatched = tuple(name for names in lost.values() for name in names)
    return Compared(
        matched + len(unmatched), tensors, unmatched, tuple(unchecked), tuple(differences),
        tuple(_absent_of_full(modules, base)), widened, layers, all(is_pair(module) for module in modules),
        trained_on(modules, base.modules.values()),
    )  # fmt: skip


def _of_another(lost: Mapping[str, Sequence[str]], fitting: Set[str], base: BaseModules) -> list[str]:
    """The components of which no module is in the base, because the base is another part or has other names."""
    beside = "" in base.modules and bool(fitting)
    return [
        one
        for one, names in lost.items()
        if one not in fitting
        and (beside or (component_name(one, base) not in base.authors and all(map(_in_another_world, names))))
    ]


def _of_vectors_alone(module: ChangedModule) -> bool:
    """True for the difference of a norm: norms may have no weight, and the tables of authors' names are of matrices."""
    layouts = (one.layout for _, family in module.parts.values() for one in family.stored)
    return module.method == "norm" or all(len(one.shape) < 2 for one in layouts)


def _of_pieces(module: ChangedModule, name: str, weight: Shape) -> Iterator[ModuleDifference]:
    """The differences of rotations for joined matrices that together do not cover the outputs of a weight."""
    if PIECES not in module.parts:
        return
    wrong = misfit_of_pieces(module.parts[PIECES][1], weight[0])
    if wrong is not None:
        yield ModuleDifference(wrong[0], name, wrong[1], wrong[2])


def _differing(
    module: ChangedModule, index: tuple[int, ...], name: str, weight: Shape, base: BaseModules
) -> Iterator[ModuleDifference]:
    """The tensors of a module that do not fit its weight."""
    parts = dict(_at(module, index))
    for part, stored in parts.items():
        if part == PIECES:
            continue
        turned = plain(name) in base.tables and module.method == "lora, transposed" and part in PAIR
        if plain(name) in WIDENED and part == "down" and is_wider(stored, weight):
            continue
        expected = misfit(module.method, part, stored, weight[::-1] if turned else weight, parts)
        if expected is None and part in PAIR and module.method == "lora" and len(stored) != len(weight):
            expected = _as_peft_builds(part, weight) if OF_PEFT.match(module.parts[part][0]) else None
        if expected is not None:
            yield ModuleDifference(_key(module, part, index), name, stored, expected)


def _as_peft_builds(part: str, weight: Shape) -> tuple[int | None, ...]:
    """The shape of a matrix in PEFT's module: for a convolution, the first matrix has its kernel and the second a
    kernel of size 1.
    """
    kernel = weight[2:]
    return (None, *weight[1:]) if part == PAIR[0] else (weight[0], None, *(1 for _ in kernel))


def _attention(base: BaseModules) -> Sequence[Shape]:
    """The shapes of the attention to the text in the base's UNet; empty if it has none under diffusers' names."""
    name = component_name("unet", base)
    return () if name is None else attention_to_text(base.modules[name])


def _encoder_of(name: str) -> str | None:
    """The text encoder for vectors of this name; None if the name indicates none."""
    return next((one for sign, one in ENCODERS if sign in name), None)


def _lacked_encoder(name: str, base: BaseModules) -> str | None:
    """The text encoder for vectors of this name, if the base is a pipeline without this encoder."""
    encoder = None if name.startswith("<") else _encoder_of(name)  # a token's own name may have any letters
    lacks = encoder is not None and base.listed.isdisjoint(COMPONENTS[encoder])
    return encoder if lacks and any("text_encoder" in one for one in base.listed) else None


def _of_vectors(module: ChangedModule, base: BaseModules) -> Iterator[ModuleDifference]:
    """Findings on token vectors with a width that fits no text encoder of the base; none if the base
    shows no encoder.
    """
    component = _encoder_of(module.name)
    named = None if component is None else component_name(component, base)
    parts = [one for one in base.modules if "text_encoder" in one or not one] if component is None else [named or ""]
    widths = {
        shape[-1]
        for part in parts
        for table, shape in base.modules.get(part, {}).items()
        if table in base.tables and table.endswith(TABLES_OF_WORDS)
    }
    key, family = module.parts["vectors"]
    for stored in family.stored if widths else ():
        if stored.layout.shape[-1:] and stored.layout.shape[-1] not in widths:
            expected = (None, widths.pop() if len(widths) == 1 else None)
            yield ModuleDifference(key, module.name, stored.layout.shape, expected)


def _absent_of_full(modules: Sequence[ChangedModule], base: BaseModules) -> Iterator[str]:
    """Modules of the base that an adapter of full differences lacks in exactly one block."""
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
    """A name up to its last number: the common beginning of all modules of its block."""
    numbers = [found.end() for found in re.finditer(r"\d+", name)]
    return name[: numbers[-1] + 1] if numbers else name


def _in_another_world(name: str) -> bool:
    """True if a name is in the scheme of the model's first authors: a base under other names cannot be compared with
    it.
    """
    return any(sign in name for sign in AUTHORS)


def _component(component: str, base: BaseModules) -> Mapping[str, Shape] | None:
    """The modules of the base's part for a component of the adapter.

    Empty if a pipeline lacks it, None if no part of the base corresponds to it.
    """
    name = component_name(component, base)
    return base.modules[name] if name is not None else {} if component in COMPONENTS else None


def component_name(component: str, base: BaseModules) -> str | None:
    """The name of the base's part for a component of the adapter."""
    names = ("", *COMPONENTS.get(component, (component,)), *(() if component else ("transformer", "unet")))
    return next((name for name in names if name in base.modules), None)


def _at(module: ChangedModule, index: tuple[int, ...]) -> Iterator[tuple[str, Shape]]:
    for part, (_, family) in module.parts.items():
        for stored in family.stored:
            if any(all(at in axis for at, axis in zip(index, box, strict=False)) for box in stored.boxes):
                yield part, stored.layout.shape


def _key(module: ChangedModule, part: str, index: tuple[int, ...]) -> str:
    key = module.parts[part][0]
    return name_of(key, index) if "#" in key else key
