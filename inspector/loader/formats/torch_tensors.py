"""Finds the tensors that a PyTorch pickle describes in its plain values. Pure and bounded.

Source: torch/_utils.py and torch/serialization.py of torch 2.13.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from inspector.budget import spend
from inspector.findings.finding import NAMES_SHOWN, Finding, Place
from inspector.loader.dtype import BITS, TORCH_NAMES
from inspector.loader.formats.pickle_values import GlobalName, OddKey, Persistent, PickledObject
from inspector.loader.layout import WORD

STEP_LIMIT: Final = 1_000_000
"""Most values that are visited to find the tensors, so that the search in a dict that contains itself ends."""
OBJECTS: Final = "the objects of the pickle"
COUNTED: Final = 20_000
"""Most values that are visited below a key next to the weights."""
DEPTH_LIMIT: Final = 64
NAME_LIMIT: Final = 4_096
NAMES_LIMIT: Final = 32_000_000
DIMS_LIMIT: Final = 64
STORAGES: Final[dict[str, str]] = {
    "DoubleStorage": "F64",
    "FloatStorage": "F32",
    "HalfStorage": "F16",
    "BFloat16Storage": "BF16",
    "LongStorage": "I64",
    "IntStorage": "I32",
    "ShortStorage": "I16",
    "CharStorage": "I8",
    "ByteStorage": "U8",
    "BoolStorage": "BOOL",
    "ComplexFloatStorage": "C64",
    "QInt8Storage": "I8",
    "QUInt8Storage": "U8",
    "QInt32Storage": "I32",
    "UntypedStorage": "U8",
}
"""Class of a storage -> dtype of its elements."""
_INSIDE: Final = ("state_dict", "model_state_dict", "model_state", "model", "module", "params_ema", "params", "net",
                  "network", "weights", "best_state", "generator", "teacher", "student", "policy", "actor",
                  "model_weights", "ema_state_dict", "model_ema", "ema_model", "ema", "state")  # fmt: skip
"""Keys below which programs save the weights if they save more than weights. The first one present is used."""
_OF_TRAINERS: Final = ("state_dict", "model_state_dict", "model_state", "model", "module")
"""Those of them below which training programs save nothing but weights."""


class Storage(Struct, frozen=True):
    """The bytes of tensors. values: number of values of the persistent id that names it."""

    dtype: str
    key: str | int
    elements: int
    bytes: int
    values: int


class PickledTensor(Struct, frozen=True):
    """A tensor as the pickle describes it. storage: None for a tensor without its own. meta: it has no data."""

    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int
    storage: Storage | None
    meta: bool = False


_ARGUMENTS: Final = {
    "_rebuild_tensor": (4,), "_rebuild_tensor_v2": (6, 7), "_rebuild_tensor_v3": (7, 8), "_rebuild_qtensor": (7,),
    "_rebuild_meta_tensor_no_storage": (4,), "_rebuild_parameter": (3,), "_rebuild_parameter_with_state": (4,),
}  # fmt: skip
"""Numbers of arguments that the functions of torch/_utils.py accept."""


ODD: Final = PickledTensor("", (), (), 0, None)
"""Represents the result of a call that would be a tensor if its arguments were valid."""


ALONE: Final = "tensor"
"""The name given to a single tensor that was saved without a dict."""


class Tensors:
    """Finds every tensor below a value by its path. complete: False if a limit was reached.

    odd_keys: keys at the top of a state dict that are not texts. not_dense: names of tensors with a sparse or nested
    layout -> the layout. without_data: names of tensors on the device "meta".
    """

    def __init__(self) -> None:
        self.complete = True
        self.odd_keys: list[str] = []
        self.not_dense: dict[str, str] = {}
        self.without_data: list[str] = []
        self._steps = self._name_bytes = 0

    def judged(self, place: Place) -> Iterator[Finding]:
        """The findings on tensors that a model cannot take: sparse or nested ones, and those without data."""
        if self.not_dense:
            from inspector.findings.header.pickle import TensorsNotDense

            shown = tuple(f"{name[:200]} ({layout})" for name, layout in list(self.not_dense.items())[:NAMES_SHOWN])
            yield TensorsNotDense(place=place, tensors=shown, count=len(self.not_dense))
        if self.without_data:
            from inspector.findings.header.pickle import TensorsWithoutData

            shown = tuple(name[:200] for name in self.without_data[:NAMES_SHOWN])
            yield TensorsWithoutData(place=place, tensors=shown, count=len(self.without_data))

    def below(self, value: object, prefix: str, depth: int = 0) -> Iterator[tuple[str, PickledTensor]]:
        """Every tensor below a value by its path, in the order of the file."""
        if depth > DEPTH_LIMIT:
            self.complete = False
            return
        alone = tensor_of(value)
        if alone is not None:
            yield ALONE, alone
            return
        holder = _mapping(value)
        if holder is not None:
            pairs: Iterator[tuple[object, object]] = iter(holder.items())
        elif isinstance(value, list | tuple):
            pairs = iter(enumerate(value))
        else:
            return
        for key, item in pairs:
            self._steps += 1
            spend(3, OBJECTS)
            if self._steps > STEP_LIMIT:
                self.complete = False
                return
            found = tensor_of(item)
            layout = "" if found is not None else _other_layout(item)
            if layout:
                self.not_dense[f"{prefix}{key}"[:NAME_LIMIT]] = layout
            if found is None and (layout or (_mapping(item) is None and not isinstance(item, list | tuple))):
                continue
            if _is_module(value) and key in ("_parameters", "_buffers", "_modules"):
                yield from self.below(item, prefix, depth + 1)
                continue
            name = f"{prefix}{key}"
            if type(key) is not str and holder is not None and (depth == 0 or isinstance(key, OddKey)):
                self.odd_keys.append(name)
            self._name_bytes += len(name)
            if len(name) > NAME_LIMIT or self._name_bytes > NAMES_LIMIT:
                self.complete = False
                continue
            if found is not None:
                if found.meta:
                    self.without_data.append(name)
                yield name, found
            elif not _is_module(value):
                yield from self.below(item, f"{name}.", depth + 1)


def weights_in(value: object) -> tuple[str, object, dict[str, int]]:
    """(key below which the weights are, the object that contains them, number of tensors below each other key)."""
    way: list[str] = []
    other_keys: dict[str, int] = {}
    for _ in range(4):
        holder = _mapping(value)
        if holder is None or _is_module(value):
            break
        below = {
            key: _count(item)
            for key, item in holder.items()
            if type(key) is str and (isinstance(item, dict | list | tuple) or _mapping(item) is not None)
            if tensor_of(item) is None and not (key == "state" and _is_of_optimizer(item))
        }
        key = next((key for key in _INSIDE if below.get(key)), None)
        beside = [other for other, item in holder.items() if tensor_of(item) is not None]
        if key is None or len(beside) >= below[key] or not all(type(other) is str for other in beside):
            break
        other_keys.update({other[:200]: 1 for other in beside})
        other_keys.update({other[:200]: count for other, count in below.items() if other != key and count})
        way.append(key)
        value = holder[key]
    return ".".join(way), value, other_keys


def _is_of_optimizer(value: object) -> bool:
    """True if a value is the state of an optimizer of torch, recognised by its integer keys."""
    return any(type(key) is int for key in islice(_mapping(value) or (), COUNTED))


def top_keys(value: object) -> int:
    """The number of keys at the top of a file."""
    holder = _mapping(value)
    return 0 if holder is None else len(holder)


def begins_with_floats(value: object) -> bool:
    """True if the first entries at the top of a file are tensors, including one of floats, before anything else."""
    for item in (_mapping(value) or {}).values():
        made = tensor_of(item)
        if made is None:
            return False
        if made.dtype.startswith(("F", "BF")):
            return True
    return False


def _count(value: object) -> int:
    """The number of tensors below a value, within limits of depth and count."""
    found, steps, stack = 0, 0, [value]
    while stack and steps < COUNTED:
        item = stack.pop()
        steps += 1
        spend(2, OBJECTS)
        if tensor_of(item) is not None:
            found += 1
            continue
        holder = _mapping(item)
        inner = holder.values() if holder is not None else item if isinstance(item, list | tuple) else ()
        stack.extend(islice(inner, max(0, COUNTED - len(stack))))
    return found


def _mapping(value: object) -> Mapping[Any, object] | None:
    """The dict that a value is or contains: the attributes of an object, or the entries of an instance
    of a dict class.
    """
    if isinstance(value, dict):
        return value
    if isinstance(value, PickledObject):
        if value.entries is not None:
            return value.entries
        if isinstance(value.state, dict):
            return value.state
        if isinstance(value.state, tuple) and len(value.state) == 2 and isinstance(value.state[0], dict):
            return value.state[0]
    return None


def _is_module(value: object) -> bool:
    """True if a value is a pickled torch.nn.Module."""
    return isinstance(value, PickledObject) and isinstance(value.state, dict) and "_parameters" in value.state


def without_weights(
    value: object, place: Place, inside: str, tensors: int, other_keys: Mapping[str, int]
) -> Finding | None:
    """The finding on a file without weights; None if it has some, or is an empty dict. tensors: number of those."""
    emptied = "" if inside else _emptied(value)
    if emptied:
        from inspector.findings.header.torch import StateDictEmpty

        holder = _mapping(value) or {}
        counts = {key: _count(item) for key, item in holder.items() if type(key) is str and key != emptied}
        beside = {**other_keys, **{key[:200]: count for key, count in counts.items() if count}}
        return StateDictEmpty(place=place, key=emptied, beside=tuple(beside)[:4])
    if tensors or (isinstance(value, dict) and not value):
        return None
    from inspector.findings.header.torch import NoTensors

    return NoTensors(place=place, what=summary_of(value))


def _emptied(value: object) -> str:
    """The key of the weights of a training checkpoint that has none below it; "" if there is no such key."""
    holder = _mapping(value)
    if holder is None or _is_module(value) or any(tensor_of(item) is not None for item in holder.values()):
        return ""
    return next((key for key in _OF_TRAINERS if key in holder and len(holder) > 1 and _is_empty(holder[key])), "")


def _is_empty(value: object) -> bool:
    """True for a dict or an ordered dict without entries, whatever its attributes are."""
    if isinstance(value, PickledObject):
        name = value.of
        ordered = isinstance(name, GlobalName) and (name.module, name.name) == ("collections", "OrderedDict")
        return ordered and not value.entries and not value.arguments
    return isinstance(value, dict) and not value


def summary_of(value: object) -> str:
    """The top of a pickle in words."""
    if isinstance(value, PickledObject):
        return f"an object of {str(value.of)[:100]}" if isinstance(value.of, GlobalName) else "an object"
    if isinstance(value, dict):
        return f"a dict of {len(value)}"
    if isinstance(value, list | tuple):
        return f"a list of {len(value)}"
    return "a number" if isinstance(value, int | float) else "a string" if isinstance(value, str) else "nothing"


def tensor_of(value: object) -> PickledTensor | None:
    """The tensor that a call in the pickle would create; None if it creates something else."""
    for _ in range(8):
        if (
            not isinstance(value, PickledObject)
            or not isinstance(value.of, GlobalName)
            or not isinstance(value.arguments, tuple)
        ):
            return None
        name, arguments = value.of.name, value.arguments
        if not arguments or not value.of.module.startswith("torch"):
            return None
        if len(arguments) not in _ARGUMENTS.get(name, (len(arguments),)):
            return ODD
        if name in ("_rebuild_parameter", "_rebuild_parameter_with_state", "Parameter", "Buffer"):
            value = arguments[0]
        elif name == "_rebuild_from_type_v2" and len(arguments) >= 3:
            value = PickledObject(arguments[0], arguments[2])
        elif name in ("_rebuild_tensor", "_rebuild_tensor_v2", "_rebuild_tensor_v3", "_rebuild_qtensor"):
            return _viewed(name, arguments)
        elif name == "_rebuild_meta_tensor_no_storage":
            made = _described(arguments[0], arguments[1], arguments[2])
            return made if made is ODD else replace(made, meta=True)
        elif name == "_rebuild_wrapper_subclass" and len(arguments) >= 4:
            return _described(arguments[1], arguments[2], arguments[3])
        else:
            return None
    return None


def _other_layout(value: object) -> str:
    """The layout of a tensor that is not dense, such as "sparse", "sparse csr" or "nested"; else ""."""
    if not isinstance(value, PickledObject) or not isinstance(value.of, GlobalName):
        return ""
    module, name = value.of.module, value.of.name
    if module != "torch._utils" or not name.startswith("_rebuild_"):
        return ""
    return name.removeprefix("_rebuild_").removesuffix("_tensor").replace("_", " ")


def _viewed(name: str, arguments: tuple[Any, ...]) -> PickledTensor:
    storage = storage_of(arguments[0])
    shape, strides = _dims(arguments[2]), _dims(arguments[3])
    offset = arguments[1]
    if storage is None or shape is None or strides is None or len(shape) != len(strides):
        return ODD
    if type(offset) is not int or not 0 <= offset < WORD:
        return ODD
    dtype = storage.dtype
    if name == "_rebuild_tensor_v3":
        if not isinstance(arguments[6], GlobalName):
            return ODD
        dtype = TORCH_NAMES.get(arguments[6].name, arguments[6].name)
    return PickledTensor(dtype, shape, strides, offset, storage)


def _described(dtype: object, shape: object, strides: object) -> PickledTensor:
    dims = _dims(shape)
    if dims is None or not isinstance(dtype, GlobalName):
        return ODD
    return PickledTensor(TORCH_NAMES.get(dtype.name, dtype.name), dims, _dims(strides) or (0,) * len(dims), 0, None)


def _dims(value: object) -> tuple[int, ...] | None:
    """Dims or strides: a tuple, a list, or torch.Size of one."""
    if isinstance(value, PickledObject) and isinstance(value.arguments, tuple) and len(value.arguments) == 1:
        value = value.arguments[0]
    if not isinstance(value, list | tuple) or len(value) > DIMS_LIMIT:
        return None
    return tuple(value) if all(type(dim) is int and 0 <= dim < WORD for dim in value) else None


def storage_of(value: object) -> Storage | None:
    """The storage that a persistent id means: ("storage", class, key, device, elements, ...)."""
    if not isinstance(value, Persistent) or not isinstance(value.key, tuple) or len(value.key) < 5:
        return None
    kind, of, key, _, elements = value.key[:5]
    if kind not in ("storage", b"storage") or not isinstance(of, GlobalName) or type(elements) is not int:
        return None
    if type(key) not in (str, int) or elements < 0:
        return None
    elements = min(elements, WORD)
    dtype = STORAGES.get(of.name, of.name)
    return Storage(dtype, key, elements, elements * BITS.get(dtype, 128) // 8, len(value.key))


def storages_of(persistent: Iterable[Persistent]) -> tuple[dict[str | int, Storage], list[Persistent]]:
    """(the requested storages by key, the persistent ids that do not mean a storage).

    torch loads each key only once, except that it loads an empty storage again.
    """
    storages: dict[str | int, Storage] = {}
    odd: list[Persistent] = []
    for one in persistent:
        spend(1, OBJECTS)
        storage = storage_of(one)
        if storage is None:
            odd.append(one)
        elif storage.key not in storages or not storages[storage.key].bytes:
            storages[storage.key] = storage
    return storages, odd
