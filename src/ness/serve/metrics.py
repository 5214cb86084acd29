"""What the server did, in the text format of Prometheus: written by hand, for it is a few lines."""

import time
from collections import defaultdict
from collections.abc import Mapping

from starlette.types import ASGIApp, Message, Receive, Scope, Send

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_SIZES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
Labels = tuple[tuple[str, str], ...]


class Histogram:
    """Counts of observations up to each bound."""

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self._bounds = bounds
        self._counts = [0] * len(bounds)
        self._total = 0
        self._sum = 0.0

    def observe(self, value: float) -> None:
        """Count one more."""
        self._total += 1
        self._sum += value
        for place, bound in enumerate(self._bounds):
            if value <= bound:
                self._counts[place] += 1

    def lines(self, name: str, labels: Labels = ()) -> list[str]:
        """Write the histogram."""
        counts = zip((*map(str, self._bounds), "+Inf"), (*self._counts, self._total), strict=True)
        buckets = [f"{name}_bucket{_braces((*labels, ('le', bound)))} {count}" for bound, count in counts]
        ending = [f"{name}_sum{_braces(labels)} {self._sum:.6f}", f"{name}_count{_braces(labels)} {self._total}"]
        return [*buckets, *ending]


class Metrics:
    """All counters of a server."""

    def __init__(self) -> None:
        self.running = 0  # requests now
        self.requests: dict[Labels, int] = defaultdict(int)
        self.seconds: dict[Labels, Histogram] = defaultdict(lambda: Histogram(_SECONDS))
        self.inputs: dict[Labels, int] = defaultdict(int)
        self.batches: dict[Labels, Histogram] = defaultdict(lambda: Histogram(_SIZES))
        self.reloads: dict[Labels, int] = defaultdict(int)
        self.learned: dict[Labels, int] = defaultdict(int)

    def text(self) -> str:
        """Write everything."""
        lines = [
            *_head("ness_requests_running", "gauge", "Requests being answered"),
            f"ness_requests_running {self.running}",
            *_counter("ness_requests_total", "Requests by path and status", self.requests),
            *_histograms("ness_request_seconds", "Time to answer a request", self.seconds),
            *_counter("ness_inputs_total", "Inputs translated, by outcome", self.inputs),
            *_histograms("ness_batch_inputs", "Inputs that were translated together", self.batches),
            *_counter("ness_reloads_total", "Runs read again after they were trained again", self.reloads),
            *_counter("ness_learned_total", "Times that examples were learned in the page, by outcome", self.learned),
        ]
        return "\n".join(lines) + "\n"


class Measure:
    """Counts every request, refused ones too."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status = 500

        async def noting_send(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        started = time.perf_counter()
        self._metrics.running += 1
        try:
            await self._app(scope, receive, noting_send)
        finally:
            self._metrics.running -= 1
            # The route's pattern, not the path: a caller must not be able to make labels without end.
            path = getattr(scope.get("route"), "path", "other")
            self._metrics.requests[(("path", path), ("status", str(status)))] += 1
            self._metrics.seconds[(("path", path),)].observe(time.perf_counter() - started)


def _head(name: str, kind: str, meaning: str) -> list[str]:
    return [f"# HELP {name} {meaning}", f"# TYPE {name} {kind}"]


def _counter(name: str, meaning: str, counts: Mapping[Labels, int]) -> list[str]:
    lines = [f"{name}{_braces(labels)} {count}" for labels, count in sorted(counts.items())]
    return [*_head(name, "counter", meaning), *lines]


def _histograms(name: str, meaning: str, found: Mapping[Labels, Histogram]) -> list[str]:
    lines = [line for labels, histogram in sorted(found.items()) for line in histogram.lines(name, labels)]
    return [*_head(name, "histogram", meaning), *lines]


def _braces(labels: Labels) -> str:
    written = ",".join(f'{name}="{_escape(value)}"' for name, value in labels)
    return f"{{{written}}}" if written else ""


def _escape(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
