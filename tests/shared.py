"""What lies beside the project's checkout, and the mark of the tests that need it."""

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"

needs_shared = pytest.mark.skipif(
    not SHARED.is_dir(),
    reason="the protocol's schema, the cases and the recordings are not beside this checkout",
)
