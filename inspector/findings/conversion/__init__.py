"""V: a checkpoint compared with another one."""
