"""`python -m ness` is the `ness` command."""

from ness.cli.main import main

main()
