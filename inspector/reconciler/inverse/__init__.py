"""The inverse of a definition: from what is stored back to the config that it was built from.

Every stored dim, index set and presence is an equation over values of the config. A value of the config is wrong where
the equations that do not hold agree on another value and the rest of its readers bear it.
"""
