"""S: shards and their index."""
