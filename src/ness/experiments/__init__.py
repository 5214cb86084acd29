"""The paper's tables, measured again: experiments, a resumable runner, tables and a report."""
