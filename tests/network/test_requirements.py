"""Loading torch: a request to end is kept back until it is loaded."""

import signal

import pytest

from ness.network.requirements import hold_back_signals


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_request_to_end_waits_until_what_is_loaded_is_complete(sign: signal.Signals) -> None:
    done = []

    def load() -> None:
        with hold_back_signals():
            signal.raise_signal(sign)
            signal.raise_signal(sign)
            done.append("loaded")

    before = signal.signal(sign, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            load()
        assert done == ["loaded"]
        assert signal.getsignal(sign) is signal.default_int_handler
    finally:
        signal.signal(sign, before)


def test_what_is_ignored_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with hold_back_signals():
            signal.raise_signal(signal.SIGHUP)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)
