"""Settings of the baselines."""

from dataclasses import dataclass

from ness.errors import ConfigError


@dataclass(frozen=True, slots=True)
class BaselineConfig:
    """Size and training of a network; small enough for a CPU."""

    embedding_size: int = 64  # of the LSTM's tokens; the Transformer's have its hidden size
    hidden_size: int = 128
    layers: int = 2  # of the Transformer, in encoder and decoder
    heads: int = 4
    dropout: float = 0.0  # the data has no noise; with 0.1 one Transformer needed 1.6 times the steps for a loss
    learning_rate: float = 1e-3
    warmup: int = 200  # steps over which the rate grows to its full size; then it shrinks to a tenth
    clip_norm: float = 1.0
    batch_size: int = 64
    max_steps: int = 4000
    evaluate_every: int = 200  # steps between two checks of the stop criteria
    checked: int = 1000  # training examples that the check looks at
    loss_threshold: float = 0.01  # stop below this loss per token, if all checked examples are right
    seed: int = 0
    threads: int = 1  # CPU threads; sums, and so the weights, depend on it

    def __post_init__(self) -> None:
        for name in ("embedding_size", "hidden_size", "layers", "heads", "batch_size", "max_steps", "evaluate_every"):
            if getattr(self, name) < 1:
                raise ConfigError(f"'{name}' must be at least 1, not {getattr(self, name)}")
        if self.hidden_size % (2 * self.heads):
            raise ConfigError(f"'hidden_size' must be a multiple of {2 * self.heads} (twice 'heads')")
