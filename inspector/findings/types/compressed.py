"""Findings on weights of compressed-tensors that the loader does not decompress."""

from __future__ import annotations

from inspector.findings.finding import ContentFinding, Remedy, Rows, Step
from inspector.findings.words import count

SPARSITY = "sparsity_config"
QUANTIZATION = "quantization_config"
"""Keys of config.json; the second contains the first."""


class CompressedStatus(ContentFinding, frozen=True, kw_only=True):
    """The weights are compressed, and the config does not say so.

    What it means
        `quantization_status` is another one than "compressed", and the quantized values are stored. With such a status
        transformers expects weights that are not quantized yet.

    Why it matters
        transformers 5.23 takes stored 8-bit values for weights, without their scales, and leaves weights random whose
        values are packed. It gives no warning.

    Example
        error[T651] compressed-status: quantization_config.quantization_status
          config   frozen
          weights  compressed, 14 modules
          help     set "quantization_status": "compressed" in the quantization_config of
                   config.json

    What to do
        Set the status.
    """

    code = "T651"

    status: str
    modules: int
    file: str
    path: tuple[str, ...]

    headline_text = "{place.key}"

    def rows(self) -> Rows:
        return [
            ("config", self.status),
            ("weights", f"compressed, {count(self.modules, 'module')}"),
        ]

    def remedy(self) -> Remedy:
        step = Step(action="set", file=self.file, key=(*self.path, "quantization_status"), new="compressed")
        return Remedy(f'set "quantization_status": "compressed" in the {self.path[-1]} of {self.file}', (step,))


class SparseCompression(ContentFinding, frozen=True, kw_only=True):
    """The weights are stored without their zeros, which the loader no longer expands.

    What it means
        A bitmask says where the values of each row belong. compressed-tensors expanded it before version 0.15;
        transformers 5.23 asks for that version or a newer one.

    Why it matters
        transformers 5.23 leaves the weights random.

    Example
        error[T652] sparse-compression: 21 modules such as
          model.layers.0.self_attn.q_proj.weight
          loader  transformers 5.23 with compressed-tensors 0.15 or newer does not
                  expand sparse-bitmask
          help    with compressed-tensors 0.14 installed, save the tensors that
                  BitmaskCompressor(BitmaskConfig()).decompress(FOLDER) gives as
                  model.safetensors, and remove quantization_config from config.json; or
                  save the model again without a sparsity config

    What to do
        Expand the weights with an older version (its class BitmaskCompressor is in
        `compressed_tensors.compressors.sparse_compressors.sparse_bitmask`, BitmaskConfig in
        `compressed_tensors.config`), or save the original model without compression.
    """

    code = "T652"

    modules: int
    first: str
    others: int

    headline_text = "{modules:count module} such as {first}"

    def remedy(self) -> Remedy:
        block = SPARSITY if self.others else QUANTIZATION
        return Remedy(
            "with compressed-tensors 0.14 installed, save the tensors that "
            "BitmaskCompressor(BitmaskConfig()).decompress(FOLDER) gives as model.safetensors, and remove "
            f"{block} from config.json; or save the model again without a sparsity config"
        )

    def rows(self) -> Rows:
        return [("loader", "transformers 5.23 with compressed-tensors 0.15 or newer does not expand sparse-bitmask")]
