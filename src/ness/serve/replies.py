"""Answers as JSON; what cannot be answered has one shape everywhere."""

import json
from typing import Any

from fastapi.responses import Response


def as_json(data: Any, status: int = 200, headers: Any = None) -> Response:
    """Answer with JSON."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return Response(text.encode("utf-8", "replace"), status, headers, "application/json")


def problem(status: int, text: str, headers: Any = None) -> Response:
    """Say what is wrong."""
    return as_json({"error": text}, status, headers)
