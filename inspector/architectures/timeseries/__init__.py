"""Definitions of models that read time series."""
