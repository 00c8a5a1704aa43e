"""The words architecture cards are written in, and what a card means beside a config."""
