"""Numbers, money and moments as text in the viewer's language. Dates and digits come from CLDR (babel)."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from decimal import Decimal

from babel import dates, numbers
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from portal.kernel import money as kernel_money
from portal.kernel.money import Money

THIN_SPACE = "\u2009"
NO_BREAK = "\u00a0"
MINUS = "\u2212"
PATTERNS = {
    "en": {"moment": "EEE d MMM, HH:mm", "year": "EEE d MMM y, HH:mm", "day": "EEE d MMM", "day_year": "d MMM y", "time": "HH:mm"},
    "zh_Hans": {"moment": "M月d日 EEE HH:mm", "year": "y年M月d日 EEE HH:mm", "day": "M月d日 EEE", "day_year": "y年M月d日", "time": "HH:mm"},
}


def locale() -> str:
    """The babel locale of the active language."""
    return "zh_Hans" if (translation.get_language() or "en").startswith("zh") else "en"


def decimal_text(value: Decimal | int | float, *, least: int = 0, most: int = 6) -> str:
    """Grouped digits with at least `least` and at most `most` decimals."""
    pattern = "#,##0" + ("." + "0" * least + "#" * (most - least) if most else "")
    return numbers.format_decimal(value, format=pattern, locale=locale()).replace("-", MINUS)


def money_text(amount: Money, *, digits: int | None = None) -> str:
    """The amount without its currency: whole minor units, finer rates in full (a price shown is the price billed) unless `digits` rounds it."""
    if digits is not None:
        return decimal_text(kernel_money.round_half_up(amount.amount, digits), least=digits, most=digits)
    return decimal_text(amount.amount, least=kernel_money.exponent(amount.currency))


def zone_text(moment: datetime) -> str:
    """The offset of `moment` in its zone: UTC, UTC+1, UTC+5:30."""
    offset = moment.utcoffset() or timedelta(0)
    minutes = int(offset.total_seconds()) // 60
    if minutes == 0:
        return "UTC"
    hours, rest = divmod(abs(minutes), 60)
    return f"UTC{'+' if minutes > 0 else MINUS}{hours}" + (f":{rest:02d}" if rest else "")


def moment_text(moment: datetime, *, now: datetime, form: str = "", zone: bool = True) -> str:
    """`moment` in the active zone. form: "" (year only when it is not this one), full, day, time. `zone` names the zone behind a clock time."""
    local = timezone.localtime(moment)
    same_year = local.year == timezone.localtime(now).year
    if form == "day":
        return dates.format_datetime(local, PATTERNS[locale()]["day" if same_year else "day_year"], locale=locale())
    pattern = "time" if form == "time" else "moment" if same_year and form != "full" else "year"
    text = dates.format_datetime(local, PATTERNS[locale()][pattern], locale=locale())
    return f"{text}{NO_BREAK}{zone_text(local)}" if zone else text


def date_text(day: date) -> str:
    """A calendar day without a clock."""
    return dates.format_date(day, PATTERNS[locale()]["day_year"], locale=locale())


def length_text(length: timedelta, *, parts: int = 2) -> str:
    """A length in its `parts` largest units: 3 d 4 h, 25 min, 40 s."""
    seconds = max(int(length.total_seconds()), 0)
    words = []
    for size, word in ((86_400, _("d")), (3600, _("h")), (60, _("min")), (1, _("s"))):
        count, seconds = divmod(seconds, size)
        if count:
            words.append(f"{count}{NO_BREAK}{word}")
    return " ".join(words[:parts]) or f"0{NO_BREAK}{_('s')}"


def relative_text(moment: datetime, *, now: datetime) -> str:
    """in 3 h, 5 min ago, now."""
    distance = moment - now
    if abs(distance) < timedelta(seconds=30):
        return _("now")
    length = length_text(abs(distance), parts=1)
    return _("in %(length)s") % {"length": length} if distance > timedelta(0) else _("%(length)s ago") % {"length": length}
