"""Pure arithmetic: index spans, the expression language of definitions, polynomials, keys of names."""
