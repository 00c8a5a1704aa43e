"""The finding on a config key of a head, where the config states no class."""

from __future__ import annotations

from inspector.findings.config import ConfigDisagrees


class HeadDisagrees(ConfigDisagrees, frozen=True, kw_only=True):
    """A config key contradicts the stored head, and the config states no class.

    What it means
        The config has no `architectures`. AutoModel builds the base model, whose tensors are all stored. The head is
        stored as well, under names or with shapes that the class with this head has for another value of the key.

    Why it matters
        AutoModel, and classes for other tasks, load the base model completely. The class with this head does not find
        the stored head, and leaves its own randomly initialized.

    Example
        warning[C336] head-disagrees: legacy (likely)
          config    true, the class default
          weights   false, from 5 tensors
          explains  10 differences: cls.predictions.transform.dense.weight and 9 more
          or        the config is right and the weights lack
                    cls.predictions.transform.dense.weight
          help      set "legacy": false in config.json; or, where the weights lack
                    cls.predictions.transform.dense.weight, download or convert them
                    again

    What to do
        Nothing for the base model. Set the key if the head is to be used.
    """

    code = "C336"
    severity = "warning"
