"""The storage formats of quantized weights, one file each: which tensors a module has, and its logical shape."""
