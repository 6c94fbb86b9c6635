"""Reads of billing. Other apps call these by `queries.<name>`."""

from billing.queries.announcements import Announced, open_announcements
from billing.queries.parties import CannotBeTaxed, DetailsMissing, NoSeller
from billing.queries.prices import NoPrice, list_rates, preview, term_steps
from billing.queries.settlements import Settlement, end_preview

__all__ = [
    "Announced", "CannotBeTaxed", "DetailsMissing", "NoPrice", "NoSeller", "Settlement", "end_preview", "list_rates", "open_announcements",
    "preview", "term_steps",
]  # fmt: skip
