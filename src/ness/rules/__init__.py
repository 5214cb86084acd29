"""What traces teach: rule sets with counts, and categories of operationally equivalent words."""

from ness.rules.table import Categories, Decision, RuleTable

__all__ = ["Categories", "Decision", "RuleTable"]
