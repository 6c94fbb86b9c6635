"""Reads of billing. Other apps call these by `queries.<name>`."""

from billing.queries.announcements import Announced, open_announcements
from billing.queries.documents import STATES, Listed, Shown, document_for, documents_of, documents_of_agreement, frozen_document_for, record, row_for
from billing.queries.finance import Filters, TooManyForAWorkbook, books_of, creditable_lines, finance_documents, month_at_a_glance, records, refuse_too_many
from billing.queries.parties import CannotBeTaxed, DetailsMissing, NoSeller
from billing.queries.prices import NoPrice, list_rates, preview, term_steps
from billing.queries.settlements import Settlement, end_preview

__all__ = [
    "Announced", "CannotBeTaxed", "DetailsMissing", "Filters", "Listed", "NoPrice", "NoSeller", "STATES", "Settlement", "Shown",
    "TooManyForAWorkbook", "books_of", "creditable_lines", "document_for", "documents_of", "documents_of_agreement", "end_preview",
    "finance_documents", "frozen_document_for", "list_rates", "month_at_a_glance", "open_announcements", "preview", "record", "records",
    "refuse_too_many", "row_for", "term_steps",
]  # fmt: skip
