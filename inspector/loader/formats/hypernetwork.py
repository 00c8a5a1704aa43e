"""Recognises hypernetworks of Stable Diffusion in pickled files."""

from __future__ import annotations


def is_hypernetwork(value: object) -> bool:
    """True for a hypernetwork of Stable Diffusion: two networks, of keys and values, for each width of the attention.

    Source: `save` in `modules/hypernetworks/hypernetwork.py` of AUTOMATIC1111's web UI.
    """
    numbered = [one for key, one in value.items() if isinstance(key, int)] if isinstance(value, dict) else []
    return bool(numbered) and all(
        isinstance(one, list | tuple) and len(one) == 2 and all(isinstance(network, dict) for network in one)
        for one in numbered
    )
