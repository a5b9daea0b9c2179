"""How all tests run: the same examples each time, and never against the clock."""

from hypothesis import settings

settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci")
