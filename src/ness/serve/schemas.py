"""What requests and answers of the API look like; the OpenAPI description is made from these."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field


def _characters(text: str) -> str:
    """Refuse half of a surrogate pair, which JSON can write but no answer could hold."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("half of a surrogate pair, which is no character") from None
    return text


EngineName = Literal["rules", "controller"]
Text = Annotated[str, AfterValidator(_characters)]
Input = Annotated[
    Text, Field(description="Words separated by spaces, unless the model reads otherwise.", examples=["jump twice"])
]
ModelName = Annotated[
    Text | None, Field(max_length=200, description="One of GET /v1/models; needed where several are served.")
]


class StrictBody(BaseModel):
    """A body whose fields are all known and of their kind: a slip is told, not ignored or mended."""

    model_config = ConfigDict(extra="forbid", strict=True)


class TranslateRequest(StrictBody):
    inputs: list[Input]
    strict: bool = Field(False, description="Refuse what no training example supports.")
    model: ModelName = None
    engine: EngineName | None = Field(None, description="Who answers; by default the network where there is one.")
    n_best: int = Field(1, ge=1, le=20, description="More than one: other answers as well, with probabilities.")


class CandidateReply(BaseModel):
    output: str
    probability: float


class OutputReply(BaseModel):
    output: str | None
    support: int = Field(description="Training traces behind the weakest step; 0: extrapolated.")
    error: str | None
    candidates: list[CandidateReply] | None = Field(None, description="Only where n_best is more than one.")


class TranslateReply(BaseModel):
    outputs: list[OutputReply] = Field(description="In the order of the inputs.")


class TraceRequest(StrictBody):
    input: Input
    model: ModelName = None
    engine: EngineName | None = None


class TraceReply(BaseModel):
    source: list[str]
    output: list[str] | None
    error: str | None = None
    steps: list[dict[str, Any]]


class ModelReply(BaseModel):
    name: str
    engines: list[str] = Field(description="The one that answers by default first.")
    task: str | None
    examples: int | None
    solved: int | None
    problem: str | None = Field(description="Why the folder could not be read again.")


class ModelsReply(BaseModel):
    models: list[ModelReply]
    teaching: bool = Field(description="Whether there is a lesson, under /v1/lesson.")


class RulesReply(BaseModel):
    text: str = Field(description="As `ness rules` prints them.")
    rules: dict[str, Any] = Field(description="As rules.json of a run folder has them.")


class HealthReply(BaseModel):
    status: Literal["ok"]
    version: str
    models: int


class Problem(BaseModel):
    error: str = Field(description="One line: what is wrong, and what to do.")
