"""Systems to compare with: they share NeSS's data, one interface and one registry.

Importing this package does not import torch; loading a system does.
"""
