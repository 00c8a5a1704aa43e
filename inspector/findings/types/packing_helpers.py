"""Findings on quantization helpers without the weights they belong to, or that no loader needs."""

from __future__ import annotations

import msgspec

from inspector.findings.finding import ContentFinding, Remedy, Rows
from inspector.findings.types.modules import PackedModules
from inspector.findings.words import count, listed


class PackingHelperOrphaned(PackedModules, frozen=True, kw_only=True):
    """Scales or other packing helpers without quantized values.

    What it means
        The names are those of packing helpers, but no quantized values belong to them. Some tools keep the scales of
        a dequantized module.

    Why it matters
        Loaders ignore them with a warning. If weights need them under other names, those weights are unusable
        as stored.

    Example
        warning[T617] packing-helper-orphaned:
          model.layers.{layer}.mlp.experts.down_proj_scale_inv
          where   layers 0, 1, 2 tensors
          stored  weight_scale_inv
          help    remove them, or rename them to match their weights

    What to do
        Remove them, or rename them to match their weights.
    """

    code = "T617"
    severity = "warning"

    helpers: tuple[str, ...]
    beside: str | None
    serves: int | msgspec.UnsetType = msgspec.UNSET

    def rows(self) -> Rows:
        rows = [("stored", listed(self.helpers))]
        if self.modules > 1:
            rows.insert(0, ("where", f"{self.where}, {count(self.modules, 'tensor')}".removeprefix(", ")))
        if self.beside:
            rows.append(("next to", f"weight in {self.beside}, which is not quantized"))
        return rows

    def remedy(self) -> Remedy:
        return Remedy("remove them, or rename them to match their weights")


class ExpertScalesStacked(PackingHelperOrphaned, frozen=True, kw_only=True):
    """The weights of experts are stored one by one, and their scales stacked.

    What it means
        transformers 5 saves fine-grained fp8 so (`experts.gate_up_proj_scale_inv` next to `experts.0.w1.weight`), and
        reads it again.

    Why it matters
        Programs that look for a scale next to each weight find none.

    Example
        note[T648] expert-scales-stacked: 4 modules such as
          model.layers.0.block_sparse_moe.experts.down_proj_scale_inv
          where   layers 0, 1, 4 tensors
          stored  down_proj_scale_inv
          serves  24 weights of single experts
          loader  transformers 5 reads them; others look for a scale next to each weight
          help    no action needed for transformers 5; for another loader, split them by
                  expert

    What to do
        Nothing for transformers 5. For another program, split the scales by expert or quantize again with its own tool.
    """

    code = "T648"
    severity = "note"

    def rows(self) -> Rows:
        rows = super().rows()
        if self.serves is not msgspec.UNSET:
            rows.append(("serves", f"{count(self.serves, 'weight')} of single experts"))
        return [*rows, ("loader", "transformers 5 reads them; others look for a scale next to each weight")]

    def remedy(self) -> Remedy:
        return Remedy("no action needed for transformers 5; for another loader, split them by expert")


class BiasFromPacking(ContentFinding, frozen=True, kw_only=True):
    """Quantized modules have biases that the model does not have.

    What it means
        AutoGPTQ and similar tools give every quantized module a bias, with zeros if the model has none.

    Why it matters
        They are not parameters of the model; the file is slightly larger.

    Example
        note[T621] bias-from-packing: 21 tensors (likely)
          families  model.layers.{layer}.mlp.down_proj.bias,
                    model.layers.{layer}.mlp.gate_proj.bias and 5 more
          stored    11,136 elements, 22,272 bytes

    What to do
        Nothing.
    """

    code = "T621"
    severity = "note"

    families: tuple[str, ...]
    tensors: int
    elements: int
    bytes: int

    headline_text = "{tensors:count tensor}"
    row_texts = (("families", "{families:listed 2}"), ("stored", "{elements} elements, {bytes} bytes"))


class GroupIndexAbsent(ContentFinding, frozen=True, kw_only=True):
    """GPTQ modules without `g_idx`, the group of each input.

    What it means
        The first tools for GPTQ did not store it. Without `desc_act` it follows from the group size: the first inputs
        are of group 0, and so on.

    Why it matters
        vLLM does not read it. text-generation-inference refuses the file, except with its Marlin kernels: "weight g_idx
        does not exist". GPTQModel, which transformers uses, reads it, and has the groups in order where it is absent;
        whether that survives loading by transformers was not measured.

    Example
        note[T675] group-index-absent: no g_idx in 14 modules
          loaders  vLLM does not read it; text-generation-inference refuses the file,
                   except with its Marlin kernels
          help     nothing for vLLM; for other programs take a newer conversion, or
                   store g_idx [inputs] I32 with input // group_size in each module

    What to do
        Nothing for vLLM. For other programs take a newer conversion, or add the tensors.
    """

    code = "T675"
    severity = "note"

    modules: int

    headline_text = "no g_idx in {modules:count module}"
    row_texts = (
        (
            "loaders",
            "vLLM does not read it; text-generation-inference refuses the file, except with its Marlin kernels",
        ),
    )
    remedy_text = (
        "nothing for vLLM; for other programs take a newer conversion, or store g_idx [inputs] I32 with "
        "input // group_size in each module"
    )


class CacheScalesStored(PackedModules, frozen=True, kw_only=True):
    """Scales for a quantized key-value cache are stored.

    What it means
        They belong to the runtime's cache, not to the weights.

    Why it matters
        They are not parameters; loaders ignore them unless the config enables the quantized cache.

    Example
        note[T622] cache-scales-stored: model.layers.{layer}.self_attn.k_scale
          stored  k_scale, v_scale; 2 modules
          config  states no quantized cache

    What to do
        Nothing, or state the cache quantization in the config.
    """

    code = "T622"
    severity = "note"
    always_one = True

    helpers: tuple[str, ...]
    stated: bool | None

    def rows(self) -> Rows:
        rows = [("stored", f"{listed(self.helpers)}; {count(self.modules, 'module')}")]
        if not self.stated:
            rows.append(("config", "states no quantized cache"))
        return rows
