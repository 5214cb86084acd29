"""Everything that NeSS raises on purpose.

NessError
├── ConfigError (also ValueError)   a preset, key or value is wrong
├── DataError                       a data set, line or word is malformed or unknown
├── NotFitted (also ValueError, AttributeError, as scikit-learn's)   a Transducer was asked before it was trained
├── MachineError
│   ├── IllegalInstruction          .state .instruction .reason
│   ├── StepLimitReached            the execution does not end
│   └── NoRule                      .status .step: nothing learned covers this status
├── CheckpointError                 a saved model is damaged or does not fit this code
├── JobFailed                       what did a job is gone, again and again
└── MissingDependency (also ImportError)   a package of an optional part is not installed

A message says what happened and what to do next, in one line. All of them travel between processes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ness.machine import Instruction, State, Status


class NessError(Exception):
    """The root of all errors that NeSS raises on purpose."""


class ConfigError(NessError, ValueError):
    """A preset, key or value is wrong."""


class DataError(NessError):
    """A data set, a line of it or a word is malformed or unknown."""


class CheckpointError(NessError):
    """A saved model is damaged or does not fit this code."""


class JobFailed(NessError):
    """A job was lost as often as it was tried: processes or machines were killed, perhaps for want of memory."""


class NotFitted(NessError, ValueError, AttributeError):
    """A Transducer was asked before it was trained."""


class LearningWarning(UserWarning):
    """Not all examples were learned; what is warned of is in the report of the model."""


class MissingDependency(NessError, ImportError):
    """A package of an optional part is not installed."""


class MachineError(NessError):
    """The stack machine cannot go on."""


class IllegalInstruction(MachineError):
    """An instruction was given that the machine's state does not allow."""

    def __init__(self, state: State, instruction: Instruction, reason: str) -> None:
        super().__init__(f"{instruction} is illegal here: {reason}")
        self.state = state
        self.instruction = instruction
        self.reason = reason

    def __reduce__(self) -> tuple[type[IllegalInstruction], tuple[State, Instruction, str]]:
        return type(self), (self.state, self.instruction, self.reason)


class StepLimitReached(MachineError):
    """An execution did not end within its limit of steps."""


class NoRule(MachineError):
    """Nothing that was learned covers a status."""

    def __init__(self, status: Status, step: int, detail: str = "") -> None:
        problem = detail or "no training example shows what to do"
        super().__init__(f"step {step}, {status.in_words()}: {problem}; {status.wanted()}")
        self.status = status
        self.step = step
        self.detail = detail

    def __reduce__(self) -> tuple[type[NoRule], tuple[Status, int, str]]:
        return type(self), (self.status, self.step, self.detail)
