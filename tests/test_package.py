"""The shape of the package: imports point one way, `__all__` is honest, a wheel holds everything and installs."""

import ast
import importlib
import os
import pkgutil
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import ness

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "ness"

# From the data to the ways out, each part imports only what stands above it in this list.
BASE = {"errors", "files", "config", "settings", "presets", "machine", "data"}
MAY_IMPORT = {
    "errors": set(),
    "files": {"errors"},
    "config": {"errors"},
    "settings": {"errors", "config", "presets"},
    "presets": set(),
    "machine": {"errors"},
    "data": {"errors", "files"},
    "execute": {"errors"},
    "rules": BASE,
    "learn": BASE | {"execute", "rules"},
    "network": BASE | {"rules"},
    "paper": BASE | {"rules", "learn", "network"},
    "answer": BASE | {"rules", "network"},
    "model": BASE | {"execute", "rules", "learn", "network", "paper", "answer"},
    "export": BASE | {"rules", "answer"},
}
MAY_IMPORT_ANYTHING = {"__init__", "__main__", "cli", "serve", "web", "transducer", "experiments"}


def part_of(path: Path) -> str:
    """The folder or file directly below `ness` that a file belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported_parts(tree: ast.AST) -> Iterator[str]:
    """The parts of `ness` that a module imports, wherever in it, except for type checking only."""
    pending = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            pending.extend(node.orelse)
            continue
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "write imports in full"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            root, _, rest = name.partition(".")
            part = rest.split(".")[0]
            if root == "ness" and ((PACKAGE / part).is_dir() or (PACKAGE / f"{part}.py").is_file()):
                yield part
        pending.extend(ast.iter_child_nodes(node))


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_module_imports_upwards(path: Path) -> None:
    part = part_of(path)
    if part in MAY_IMPORT_ANYTHING:
        return
    assert part in MAY_IMPORT, f"say in this table what '{part}' may import"
    imported = set(imported_parts(ast.parse(path.read_text(encoding="utf-8"))))
    assert imported <= MAY_IMPORT[part] | {part}


def test_the_import_test_sees_every_way_to_import() -> None:
    code = """
import ness.rules.table
from ness import config, __version__
if TYPE_CHECKING:
    from ness.cli import main
def late():
    from ness.machine import step
"""
    assert sorted(imported_parts(ast.parse(code))) == ["config", "machine", "rules"]


def test_no_two_classes_have_one_name() -> None:
    places: dict[str, list[str]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, []).append(f"{path.relative_to(PACKAGE)}:{node.lineno}")
    assert len(places) > 100  # the search itself works
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


MODULES = sorted(
    module.name for module in pkgutil.walk_packages([str(PACKAGE)], "ness.") if not module.name.endswith("__main__")
)


@pytest.mark.parametrize("name", ["ness", *MODULES])
def test_all_is_honest(name: str) -> None:
    module = importlib.import_module(name)
    declared = getattr(module, "__all__", None)
    if declared is None:
        return
    assert len(set(declared)) == len(declared)
    assert [entry for entry in declared if not hasattr(module, entry)] == []


def test_every_dependency_is_pinned() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pins = dict(
        line.split("==") for line in (ROOT / "constraints.txt").read_text().splitlines() if not line.startswith("#")
    )
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *extras["dev"], *extras["network"]]
    assert [requirement for requirement in wanted if requirement.split(">=")[0] not in pins] == []
    assert not any("+" in version for version in pins.values())


@pytest.mark.slow
def test_a_wheel_holds_everything_and_installs_into_an_empty_environment(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(tmp_path), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.name == f"ness_machine-{ness.__version__}-py3-none-any.whl"
    shipped = {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("ness/")}
    files = [path for path in PACKAGE.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    assert shipped == {path.relative_to(PACKAGE.parent).as_posix() for path in files}

    venv = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
    bin_folder = venv / "bin"
    pip = [sys.executable, "-m", "pip", "--python", str(bin_folder / "python"), "install", "--quiet", "--no-deps"]
    subprocess.run([*pip, "--no-index", str(wheel)], check=True, capture_output=True)
    # The dependencies come from this environment, which holds `ness` only as a link that a path does not follow.
    env = {**os.environ, "PYTHONPATH": sysconfig.get_path("purelib")}
    code = "import ness, ness.machine, ness.cli.main, sys; print(ness.__file__, 'torch' in sys.modules)"
    done = subprocess.run([bin_folder / "python", "-c", code], env=env, cwd=tmp_path, capture_output=True, text=True)
    where, torch_imported = done.stdout.split()
    assert Path(where).is_relative_to(venv)
    assert torch_imported == "False"
    done = subprocess.run([bin_folder / "ness", "--version"], env=env, cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout == f"ness {ness.__version__}\n"
