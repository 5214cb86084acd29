"""The link to a lesson: its examples, rules by hand and how texts are cut, packed into what stands after the #."""

import base64
import zlib
from collections.abc import Callable

from pydantic import ValidationError

from ness.data.spelling import Spelling
from ness.errors import DataError
from ness.serve.lesson import Version
from ness.serve.lesson_schemas import LessonLink
from ness.serve.marks import Line
from ness.serve.pins import Pin

MARK = "#lesson="
_LARGEST = 10_000_000  # bytes, unpacked
_DEFLATE = -zlib.MAX_WBITS  # without a header


def read_link(link: str) -> LessonLink:
    """Unpack a link as the page makes it."""
    packed = link.partition(MARK)[2]
    unpacker = zlib.decompressobj(_DEFLATE)
    try:
        text = unpacker.decompress(base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4)), _LARGEST)
        if not unpacker.eof:
            raise DataError("the link is cut off, or holds too much; copy it again")
        return LessonLink.model_validate_json(text)
    except (zlib.error, ValueError, ValidationError):
        raise DataError("the link is damaged: its examples cannot be read; copy it again") from None


def version_of(link: LessonLink, new_line: Callable[[str, str], Line]) -> Version:
    """Return what a link holds as a state of a lesson."""
    return Version(
        tuple(new_line(line.source, line.target) for line in link.lines),
        tuple(Pin(rule.action, rule.kind, rule.left, rule.right, rule.like) for rule in link.rules),
        Spelling(*link.spelling.model_dump().values()),
    )
