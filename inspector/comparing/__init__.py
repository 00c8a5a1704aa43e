"""Compares two checkpoints by mapping their parameters to each other.

Stored tensors become pieces with a role (`pieces`, `sides`); pieces of both sides are paired (`pairing`) and tallied
(`tally`); differences are grouped by cause (`causes`). `checkpoints` runs these steps.
"""
