"""What loaders do with a checkpoint: which tensors stay at random, which are left out, and what they refuse."""
