"""Structure without search: where content words end up tells how an output is built."""
