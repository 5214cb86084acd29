"""`ness train` names suspicious lines, and `--clean` writes the examples mended, or without these."""

from itertools import product
from pathlib import Path

from commands import ness

LINES = [f"{a} and {b}\t{a.upper()} {b.upper()}" for a, b in product(("walk", "run", "jump", "look"), repeat=2)]


def test_suspicious_lines_are_listed_and_mended(tmp_path: Path) -> None:
    lines = [*(f"{verb}\t{verb.upper()}" for verb in ("walk", "run", "jump", "look")), *LINES]
    wrong = list(lines)
    wrong[9] = wrong[9].replace("\tRUN RUN", "\tRUN LOOK")
    assert wrong != lines
    (tmp_path / "my.tsv").write_text("\n".join(wrong) + "\n", encoding="utf-8")
    clean = tmp_path / "clean.tsv"
    arguments = ("train", tmp_path / "my.tsv", "--out", tmp_path / "run", "--rules-only", "--quiet", "--clean", clean)
    done = ness(*arguments)
    assert done.returncode == 0
    assert "suspicious     1, probably wrong and not learned" in done.stdout
    assert "  line 10: run and run -> RUN LOOK\n    expected: RUN RUN\n" in done.stdout
    assert clean.read_text(encoding="utf-8").splitlines() == lines
    shorter = tmp_path / "shorter.tsv"
    done = ness(*arguments[:-1], shorter, "--force", "--leave-out")
    assert "1 of 20 examples left out" in done.stdout
    assert shorter.read_text(encoding="utf-8").splitlines() == lines[:9] + lines[10:]
    alone = ness(*arguments[:-2], "--force", "--leave-out")
    assert (alone.returncode, alone.stderr.count("\n")) == (1, 1)
    again = ness(*arguments, "--force")
    assert again.returncode == 1
    assert "exists" in again.stderr
