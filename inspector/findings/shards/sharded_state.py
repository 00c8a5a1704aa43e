"""The finding on weights saved as the state of vLLM's ranks."""

from __future__ import annotations

from inspector.findings.finding import Finding


class ShardedState(Finding, frozen=True, kw_only=True):
    """The files hold what vLLM's ranks have in memory.

    What it means
        Each `model-rank-N-part-M.safetensors` has a slice of every matrix for one rank of tensor parallelism, and the
        projections joined as vLLM computes with them.

    Why it matters
        vLLM alone reads them, with as many ranks as saved them. Under the name of a model they load nowhere.

    Example
        note[S260] sharded-state: model-rank-0-part-0.safetensors
          ranks  0, 1
          help   load it with vLLM: load_format="sharded_state" and the same
                 tensor_parallel_size

    What to do
        Load it with vLLM, or take the model that it was saved from.
    """

    code = "S260"
    severity = "note"

    ranks: tuple[int, ...]
    of: int

    headline_text = "{place.file}"
    row_texts = (("ranks", "{ranks:listed 8}"),)
    remedy_text = 'load it with vLLM: load_format="sharded_state" and the same tensor_parallel_size'


class RanksMissing(ShardedState, frozen=True, kw_only=True):
    """The state of some of vLLM's ranks is missing.

    What it means
        Each `model-rank-N-part-M.safetensors` has a slice of every matrix for one rank of tensor parallelism. The rows
        of the table of tokens show how many ranks there were; files of some are not here.

    Why it matters
        vLLM refuses the folder, and no other program reads slices.

    Example
        error[S261] ranks-missing: model-rank-0-part-0.safetensors
          ranks  0 of 2
          help   download the files of the other ranks, for vLLM's
                 load_format="sharded_state"; or take the model that they were saved
                 from

    What to do
        Download the files of all ranks.
    """

    code = "S261"
    severity = "error"
    incomplete = True

    row_texts = (("ranks", "{ranks:listed 8} of {of}"),)
    remedy_text = (
        'download the files of the other ranks, for vLLM\'s load_format="sharded_state"; or take the model that they '
        "were saved from"
    )
