"""The Neural Parser (Chen, Liu & Song 2018): a network drives a parsing machine, learned from pairs in two phases."""
