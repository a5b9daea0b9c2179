"""Connections as they are seen from the client's seat, the agent's, or an observer's."""

import attrs

from acp_state import Connection, Received, Sent, reduce

SEATS = ("client", "observer", "agent")


def see(connection, sender, message):
    """Fold one message that `sender` sent, from the seat of the connection."""
    seat = "agent" if connection.side == "agent" else "client"
    return reduce(connection, Sent(message) if sender == seat else Received(message))


def observe(connection, sender, message):
    """Fold one message that `sender` sent, as an observer."""
    if connection.side != "observer":
        connection = attrs.evolve(connection, side="observer")
    return see(connection, sender, message)


def observed(*messages):
    """The connection after (sender, message) pairs, and all that came out."""
    connection, told = Connection(side="observer"), ()
    for sender, message in messages:
        connection, intents = observe(connection, sender, message)
        told += intents
    return connection, told


def seatless(connection):
    """All that is known of a connection whoever looks: less the seat, and the ids used there."""
    return attrs.evolve(connection, side="observer", next_request_id=0)
