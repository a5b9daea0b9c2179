"""What the tests of all persistent structures use."""

import copy
import pickle

import pytest
from racing import run_together, switching_often


@pytest.fixture
def race():
    """A function that lets threads work on the same bases at once, see `racing.run_together`."""
    with switching_often():
        yield run_together


@pytest.fixture
def clones():
    """A function that copies an object deeply, and through each pickle protocol."""

    def clone(held):
        protocols = range(pickle.HIGHEST_PROTOCOL + 1)
        pickled = [pickle.dumps(held, protocol) for protocol in protocols]
        return [copy.deepcopy(held), *map(pickle.loads, pickled)]

    return clone
