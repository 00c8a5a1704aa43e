"""An adapter of another tool than PEFT compared with its base: which of its modules the base has, and whether they fit.

Tools name the modules of the model in memory, with underscores for dots (sd-scripts, LyCORIS) or with the names of the
model's first authors (ComfyUI, sd-scripts for SDXL and FLUX). The base names them as its files and its definition do.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

from msgspec import Struct

from inspector.adapters.author_names import in_authors_names, in_names_of_ldm
from inspector.adapters.base import BaseTensor, other_widths
from inspector.adapters.changed_modules import ChangedModule, like
from inspector.adapters.image_prompt_base import attention_to_text, of_image_prompt
from inspector.adapters.rotated_pieces import misfit_of_pieces
from inspector.adapters.tool_modules import FULL
from inspector.adapters.tool_shapes import Shape, is_wider, misfit
from inspector.adapters.tools import PIECES
from inspector.algebra.boxes import count, tuples
from inspector.algebra.names import name_of
from inspector.findings.adapters.tensors import AdapterShapeDiffers
from inspector.findings.adapters.tools import AdapterModulesUnmatched, AdapterPairDiffers, AdapterPartMissing
from inspector.findings.adapters.whole import AdapterBaseDiffers, ShapeExample
from inspector.findings.finding import NAMES_SHOWN, Finding, Place

COMPONENTS: Final[Mapping[str, tuple[str, ...]]] = {
    "unet": ("unet", "transformer", "prior"), "transformer": ("transformer", "unet"),
    "diffusion_model": ("transformer", "unet"), "prior": ("prior", "unet"),
    "text_encoder": ("text_encoder",), "text_encoder_2": ("text_encoder_2",),
    "text_encoder_3": ("text_encoder_3", "text_encoder_2"),  # T5, which is the second of FLUX
    "transformer_2": ("transformer_2",), "controlnet": ("controlnet",),
    "text_conditioner": ("text_conditioner",), "connectors": ("connectors",),
}  # fmt: skip
"""Component of an adapter -> what a pipeline may call it."""
BESIDE: Final = frozenset({"text_conditioner", "connectors"})
"""Parts beside a transformer, whose modules have names that it has too: a base of one model is not both."""
PREFIXES: Final = ("base_model_model_", "model_", "text_model_")
WIDENED: Final = frozenset({"x_embedder"})
"""Modules that diffusers widens for an adapter which reads a control image too (FLUX.1 Canny and Depth)."""
PAIR: Final = ("down", "up")
"""The matrices of a low rank; those of an embedding in MLX are [vocabulary, r] and [r, width]."""
OF_PEFT: Final = re.compile(r"(?:unet|transformer)\..*\.lora(?:_[AB]|\.down|\.up)\.weight")
"""Names that diffusers gives to PEFT's modules as they are: these take no matrix for a convolution of one point."""
PROMPTED: Final = ("ip-adapter", "image projection")
"""The methods whose matrices are beside those of the attention to the text, or before them."""
VECTORS: Final = "textual inversion"
"""The method whose tensors are vectors of words, which belong to no module but to the table of a text encoder."""
ENCODERS: Final = (
    ("clip_l", "text_encoder"), ("text_encoders_0", "text_encoder"), ("clip_g", "text_encoder_2"),
    ("text_encoders_1", "text_encoder_2"), ("t5", "text_encoder_3"),
)  # fmt: skip
"""What the name of vectors has in it, and the text encoder that they are for; others are for any."""
TABLES_OF_WORDS: Final = ("token_embedding", "shared", "embed_tokens", "word_embeddings", "wte")
"""Ends of the names of the tables of text encoders."""
AUTHORS: Final = ("input_blocks", "output_blocks", "middle_block", "double_blocks", "single_blocks")
"""Parts of names that only the files of a model's first authors have."""


class BaseModules(Struct, frozen=True):
    """What a base has.

    modules: component ("" for a base of one model) -> plain name of a weight -> its shape. authors: the components
    of which the names by their first authors are among these. tables: plain names of embeddings. kinds: the class or
    type of a component. own: component -> plain name -> the name of a module in its class. listed: the components that
    the index of a pipeline has.
    """

    name: str
    source: str
    modules: Mapping[str, Mapping[str, Shape]]
    authors: frozenset[str] = frozenset()
    tables: frozenset[str] = frozenset()
    kinds: Mapping[str, str] = {}
    own: Mapping[str, Mapping[str, str]] = {}
    listed: frozenset[str] = frozenset()


def plain(name: str) -> str:
    """A name as Kohya's tools write it, without the prefixes that a model has in some releases of its library."""
    spelled = name.replace(".", "_")
    for prefix in PREFIXES:
        spelled = spelled.removeprefix(prefix)
    return spelled


def shapes_of(
    kind: str, tensors: Iterable[BaseTensor], stored: Mapping[str, Shape], layers: int = 0
) -> dict[str, Shape]:
    """Plain name of each module of a model -> shape of its weight, in all spellings that adapters use.

    kind: its class or type. stored: names in its files. layers: of each block of a UNet, which number the blocks of its
    first authors; 0 where they are unknown.
    """
    found = dict(_of_class(tensors))
    found.update({name.removesuffix(".weight"): shape for name, shape in stored.items() if name.endswith(".weight")})
    found = {name: shape for name, shape in found.items() if shape}
    spelled = {**dict(in_authors_names(kind, found)), **found}
    if layers:
        spelled |= dict(in_names_of_ldm(found, layers))
    return {plain(name): shape for name, shape in spelled.items()}


def own_names(tensors: Iterable[BaseTensor]) -> dict[str, str]:
    """Plain name of each module of a model -> its name in the class."""
    return {plain(name): name for name, _ in _of_class(tensors)}


def _of_class(tensors: Iterable[BaseTensor]) -> Iterator[tuple[str, Shape]]:
    """Name in its class and shape of each module with a weight."""
    for tensor in tensors:
        shape = tuple(dim for dim in tensor.shape if dim is not None)
        if tensor.ending == ".weight" and len(shape) == len(tensor.shape):
            yield from ((name_of(tensor.module, index), shape) for index in tuples(tensor.axes))


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
    several = len({module.component for module in modules}) > 1
    apart = BESIDE if several and "" in base.modules else frozenset[str]()
    attention = _attention(base)
    for module in modules:
        if module.method in PROMPTED and attention:
            continue
        if module.method == VECTORS:
            tensors += sum(count(module.boxes(part)) for part in module.parts)
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
            if shapes is None or (weight is None and (module.method == "norm" or name.startswith("blk."))):
                unchecked.append(name)  # some norms have no weights, and llama.cpp has stacked matrices
            elif weight is None:
                lost.setdefault(module.component, []).append(name)
            else:
                matched += 1
                fitting.add(module.component)
                differences.extend(_of_pieces(module, name, weight))
                tensors += len(dict(_at(module, index)))
                differences.extend(_differing(module, index, name, weight, base))
    if attention:
        checked, differing, beyond = of_image_prompt(modules, attention)
        tensors, matched = tensors + checked, matched + checked
        differences.extend(ModuleDifference(*one) for one in differing)
        if beyond:
            lost[""] = [*lost.get("", ()), *beyond]
            fitting.add("")
    for component in [one for one in lost if one not in fitting]:
        of_another = "" in base.modules and fitting
        named = component_name(component, base) in base.authors
        if of_another or (not named and all(_in_another_world(name) for name in lost[component])):
            unchecked.extend(lost.pop(component))
    unmatched = tuple(name for names in lost.values() for name in names)
    absent = tuple(_absent_of_full(modules, base))
    return Compared(matched + len(unmatched), tensors, unmatched, tuple(unchecked), tuple(differences), absent)


def _of_pieces(module: ChangedModule, name: str, weight: Shape) -> Iterator[ModuleDifference]:
    """The rotations of joined matrices that do not cover the outputs of a weight together."""
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
    """The shape of a matrix in PEFT's module: a convolution's has a kernel, of which the second one is of one point."""
    kernel = weight[2:]
    return (None, *weight[1:]) if part == PAIR[0] else (weight[0], None, *(1 for _ in kernel))


def _attention(base: BaseModules) -> Sequence[Shape]:
    """The attention to the text of the base's UNet; empty where it has none under diffusers' names."""
    name = component_name("unet", base)
    return () if name is None else attention_to_text(base.modules[name])


def _encoder_of(name: str) -> str | None:
    """The text encoder that vectors are for, by their name; None where it names none."""
    return next((one for sign, one in ENCODERS if sign in name), None)


def _lacked_encoder(name: str, base: BaseModules) -> str | None:
    """The text encoder of some vectors, where the base is a pipeline without one."""
    encoder = None if name.startswith("<") else _encoder_of(name)  # a token's own name may have any letters
    lacks = encoder is not None and base.listed.isdisjoint(COMPONENTS[encoder])
    return encoder if lacks and any("text_encoder" in one for one in base.listed) else None


def _of_vectors(module: ChangedModule, base: BaseModules) -> Iterator[ModuleDifference]:
    """Vectors of words that are as wide as no text encoder of the base; nothing where it shows none."""
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
    """Whether a name is of the model's first authors: a base under other names says nothing of it."""
    return any(sign in name for sign in AUTHORS)


def _component(component: str, base: BaseModules) -> Mapping[str, Shape] | None:
    """The modules of the part of the base that a component means.

    Empty where a pipeline lacks it, None where no part of the base is meant.
    """
    name = component_name(component, base)
    return base.modules[name] if name is not None else {} if component in COMPONENTS else None


def component_name(component: str, base: BaseModules) -> str | None:
    """The name in the base of the part that a component means."""
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


def tool_findings(compared: Compared, base: BaseModules, known: Sequence[Finding]) -> Iterator[Finding]:
    """What does not fit: one finding where the base is another one, else one for each kind of difference.

    known: the findings on the adapter by itself; a module whose pair does not fit together is among these.
    """
    widths = other_widths((one.stored, one.expected) for one in compared.differences)
    alike = len(widths) == 1 and len({one.module for one in compared.differences}) > 1
    of_all = alike or (
        len({one.module for one in compared.differences}) > 1
        and all(len(one.stored) != len(one.expected) for one in compared.differences)
    )  # a convolution of one point for a matrix, or the other way round, as releases of a UNet have them
    another = of_all or 2 * len(compared.differences) > compared.tensors
    most = 2 * len(compared.unmatched) > compared.modules
    if compared.unmatched and (most or not another):
        yield AdapterModulesUnmatched(
            base=base.name or base.source,
            names=compared.unmatched[:NAMES_SHOWN],
            modules=len(compared.unmatched),
            of=compared.modules,
        )
    if most:
        return  # another base: that what the two share differs too follows from it
    if compared.absent:
        names, others = compared.absent[:NAMES_SHOWN], "the same module of other blocks"
        yield AdapterPartMissing(method="full", part="diff", modules=len(compared.absent), of=compared.modules,
                                 names=names, present=others)  # fmt: skip
    if another:
        first = compared.differences[0]
        example = ShapeExample(first.name, first.stored, first.expected)
        yield AdapterBaseDiffers(base=base.name, source=base.source, tensors=len(compared.differences),
                                 of=compared.tensors, example=example, named=False, widths=widths)  # fmt: skip
        return
    incomplete = [one for one in known if isinstance(one, AdapterPartMissing)]
    pairs = [pair for one in known if isinstance(one, AdapterPairDiffers) for pair in one.pairs]
    stems = [*(pair.first for pair in pairs), *(f"{name}." for one in incomplete for name in one.names)]
    apart = (one for one in compared.differences if not any(f"{one.module}." in stem for stem in stems))
    for one in islice(apart, 3):
        yield AdapterShapeDiffers(place=Place(tensor=one.name), stored=one.stored, expected=one.expected,
                                  tensors=1, module=one.module, base=base.name or base.source)  # fmt: skip
