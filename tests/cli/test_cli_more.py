"""More examples for a model, and what they change: `ness train --more` and `ness diff`."""

import shutil
from pathlib import Path

import pytest

from commands import ness
from ness.model.run_folder import load_run

COMMANDS = "walk\tWALK\nrun\tRUN\nwalk twice\tWALK WALK\nrun twice\tRUN RUN\nwalk and run\tWALK RUN\n"
COMMANDS += "run and walk\tRUN WALK\nwalk twice and run\tWALK WALK RUN\n"
NEW = "hop\tHOP\nhop twice\tHOP HOP\nhop and run\tHOP RUN\n"
LISTS = "".join(f"{a} and {b}\t[ {a.upper()} , {b.upper()} ]\n" for a in "abc" for b in "abc") + "a\t[ A ]\nb\t[ B ]\n"
LISTS += "a and b and c\t[ A , B , C ]\nb and a and c\t[ B , A , C ]\nc\t[ C ]\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "c.tsv").write_text(COMMANDS)
    (tmp_path / "new.tsv").write_text(NEW)
    ness("train", "c.tsv", "--rules-only", "--quiet", cwd=tmp_path)
    return tmp_path


def test_a_run_goes_on_with_more_examples_and_without_the_first_file(folder: Path) -> None:
    shutil.copytree(folder / "runs" / "c", folder / "runs" / "before")
    (folder / "c.tsv").unlink()
    done = ness("train", "runs/c", "--more", "new.tsv", "--quiet", cwd=folder)
    assert "network" not in done.stdout  # a run without a network stays so
    assert done.stdout.startswith("learned        10 of 10 examples"), done.stderr
    done = ness("diff", "runs/before", "runs/c", cwd=folder)
    assert done.returncode == 1
    assert done.stdout == (
        "answers        3 of 10 inputs are answered differently\n"
        "  hop: refused | HOP\n  hop twice: refused | HOP HOP\n  hop and run: refused | HOP RUN\n"
        "categories     1 only in runs/before, 1 only in runs/c\n  - {run walk}\n  + {hop run walk}\n"
        "rules          1 differ\n  reduce: [hop]: nothing | HOP\n"
    )


def test_inputs_of_a_file_are_compared(folder: Path) -> None:
    (folder / "inputs.csv").write_text("note,source\n1,walk\n2,run twice\n")
    done = ness("diff", "runs/c", "runs/c", "inputs.csv", cwd=folder)
    assert (done.returncode, done.stdout.splitlines()[0]) == (
        0,
        "answers        0 of 2 inputs are answered differently",
    )
    done = ness("diff", "runs/c", "runs/no", cwd=folder)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)


def test_what_was_learned_with_boundaries_goes_on_too(folder: Path) -> None:
    (folder / "lists.tsv").write_text(LISTS)
    (folder / "more.tsv").write_text("d and a\t[ D , A ]\nd\t[ D ]\n")
    ness("train", "lists.tsv", "--rules-only", "--quiet", cwd=folder)
    assert any("‹begin›" in source for source, _ in load_run(folder / "runs" / "lists").traces())
    done = ness("train", "runs/lists", "--more", "more.tsv", "--rules-only", "--quiet", cwd=folder)
    assert done.stdout.startswith("learned        16 of 16 examples"), done.stderr
    summary = load_run(folder / "runs" / "lists").summary
    assert (summary.freedom, summary.attempts) == ("boundaries", 1)
    assert ness("predict", "runs/lists", "a and d and b", cwd=folder).stdout == "[ A , D , B ]\n"
