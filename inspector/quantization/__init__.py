"""How a module is stored when it is quantised: one scheme a file."""
