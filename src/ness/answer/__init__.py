"""From an input to an output: engines that decide by rules or by the network, greedily, without search."""
