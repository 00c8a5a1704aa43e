"""Pure arithmetic of the house: index spans, the expression language of cards, polynomials, name keys."""
