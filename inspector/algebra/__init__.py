"""Pure arithmetic of the house: index spans, the expression language of definitions, polynomials, name keys."""
