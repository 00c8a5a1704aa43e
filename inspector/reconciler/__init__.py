"""Expected beside observed: placing, the ledger, solving symbols from shapes, root causes."""
