"""The finding on matrices stored in the parts that a module computes them from although the class has
none, or reverse.
"""

from __future__ import annotations

from typing import Literal

from inspector.findings.finding import ContentFinding, Remedy, Rows
from inspector.findings.words import count

Kind = Literal["weight norm", "spectral norm"]
REMOVE = {
    "weight norm": 'torch.nn.utils.parametrize.remove_parametrizations(module, "weight"), or '
    "torch.nn.utils.remove_weight_norm(module) where the names end in weight_g and weight_v",
    "spectral norm": 'torch.nn.utils.parametrize.remove_parametrizations(module, "weight"), or '
    "torch.nn.utils.remove_spectral_norm(module) where a name ends in weight_orig",
}
"""Kind -> the call that computes the matrix from its parts and keeps only the matrix."""
APPLY = {
    "weight norm": "torch.nn.utils.parametrizations.weight_norm",
    "spectral norm": "torch.nn.utils.parametrizations.spectral_norm",
}


class WeightsReparametrized(ContentFinding, frozen=True, kw_only=True):
    """Matrices are stored as parts from which a module computes them where the class has them whole, or the reverse.

    What it means
        Under weight norm a matrix is computed from its direction and a size for each row, under spectral norm from
        another matrix and vectors. Training applies it, inference often removes it: one of the two was saved where the
        class of the config has the other form. `parts`: whether the parts are stored.

    Why it matters
        Loaders find no matrix under the expected name and leave it random. A part under the name of the matrix would
        load, and be wrong: the direction alone has other numbers.

    Example
        error[N463] weights-reparametrized: weight norm was not removed from 4 modules
          stored    decoder.upsampler.{upsampler}.parametrizations.weight.original1,
                    decoder.upsampler.{upsampler}.parametrizations.weight.original0
          expected  decoder.upsampler.{upsampler}.weight
          help      save them again after
                    torch.nn.utils.parametrize.remove_parametrizations(module,
                    "weight"), or torch.nn.utils.remove_weight_norm(module) where the
                    names end in weight_g and weight_v

    What to do
        Load the weights in the code that saved them, remove or apply the norm there, and save again. `inspector mend`
        never changes tensor data, and so does not compute the matrices.
    """

    code = "N463"

    kind: Kind
    parts: bool
    stored: tuple[str, ...]
    expected: tuple[str, ...]
    modules: int
    more: int = 0

    def headline(self) -> str:
        of = count(self.modules, "module")
        return f"{self.kind} was not removed from {of}" if self.parts else f"{self.kind} was removed from {of}"

    def rows(self) -> Rows:
        more = [("more", f"{self.more} alike")] if self.more else []
        return [("stored", ", ".join(self.stored)), ("expected", ", ".join(self.expected)), *more]

    def remedy(self) -> Remedy:
        if self.parts:
            return Remedy(f"save them again after {REMOVE[self.kind]}")
        return Remedy(
            f"save them again after {APPLY[self.kind]}(module) with the matrices loaded, as the class has them"
        )
