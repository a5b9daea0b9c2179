"""Content blocks as lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from acp_state.cli.page import Line, line, lines
from acp_state.cli.safe_text import Limit
from acp_state.schema import (
    AudioContent,
    BlobResourceContents,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    TextResourceContents,
)


def show_blocks(
    blocks: Iterable[ContentBlock], limit: Limit | None, *, indent: int, style: str = ""
) -> Iterator[Line]:
    """The text of text blocks, and a line for each of the others."""
    for is_text, run in groupby(blocks, lambda block: isinstance(block, TextContent)):
        if is_text:
            yield from lines("".join(map(block_text, run)), limit, indent=indent, style=style)
        else:
            yield from _show_others(run, limit, indent)


def _show_others(
    blocks: Iterable[ContentBlock], limit: Limit | None, indent: int
) -> Iterator[Line]:
    for block in [each for each in blocks if not isinstance(each, TextContent)]:
        yield line((f"[{block_name(block)}]", "cyan"), indent=indent)
        yield from lines(block_text(block), limit, indent=indent + 2, style="dim")


def block_text(block: ContentBlock) -> str:
    """The text of the block, or inside of it."""
    held = block.resource if isinstance(block, EmbeddedResource) else block
    return held.text if isinstance(held, (TextContent, TextResourceContents)) else ""


def block_name(block: AudioContent | EmbeddedResource | ImageContent | ResourceLink) -> str:
    """What a block that is no text is, in a few words."""
    if isinstance(block, EmbeddedResource):
        held = block.resource
        size = f", {_bytes(held.blob)}" if isinstance(held, BlobResourceContents) else ""
        return f"resource {held.uri}{_mime(held.mime_type)}{size}"
    if isinstance(block, ResourceLink):
        return f"link {block.title or block.name}: {block.uri}{_mime(block.mime_type)}"
    if isinstance(block, ImageContent):
        where = f", {block.uri}" if block.uri else ""
        return f"image, {block.mime_type}, {_bytes(block.data)}{where}"
    return f"audio, {block.mime_type}, {_bytes(block.data)}"


def _mime(mime_type: object) -> str:
    return f", {mime_type}" if isinstance(mime_type, str) else ""


def _bytes(base64: str) -> str:
    return f"{len(base64.rstrip('=')) * 3 // 4:,} bytes"
