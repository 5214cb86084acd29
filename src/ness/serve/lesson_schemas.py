"""What the requests and answers of a lesson look like."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from ness.serve.pins import Action, Kind
from ness.serve.schemas import StrictBody, Text

TokenKind = Literal["words", "characters", "punctuation"]
MOST_RULES = 200  # by hand
Side = Annotated[Text, Field(max_length=10_000)]


class LineRequest(StrictBody):
    id: int | None = Field(None, description="The number of a line that is kept; none for a new one.")
    source: Side
    target: Side


class LinesRequest(StrictBody):
    lines: list[LineRequest] = Field(description="All of them, in order.")
    learn: bool = Field(True, description="Learn them at once.")


class PairRequest(StrictBody):
    source: Side
    target: Side


class PasteRequest(StrictBody):
    text: Text = Field(description="TSV, CSV or JSON lines.")
    learn: bool = True


class LearnRequest(StrictBody):
    network: bool = Field(False, description="Train a network as well.")


class InputRequest(StrictBody):
    input: Side


class RuleRequest(StrictBody):
    action: Action
    kind: Kind
    left: Side
    right: Side
    like: Side = Field("", description="Of a new word: the known word that it behaves like.")


class ReleaseRequest(StrictBody):
    kind: Kind
    left: Side
    right: Side


class SpellingRequest(StrictBody):
    """How texts are cut into tokens."""

    tokens: TokenKind = "words"
    target_tokens: TokenKind = "words"
    lowercase: bool = Field(False, description="Read inputs in capitals as others.")


class LessonLink(StrictBody):
    lines: list[PairRequest]
    spelling: SpellingRequest = SpellingRequest(tokens="words", target_tokens="words", lowercase=False)
    rules: list[RuleRequest] = Field(default_factory=list, max_length=MOST_RULES)


class LessonReply(BaseModel):
    number: int = Field(description="Of changes so far.")
    lines: list[dict[str, Any]]
    pins: list[dict[str, Any]]
    progress: dict[str, Any]
    model: dict[str, Any] | None
    changes: list[dict[str, Any]]
    can_undo: bool
    can_redo: bool
    network: bool
    spelling: dict[str, Any]


class PasteReply(BaseModel):
    added: int
    problems: list[str]
    lesson: LessonReply


class TryReply(BaseModel):
    input: str
    known: bool = Field(description="Whether the input is among the examples.")
    answers: list[dict[str, Any]] = Field(description="One of each engine, the one that answers first.")


class QuestionsReply(BaseModel):
    questions: list[dict[str, Any]]


class LessonRulesReply(BaseModel):
    categories: list[list[str]]
    rules: list[dict[str, Any]]
