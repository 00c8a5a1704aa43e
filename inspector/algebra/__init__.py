"""Pure arithmetic without any knowledge of models.

Index spans and boxes, the expression language of architecture definitions with its evaluation, polynomials, and the
keys of tensor names.
"""
