"""Tasks of one's own through the command line alone, from `ness train` to the exported file.

    python benchmarks/own_data.py FOLDER          # with NAME.train.tsv and NAME.test.tsv files

Prints for each task the seconds of training and the exact matches on the test file by network, rules and export.
"""

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

NESS = Path(sys.executable).parent / "ness"


def ness(*arguments: str | Path) -> str:
    """Run the command; its progress goes to the terminal."""
    return subprocess.run([NESS, *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout


def exported_matches(translator: Path, test: Path) -> float:
    """Translate the test file with the exported translator alone."""
    pairs = [line.split("\t") for line in test.read_text(encoding="utf-8").splitlines()]
    sources = "".join(f"{source}\n" for source, _ in pairs)
    done = subprocess.run([sys.executable, translator], input=sources, stdout=subprocess.PIPE, text=True)
    answers = done.stdout.splitlines()
    return sum(answer == target for answer, (_, target) in zip(answers, pairs, strict=True)) / len(pairs)


def measure(train: Path, test: Path, seed: int, folder: Path) -> tuple[float, float, float, float]:
    """Return the seconds of training, and the exact matches by network, rules and export."""
    run = folder / f"{train.name}-{seed}"
    started = time.perf_counter()
    ness("train", train, "--out", run, "--seed", str(seed), "--quiet")
    seconds = time.perf_counter() - started
    row = json.loads(ness("eval", run, test, "--engine", "both", "--json"))["sets"][0]
    ness("export", run, "-o", folder / "translator.py")
    return seconds, row["exact"], row["rules_exact"], exported_matches(folder / "translator.py", test)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seeds", type=int, default=1)
    arguments = parser.parse_args()
    print("| task | seed | seconds | network | rules | export |\n| --- | --- | --- | --- | --- | --- |")
    with TemporaryDirectory() as folder:
        for train in sorted(arguments.folder.glob("*.train.tsv")):
            test = train.with_name(train.name.replace(".train.", ".test."))
            for seed in range(arguments.seeds):
                seconds, *exact = measure(train, test, seed, Path(folder))
                shares = " | ".join(f"{share:.1%}" for share in exact)
                print(f"| {train.name.removesuffix('.train.tsv')} | {seed} | {seconds:.0f} | {shares} |", flush=True)


if __name__ == "__main__":
    main()
