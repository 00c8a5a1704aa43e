"""Determines which model the stored weights are, if they do not fit the model type or class that the config states."""
