"""Tiny random tasks, trained end to end: whatever the examples, there is a model or a reason, never a traceback."""

import dataclasses
import io
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from ness.answer.engine import translate
from ness.answer.explain import explain, refuse_unsupported
from ness.answer.n_best import BeamDecoder
from ness.answer.trace_view import draw_trace, trace_json
from ness.cli.summary import print_summary
from ness.config import Config, LearnerConfig, SearchConfig
from ness.data import Example
from ness.export import export_python
from ness.model.run_folder import load_run
from ness.model.train import train
from ness.rules.parse import parse_rules
from ness.rules.text import format_rules
from ness.web import render_html

TOKENS = st.sampled_from(["a", "b", "c", '"', "end", "[x]", "é", "שלום", "🙂", "A"])
SIDES = st.lists(TOKENS, min_size=1, max_size=4).map(tuple)
EXAMPLES = st.lists(st.builds(Example, SIDES, SIDES), min_size=1, max_size=6)
SMALL = Config(
    search=SearchConfig(nodes=150, escalated_nodes=300),
    learner=LearnerConfig(attempts=2, refits=2, survivors=2, workers=1, node_budget=20_000),
)


@pytest.mark.slow
@settings(max_examples=25)
@given(EXAMPLES, st.lists(SIDES, max_size=3), st.sampled_from(["off", "on"]))
def test_a_random_task_gives_a_model_that_answers_or_says_why_not(
    examples: list[Example], questions: list[tuple[str, ...]], phrases: str
) -> None:
    config = dataclasses.replace(SMALL, search=dataclasses.replace(SMALL.search, phrases=phrases))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "run"
        model = train(examples, config, path, rules_only=True)
        print_summary(model, path)
        run = load_run(path)
        summary = run.summary
        assert summary is not None
        assert summary.solved + len(summary.unsolved) + len(summary.contradictory) == len(set(examples))
        engine = run.engine("rules")
        wrong = set(summary.unsolved) | set(summary.contradictory)
        if phrases == "off":
            solved = [example for example in set(examples) if example not in wrong]
            answers = translate(engine, [example.source for example in solved])
            assert [answer.output for answer in answers] == [example.target for example in solved]
        for answer in translate(engine, [*questions, *(example.source for example in examples)]):
            assert (answer.output is None) != (answer.error is None)
            refuse_unsupported(engine, answer)
            trace = trace_json(answer.source, *explain(engine, answer))
            render_html(trace, "trace")
            draw_trace(Console(file=io.StringIO()), {**trace, "steps": []})
            BeamDecoder(engine, 5).candidates(answer.source)
        assert parse_rules(format_rules(run.table)).reduce == run.table.reduce
        compile(export_python(run.table), "translator.py", "exec")


def test_an_exported_random_task_runs(tmp_path: Path) -> None:
    examples = [Example(("é",), ("A",)), Example(("é", "🙂"), ("A", "A"))]
    model = train(examples, SMALL, rules_only=True)
    translator = tmp_path / "translator.py"
    translator.write_text(export_python(model.table), encoding="utf-8")
    done = subprocess.run([sys.executable, translator], input="é 🙂\n".encode(), capture_output=True)
    assert done.stdout == b"A A\n"
