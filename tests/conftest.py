"""What all tests share."""

from hypothesis import settings

# The same examples every time, however busy the machine; `./test --long` looks for new ones.
settings.register_profile("default", deadline=None, derandomize=True)
settings.register_profile("long", deadline=None, max_examples=2_000)
settings.load_profile("default")
