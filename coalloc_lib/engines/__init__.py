"""The engines that run a stream under its policies: a readable one and a compiled one."""
