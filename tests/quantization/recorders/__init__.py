"""Scripts that make the records of `fixtures/quantization` anew, one for each environment of tools.

Each names in its docstring what to install and whether it has been run as it stands. `models.py` builds the tiny
random models, and turns what a tool saved into a record.
"""
