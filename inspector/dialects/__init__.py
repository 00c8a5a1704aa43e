"""Tensor names and config keys of other frameworks: one file for each, in one language (`inspector.dialects.language`).

How to add a dialect, with torchtune as the example (`torchtune.py`, 36 lines):

1. Convert a tiny model with the real tool, or take the maps of its converter; keep the source for the docstring.
2. Write `inspector/dialects/NAME.py` with one `Dialect`. Look the roles of your model up with `inspector formula
   qwen3`, and give each its name: `"mlp.gate": "layers.{0}.mlp.w1"`, `"norm.final": "norm.scale="` (the whole name).
3. Modules stored as one matrix need only the joint name: `"attention.qkv"` instead of query, key and value. Rows that
   alternate by kv head: `interleaved=("attention.qkv",)`. Another layout: `stored("lm_head", "padded")`.
4. `signs`: keys that no other writer has, `("layers.#.sa_norm.scale",)`. `types`: the model types to try without a
   config. `prefixes`: what the writer may put before every name.
5. Add it to `all_dialects` in `catalog.py`, and a part of each sign to `SIGN_PARTS`, so that others need not load it.
6. If the writer has its own config format: a table config key -> expression over its words, `"head_dim": "head_size |
   n_embd / n_head"`, and a `config_of` as in `litgpt.py`; the loader returns the writer's keys,
   and `reading.py` calls `config_of`.
7. Add the conversion, written down from its source, to `tests/dialects/converters.py` and a row to `WAYS` in
   `test_writers.py`: every type must be clean with and without config, and each damaged tensor named.
"""
