"""What jobs would cost, before any of them is started."""

from collections.abc import Sequence

from ness.execute.jobs import Job
from ness.execute.progress import duration

_SIZES = (1, 10, 100, 1000)


def plan_lines(jobs: Sequence[Job], done_before: int, slots: int) -> list[str]:
    """Say how many jobs are left, what they take, and how long that is for so many at a time and for others."""
    total = len(jobs) + done_before
    lines = [f"{total:,} runs: {done_before:,} are there already, {len(jobs):,} to do; nothing was started"]
    if not jobs:
        return lines
    seconds = sum(job.expected for job in jobs)
    gpu = sum(job.expected * job.resources.gpus for job in jobs) / 3600
    gpu_hours = f", {gpu:,.1f} GPU hours" if gpu else ""
    lines.append(f"cost, as far as it can be guessed: {seconds / 3600:,.1f} CPU hours{gpu_hours}")
    longest = max(job.expected for job in jobs)
    for size in sorted({slots, *_SIZES}):
        if size <= max(slots, len(jobs)):
            takes = max(longest, seconds / min(size, len(jobs)))
            lines.append(f"  {size:,} at a time: {duration(takes)}" + (" (as asked for)" if size == slots else ""))
    return lines
