"""Gradient clipping that survives gradients too large to square."""

from collections.abc import Iterable

import torch
from torch import nn


def clip(parameters: Iterable[nn.Parameter], most: float) -> bool:
    """Scale all gradients together to a norm of at most `most`; False: some are not finite, and nothing was scaled.

    Backwards through many phrases a gradient can grow beyond 1e19, whose square no single-precision number holds:
    taken at its word, a norm of infinity would scale every gradient to 0.
    """
    given = [each for each in parameters if each.grad is not None]
    gradients = [each.grad for each in given if each.grad is not None]
    norm = nn.utils.get_total_norm(gradients)
    if not norm.isfinite():
        largest = torch.stack([gradient.abs().max() for gradient in gradients]).max()
        if not largest.isfinite():
            return False
        for gradient in gradients:
            gradient.div_(largest).mul_(most)  # its norm is `most` at least
        norm = nn.utils.get_total_norm(gradients)
    nn.utils.clip_grads_with_norm_(given, most, norm)
    return True
