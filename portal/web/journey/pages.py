"""HTML as a person without JavaScript meets it: text, links and forms with what is filled in already."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

_VOID = {"input", "br", "meta", "link", "img", "hr", "wbr", "source", "use", "rect", "circle", "path", "line"}


@dataclass
class Form:
    """One form. `fields` are the successful controls as they stand: hidden, typed, ticked, chosen."""

    action: str
    method: str
    fields: dict[str, list[str]] = field(default_factory=dict)
    buttons: list[tuple[str, str]] = field(default_factory=list)

    def filled(self, values: dict[str, object]) -> dict[str, list[str]]:
        """The fields with `values` typed over them; None empties one."""
        typed = {name: [] if value is None else [str(each) for each in (value if isinstance(value, list) else [value])] for name, value in values.items()}
        return {**self.fields, **typed}


@dataclass
class Page:
    """What an address answered."""

    url: str
    status: int
    html: str
    forms: list[Form]
    links: list[tuple[str, str]]
    text: str

    def form(self, action: str = "", *, asking: str = "") -> Form:
        """The first form whose action contains `action` and that asks for the field `asking`. Raises LookupError with what the page offers."""
        for form in self.forms:
            if action in form.action and (not asking or asking in form.fields):
                return form
        raise LookupError(
            f"{self.url} ({self.status}) has no form to {action!r} with {asking!r}, only {[form.action for form in self.forms]}: {self.text[:300]}"
        )

    def link(self, part: str) -> str:
        """The address of the first link whose address or text contains `part`. Raises LookupError."""
        for address, text in self.links:
            if part in address or part in text:
                return address
        raise LookupError(f"{self.url} ({self.status}) has no link {part!r}: {self.text[:300]}")


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.forms: list[Form] = []
        self.links: list[tuple[str, str]] = []
        self.words: list[str] = []
        self._form: Form | None = None
        self._select: tuple[str, bool] | None = None
        self._area: str | None = None
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        facts = {name: value or "" for name, value in attrs}
        if tag in ("script", "style", "svg"):
            self._silent += 1
        opener = getattr(self, f"_open_{tag}", None)
        if opener:
            opener(facts, {name for name, _value in attrs})

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _VOID:
            self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if tag in ("script", "style", "svg"):
            self._silent -= 1
        elif tag == "form":
            self._form = None
        elif tag == "select":
            self._close_select()
        elif tag == "textarea":
            self._area = None

    def handle_data(self, data: str) -> None:
        if self._area is not None and self._form is not None:
            self._form.fields[self._area] = [(self._form.fields[self._area][0] + data).removeprefix("\n")]
        elif not self._silent and data.strip():
            self.words.append(" ".join(data.split()))
            if self.links and self.links[-1][1] == "":
                self.links[-1] = (self.links[-1][0], self.words[-1])

    def _open_form(self, facts: dict[str, str], _names: set[str]) -> None:
        self._form = Form(facts.get("action", ""), facts.get("method", "get").lower())
        self.forms.append(self._form)

    def _open_a(self, facts: dict[str, str], _names: set[str]) -> None:
        self.links.append((facts.get("href", ""), ""))

    def _open_input(self, facts: dict[str, str], names: set[str]) -> None:
        kind, name = facts.get("type", "text"), facts.get("name", "")
        if self._form is None or not name or kind in ("submit", "button", "image", "reset", "file"):
            return
        if kind in ("checkbox", "radio") and "checked" not in names:
            return
        self._form.fields.setdefault(name, []).append(facts.get("value", "on" if kind == "checkbox" else ""))

    def _open_button(self, facts: dict[str, str], _names: set[str]) -> None:
        if self._form is not None and facts.get("name"):
            self._form.buttons.append((facts["name"], facts.get("value", "")))

    def _open_textarea(self, facts: dict[str, str], _names: set[str]) -> None:
        if self._form is not None and facts.get("name"):
            self._area = facts["name"]
            self._form.fields[self._area] = [""]

    def _open_select(self, facts: dict[str, str], names: set[str]) -> None:
        self._select = (facts.get("name", ""), "multiple" in names)
        self._options: list[tuple[str, bool]] = []

    def _open_option(self, facts: dict[str, str], names: set[str]) -> None:
        if self._select is not None:
            self._options.append((facts.get("value", ""), "selected" in names))

    def _close_select(self) -> None:
        if self._form is not None and self._select is not None and self._select[0]:
            name, many = self._select
            chosen = [value for value, selected in self._options if selected]
            if not chosen and self._options and not many:
                chosen = [self._options[0][0]]
            self._form.fields[name] = chosen
        self._select = None


def read(url: str, status: int, html: str) -> Page:
    """Parse an answer."""
    reader = _Reader()
    reader.feed(html)
    return Page(url, status, html, reader.forms, reader.links, " ".join(reader.words))
