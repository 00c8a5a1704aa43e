"""Scripts that make the records of `fixtures/quantization`, one for each environment of tools.

Each docstring lists what to install and states whether the script has been run in this form. `models.py` builds the
tiny random models and turns what a tool saved into a record.
"""
