"""The inverse of a definition: from the stored tensors back to the config.

Every stored dim, index set and presence of a tensor is an equation over config values. A config value is wrong if the
equations that fail agree on another value, and the other equations that read the key allow this value.
"""
