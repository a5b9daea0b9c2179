"""Immutable structures that grow: every change gives a new version and shares all that is the same.

An agent session only ever gets longer, and every event makes a new version of it.
These four keep the cost of an event independent of how much the session holds, and none of them
changes a version that was handed out, whichever thread looks at it:

- `Vector`: a sequence with cheap `append` and `set`, for the timeline;
- `Log`: an append-only sequence over one shared list, for the chunks of a message;
- `Index`: key to candidate position, one dict shared between versions;
- `Map`: an insertion-ordered mapping made of a `Vector` and an `Index`.

Their empty instances (`Vector()`, `Log()`, `Index()`, `Map()`) never take anything in, so one of
them can safely be the default of a field that many objects share.
"""

from acp_state.persistent.index import Index
from acp_state.persistent.log import Log
from acp_state.persistent.map import Map
from acp_state.persistent.vector import Vector

__all__ = ["Index", "Log", "Map", "Vector"]
