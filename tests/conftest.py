"""What all tests share."""

from hypothesis import HealthCheck, settings

# The same examples every time, however busy the machine; `./test --long` looks for new ones.
# A busy machine is slow, and no test is at fault for it.
PATIENT = [HealthCheck.too_slow]
settings.register_profile("default", deadline=None, derandomize=True, suppress_health_check=PATIENT)
settings.register_profile("long", deadline=None, max_examples=2_000, suppress_health_check=PATIENT)
settings.load_profile("default")
