"""What is said about lines that learning left over."""

from pathlib import Path

from served import save_model

from ness.answer.rule_engine import RuleEngine
from ness.model.run_folder import load_run
from ness.serve.marks import Line, marks_of_model
from nine_examples import NINE


def test_unsolved_lines_and_those_learned_by_heart_are_told_apart(tmp_path: Path) -> None:
    save_model(tmp_path / "run")
    model = load_run(tmp_path / "run")
    assert model.summary is not None
    lines = [Line(number, source, target) for number, (source, target) in enumerate(NINE.items())]
    odd = [line.example(model.spelling) for line in lines[3:5]]
    assert None not in odd
    model.summary.unsolved = [example for example in odd[:1] if example]
    model.summary.memorised = [example for example in odd[1:] if example]
    marks = marks_of_model(lines, model, RuleEngine(model.table), ())
    assert {line: [(mark.kind, mark.reason) for mark in found] for line, found in marks.items()} == {
        3: [("unsolved", "No rules were found that give this output and those of the other lines.")],
        4: [("by heart", "Learned as a whole: it does not follow from parts, and teaches nothing about other inputs.")],
    }
