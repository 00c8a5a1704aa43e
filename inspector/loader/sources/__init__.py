"""Places that are reached over a network: the Hub, buckets, archives, servers."""
