"""A page of parts: tables, plots, lists, facts. The template escapes everything but the drawings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.resources import files

from ness.errors import ConfigError
from ness.experiments.plots import Plot, to_svg
from ness.experiments.table import Table


@dataclass(frozen=True)
class ListItem:
    """A line of a list: what is bad about it, or lines that unfold."""

    head: str
    bad: str = ""
    lines: Sequence[str] = ()


@dataclass(frozen=True)
class PagePart:
    """What stands under one heading."""

    title: str
    text: str = ""
    code: Sequence[str] = ()
    tables: Sequence[Table] = ()
    commands: Mapping[str, str] = field(default_factory=dict)  # by the table that they are named below
    plots: Sequence[Plot] = ()
    items: Sequence[ListItem] = ()
    facts: Mapping[str, Sequence[str]] = field(default_factory=dict)
    frame: str = ""  # a page inside the page

    @property
    def anchor(self) -> str:
        return self.title.lower().replace(" ", "-")

    @property
    def is_empty(self) -> bool:
        return not (self.code or self.tables or self.plots or self.items or self.facts or self.frame)


def check_installed() -> None:
    """Tell what to install before anything is run, not after hours."""
    try:
        for name in ("jinja2", "matplotlib"):
            import_module(name)
    except ImportError as error:
        raise ConfigError(
            f"reports need {error.name}, which is not installed; install it: pip install 'ness-machine[experiments]'"
        ) from None


def render(title: str, lead: str, parts: Sequence[PagePart], warning: str = "") -> str:
    """Write the page; parts without content are left out."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    folder = files("ness.experiments")
    style = (folder / "static" / "report.css").read_text(encoding="utf-8")
    loader = FunctionLoader(lambda name: (folder / "templates" / name).read_text(encoding="utf-8"))
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined)
    shown = [part for part in parts if not part.is_empty]
    template = environment.get_template("page.html")
    return template.render(title=title, lead=lead, warning=warning, parts=shown, style=style, draw=to_svg)
