"""Audits one source: decides what it is, explains every stored tensor, and derives the verdict.

`start` chooses the audit. A model goes through the explainers of `model`, which pass on a `draft`; `result` is what
comes out. The packages, from the bottom to the top:

- `identity`: which model the weights are, if the config states another type, class or part;
- `quantized`: quantized modules and the block of the config that describes them;
- `gguf`: the metadata and tensors of a GGUF file, from the view of llama.cpp;
- `files`: file names, sets of weights, stale and renamed files;
- `loads`: what transformers and other loaders do with the checkpoint, and findings if the intended one fails;
- `pipeline`: pipelines of diffusers, single files, and the modules of sentence encoders;
- `adapter`: adapters, alone and with a base.
"""
