"""Maps the parameters of one checkpoint to those of another: shapes, pieces, pairs, tally, causes."""
