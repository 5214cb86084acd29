"""What benchmarks share: how long a piece of work takes."""

import gc
import time
from collections.abc import Callable


def cpu_seconds(work: Callable[[], object]) -> float:
    """Measure CPU time, with garbage collected before and not during the work.

    A full collection takes longer than what is measured, and would fall on either of two things that are compared.
    """
    gc.collect()
    gc.disable()
    started = time.process_time()
    try:
        work()
    finally:
        gc.enable()
    return time.process_time() - started
