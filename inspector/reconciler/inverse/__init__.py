"""The inverse of a definition: from the stored tensors back to the config.

Every stored dim, index set and presence is an equation over config values. A config value is wrong where
the equations that fail agree on another value and the other equations that read it allow that value.
"""
