"""Prefixes of an adapter that are divided into attention heads, compared with those of the base."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy, Step


class AdapterHeadsDiffer(Finding, frozen=True, kw_only=True):
    """A prefix was trained for another number of attention heads than its base has.

    What it means
        The numbers of a prefix stand in front of the keys and values of each head. Its width is that of the base, but
        adapter_config.json divides it into another number of heads.

    Why it matters
        PEFT loads it, and the first forward pass fails: the base cannot join the prefix with its own keys.

    Example
        error[A933] adapter-heads-differ: 12 heads, the base has 16
          then  it loads, and the first forward pass fails
          help  use the base that the adapter was trained on, or set
                "num_attention_heads": 16 in adapter_config.json if this is it

    What to do
        Use the base of the training; correct the number if the config was edited.
    """

    code = "A933"

    stated: int
    of_base: int

    headline_text = "{stated} heads, the base has {of_base}"
    row_texts = (("then", "it loads, and the first forward pass fails"),)

    def remedy(self) -> Remedy:
        file, key = "adapter_config.json", "num_attention_heads"
        step = Step(action="set", file=file, key=(key,), old=self.stated, new=self.of_base)
        other = "use the base that the adapter was trained on"
        return Remedy(f'{other}, or set "{key}": {self.of_base} in {file} if this is it', (step,))


class AdapterHeadsDivided(AdapterHeadsDiffer, frozen=True, kw_only=True):
    """A prefix is divided into other heads than those it was trained for.

    What it means
        adapter_config.json states another number of key heads than the base has. PEFT divides the prefix anew where
        the base has grouped heads, and the width allows it.

    Why it matters
        The model runs, but the numbers of the prefix reach other heads than those they were trained for.

    Example
        warning[A934] adapter-heads-divided: 2 heads, the base has 8
          then  it loads, and its numbers reach other heads than those of the training
          help  use the base that the adapter was trained on, or set
                "num_attention_heads": 8 in adapter_config.json if this is it

    What to do
        Use the base of the training; correct the number if the config was edited.
    """

    code = "A934"
    severity = "warning"

    row_texts = (("then", "it loads, and its numbers reach other heads than those of the training"),)
