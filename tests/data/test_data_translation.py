"""The translation files: where they are found, how they are checked, which answers count."""

import shutil
from pathlib import Path

import pytest

from ness.data import translation
from ness.data.equivalence import accepted
from ness.data.lessons import translation_lessons
from ness.data.tasks import load_task
from ness.errors import DataError


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("NESS_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_files(shared: Path) -> None:
    train, test = translation.load(shared / "mt")
    assert len(train) == 11_000
    assert len(test) == 8
    assert sum(example.source == ("i", "am", "daxy", ".") for example in train) == 1000
    assert " ".join(test[3].source) == "you are not daxy ."
    assert " ".join(test[3].target) == "tu n es pas daxiste ."
    lessons = translation_lessons(train)
    assert [len(lesson[0].source) for lesson in lessons] == [3, 4, 5, 6, 7, 8, 9]
    assert sum(map(len, lessons)) == 9996


def test_folder_from_the_environment(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NESS_DATA", str(shared))
    assert load_task("translation").tests["test"] == translation.load(shared / "mt")[1]


def test_download_is_checked_and_cached(shared: Path, tmp_path: Path) -> None:
    served = tmp_path / "served"
    shutil.copytree(shared / "mt", served)
    url = served.as_uri() + "/"
    expected = translation.load(shared / "mt")
    assert translation.load(url=url) == expected
    assert translation.load(url="file:///nowhere/") == expected
    cached = translation.cache_folder({"XDG_CACHE_HOME": str(tmp_path / "cache")})
    assert sorted(path.name for path in cached.iterdir()) == ["test.txt", "train.txt"]


def test_wrong_download_is_refused(tmp_path: Path) -> None:
    for name in ("train.txt", "test.txt"):
        (tmp_path / name).write_text("IN: a\tOUT: b\n")
    with pytest.raises(DataError, match="is not the file that is expected"):
        translation.load(url=tmp_path.as_uri() + "/")
    assert not (tmp_path / "cache").exists()
    with pytest.raises(DataError, match=r"train.txt is not the file that is expected"):
        translation.load(tmp_path)


@pytest.mark.parametrize("url", ["file:///nowhere/", "http://127.0.0.1:9/", "nonsense"])
def test_without_files_and_network_one_line_says_what_to_do(url: str) -> None:
    with pytest.raises(DataError) as caught:
        translation.load(url=url)
    message = str(caught.value)
    assert "\n" not in message
    assert "cannot be downloaded" in message
    assert "name it with --data or NESS_DATA" in message


def test_folder_without_the_files(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"holds no train.txt and test.txt"):
        translation.load(tmp_path)


@pytest.mark.parametrize(
    ("source", "reference", "others"),
    [
        ("he is daxy .", "il est daxiste .", []),
        ("i am not daxy .", "je ne suis pas daxiste .", []),
        ("you are daxy .", "tu es daxiste .", ["vous etes daxiste .", "t es daxiste ."]),
        ("you are daxy .", "vous etes daxiste .", ["tu es daxiste .", "t es daxiste ."]),
        ("you re not mad .", "vous n etes pas fou .", ["tu n es pas fou ."]),
        ("you are very daxy .", "tu es tres daxiste .", ["vous etes tres daxiste .", "t es tres daxiste ."]),
        ("you re wasting your time .", "tu gaspilles ton temps .", ["vous gaspillez votre temps ."]),
        ("you re lying .", "vous mentez .", ["tu mens ."]),
        ("you re mistaken .", "tu te trompes .", ["vous vous trompez ."]),
        ("he is taller than you .", "il est plus grand que toi .", []),
        ("she is glad that he is here .", "elle est contente qu il soit la , tu es .", []),
    ],
)
def test_accepted_answers(source: str, reference: str, others: list[str]) -> None:
    answers = {" ".join(answer) for answer in accepted(source.split(), reference.split())}
    assert answers >= {reference, *others}
    if not others:
        assert answers == {reference}


def test_a_wrong_person_is_not_accepted() -> None:
    answers = accepted(("you", "are", "daxy", "."), ("tu", "es", "daxiste", "."))
    assert ("il", "est", "daxiste", ".") not in answers
    assert ("vous", "es", "daxiste", ".") not in answers
    assert ("tu", "etes", "daxiste", ".") not in answers
