"""Predicts what loaders do with an audited checkpoint, and reports a finding if the intended loader fails."""
