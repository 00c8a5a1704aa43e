"""The finding on folders without readable weights."""

from __future__ import annotations

import re

from inspector.findings.finding import ARCHIVES, Finding, Remedy, Rows
from inspector.findings.stored_set import StoredSet
from inspector.findings.words import listed

_MADE_FOR = {
    "onnx": "ONNX Runtime",
    "openvino": "OpenVINO",
    "nemo": "NeMo",
    "tensorrt": "TensorRT",
    "executorch": "ExecuTorch",
    "coreml": "Core ML",
    "mlc": "MLC LLM",
    "tflite": "LiteRT (TensorFlow Lite)",
    "torch.export": "torch.export.load",
}
"""Format that contains a program with its weights -> the program that loads it."""
_CONVERTED = {"tf_model": "from_tf", "flax_model": "from_flax"}
"""Beginning of a name -> the argument with which from_pretrained of transformers 4 reads the file."""

_OF_TENSORFLOW = re.compile(r"\.(?:index|meta|data-\d{5}-of-\d{5})\Z", re.ASCII)


def prefix_of_tensorflow(file: str) -> str:
    """The name by which converters find a checkpoint of TensorFlow: that of its files without their endings."""
    return _OF_TENSORFLOW.sub("", file)


def of_prefix(prefix: str) -> str:
    """What to do with a checkpoint of TensorFlow."""
    return (
        f"pass the prefix {prefix}, no folder and no file, to the converter of the program that the model was made "
        "for, or download the model in safetensors: this format is not read, nor by transformers 5"
    )


def _elsewhere(sets: tuple[StoredSet, ...]) -> str:
    """What to do with weights in other formats."""
    kinds = {one.kind for one in sets}
    if kinds <= _MADE_FOR.keys():
        programs = listed(sorted(_MADE_FOR[kind] for kind in kinds))
        return f"load it with {programs}, or download the weights in safetensors: this format is not read"
    names = {one.name.rpartition("/")[2].partition(".")[0] for one in sets}
    prefixes = {prefix_of_tensorflow(one.name) for one in sets if _OF_TENSORFLOW.search(one.name)}
    if kinds == {"tensorflow"} and len(prefixes) == 1:
        return of_prefix(*prefixes)
    switch = _CONVERTED.get(*names) if len(names) == 1 else None
    how = f": transformers 4 loads them with {switch}=True, and save_pretrained writes them" if switch else ""
    return f"convert these files to safetensors{how}"


class NoWeights(Finding, frozen=True, kw_only=True):
    """The folder contains no weights that can be read.

    What it means
        The folder contains no .safetensors, GGUF, PyTorch or NumPy file and no index. Weights in other formats
        are listed; they cannot be audited.

    Why it matters
        There is nothing to audit.

    Example
        error[R003] no-weights: no weights in this folder
          instead  tf_model.h5: tensorflow, 1 file, 548,118,077 bytes
          help     convert these files to safetensors: transformers 4 loads them with
                   from_tf=True, and save_pretrained writes them

    What to do
        Pass the folder that contains the weights: in a pipeline each component has its own folder, and in a sentence
        encoder each module that modules.json lists. Where a config is
        here, its weights were not downloaded or saved. Unpack archives. Convert other formats to safetensors first, or
        load them with the program that they were made for.
    """

    code = "R003"

    sets: tuple[StoredSet, ...]
    count: int
    files: int
    complete: bool
    unfinished: tuple[str, ...]
    folders: tuple[str, ...]
    weights_in: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    partitions: str = ""
    entries: tuple[str, ...] = ()
    merge: str = ""
    absent: tuple[str, ...] = ()
    """Files without which the partitions cannot be merged."""
    config: str = ""
    wanted: str = ""
    components: bool = False
    whole: tuple[str, ...] = ()
    archives: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    """Folders of the modules of a sentence encoder, without the file that lists them."""
    pointers: tuple[str, ...] = ()
    """Pointers of git-lfs to files of a megabyte and more, under names that no weights have; the largest first."""
    pickles: tuple[str, ...] = ()
    """Pickles under an ending of their own, such as `.pkl`: anything, weights among it."""
    component: str = ""
    """The class of the only component of a pipeline that has weights below."""

    def headline(self) -> str:
        if self.partitions:
            return f"no weights in this folder, but {self.partitions}"
        if self.archives and not (self.weights_in or self.unfinished or self.parts or self.sets):
            return f"no weights in this folder, but {'an archive' if len(self.archives) == 1 else 'archives'}"
        if self._are_pointers:
            return "no weights in this folder, but git-lfs pointers"
        if self.unfinished:
            return "no weights in this folder: a download or a save was not finished"
        return "no weights in this folder" + (f", but in {listed(self.weights_in, 4)}" if self.weights_in else "")

    @property
    def _are_pointers(self) -> bool:
        """True if pointers are all that may stand for the weights."""
        return bool(self.pointers) and not (
            self.weights_in or self.unfinished or self.parts or self.sets or self.archives
        )

    def rows(self) -> Rows:
        rows = [("instead", stored.words()) for stored in self.sets[:8]]
        if self.entries:
            rows.append(("entries", listed(self.entries, 4)))
        if self.absent:
            rows.append(("absent", listed(self.absent, 4)))
        if self.parts:
            rows.append(("parts", listed(self.parts, 4)))
        if self.archives:
            rows.append(("packed", listed(self.archives, 4)))
        if self.pointers:
            rows.append(("pointers", listed(self.pointers, 4)))
        if self.pickles:
            rows.append(("pickles", listed(self.pickles, 4)))
        if self.elsewhere:
            rows.append(("elsewhere", listed(self.elsewhere, 4)))
        others = [name for name in self.folders if name not in self.weights_in]
        if others and not self.weights_in:
            rows.append(("folders", listed(others)))
        if self.unfinished:
            rows.append(("unfinished", listed(self.unfinished)))
        if self.modules:
            rows.append(("modules", f"{listed(self.modules, 4)}, of a sentence encoder without modules.json"))
        if not self.complete:
            rows.append(("listing", "too many files in this folder; some were not checked"))
        return rows

    def remedy(self) -> Remedy:
        if self.merge:
            return Remedy(self.merge)
        if self.elsewhere:
            return Remedy(
                f"pass the repositories that {self.place.file} names, one at a time: hf://{self.elsewhere[0]}"
            )
        if self.modules:
            return Remedy(
                "download modules.json, by which sentence-transformers finds these folders; "
                f"for the model without its pooling pass {self.weights_in[0]}"
            )
        if self.weights_in and self.components:
            each = f"{self.weights_in[0]}" + (" or another" if len(self.weights_in) > 1 else "")
            return Remedy(f"download model_index.json, which names the components; for one of them pass {each}")
        if self.component:
            return Remedy(
                f"pass {self.weights_in[0]} to audit it; it is a component alone: load the pipeline of its base, with "
                f'{self.weights_in[0].rpartition("/")[2]}={self.component}.from_pretrained("{self.weights_in[0]}")'
            )
        if self.weights_in:
            one = f": {self.weights_in[0]}" if len(self.weights_in) == 1 else ""
            return Remedy(f"pass {'one of these folders' if not one else 'the folder with the weights'}{one}")
        if self.unfinished:
            return Remedy("finish the download, or save the weights again")
        if self.parts:
            into = f"{self.whole[0]}* > {self.whole[1]}" if self.whole else f"{self.parts[0]} ..."
            unpack = ", and unpack it" if self.whole and self.whole[1].endswith(ARCHIVES) else ""
            return Remedy(f"join the parts in their order: cat {into}{unpack}")
        if self.sets:
            return Remedy(_elsewhere(self.sets))
        if self.archives:
            return Remedy(f"unpack {self.archives[0]} and audit the folder with its content")
        if self._are_pointers:
            return Remedy("run `git lfs install` and `git lfs pull` in the folder, if one of them is the weights")
        if self.wanted and self.config:
            adapter = self.wanted.startswith("adapter_")
            what = "adapter" if adapter else "model"
            sharded = self.wanted.endswith("model.safetensors") and not adapter
            more = ", or its shards and their index" if sharded else ""
            fetch = f"download {self.wanted}{more}, or save the {what} again"
            if self.pickles:
                return Remedy(f"pass {self.pickles[0]} to see what it stores; if it is not the {what}, {fetch}")
            return Remedy(f"{fetch}: {self.config} is here without weights")
        if self.from_component is not None:
            return Remedy(f"download the weights of {'these components' if self.same_fault_in else 'this component'}")
        return Remedy("pass the folder that contains the weights")
