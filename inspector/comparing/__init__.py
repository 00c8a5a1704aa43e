"""How the parameters of one checkpoint become those of another: shapes, pieces, pairs, tally, causes."""
