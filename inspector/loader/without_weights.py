"""Reports what a place without a set of weights contains instead."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from inspector.findings.finding import ARCHIVES, NAMES_SHOWN, OF_OPTIMIZER, PACKED, Finding, Place
from inspector.loader.config_file import Config
from inspector.loader.distributed_save import absent_files
from inspector.loader.leftovers import leftover_findings, partition_findings, partitions
from inspector.loader.loaders import DIFFUSERS, PEFT, TRANSFORMERS
from inspector.loader.lost_files import in_download_folder
from inspector.loader.other_files import stored
from inspector.loader.partial_files import UNFINISHED_ENDINGS, is_part, is_temporary, is_unfinished, whole_of
from inspector.loader.picking import Contents, read_index
from inspector.loader.signature import SNIFF_BYTES, recognise
from inspector.loader.sources.folder import REPOSITORY
from inspector.loader.sources.source import Forewarned, Listing, Refusal, Source
from inspector.loader.weight_sets import NO_WEIGHTS, OTHER_KINDS, SAFETENSORS, WeightSet, format_of, group

if TYPE_CHECKING:
    from inspector.findings.reading.training import PartitionedSave

_POINTER: Final = re.compile(rb"version https://git-lfs[^\n]{0,80}\noid sha256:[0-9a-f]{64}\nsize (\d{1,15})\n")
_OF_POINTERS: Final = (100, 200)
"""Least and most bytes of a pointer of git-lfs."""
_POINTERS_READ: Final = 100
_LARGEST_CONFIG: Final = 1_000_000
"""Bytes of the largest config of a component that is read."""
_LARGE: Final = 1_000_000
"""Least bytes of a file whose pointer may stand for weights."""
PIPELINE_FOLDERS: Final = frozenset({
    "unet", "transformer", "vae", "text_encoder", "text_encoder_2", "tokenizer", "scheduler", "prior", "vqvae",
})  # fmt: skip
"""Names of the components of diffusers' pipelines."""
_MODULE: Final = re.compile(r"[1-9]\d*_\w+", re.ASCII)
"""Names of the folders of modules that sentence-transformers saves after the model: `2_Dense`."""
_FIRST: Final = re.compile(r"0_\w+", re.ASCII)
"""Names of the folder of the model itself, as the first versions of sentence-transformers save it: `0_Transformer`."""
_TEXTS: Final = frozenset({
    "json", "jsonl", "txt", "md", "py", "yaml", "yml", "model", "csv", "tsv", "jpg", "png", "html", "sh", "log", "lock",
})  # fmt: skip
"""Endings of files that are not weights."""
_MEANT: Final = re.compile(
    r"(?P<name>.+?)\.(?:safetensor|gguf|bin|pt|pth)s?(?:\..*|\s*\(\d+\).*)?", re.ASCII | re.DOTALL
)
_FORMATS: Final = {"safetensors": "safetensors", "gguf": "gguf", "zip": "bin", "pickle": "bin"}
"""Format -> ending of its files."""
_PICKLED: Final = frozenset({"zip", "pickle"})
"""The formats of which a file may be anything that Python stores."""


def _is_of_ctranslate(values: Mapping[str, Any]) -> bool:
    """True for a config.json that CTranslate2's converters write: of Whisper, or of a model with a vocabulary."""
    special = {"bos_token", "eos_token", "unk_token"} <= values.keys() and "layer_norm_epsilon" in values
    return "model_type" not in values and (special or {"lang_ids", "suppress_ids"} <= values.keys())


_OF_OTHERS: Final[Mapping[str, Callable[[Mapping[str, Any]], bool]]] = {
    "model.bin": _is_of_ctranslate,
    "model.pth": lambda values: values.get("model") == "xtts" and "model_args" in values,
}
"""Weights of programs whose config.json has the name of the one of transformers -> whether a config is theirs.

Source: `ctranslate2/converters` and `specs/model_spec.py` of CTranslate2; `TTS/tts/models/xtts.py` of Coqui.
"""
_OF_LITGPT: Final = {
    "lit_model.pth.lora": ("a LoRA", "litgpt merge_lora FOLDER", True),
    "lit_model.pth.adapter": ("an adapter", "litgpt generate_adapter", False),
    "lit_model.pth.adapter_v2": ("an adapter (v2)", "litgpt generate_adapter_v2", False),
}
"""File -> what litgpt stores in it, the command that reads it, and whether this command merges it into its base.

Source: litgpt, `litgpt/finetune/` and `litgpt/scripts/merge_lora.py`.
"""


def _wanted(configs: Mapping[str, Config]) -> str:
    """The weights that belong to the config of this place; "" without a config."""
    if "adapter" in configs:
        return PEFT.single("safetensors")
    if "config" not in configs:
        return ""
    other = next((name for name, fits in _OF_OTHERS.items() if fits(configs["config"].values)), "")
    if other:
        return other
    loader = DIFFUSERS if "_class_name" in configs["config"].values else TRANSFORMERS
    return loader.single("safetensors")


def _lone_config(configs: Mapping[str, Config], listing: Listing) -> str:
    found = configs.get("adapter") or configs.get("config")
    return found.file if found is not None and found.file in listing.files else ""


def _misnamed(contents: Contents, configs: Mapping[str, Config]) -> Iterator[Finding]:
    """The finding on weights under other names than weights have. Files are not opened over a network for this."""
    listing = contents.listing
    found = {name: what for name, what in _recognised(contents) if not (what in _PICKLED and _has_own_ending(name))}
    if not found:
        return
    from inspector.findings.reading.named import WeightsMisnamed

    single = _wanted(configs) if len(found) == 1 and set(found.values()) == {"safetensors"} else ""
    stored_as = tuple(sorted(found))
    wanted = tuple(single or f"{_stem(name)}.{_FORMATS[found[name]]}" for name in stored_as)
    if len(set(wanted)) == len(wanted) and listing.files.keys().isdisjoint(wanted):
        yield WeightsMisnamed(stored=stored_as[:NAMES_SHOWN], wanted=wanted[:NAMES_SHOWN], what=found[stored_as[0]],
                              files=len(found))  # fmt: skip


def _recognised(contents: Contents) -> Iterator[tuple[str, str]]:
    """(name, format) of the files that begin as weights do, the largest first. None is opened over a network."""
    source, listing = contents.source, contents.listing
    if isinstance(source, Forewarned):
        return
    large = sorted(listing.files, key=lambda name: -listing.files[name])
    names = [name for name in large if not (_is_text(name) or is_unfinished(name))]
    for name in names[:NAMES_SHOWN]:
        first = source.read_part(name, 0, SNIFF_BYTES)
        if isinstance(first, Refusal) or name.startswith("."):
            continue
        what = recognise(first, None if len(first) == SNIFF_BYTES else len(first))
        if what in _FORMATS and not (what in _PICKLED and name.startswith(NO_WEIGHTS)):
            yield name, what


def _of_litgpt(listing: Listing) -> Iterator[Finding]:
    """The findings on litgpt's files that are not models, each recognised by its fixed name."""
    for name in sorted(_OF_LITGPT.keys() & listing.files):
        from inspector.findings.reading.other_library import TunedByLitgpt

        method, command, merges = _OF_LITGPT[name]
        yield TunedByLitgpt(place=Place(file=name), file=name, method=method, command=command, merges=merges)


def _has_own_ending(name: str) -> bool:
    """True if a pickle or an archive has another ending than weights, such as `.pkl`."""
    return "." in name and _MEANT.fullmatch(name) is None


def _is_text(name: str) -> bool:
    """True if a name is that of a text, unless it contains the ending of weights."""
    _, dot, ending = name.rpartition(".")
    return bool(dot) and ending.lower() in _TEXTS and _MEANT.fullmatch(name) is None


def _stem(name: str) -> str:
    meant = _MEANT.fullmatch(name)
    return meant["name"] if meant is not None else name.partition(".")[0]


def instead_of_weights(contents: Contents, configs: Mapping[str, Config]) -> Iterator[Finding]:
    """The findings on a place without a set of weights."""
    misnamed: list[Finding] = []
    if not any(one.files for one in contents.sets):
        misnamed = list(_of_litgpt(contents.listing)) or list(_misnamed(contents, configs))
    yield from misnamed or _no_weights(contents, configs)
    yield from _sniffed(contents)
    for one in contents.sets:
        if one.index is not None:
            index = read_index(contents.source, one.index)
            yield from [index] if isinstance(index, Finding) else index.findings


def _no_weights(contents: Contents, configs: Mapping[str, Config]) -> list[Finding]:
    """The finding that a place has no readable weights, with its actual content, and the findings on other leftovers.

    The first partitioned save is part of this finding.
    """
    source, listing = contents.source, contents.listing
    parts_of_save = {name for one in partitions(listing) for name in one.names}
    sets = tuple(one for one in contents.sets if not (one.files and parts_of_save.issuperset(one.files)))
    leftovers = leftover_findings(listing)
    halves = [name for name in listing.files if name.endswith(UNFINISHED_ENDINGS) or is_temporary(name)]
    if not sets and not halves:
        halves = [name for name in in_download_folder(source) if name.endswith(UNFINISHED_ENDINGS)]
    folders = sorted(name for name, kind in listing.others.items() if kind == "directory")
    from inspector.findings.reading.training import PartitionedSave

    found = [one for one in leftovers if isinstance(one, PartitionedSave)]
    saves = list(found)
    below = [] if saves else _sets_below(source, folders)
    if not below:
        saves = saves or _saves_below(source, folders)
    if _is_encoder(listing, configs):  # the weights of its further modules are not those of its model
        below = [(folder, one) for folder, one in below if not _MODULE.fullmatch(folder)]
    weights_in = dict.fromkeys(folder for folder, one in below if one.kind in (SAFETENSORS, *OTHER_KINDS))
    if not weights_in:  # weights of other formats are converted, wherever they are
        sets = (*sets, *(replace(one, name=f"{folder}/{one.name}") for folder, one in below))
    parts = sorted(filter(is_part, listing.files))
    merged = _with_its_files(saves[0], source, listing) if saves else None
    from inspector.findings.reading.no_weights import NoWeights

    nothing = NoWeights(
        sets=stored(sets),
        count=len(sets),
        files=len(listing.files),
        complete=listing.complete,
        unfinished=tuple(halves[:NAMES_SHOWN]),
        folders=tuple([name for name in folders if not name.startswith(".")][:NAMES_SHOWN]),
        weights_in=tuple(weights_in)[:NAMES_SHOWN],
        partitions=merged.headline() if merged else "",
        entries=merged.names if merged else (),
        absent=merged.absent if merged else (),
        merge=merged.remedy().words if merged else "",
        parts=tuple(parts[:NAMES_SHOWN]),
        whole=whole_of(parts),
        archives=_archives(source, listing)[:NAMES_SHOWN],
        pointers=_pointers(source, listing)[:NAMES_SHOWN],
        pickles=tuple(sorted(name for name, what in _recognised(contents) if what in _PICKLED))[:NAMES_SHOWN],
        config=_lone_config(configs, listing),
        wanted=_wanted(configs),
        components=len(PIPELINE_FOLDERS.intersection(folders)) > 1 and "model_index.json" not in listing.files,
        modules=_unlisted(listing, folders, tuple(weights_in))[:NAMES_SHOWN],
        component=_class_of_component(source, *weights_in) if len(weights_in) == 1 else "",
    )
    return [nothing, *(one for one in leftovers if one not in found[:1])]


def _class_of_component(source: Source, path: str) -> str:
    """The class of the one component of a pipeline that has weights below a place; "" for anything else."""
    *before, name = path.split("/")
    inner: Source | Refusal = source if name in PIPELINE_FOLDERS else Refusal("")
    for part in (*before, name):
        inner = inner if isinstance(inner, Refusal) else inner.inside(part)
    raw = inner if isinstance(inner, Refusal) else inner.read_whole("config.json", _LARGEST_CONFIG)
    try:
        values: Any = None if isinstance(raw, Refusal) else json.loads(raw)
    except (ValueError, RecursionError):
        return ""
    stated = values.get("_class_name") if isinstance(values, dict) else None
    return stated if isinstance(stated, str) else ""


def _with_its_files(save: PartitionedSave, source: Source, listing: Listing) -> PartitionedSave:
    """The finding on a partitioned save, with the files that decide how it is merged."""
    from inspector.loader.deepspeed_save import with_model_alone

    save = with_model_alone(save, source, listing)
    return replace(save, absent=absent_files(save, source)[:NAMES_SHOWN])


def _unlisted(listing: Listing, folders: Sequence[str], weights_in: Sequence[str]) -> tuple[str, ...]:
    """The folders of the modules of a sentence encoder whose list of modules is not there."""
    if "modules.json" in listing.files or not listing.complete or not any(map(_FIRST.fullmatch, weights_in[:1])):
        return ()
    further = tuple(name for name in folders if _MODULE.fullmatch(name))
    return (weights_in[0], *further) if further else ()


def _is_encoder(listing: Listing, configs: Mapping[str, Config]) -> bool:
    """True for a sentence encoder whose model is in this folder."""
    return "modules.json" in listing.files and "config" in configs and "model_type" in configs["config"].values


def _archives(source: Source, listing: Listing) -> tuple[str, ...]:
    """Archives and compressed weights. Archives of torch do not count, if they can be read here."""
    compressed = (f".{ending}{packed}" for ending in ("safetensors", "gguf", "bin", "pt", "pth") for packed in PACKED)
    endings = (*ARCHIVES, *compressed)
    found = sorted(name for name in listing.files if name.lower().endswith(endings))
    if isinstance(source, Forewarned):
        return tuple(found)
    return tuple(name for name in found if not _is_pickled(source.read_part(name, 0, SNIFF_BYTES)))


def _pointers(source: Source, listing: Listing) -> tuple[str, ...]:
    """The pointers of git-lfs to large files, under names that no weights have. The Hub serves files, no pointers."""
    if isinstance(source, Forewarned):
        return ()
    small = [name for name, size in listing.files.items() if _OF_POINTERS[0] <= size <= _OF_POINTERS[1]]
    others = [name for name in small if not (_is_text(name) or name.startswith(".") or format_of(name))]
    found: dict[str, int] = {}
    for name in others[:_POINTERS_READ]:
        first = source.read_part(name, 0, SNIFF_BYTES)
        stated = None if isinstance(first, Refusal) else _POINTER.match(first)
        if stated is not None and int(stated[1]) >= _LARGE:
            found[name] = int(stated[1])
    return tuple(sorted(found, key=lambda name: -found[name]))


def _is_pickled(first: bytes | Refusal) -> bool:
    return not isinstance(first, Refusal) and recognise(first, None) == "zip"


def _sets_below(source: Source, folders: Sequence[str], depth: int = 2) -> list[tuple[str, WeightSet]]:
    """(path, set) of the weights in the folders below a place. Only the first folders of each level are searched."""
    found: list[tuple[str, WeightSet]] = []
    for name in [one for one in folders if not one.startswith(".")][:NAMES_SHOWN]:
        inner = source.inside(name)
        if isinstance(inner, Refusal):
            continue
        if name.startswith(REPOSITORY) and (inside := _in_snapshots(inner)) is not None:
            found.extend((name, one) for one in inside)
            continue
        listing = inner.listing()
        parts = {file for one in partitions(listing) for file in one.names}
        sets = [one for one in group(listing.files) if one.files and not parts.issuperset(one.files)]
        found.extend((name, one) for one in sets)
        if not sets and depth > 1:
            below = sorted(one for one, kind in listing.others.items() if kind == "directory")
            found.extend((f"{name}/{path}", one) for path, one in _sets_below(inner, below, depth - 1))
    return found


def _saves_below(source: Source, folders: Sequence[str], depth: int = 3) -> list[PartitionedSave]:
    """The finding on the partitions of a training run in the first folder with any, as NeMo keeps them.

    depth: levels of folders; llama-recipes names them after the run and after the path of the model.
    """
    model_first = sorted(folders, key=lambda name: (name.startswith(OF_OPTIMIZER), name))
    for name in [one for one in model_first if not one.startswith(".")][:NAMES_SHOWN]:
        inner = source.inside(name)
        if isinstance(inner, Refusal):
            continue
        listing = inner.listing()
        saves = list(partition_findings(listing))
        if not saves and depth > 1:
            below = sorted(one for one, kind in listing.others.items() if kind == "directory")
            saves = _saves_below(inner, below, depth - 1)
        for one in saves:
            return [replace(one, names=tuple(f"{name}/{entry}" for entry in one.names))]
    return []


def _in_snapshots(repository: Source) -> list[WeightSet] | None:
    """The weights in the snapshots of a repository in the Hub's cache; None if it has no snapshots."""
    inner = repository.inside("snapshots")
    if isinstance(inner, Refusal):
        return None
    commits = (inner.inside(name) for name in sorted(inner.listing().others)[:NAMES_SHOWN])
    return [
        one for found in commits if not isinstance(found, Refusal) for one in group(found.listing().files) if one.files
    ]


_POINTER_LIMIT: Final = 100_000
"""Largest pointer or web page, in bytes: over a network, larger files are not checked for these."""


def _sniffed(contents: Contents) -> list[Finding]:
    """The findings on files of other formats that are a pointer or a web page instead of weights."""
    found: list[Finding] = []
    remote = isinstance(contents.source, Forewarned)
    for one in contents.sets[:NAMES_SHOWN]:
        for name in one.files[:NAMES_SHOWN]:
            if remote and contents.sizes.get(name, 0) > _POINTER_LIMIT:
                continue
            first = contents.source.read_part(name, 0, SNIFF_BYTES)
            if isinstance(first, Refusal):
                continue
            what = recognise(first, None if len(first) == SNIFF_BYTES else len(first))
            if what in ("git-lfs-pointer", "html", "refusal", "json-error", "xml-error", "empty", "zeros"):
                from inspector.findings.reading.content import NotACheckpoint

                found.append(NotACheckpoint(place=Place(file=name), what=what, bytes=None))
    return found


def of_no_component(weights: str, pipeline: Config) -> Finding:
    """The finding that no weights have the given name, in a pipeline with its weights in the folders of
    its components.
    """
    from inspector.findings.reading.place import WeightsNotFound

    named = (name for name, value in pipeline.values.items() if isinstance(value, list) and value and value[0])
    components = tuple(name for name in named if not name.startswith("_"))
    return WeightsNotFound(wanted=weights, there=(), sets=0, components=components[:NAMES_SHOWN])
