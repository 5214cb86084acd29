"""`ness reproduce`: run the paper's experiments, and set our figures beside the published ones."""

import os
import shlex
from pathlib import Path
from typing import Annotated

import typer

from ness.cli.where import DryRunOption, GpuOption, JobsOption, MemoryOption, RayOption


def reproduce(
    tables: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[TABLE]...",
            help="scan, fewshot, translation, cfg, cogs, categories, rules, ablations, efficiency or all (default).",
        ),
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, help="Runs of each experiment.")] = 5,
    jobs: JobsOption = None,
    ray: RayOption = None,
    gpu: GpuOption = 0.0,
    memory: MemoryOption = 0.0,
    dry_run: DryRunOption = False,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="Where runs and the report go.")] = Path(
        "runs/reproduce"
    ),
    quick: Annotated[
        bool, typer.Option("--quick", help="One seed, no Std-50, translation by rules, small tests, short training.")
    ] = False,
    systems: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="Systems such as ness,cnn,geca; all; help lists them (default: ness,lstm,transformer).",
        ),
    ] = None,
    device: Annotated[str, typer.Option(help="Where other systems than NeSS are trained: cpu, cuda or auto.")] = "cpu",
    any_code: Annotated[
        bool, typer.Option("--any-code", help="Also reuse finished runs of other versions of the code.")
    ] = False,
    minutes: Annotated[
        float | None, typer.Option(min=0, help="Stop after so many minutes, with the tables of what there is.")
    ] = None,
    markdown: Annotated[Path | None, typer.Option(metavar="FILE", help="Also write the tables as Markdown.")] = None,
    data_dir: Annotated[
        Path | None, typer.Option("--data", metavar="DIR", help="Where the files of translation or COGS are.")
    ] = None,
) -> None:
    """Measure the paper's tables again.

    Runs that are in DIR already are reused, unless their settings or the code behind them have changed; a run
    that fails is shown as failed and tried again next time. DIR/report.html has everything on one page,
    DIR/results.json the figures.

    \b
    ness reproduce fewshot --seeds 1
    ness reproduce all --ray 10.0.0.1:6379
    ness reproduce all --jobs 2 --out runs/reproduce --markdown docs/results.md
    """
    from functools import partial

    from ness.cli.runs import check_folder, do_runs, exit_if_failed, print_outcome
    from ness.cli.where import device_of, print_plan, resources_of, search_workers
    from ness.errors import ConfigError
    from ness.experiments.environment import version_of_code
    from ness.experiments.experiments import all_runs, chosen_tables
    from ness.experiments.markdown import results_markdown
    from ness.experiments.page import check_installed
    from ness.experiments.report import Context, report_html
    from ness.experiments.results import results_json
    from ness.experiments.rivals import Scale, chosen_systems
    from ness.experiments.summary import Results, titles_of
    from ness.experiments.systems.listing import systems_text
    from ness.experiments.tables import tables_of
    from ness.files import json_bytes, write_atomically, write_output

    if systems == "help":
        print(systems_text())
        return
    check_installed()
    chosen = chosen_systems(systems)
    names = chosen_tables(tables or ["all"])
    check_folder(out)
    if markdown is not None and markdown.is_dir():
        raise ConfigError(f"{markdown} is a folder; name a file for the tables")
    scale = Scale(1 if quick else seeds, quick, chosen)
    if data_dir is not None:
        os.environ["NESS_DATA"] = str(data_dir.resolve())
    runs = all_runs(names, scale)
    workers = search_workers(jobs, ray)
    takes = partial(resources_of, workers=workers, device=device, gpu=gpu, memory=memory)
    if dry_run:
        print_plan(runs, out / "runs", jobs, takes, any_code)
        return
    device = device_of(device, ray)
    records = do_runs(runs, out / "runs", jobs, ray, workers, takes, device, minutes=minutes, any_code=any_code)
    made_runs = {record.spec for record in records}
    missing = [run for run in runs if run not in made_runs]
    results = Results(records)
    made = {name: tables_of(name, results) for name in names}
    options = ["--quick"] if quick else ["--seeds", str(seeds)]
    options += [] if systems is None else ["--systems", systems]
    commands = {name: shlex.join(["ness", "reproduce", name, *options]) for name in names}
    command = shlex.join(
        ["ness", "reproduce", *(tables or ["all"]), *options, "--jobs", str(jobs or 1), "--out", str(out)]
    )
    context = Context(command, commands, scale.seeds, quick, version_of_code(), titles_of(missing))
    write_atomically(out / "results.json", json_bytes(results_json(results, made, context)))
    write_atomically(out / "report.html", report_html(results, made, context).encode())
    if markdown is not None:
        write_output(markdown, results_markdown(results, made, context).encode())
    left = f"not run, for want of time: {len(missing)} of {len(runs)} runs; the same command goes on with them"
    tables_made = [table for group in made.values() for table in group]
    print_outcome(tables_made, results, [left] if missing else [], out / "report.html")
    exit_if_failed(results)
