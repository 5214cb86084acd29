"""Meta-training on random grammars: one network for all tasks of a kind, kept in a file and resumed from it.

`python -m ness.experiments.systems.synth.meta scan --device cuda` trains it ahead of all runs that need it.
"""

import argparse
import hashlib
import json
import math
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn

from ness.errors import ConfigError
from ness.experiments.systems.interface import Point, Report, Settings
from ness.experiments.systems.synth.coding import EpisodeCoder, Pool, draw_episodes
from ness.experiments.systems.synth.episodes import KINDS, Episode
from ness.experiments.systems.synth.network import SupportExamples, SynthNetwork
from ness.experiments.systems.synth.search import count_wrong

CACHE = "NESS_CACHE"  # the variable that names the folder of weights
_SEED = 0  # of the one network; the seeds of runs differ in what they are shown
_HELD_OUT = 64  # random grammars that the curve is measured on
_META = ("steps", "kind", "size", "dropout", "rate", "batch_size", "clip_norm", "episodes")


@dataclass(frozen=True, slots=True, kw_only=True)
class SynthSettings(Settings):
    """As published, but for the number of steps and for the stored episodes."""

    steps: int = 8_000  # of meta-training; the original: 1,000,000 at most
    kind: str = "scan"  # of the random grammars: scan or fewshot
    size: int = 200
    dropout: float = 0.1
    rate: float = 1e-3
    batch_size: int = 128  # grammars a step
    clip_norm: float = 400.0
    episodes: int = 50_000  # drawn once, renamed at each use
    workers: int = 0  # processes that draw episodes; 0: one for each core
    evaluate_every: int = 500  # steps between two points of the curve, each of which is kept
    shown: int = 100  # training examples that the network is shown
    draws: int = 20  # of what is shown
    batches: int = 15  # of sampled grammars for one draw, in the search
    samples: int = 128  # grammars in a batch

    def __post_init__(self) -> None:
        Settings.__post_init__(self)
        if self.kind not in KINDS:
            raise ConfigError(f"'kind' must be {' or '.join(KINDS)}, not '{self.kind}'")

    def file(self) -> Path:
        """Name the file of the network that these settings give."""
        values = {name: value for name, value in asdict(self).items() if name in _META}
        digest = hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:10]
        folder = os.environ.get(CACHE) or Path.home() / ".cache" / "ness"
        return Path(folder) / f"synth-{self.kind}-{digest}.pt"


def settings_of(kind: str) -> SynthSettings:
    """Return the settings for a kind of grammar."""
    return SynthSettings(kind="fewshot", steps=10_000, draws=5, batches=60) if kind == "fewshot" else SynthSettings()


def meta_trained(
    settings: SynthSettings, device: str, seconds: float, report: Report
) -> tuple[SynthNetwork, list[Point]]:
    """Read the network, or train it as far as the time allows; others that want it wait meanwhile."""
    coder = EpisodeCoder(KINDS[settings.kind])
    file = settings.file()
    with _locked(file), torch.random.fork_rng(devices=[torch.device(device)] if device.startswith("cuda") else []):
        torch.manual_seed(_SEED)
        network = SynthNetwork(*coder.sizes, settings.size, settings.dropout).to(device)
        optimiser = torch.optim.Adam(network.parameters(), lr=settings.rate)
        curve: list[Point] = []
        if file.exists():
            kept = torch.load(file, map_location=device, weights_only=True)
            network.load_state_dict({name: value.float() for name, value in kept["weights"].items()})
            curve = [Point(**point) for point in kept["curve"]]
            if curve[-1].step < settings.steps:
                optimiser.load_state_dict(kept["optimiser"])
        if not curve or curve[-1].step < settings.steps:
            _train(network, optimiser, coder, settings, device, seconds, curve, report)
            # What was rounded for the file is what all runs use, the first one too.
            network.load_state_dict({name: value.half().float() for name, value in network.state_dict().items()})
    return network.eval(), curve


def _train(
    network: SynthNetwork,
    optimiser: torch.optim.Optimizer,
    coder: EpisodeCoder,
    settings: SynthSettings,
    device: str,
    seconds: float,
    curve: list[Point],
    report: Report,
) -> None:
    """Go on from the last point of the curve; each further one is kept in the file."""
    first, before = (curve[-1].step, curve[-1].seconds) if curve else (0, 0.0)
    started = time.monotonic()
    workers = settings.workers or os.cpu_count() or 1
    episodes = draw_episodes(coder.kind, settings.episodes + _HELD_OUT, _SEED, workers)
    pool, unseen = Pool(episodes[_HELD_OUT:], coder, device), episodes[:_HELD_OUT]
    losses = torch.zeros((), device=device)
    for step in range(first + 1, settings.steps + 1):
        network.train()
        for group in optimiser.param_groups:
            group["lr"] = settings.rate * (1 - 0.9 * step / settings.steps)
        loss = network.loss(*pool.draw(settings.batch_size))
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(network.parameters(), settings.clip_norm)
        optimiser.step()
        losses += loss.detach()
        late = time.monotonic() - started > seconds
        if step % settings.evaluate_every == 0 or step == settings.steps or late:
            since = step - (curve[-1].step if curve else 0)
            explained = _explained(network.eval(), coder, unseen, device)
            curve.append(Point(step, losses.item() / since, explained, before + time.monotonic() - started))
            losses.zero_()
            _keep(settings.file(), network, optimiser, curve, step == settings.steps)
            report(curve[-1])
        if late:
            break


def _explained(network: SynthNetwork, coder: EpisodeCoder, unseen: list[Episode], device: str) -> float:
    """Return the share of unseen random grammars whose examples a greedily written grammar explains."""
    examples = coder.examples([episode.pairs for episode in unseen])
    examples = SupportExamples(examples.sources.to(device), examples.targets.to(device))
    read = [coder.read(numbers) for numbers in network.write(examples, coder.kind.grammar)]
    right = [
        grammar is not None and not count_wrong(grammar, episode.pairs, 0)
        for grammar, episode in zip(read, unseen, strict=True)
    ]
    return sum(right) / len(right)


def _keep(
    file: Path, network: SynthNetwork, optimiser: torch.optim.Optimizer, curve: list[Point], through: bool
) -> None:
    """Write the file anew as a whole; weights that are through are small, without the optimiser."""
    weights = {name: value.half() if through else value for name, value in network.state_dict().items()}
    kept: dict[str, Any] = {"weights": weights, "curve": [asdict(point) for point in curve]}
    if not through:
        kept["optimiser"] = optimiser.state_dict()
    part = file.with_suffix(".part")
    torch.save(kept, part)
    part.replace(file)


@contextmanager
def _locked(file: Path) -> Iterator[None]:
    """Keep other processes out; a lock ends with the process that holds it."""
    import fcntl

    file.parent.mkdir(parents=True, exist_ok=True)
    with file.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def main() -> None:
    """Train the network of a kind."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--seconds", type=float, default=math.inf)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="change a setting")
    options = parser.parse_args()
    settings = settings_of(options.kind).changed(options.set)
    meta_trained(settings, options.device, options.seconds, lambda point: print(point, flush=True))
    print(settings.file())


if __name__ == "__main__":
    main()
