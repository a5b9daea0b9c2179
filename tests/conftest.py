"""How all tests run: the same examples each time, and never against the clock."""

import os

from hypothesis import Phase, settings

settings.register_profile("ci", deadline=None, derandomize=True)
settings.register_profile(
    "mutants", settings.get_profile("ci"), phases=(Phase.explicit, Phase.generate)
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))
"""A mutant is noticed or it is not: that needs no smallest example, which takes minutes to find."""
