"""What lies in the checkout and beside it, and the mark of the tests that need the latter."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
"""The checkout; the package that is tested may be installed elsewhere."""

EXAMPLE = ROOT / "docs" / "examples" / "conversation.jsonl"
"""A recorded conversation with every kind of update."""

SHARED = Path(__file__).resolve().parents[2] / "shared"

needs_shared = pytest.mark.skipif(
    not SHARED.is_dir(),
    reason="the protocol's schema, the cases and the recordings are not beside this checkout",
)
