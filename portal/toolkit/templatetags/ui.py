"""{% load ui %}: how money, moments, periods, states, numbers and icons look on every page."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from decimal import Decimal

from django import forms, template
from django.db.backends.postgresql.psycopg_any import DateTimeTZRange
from django.forms.boundfield import BoundWidget
from django.templatetags.static import static
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from portal.kernel.money import Money
from portal.kernel.period import Period
from portal.toolkit import formats, states

register = template.Library()
NOTHING = mark_safe('<span class="nothing">–</span>')  # noqa: S308 - a constant


@register.simple_tag
def icon(name: str, label: str = "", classes: str = "") -> SafeString:
    """One symbol of the sprite. Without `label` it is decoration beside a word; with one it speaks for itself."""
    address = f"{static('vendor/icons.svg')}#tabler-{name}"
    if label:
        return format_html('<svg class="icon {}" role="img" aria-label="{}" focusable="false"><use href="{}"></use></svg>', classes, label, address)
    return format_html('<svg class="icon {}" aria-hidden="true" focusable="false"><use href="{}"></use></svg>', classes, address)


@register.simple_tag
def money(amount: Money | None, digits: int | None = None, suffix: str = "") -> SafeString:
    """Amount and currency; `suffix` says per what (h, GPU·h). A missing amount is a dash."""
    if amount is None:
        return NOTHING
    unit = f"{amount.currency}/{suffix}" if suffix else amount.currency
    return format_html('<span class="figure">{}{}<span class="unit">{}</span></span>', formats.money_text(amount, digits=digits), formats.NO_BREAK, unit)


@register.simple_tag
def number(value: Decimal | int | float | None, unit: str = "", digits: int | None = None) -> SafeString:
    """A grouped number, its unit after a thin space. `digits` fixes the decimals."""
    if value is None or value == "":
        return NOTHING
    text = formats.decimal_text(value, most=3) if digits is None else formats.decimal_text(value, least=digits, most=digits)
    if not unit:
        return format_html('<span class="figure">{}</span>', text)
    return format_html('<span class="figure">{}{}<span class="unit">{}</span></span>', text, formats.THIN_SPACE, unit)


@register.simple_tag
def moment(at: datetime | date | None, form: str = "", hint: bool = True) -> SafeString:
    """A moment in the viewer's zone, named, with a relative hint and the full ISO form on hover. form: "" | full | day | time."""
    if at is None:
        return NOTHING
    if not isinstance(at, datetime):
        return format_html('<time datetime="{}">{}</time>', at.isoformat(), formats.date_text(at))
    now = timezone.now()
    text = formats.moment_text(at, now=now, form=form)
    title = f"{timezone.localtime(at).isoformat(timespec='seconds')} ({timezone.get_current_timezone_name()})"
    if not hint or form in ("day", "time"):
        return format_html('<time datetime="{}" title="{}">{}</time>', at.isoformat(), title, text)
    relative = formats.relative_text(at, now=now)
    return format_html('<time datetime="{}" title="{}">{} <span class="hint">{}</span></time>', at.isoformat(), title, text, relative)


@register.simple_tag
def period(during: Period | DateTimeTZRange | None, hint: bool = True) -> SafeString:
    """Start – end and the length. Takes a Period or a database range with both ends."""
    if during is None:
        return NOTHING
    start, end = (during.start, during.end) if isinstance(during, Period) else (during.lower, during.upper)
    now = timezone.now()
    zones_differ = timezone.localtime(start).utcoffset() != timezone.localtime(end).utcoffset()
    text = format_html(
        '<span class="period"><time datetime="{}">{}</time> – <time datetime="{}">{}</time>',
        start.isoformat(),
        formats.moment_text(start, now=now, form="full" if start.year != end.year else "", zone=zones_differ),
        end.isoformat(),
        formats.moment_text(end, now=now, form="full" if start.year != end.year else ""),
    )
    if hint:
        text = format_html('{} <span class="hint">{}</span>', text, formats.length_text(end - start))
    return format_html("{}</span>", text)


@register.simple_tag
def length(span: timedelta | None) -> SafeString:
    """A timedelta in its two largest units."""
    return NOTHING if span is None else format_html('<span class="figure">{}</span>', formats.length_text(span))


@register.simple_tag
def state(noun: str, value: str) -> SafeString:
    """Icon, word and colour of a noun's state."""
    look = states.look_of(noun, value)
    return format_html('<span class="state state-{}">{}<span>{}</span></span>', look.tone, icon(look.icon), look.word)


@register.simple_tag
def state_word(noun: str, value: str) -> str:
    """The word alone, for places that hold text only."""
    return str(states.look_of(noun, value).word)


@register.simple_tag
def countdown(until: datetime, done: str = "") -> SafeString:
    """The time left until `until`: right as served, counted down by portal.js, which says `done` at the end."""
    left = formats.length_text(until - timezone.now())
    return format_html('<time class="countdown figure" datetime="{}" data-countdown data-done="{}">{}</time>', until.isoformat(), done, left)


@register.simple_tag(takes_context=True)
def with_query(context: template.Context, **changes: object) -> str:
    """The present address with some query parameters changed; an empty value takes one out. A changed filter leaves the page it stood on."""
    query = context["request"].GET.copy()
    for name, value in changes.items():
        query.pop(name, None)
        if value not in ("", None):
            query[name] = value
    return f"?{query.urlencode()}" if query else context["request"].path


@register.simple_tag(name="field_kind_of")
def field_kind(field: forms.BoundField) -> str:
    """What the widget of a bound form field is: check, choices, select, text."""
    name = type(field.field.widget).__name__
    return {"CheckboxInput": "check", "RadioSelect": "choices", "CheckboxSelectMultiple": "choices", "Select": "select", "FileInput": "file"}.get(name, "text")


WIDGET_CLASSES = {"check": "form-check-input", "choices": "", "select": "form-select", "text": "form-control", "file": "form-control"}


@register.simple_tag
def widget(field: forms.BoundField) -> SafeString:
    """The field's own widget with our class and the aria attributes that tie help and error to it."""
    described = [f"{field.auto_id}-{part}" for part, there in (("help", field.help_text), ("error", field.errors)) if there]
    classes = " ".join(filter(None, (WIDGET_CLASSES[field_kind(field)], "is-invalid" if field.errors else "", field.field.widget.attrs.get("class", ""))))
    attributes: dict[str, str | bool] = {"class": classes} if classes else {}
    if described:
        attributes["aria-describedby"] = " ".join(described)
    if field.errors:
        attributes["aria-invalid"] = "true"
    return field.as_widget(attrs=attributes)


@register.simple_tag
def choice(option: BoundWidget) -> SafeString:
    """One radio button or check box of a field with choices, with our class."""
    option.data["attrs"]["class"] = "form-check-input"
    return option.tag()


@register.simple_block_tag
def tablebox(content: str, caption: str = "") -> SafeString:
    """A table that scrolls inside its own frame: reachable by keyboard, named for screen readers."""
    return format_html('<div class="table-box" role="region" tabindex="0" aria-label="{}">{}</div>', caption or _("Table"), content)
