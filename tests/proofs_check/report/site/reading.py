"""A page as the tests read it: elements with their attributes, in order, by the standard library's parser."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

EMPTY = ("area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "track", "wbr")


@dataclass
class Element:
    """An element: tag, attributes, what stands in it, and the element around it."""

    tag: str
    attributes: dict[str, str]
    parent: Element | None = None
    children: list[Element] = field(default_factory=list)
    words: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All text in it."""
        return "".join([*self.words, *(child.text for child in self.children)])

    def all(self) -> list[Element]:
        """The element and all in it."""
        return [self, *(inner for child in self.children for inner in child.all())]


class Reader(HTMLParser):
    """Builds the elements, and notes what is not closed as it was opened."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("", {})
        self.here = self.root
        self.faults: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        if len(set(names)) < len(names):
            self.faults.append(f"{tag}: an attribute stands twice")
        new = Element(tag, {name: value or "" for name, value in attrs}, self.here)
        self.here.children.append(new)
        if tag not in EMPTY:
            self.here = new

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in EMPTY:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if self.here.tag != tag or self.here.parent is None:
            self.faults.append(f"</{tag}> where <{self.here.tag}> is open")
            return
        self.here = self.here.parent

    def handle_data(self, data: str) -> None:
        self.here.words.append(data)


def read(text: str) -> tuple[list[Element], list[str]]:
    """All elements of a page, and what is wrong with its nesting."""
    reader = Reader()
    reader.feed(text)
    reader.close()
    if reader.here is not reader.root:
        reader.faults.append(f"<{reader.here.tag}> is never closed")
    return reader.root.all(), reader.faults
