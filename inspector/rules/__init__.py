"""The vocabulary of what the tool can say: one file, one finding; the file's name is its code and name."""
