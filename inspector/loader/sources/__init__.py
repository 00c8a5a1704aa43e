"""Sources of checkpoints: local folders, the Hub, buckets, archives, servers."""
