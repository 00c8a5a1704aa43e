"""Findings on shapes that do not follow from the config."""

from __future__ import annotations

from inspector.findings.finding import ContentFinding, Finding, Remedy, Rows, Step
from inspector.findings.shards.sizes import SizeOfShard, sizes_of_shard
from inspector.findings.words import count, listed, number, shape


class UnexpectedShape(ContentFinding, frozen=True, kw_only=True):
    """A stored and an expected shape: dims as expressions and as numbers, with the values that give them."""

    stored: tuple[int, ...]
    expected: tuple[int | None, ...]
    dims: tuple[str, ...]
    because: tuple[str, ...]
    role: str
    dtype: str


class ShapeDiffers(UnexpectedShape, frozen=True, kw_only=True):
    """A tensor's shape does not match the config.

    What it means
        The config and the other weights agree; this tensor does not.

    Why it matters
        Loaders reject it, or replace it with random values.

    Example
        error[D501] shape-differs: model.layers.17.self_attn.k_proj.weight
          stored    [4096, 4096] BF16
          expected  [kv*dh, d] = [1024, 4096]
          because   kv = num_key_value_heads = 8; dh = d/h = 128 (head_dim absent); d =
                    hidden_size = 4096
          others    31 tensors are as expected
          help      download its file again: the tensor comes from another checkpoint

    What to do
        Download the file again; if the tensor was trained or merged in this shape, correct the config for all
        layers. A tensor with a dim of 0 has no values: the program that wrote it had none for it.
    """

    code = "D501"

    tensors: int
    others: int
    others_where: str
    names: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    in_shards: bool = False
    sizes: tuple[SizeOfShard, ...] = ()
    """Sizes of the model that the shapes show, if all these tensors are in one shard."""
    decided_alike: tuple[str, ...] = ()
    """Other tables of positions with the number of rows that the same key states."""

    headline_text = "{place.name}"

    def rows(self) -> Rows:
        nothing = ", no values" if self._is_empty() else ""
        rows = [
            ("stored", f"{shape(self.stored)} {self.dtype}{nothing}"),
            ("expected", f"[{', '.join(self.dims)}] = {shape(self.expected)}"),
            ("because", "; ".join(self.because)),
        ]
        if self.decided_alike:
            rows.append(("alike", f"{listed(self.decided_alike, 2)}: {self.expected[0]:,} rows, from the same key"))
        if self.place.indices and not self.place.tensor:
            rows.insert(0, ("where", f"{self.place.indices}, {count(self.tensors, 'tensor')}"))
        if self.others:
            rows.append(("others", f"{count(self.others, 'tensor')} {'is' if self.others == 1 else 'are'} as expected"))
        rows.append(("also", listed(self.also, 4)))
        rows.append(("file", listed(self.files, 3)))
        rows.extend(sizes_of_shard(self.sizes))
        return [row for row in rows if row[1]]

    def remedy(self) -> Remedy:
        if self._is_empty():
            which = "these tensors" if self.tensors > 1 else "this tensor"
            return Remedy(
                f"write it again: the program that did had no values for {which}; or take them from the model that "
                f"this one was made of; else make them anew as {shape(self.expected)} and train them"
            )
        if self.others:
            steps = tuple(Step(action="fetch", file=file) for file in self.files)
            files = listed(self.files, 3) if 1 <= len(self.files) <= 3 else "its file"
            what = "these tensors come" if self.also else "the tensor comes"
            words = f"download {files} again: {what} from another checkpoint"
            if self.also and self._is_narrower():
                words += "; unless the model was pruned: then load it with the program that pruned it"
            return Remedy(words, steps)
        if self.decided_alike:
            return Remedy(
                f"load it with the code that added positions to this table alone, or keep its first {self.expected[0]} "
                f"rows: tensor[:{self.expected[0]}].contiguous()"
            )
        return Remedy("compare tensor and config with the original: one is from another model")

    def _is_empty(self) -> bool:
        """True if a tensor of the model is stored without any element."""
        return 0 in self.stored and 0 not in self.expected

    def _is_narrower(self) -> bool:
        """True if no dim is larger than the expected one, as after pruning."""
        dims = zip(self.stored, self.expected, strict=False)
        return len(self.stored) == len(self.expected) and all(want is None or have <= want for have, want in dims)


class Rearranged(UnexpectedShape, frozen=True, kw_only=True):
    """Weights with the expected number of elements in other dims; stored and expected are those of the first."""

    families: tuple[str, ...]
    tensors: int

    def headline(self) -> str:
        return self.place.tensor or self.place.family or f"{len(self.families):,} families"

    def rows(self) -> Rows:
        rows = [
            ("stored", shape(self.stored)),
            ("expected", f"[{', '.join(self.dims)}] = {shape(self.expected)}"),
            ("tensors", number(self.tensors)),
        ]
        if len(self.families) > 1:
            rows.append(("families", listed(self.families, 3)))
        return rows


class StoredTransposed(Rearranged, frozen=True, kw_only=True):
    """A weight matrix is stored transposed.

    What it means
        The stored shape is the expected one with its two dims swapped: [in, out] instead of [out, in] or the
        reverse, as after a conversion between frameworks. Where the matrices of all experts are one tensor, its last
        two dims are meant.

    Why it matters
        Loaders reject it. Where most matrices are transposed, the square ones of the same modules probably are too:
        they load as they are, and the model computes other numbers. Their shape cannot show it.

    Example
        error[D502] stored-transposed: model.layers.{layer}.mlp.up_proj.weight
          stored    [4096, 14336]
          expected  [ff, d] = [14336, 4096]
          tensors   32
          help      transpose each: tensor.t().contiguous()

    What to do
        Transpose the matrices, and with them the square ones that the finding names, unless their values are those of
        the source as they are. Two matrices of one layer that have each other's shape may instead be stored under each
        other's name: then download or convert them again.
    """

    code = "D502"

    square: tuple[str, ...] = ()
    square_tensors: int = 0
    exchanged: tuple[str, ...] = ()
    """Two matrices with each other's shape, whose names may be exchanged."""

    def rows(self) -> Rows:
        rows = super().rows()
        if self.square:
            shown = f"{listed(self.square, 4)}, {count(self.square_tensors, 'tensor')}"
            rows.append(("square", f"{shown}: their shape cannot show whether they are transposed too"))
        if self.exchanged:
            rows.append(("or", f"{' and '.join(self.exchanged)} are stored under each other's name"))
        return rows

    def remedy(self) -> Remedy:
        if self.exchanged:
            return Remedy("download or convert both again: shapes do not show whether names or dims are exchanged")
        change = "tensor.t().contiguous()" if len(self.stored) == 2 else "tensor.mT.contiguous()"
        words = f"transpose {'it' if self.tensors == 1 else 'each'}: {change}"
        if self.square:
            words += "; the square ones as well, unless their values are those of the source as they are"
        return Remedy(words)


class StoredReshaped(Rearranged, frozen=True, kw_only=True):
    """Weights are stored in other dims, with the same number of elements.

    What it means
        Adjacent dims of the expected shape are joined, split, or have a dim of 1 more or less: a matrix was
        flattened, a convolution became a linear layer or the reverse, a batch dim was added.

    Why it matters
        Loaders compare shapes, not elements: they reject these tensors, or replace them with random values.

    Example
        error[D505] stored-reshaped: model.layers.{layer}.mlp.up_proj.weight
          stored    [58720256]
          expected  [ff, d] = [14336, 4096]
          tensors   32
          help      reshape it: tensor.reshape(14336, 4096)

    What to do
        Reshape tensors that were flattened or have a dim of 1 more or less. Where dims were joined or split, the
        elements may be in another order as well: convert the checkpoint again.
    """

    code = "D505"

    def remedy(self) -> Remedy:
        bare = [[dim for dim in dims if dim != 1] for dims in (self.stored, self.expected)]
        if bare[0] != bare[1] and len(self.stored) != 1:
            return Remedy("convert it again with the converter of its library, which knows the order of the elements")
        change = f"tensor.reshape({', '.join(map(str, self.expected)) or '()'})"
        if len(self.families) == 1:
            return Remedy(f"reshape it: {change}")
        return Remedy(f"reshape each to the shape of the module that loads it; the first: {change}")


class OnesLeftOut(Rearranged, frozen=True, kw_only=True):
    """A GGUF file of an image model has tensors without their dims of 1.

    What it means
        The format leaves dims of 1 out where they come first in PyTorch. Converters of ComfyUI-GGUF's kind note the
        shape (`comfy.gguf.orig_shape`), others do not.

    Why it matters
        stable-diffusion.cpp, which writes such files, reads them. ComfyUI-GGUF gives the tensors the stored shape, and
        ComfyUI refuses it if they are not quantized.

    Example
        note[D516] ones-left-out: 2 families (likely)
          stored    [48]
          expected  [1, d] = [1, 48]
          tensors   2
          families  x_pad_token, cap_pad_token
          help      load it with stable-diffusion.cpp; for ComfyUI-GGUF use a file of
                    its converter

    What to do
        Nothing for stable-diffusion.cpp; for ComfyUI, take a file that was converted for it.
    """

    code = "D516"
    severity = "note"

    def remedy(self) -> Remedy:
        return Remedy("load it with stable-diffusion.cpp; for ComfyUI-GGUF use a file of its converter")


class BufferShapeDiffers(ShapeDiffers, frozen=True, kw_only=True):
    """A buffer that models compute has another shape than the config gives.

    What it means
        Position ids, rotary frequencies and masks follow from the config. The stored ones are of a config with other
        sizes, such as another number of positions.

    Why it matters
        Loaders that compute them leave the stored ones out. Older ones load them and reject the shape.

    Example
        warning[N450] buffer-shape-differs: embeddings.position_ids
          stored    [1, 514] I64
          expected  [1, T] = [1, 512]
          because   T = max_position_embeddings = 512 (class default)
          help      remove the tensor: models compute it

    What to do
        Nothing for loaders that compute it; else remove the tensor.
    """

    code = "N450"
    severity = "warning"

    def remedy(self) -> Remedy:
        return Remedy("remove the tensor: models compute it")

    def after_loading(self, loader: str, outcome: str, because: str) -> Finding | None:
        """None if the loader ignores the tensor."""
        return None if outcome == "complete" else self
