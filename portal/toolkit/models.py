"""Abstract shapes that several apps share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, Self, TypeVar

from django.db import models

Row = TypeVar("Row", bound="Numbered")


class NumberedQuerySet(models.QuerySet[Row]):
    def by_number(self, number: str) -> Self:
        """Rows with this public number; nothing for a malformed one."""
        key = self._key(number)
        return self.none() if key is None else self.filter(pk=key)

    def by_numbers(self, numbers: Iterable[str]) -> Self:
        """Rows with one of these public numbers; malformed ones are passed over."""
        return self.filter(pk__in=[key for number in numbers if (key := self._key(number)) is not None])

    def _key(self, number: str) -> int | None:
        prefix, _, digits = number.partition("-")
        if prefix != self.model.NUMBER_PREFIX or not digits.isascii() or not digits.isdigit() or len(digits) > 15:
            return None
        return int(digits) - self.model.NUMBER_BASE


class Numbered(models.Model):
    """A row with a public number such as B-1042. Numbers are not secrets: a stranger who guesses one gets 404."""

    NUMBER_PREFIX: ClassVar[str] = ""
    NUMBER_BASE: ClassVar[int] = 1000

    class Meta:
        abstract = True

    @property
    def number(self) -> str:
        return f"{self.NUMBER_PREFIX}-{self.pk + self.NUMBER_BASE}"


class Announcement(models.Model):
    """What a lower app says to whoever stands above, written in the same transaction as the fact (design.md 3).

    `kind` names the fact, `subject` the public number it is about, `facts` the rest as JSON. The upper app's receiver and its sweeper read
    unhandled rows through this app's queries and call one idempotent service, which marks the row handled in its own transaction.
    """

    kind = models.CharField(max_length=60)
    subject = models.CharField(max_length=60)
    facts = models.JSONField(default=dict)
    announced_at = models.DateTimeField()
    handled_at = models.DateTimeField(null=True)

    class Meta:
        abstract = True
        indexes = [models.Index(fields=["id"], condition=models.Q(handled_at__isnull=True), name="%(app_label)s_announcement_open")]
