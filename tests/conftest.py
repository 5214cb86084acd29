"""Settings of all tests."""

from hypothesis import HealthCheck, settings

# Nothing depends on the clock: a busy machine must not fail a test.
settings.register_profile("ness", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("ness")
