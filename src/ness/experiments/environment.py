"""Where figures come from: versions and hardware."""

import os
import platform
import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import ness
from ness.errors import ConfigError
from ness.experiments.spec import NESS, code_version

_PACKAGES = ("torch", "numpy", "safetensors")


def version_of_code() -> str:
    """Name the version, and the code that the figures of NeSS depend on."""
    return f"{ness.__version__}, code {code_version(NESS)[:12]}"


def usable_device(name: str) -> str:
    """Check the name of a device; "auto" is the GPU, if there is one."""
    if name == "cpu":
        return name
    import torch

    there = torch.cuda.is_available()
    if name == "auto":
        return "cuda" if there else "cpu"
    if name.partition(":")[0] != "cuda":
        raise ConfigError(f"there is no device '{name}'; use cpu, cuda or auto")
    if not there:
        raise ConfigError("there is no CUDA device here; use --device cpu")
    return name


@cache
def machine() -> dict[str, str]:
    """Describe versions and hardware; nothing that names a person or a computer."""
    packages = {name: _version(name) for name in _PACKAGES}
    return {
        "Python": platform.python_version(),
        **{name: found for name, found in packages.items() if found},
        "system": f"{platform.system()} {platform.machine()}",
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "memory": _memory(),
    }


def in_words(described: dict[str, str]) -> str:
    """Write a description of versions and hardware in one line."""
    rest = dict(described)
    hardware = f"{rest.pop('processor')}, {rest.pop('cores')} cores, {rest.pop('memory')}, {rest.pop('system')}"
    return f"{hardware}; {', '.join(f'{name} {rest[name]}' for name in sorted(rest))}"


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    named = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
    return named or platform.processor() or "unknown"


def _memory() -> str:
    if sys.platform == "win32":
        return "unknown"
    try:
        size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        return "unknown"
    return f"{size / 2**30:.0f} GiB"
