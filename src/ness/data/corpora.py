"""Public corpora: files in a folder, in the folder that NESS_DATA names, or from their repository at a fixed commit."""

import gzip
import os
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from ness.data.files import write_data
from ness.errors import DataError

TIMEOUT = 30  # seconds


@dataclass(frozen=True, slots=True)
class Corpus:
    """The files of a corpus; a file may be gzipped in a folder."""

    name: str
    commit: str
    url: str
    hashes: Mapping[str, str]  # file -> sha256 of its content
    folders: tuple[str, ...]  # where the files may be within a folder of data

    def find(self, data_dir: Path | None, environment: Mapping[str, str]) -> Path | None:
        """Return the folder of the files: the one given, NESS_DATA or a complete cache; None means download."""
        given = data_dir or (Path(environment["NESS_DATA"]) if environment.get("NESS_DATA") else None)
        if given is None:
            cached = self.cache_folder(environment)
            return cached if self._is_in(cached) else None
        for folder in (given, *(given / name for name in self.folders)):
            if self._is_in(folder):
                return folder
        raise DataError(f"{given} holds no {self._listed} of the {self.name} task; give the folder that has them")

    def cache_folder(self, environment: Mapping[str, str]) -> Path:
        """Return where downloaded files are kept."""
        base = environment.get("XDG_CACHE_HOME")
        return (Path(base) if base else Path.home() / ".cache") / "ness" / f"{self.name}-{self.commit[:12]}"

    def read(self, folder: Path, name: str) -> str:
        """Return the text of a file; one that the corpus lists is checked."""
        path = path_of(folder, name)
        content = path.read_bytes()
        if path.suffix == ".gz":
            try:
                content = gzip.decompress(content)
            except (OSError, EOFError):
                raise DataError(f"{path} cannot be unpacked; give another folder with --data") from None
        if name in self.hashes:
            self._check(content, name, str(path))
        return content.decode("utf-8")

    def download(self, url: str) -> Path:
        """Fetch the files into the cache."""
        import urllib.request  # slow to import, and seldom needed

        folder = self.cache_folder(os.environ)
        for name in self.hashes:
            try:
                with urllib.request.urlopen(url + name, timeout=TIMEOUT) as response:
                    content: bytes = response.read()
            except (OSError, ValueError) as error:
                raise DataError(
                    f"the {self.name} files are not here and cannot be downloaded ({error}); "
                    f"put {self._listed} of {url} into a folder and name it with --data or NESS_DATA"
                ) from None
            self._check(content, name, url + name)
            write_data(folder / name, content)
        return folder

    @property
    def _listed(self) -> str:
        *first, last = self.hashes
        return f"{', '.join(first)} and {last}"

    def _is_in(self, folder: Path) -> bool:
        return all(path_of(folder, name).is_file() for name in self.hashes)

    def _check(self, content: bytes, name: str, origin: str) -> None:
        found = sha256(content).hexdigest()
        if found != self.hashes[name]:
            raise DataError(
                f"{origin} is not the file that is expected (sha256 {found[:12]}…, not {self.hashes[name][:12]}…); "
                "delete it or give another folder with --data"
            )


def path_of(folder: Path, name: str) -> Path:
    """Return where a file is, plain or gzipped."""
    packed = folder / f"{name}.gz"
    return packed if packed.is_file() else folder / name
