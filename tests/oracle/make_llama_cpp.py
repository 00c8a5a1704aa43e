"""Make `inspector/dialects/llama_cpp.json`: tensors and keys that llama.cpp reads for each architecture, measured.

    python -m tests.oracle.make_llama_cpp LIBRARY [architecture ...]

LIBRARY is the extension module of xllamacpp 2026.10.11549, which exports llama.cpp's functions. For each architecture
the key-values of its records in `fixtures/gguf.json.gz` (or those of `KEYS`, where there is none) are loaded without
tensors; llama.cpp reports a missing tensor, or the expected shape of one, until the file loads. Then all tensor
names in the library are added with an impossible shape: it reports those that it reads, and counts the others
("wrong number of tensors"). This is repeated without each key, and with keys of experts and of layers that
predict further tokens, which determine the tensors.

The file has for each architecture: `keys`, those that it refuses to be without; `read`, the families of tensors that it
reads, with any of the keys, or nothing where a record has one that was not found; `needs`, those of them without which
no file loads; `spares`, those that records have and of which one may be missing; `sizes`, keys without which the shapes
of no record fit. For each kind of projector it has the tensors around the layers of mmproj
files without which they do not load. `names` are all architectures
that the library knows, `pre_tokenizers` the values of `tokenizer.ggml.pre`, `projector_kinds` those of
`clip.projector_type`.
"""

from __future__ import annotations

import json
import math
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from inspector.algebra.names import key_of
from inspector.dialects.gguf_architectures import ARCHITECTURES
from inspector.dialects.llama_cpp import NEEDED_IN_BLOCKS, WITHOUT_BLOCKS
from tests.dialects.recorded_gguf import Keys, records, source_of, target_of
from tests.oracle.llama_cpp import Library, ProjectorLibrary
from tests.oracle.projector_kinds import BLOCK, known, needed
from tests.readers.file_builders import Gguf

PACKAGE = Path(__file__).parent.parent.parent / "inspector"
FILE = PACKAGE / "dialects" / "llama_cpp.json"
REGISTRIES = PACKAGE / "loading" / "registries.json"
SOURCE = "llama.cpp of October 2026, in xllamacpp 2026.10.11549"
MISSHAPEN = re.compile(r"tensor '([^']+)' has wrong shape; expected ([\d, ]+), got")
MISSING = re.compile(r"tensor '([^']+)' not found")
COUNTED = re.compile(r"wrong number of tensors; expected (\d+), got (\d+)")
NO_KEY = re.compile(r"key not found in model: (\S+)")
OTHER_KIND = re.compile(r"key (\S+) has wrong type u32 but expected type (\w+)")
OTHER_LENGTH = re.compile(r"key (\S+) has wrong array length; expected (\d+), got")
LAYER_NAMES = re.compile(rb"(?:enc\.|dec\.)?blk\.%d\.[a-z0-9_.]+")
MODEL_CLASS = re.compile(rb"_ZTV\d+llama_model_([a-z0-9_]+)")
WORD = re.compile(rb"(?<=\0)[a-z][a-z0-9._-]{1,30}(?=\0)")
PRE_TOKENIZERS = (b"llama-bpe", b"smaug-bpe", b"deepseek-coder", b"roberta-bpe", b"chatglm-bpe", b"superbpe")
"""Values at distant places in the library; others are near them."""
NEAR = 2000
"""Bytes to search around them."""
JOINED = frozenset({"blk.#.attn_q.weight", "blk.#.attn_k.weight", "blk.#.attn_v.weight"})
"""Matrices that llama.cpp also reads joined, for any architecture."""
PROJECTOR = "clip"
"""The architecture of mmproj files, which are loaded together with a model."""
UNKNOWN = "unknown model architecture"
SUFFIXES = (".weight", ".bias", "")
"""Scales of quantized weights (`.scale`, `.input_scale`) are read with any weight, and omitted here."""
MOST_ELEMENTS = 10**6
"""Maximum number of elements of a tensor: without a key a size may be any number."""
MOST_LOADS = 3000
"""Maximum number of loads for a file, which has fewer tensors."""
KEYS: Final[Mapping[str, tuple[str, Any]]] = {
    "context_length": ("u32", 70), "embedding_length": ("u32", 48), "block_count": ("u32", 3),
    "vocab_size": ("u32", 107),
    "feed_forward_length": ("u32", 92), "attention.head_count": ("u32", 6), "attention.head_count_kv": ("u32", 2),
    "attention.layer_norm_rms_epsilon": ("f32", 1e-6), "attention.layer_norm_epsilon": ("f32", 1e-6),
}  # fmt: skip
"""Keys of every model and their values."""
EXPERTS: Final = {
    "expert_count": 4, "expert_used_count": 2, "expert_feed_forward_length": 28, "expert_shared_count": 1,
    "expert_shared_feed_forward_length": 28, "leading_dense_block_count": 1,
}  # fmt: skip
FURTHER: Final = "nextn_predict_layers"
GUESSES: Final[Mapping[str, tuple[str, Any]]] = {
    "rope.dimension_sections": ("[i32]", [2, 2, 2, 0]), "attention.sliding_window_pattern": ("[bool]", [1, 1, 0]),
    "attention.gate_lora_rank": ("u32", 8), "token_type_count": ("u32", 2),
}  # fmt: skip
"""Keys that are added with these values where llama.cpp requires them."""
Shapes = dict[str, tuple[int, ...]]


class Measured(Struct):
    """The results for an architecture. kinds: the required tensors of each file that loads.

    stored, spared: the tensors of each record that loads, and those of which one may be missing.
    """

    keys: list[set[str]]
    kinds: list[set[str]]
    read: set[str]
    spared: list[set[str]]
    stored: list[set[str]]


class Prober:
    """Loads test files of an architecture."""

    def __init__(self, library: Library, stems: Sequence[str], place: Path) -> None:
        self.library, self.stems, self.place = library, stems, place

    def refusal(self, keys: Keys, tensors: Mapping[str, tuple[int, ...]]) -> str:
        """The error of llama.cpp for a file; "" where it loads."""
        listed = [(name, dims, 0, 4 * math.prod(dims)) for name, dims in tensors.items()]
        self.place.write_bytes(Gguf().file(listed, keys))
        return self.library.refusal(self.place)

    def completed(self, keys: Keys, start: Mapping[str, tuple[int, ...]] | None = None) -> tuple[Keys, Shapes] | None:
        """The keys, with those that are missing, and the tensors with which a file loads; None where none does.

        start: tensors that are stored in any case.
        """
        tensors: Shapes = dict(start or {})
        for _ in range(MOST_LOADS):
            said = self.refusal(keys, tensors)
            if not said:
                return keys, tensors
            if found := MISSHAPEN.search(said):
                tensors[found[1]] = tuple(int(one) for one in found[2].split(","))
                if not 0 < math.prod(tensors[found[1]]) <= MOST_ELEMENTS:
                    return None
            elif found := MISSING.search(said):
                tensors[found[1]] = (1,)
            elif changed := with_key(keys, said):
                keys = changed
            else:
                print(f"    {said[:150]}", flush=True)
                return None
        return None

    def optional(self, keys: Keys, tensors: Shapes, names: Iterable[str]) -> set[str]:
        """Those of the names that llama.cpp reads where they are stored."""
        batch = {name for name in names if name not in tensors}
        read: set[str] = set()
        while batch:
            said = self.refusal(keys, {**tensors, **dict.fromkeys(sorted(batch), (1,))})
            found = MISSHAPEN.search(said)
            if found is None or found[1] not in batch:
                return read | self._of_one_number(keys, tensors, sorted(batch))
            read.add(found[1])
            family = key_of(found[1])[0]
            batch = {name for name in batch if key_of(name)[0] != family}
        return read

    def _of_one_number(self, keys: Keys, tensors: Shapes, names: list[str]) -> set[str]:
        """The names that are read with the shape [1], or that require others; the rest are not read."""
        said = self.refusal(keys, {**tensors, **dict.fromkeys(names, (1,))})
        found = COUNTED.search(said)
        if found is not None and int(found[1]) - int(found[2]) == len(names):
            return set()
        if len(names) == 1:
            return set(names)
        half = len(names) // 2
        return self._of_one_number(keys, tensors, names[:half]) | self._of_one_number(keys, tensors, names[half:])

    def candidates(self, layers: int) -> Iterator[str]:
        """All names of tensors, with the numbers of the first and the last layer."""
        for stem in self.stems:
            for number in sorted({0, layers - 1}) if "blk.#" in stem else (0,):
                name = stem.replace("#", str(number), 1).replace("#", "0")
                yield from (name + suffix for suffix in SUFFIXES)


def with_key(keys: Keys, said: str) -> Keys | None:
    """The keys with the one that llama.cpp requires; None where it requires no other."""
    if found := NO_KEY.search(said):
        kind, value = GUESSES.get(found[1].partition(".")[2], ("u32", 2))
        return None if any(key == found[1] for key, _, _ in keys) else [*keys, (found[1], kind, value)]
    if found := OTHER_KIND.search(said):
        kind, value = {"f32": ("f32", 0.5), "bool": ("bool", 1), "str": ("text", "a"), "arr": ("[u32]", [2] * 4)}.get(
            found[2], ("u32", 2)
        )
        return [(key, kind, value) if key == found[1] else (key, own, one) for key, own, one in keys]
    if found := OTHER_LENGTH.search(said):
        return [(key, own, [2] * int(found[2])) if key == found[1] else (key, own, one) for key, own, one in keys]
    return None


def families(names: Iterable[str]) -> set[str]:
    """The names with `#` for numbers."""
    return {key_of(name)[0] for name in names}


def recorded_shapes(architecture: str, kinds: set[str]) -> Shapes:
    """The shapes of the record that has these tensors; none where there is no record."""
    made = (one["target"] for one in records().values() if is_of(one, architecture))
    found: dict[str, Any] = next((one for one in made if families(one) == kinds), {})
    return {name: tuple(one["shape"][::-1]) for name, one in found.items()}


def measure(prober: Prober, architecture: str, starts: Sequence[tuple[set[str], Keys]]) -> Measured:
    """The results for an architecture with some keys, and with changes of them."""
    found = Measured([], [], set(), [], [])
    done: list[set[str]] = []
    met: list[set[str]] = []
    for kinds, start in starts:
        made = None if kinds in met else prober.completed(start)
        if made is None and kinds not in met and (shapes := recorded_shapes(architecture, kinds)):
            made = prober.completed(start, shapes)  # an assertion on a shape ends the library
        if made is None:
            continue
        met.append(kinds)
        keys, tensors = made
        _probe(prober, found, done, keys, tensors)
        required: set[str] = set()
        for index, (key, _, _) in enumerate(keys):
            if key == "general.architecture":
                continue
            fewer = [*keys[:index], *keys[index + 1 :]]
            said = prober.refusal(fewer, tensors)
            if NO_KEY.search(said):
                required.add(key)
            elif said and (other := prober.completed(fewer)) is not None:
                _probe(prober, found, done, *other)
        found.keys.append(required)
        for more in changes(architecture, keys):
            if (other := prober.completed(more)) is not None:
                _probe(prober, found, done, *other)
    return found


def _probe(prober: Prober, found: Measured, done: list[set[str]], keys: Keys, tensors: Shapes) -> None:
    """Add the tensors read with some keys, unless the same tensors were measured before."""
    if set(tensors) in done:
        return
    done.append(set(tensors))
    layers = max((int(name.split(".")[1]) for name in tensors if name.startswith("blk.")), default=2) + 1
    read = prober.optional(keys, tensors, prober.candidates(layers))
    found.kinds.append(families(tensors))
    found.read |= families(read) | families(tensors)
    for name in sorted(one for one in read if one.endswith(".weight")):  # others may be read only together with it
        shape = MISSHAPEN.search(prober.refusal(keys, {**tensors, name: (1,)}))
        if shape is None or name.startswith(("output.", "rope_")):
            continue
        more = {**tensors, name: tuple(int(one) for one in shape[2].split(","))}
        bias = name.removesuffix(".weight") + ".bias"
        found.read |= families(prober.optional(keys, more, [bias]))
        if (
            MISSING.search(prober.refusal(keys, more))
            and (other := prober.completed(keys, {name: more[name]})) is not None
        ):
            _probe(prober, found, done, *other)


def changes(architecture: str, keys: Keys) -> Iterator[Keys]:
    """The keys with experts, without them, and with a layer that predicts further tokens."""
    own = {key: value for key, _, value in keys}
    experts = {f"{architecture}.{key}": value for key, value in EXPERTS.items()}
    if own.get(f"{architecture}.expert_count"):
        yield [pair for pair in keys if ".expert" not in pair[0]]
    yield [*keys, *((key, "u32", value) for key, value in experts.items() if key not in own)]
    count = f"{architecture}.block_count"
    if f"{architecture}.{FURTHER}" not in own and not any(isinstance(value, list) for value in own.values()):
        more = [(key, kind, value + 1 if key == count else value) for key, kind, value in keys]
        yield [*more, (f"{architecture}.{FURTHER}", "u32", 1)]


def stems_of(library: Path) -> list[str]:
    """The names of tensors in llama.cpp, without `.weight` and with `#` for numbers."""
    inside = {found.decode().replace("%d", "#") for found in LAYER_NAMES.findall(library.read_bytes())}
    inside |= {one[4:] for one in inside if one.startswith(("enc.", "dec."))}
    listed = json.loads(REGISTRIES.read_text())["llama.cpp"]["tensors"].split()
    towers = ("a.", "v.", "mm.", "resampler.")
    return sorted({one.rstrip(".") for one in inside} | {one for one in listed if not one.startswith(towers)})


def names_of(prober: Prober, library: Path) -> list[str]:
    """The architectures that the library knows: its strings that match the name of one of its classes.

    A string that is the end of another one is not stored separately: listed names and class names are tried as well.
    """
    raw = library.read_bytes()
    classes = {one.decode() for one in MODEL_CLASS.findall(raw)}
    plain = {re.sub(r"[._-]", "", one) for one in classes}
    words = {one.decode() for one in WORD.findall(raw)}
    tried = {one for one in words if re.sub(r"[._-]", "", one) in plain}
    tried |= classes | {one.replace("_", "-") for one in classes}
    tried |= {*json.loads(REGISTRIES.read_text())["llama.cpp"]["names"].split()}
    pairs = {one: prober.refusal([("general.architecture", "text", one)], {}) for one in tried}
    return sorted(name for name, said in pairs.items() if UNKNOWN not in said and name != PROJECTOR)


def pre_tokenizers(prober: Prober, library: Path) -> list[str]:
    """The values of `tokenizer.ggml.pre` that the library knows: its strings that are stored near known ones."""
    raw = library.read_bytes()
    begins = [raw.find(b"\0" + one + b"\0") for one in PRE_TOKENIZERS]
    assert all(begin > 0 for begin in begins)
    near = {word.decode() for begin in begins for word in WORD.findall(raw, begin - NEAR, begin + NEAR)}
    near |= {*json.loads(FILE.read_text()).get("pre_tokenizers", "").split(), "default"}
    own = [(f"llama.{key}", kind, value) for key, (kind, value) in KEYS.items()]
    texts: Keys = [("tokenizer.ggml.tokens", "texts", ["a", "b"]), ("tokenizer.ggml.merges", "texts", ["a b"])]
    pairs: Keys = [("general.architecture", "text", "llama"), *own, ("tokenizer.ggml.model", "text", "gpt2"), *texts]
    said = {one: prober.refusal([*pairs, ("tokenizer.ggml.pre", "text", one)], {}) for one in near}
    return sorted(one for one, text in said.items() if "unknown pre-tokenizer" not in text)


def sizes_of(prober: Prober, architecture: str) -> set[str]:
    """The keys without which no record with them loads, although llama.cpp reports another reason."""
    refused: dict[str, bool] = {}
    for record, (_, start) in zip(
        [one for one in records().values() if is_of(one, architecture)], starts_of(architecture), strict=False
    ):
        made = prober.completed(start, dict.fromkeys(record["target"], (1,)))
        keys, tensors = ([], {}) if made is None else made
        for index, (key, _, _) in enumerate(keys):
            if key.endswith(".attention.value_length") and not _has_wide_heads(architecture, keys):
                continue
            said = prober.refusal([*keys[:index], *keys[index + 1 :]], tensors)
            other = bool(said) and NO_KEY.search(said) is None
            refused[key] = refused.get(key, True) and other
    return {key.removeprefix(f"{architecture}.") for key, always in refused.items() if always}


def _has_wide_heads(architecture: str, keys: Keys) -> bool:
    """Whether the heads have another width than that of the model over their number, which values then have."""
    own = {key.removeprefix(f"{architecture}."): value for key, _, value in keys}
    length, heads = own.get("attention.key_length"), own.get("attention.head_count")
    width = own.get("embedding_length")
    return isinstance(length, int) and isinstance(heads, int) and isinstance(width, int) and length * heads != width


def spare(prober: Prober, architecture: str, found: Measured) -> None:
    """Add the tensors in records of an architecture of which one may be missing."""
    for record, (kinds, start) in zip(
        [one for one in records().values() if is_of(one, architecture)], starts_of(architecture), strict=False
    ):
        if kinds in found.stored or (made := prober.completed(start, dict.fromkeys(record["target"], (1,)))) is None:
            continue
        keys, tensors = made
        last = {key_of(name)[0]: name for name in sorted(record["target"])}
        fewer = {family: {key: one for key, one in tensors.items() if key != name} for family, name in last.items()}
        found.spared.append({family for family, left in fewer.items() if not prober.refusal(keys, left)})
        found.stored.append(kinds)


def is_of(record: Mapping[str, Any], architecture: str) -> bool:
    """Whether a record is of an architecture of llama.cpp."""
    return ["general.architecture", "text", architecture] in record["keys"]


def starts_of(architecture: str) -> list[tuple[set[str], Keys]]:
    """The tensors and keys of the records of an architecture, or where there are none keys that every model has."""
    found: list[tuple[set[str], Keys]] = []
    for record in records().values():
        keys: Keys = [(key, kind, value) for key, kind, value in record["keys"] if "expert_group" not in key]
        if is_of(record, architecture):
            size = f"{architecture}.vocab_size"
            rows = [] if any(key == size for key, _, _ in keys) else [(size, "u32", 107)]
            found.append((families(record["target"]), [*keys, *rows]))
    if found:
        return found
    own = [(f"{architecture}.{key}", kind, value) for key, (kind, value) in KEYS.items()]
    pairs: Keys = [("general.architecture", "text", architecture), *own, ("tokenizer.ggml.model", "text", "none")]
    experts = [(f"{architecture}.{key}", "u32", value) for key, value in EXPERTS.items()]
    return [(set(), pairs), ({"experts"}, [*pairs, *experts, ("tokenizer.ggml.token_type_count", "u32", 2)])]


def entry(architecture: str, found: Measured, sizes: set[str]) -> dict[str, Any]:
    """The entry of an architecture in the file."""
    keys = set.intersection(*found.keys) if found.keys else set()
    needs = set.intersection(*found.kinds) if found.kinds else set()
    own = {key.removeprefix(f"{architecture}.") for key in keys if key.startswith(f"{architecture}.")}
    recorded = [families(one["target"]) for one in records().values() if is_of(one, architecture)]
    needs = {one for one in needs if one in JOINED or all(one in kinds for kinds in recorded)}  # one of two may suffice
    read = found.read if all(kinds <= found.read for kinds in recorded) else set()
    needed = [kinds - spared for kinds, spared in zip(found.stored, found.spared, strict=True)]
    spared = set().union(*found.spared) - set().union(*needed)
    listed = {"keys": own, "needs": needs, "read": read, "spares": spared, "sizes": sizes}
    return {name: " ".join(sorted(values)) for name, values in listed.items()}


def projectors(library: ProjectorLibrary, place: Path) -> dict[str, str]:
    """Kind of projector -> tensors around the layers of the recorded mmproj files of which none may be missing."""
    needs: dict[str, set[str]] = {}
    for record in (one for one in records().values() if "projector" in one):
        file = target_of(record, source_of(record), "projector")
        kind = next(value for key, _, value in file.keys if key == "clip.projector_type")
        assert not library.refusal(file.save(place)), record["model_type"]
        whole, found = dict(file.arrays), set()
        for name in whole:
            if ".blk." not in name and ".deepstack." not in name:  # numbers of layers are the model's
                file.arrays = {key: array for key, array in whole.items() if key != name}
                if library.refusal(file.save(place)):
                    found.add(name)
        needs[kind] = needs.get(kind, found) & found
    for kind, tensors in needed(library, place):
        blocks = {name.removeprefix(BLOCK) for name in tensors if name.startswith(BLOCK)}
        assert blocks == set(() if kind in WITHOUT_BLOCKS else NEEDED_IN_BLOCKS), kind
        needs[kind] = {name for name in tensors if not name.startswith(BLOCK)}
    return {kind: " ".join(sorted(found)) for kind, found in sorted(needs.items())}


def main(path: str, *wanted: str) -> None:
    library, stems = Library(path), stems_of(Path(path))
    listed = json.loads(REGISTRIES.read_text())["llama.cpp"]["names"].split()
    recorded = {value for one in records().values() for key, _, value in one["keys"] if key == "general.architecture"}
    before = json.loads(FILE.read_text())["architectures"] if wanted and FILE.exists() else {}
    with tempfile.TemporaryDirectory() as place:
        prober = Prober(library, stems, Path(place) / "model.gguf")
        for architecture in wanted or sorted(recorded | (ARCHITECTURES.keys() & set(listed))):
            found = measure(prober, architecture, starts_of(architecture))
            spare(prober, architecture, found)
            print(architecture, len(found.kinds), len(found.read), flush=True)
            if found.read:
                before[architecture] = entry(architecture, found, sizes_of(prober, architecture))
        of_projectors = ProjectorLibrary(path)
        needs = projectors(of_projectors, Path(place) / "mmproj.gguf")
        kinds = " ".join(known(of_projectors, Path(path), Path(place) / "mmproj.gguf"))
        names = " ".join(names_of(prober, Path(path)))
        pre = " ".join(pre_tokenizers(prober, Path(path)))
    made = {
        "source": SOURCE,
        "names": names,
        "pre_tokenizers": pre,
        "projector_kinds": kinds,
        "projectors": needs,
        "architectures": dict(sorted(before.items())),
    }
    FILE.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
