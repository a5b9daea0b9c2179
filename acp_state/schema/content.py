"""Content blocks: text, images, audio, links and embedded resources.

Source: protocol v1 draft, Content; ``$defs``: ContentBlock and what it holds.
"""

from typing import Final, Literal, TypeAlias

from attrs import field

from acp_state.json_values import JsonObject, freeze_meta
from acp_state.omitted import OMITTED, Omitted
from acp_state.records import frozen
from acp_state.schema.wire import TaggedUnion, wire

Role: TypeAlias = Literal["assistant", "user"]


@frozen(kw_only=True)
class Annotations:
    """Hints on how a block may be shown and used."""

    audience: tuple[Role, ...] | None | Omitted = field(
        default=OMITTED, metadata=wire(skip_items=True)
    )
    last_modified: str | None | Omitted = OMITTED
    priority: float | None | Omitted = OMITTED
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


@frozen(kw_only=True)
class TextContent:
    """Text, plain or Markdown."""

    text: str
    annotations: Annotations | None | Omitted = OMITTED
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


@frozen(kw_only=True)
class ImageContent:
    """An image, base64 in `data`."""

    data: str
    mime_type: str
    uri: str | None | Omitted = OMITTED
    annotations: Annotations | None | Omitted = OMITTED
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


@frozen(kw_only=True)
class AudioContent:
    """A sound, base64 in `data`."""

    data: str
    mime_type: str
    annotations: Annotations | None | Omitted = OMITTED
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


@frozen(kw_only=True)
class ResourceLink:
    """A reference to a resource that the agent can reach; `size` in bytes."""

    name: str
    uri: str
    title: str | None | Omitted = OMITTED
    description: str | None | Omitted = OMITTED
    mime_type: str | None | Omitted = OMITTED
    size: int | None | Omitted = OMITTED
    annotations: Annotations | None | Omitted = OMITTED
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


@frozen(kw_only=True)
class TextResourceContents:
    """The text of an embedded resource."""

    text: str
    uri: str
    mime_type: str | None | Omitted = OMITTED
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


@frozen(kw_only=True)
class BlobResourceContents:
    """The bytes of an embedded resource, base64 in `blob`."""

    blob: str
    uri: str
    mime_type: str | None | Omitted = OMITTED
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


EmbeddedResourceResource: TypeAlias = TextResourceContents | BlobResourceContents
"""The first that fits: an object with both `text` and `blob` is text."""


@frozen(kw_only=True)
class EmbeddedResource:
    """A whole resource inside the message."""

    resource: EmbeddedResourceResource
    annotations: Annotations | None | Omitted = OMITTED
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


ContentBlock: TypeAlias = (
    TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource
)

CONTENT_BLOCK: Final = TaggedUnion(
    tag="type",
    variants={
        "text": TextContent,
        "image": ImageContent,
        "audio": AudioContent,
        "resource_link": ResourceLink,
        "resource": EmbeddedResource,
    },
)
