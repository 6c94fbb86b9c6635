"""How many queries a page may cost: the one table that tests/web/test_query_counts.py opens every page against.

HOW TO ADD A PAGE: one line, keyed by its full URL name, with the most queries that it may take, whatever is in the database. Who opens it, and on which row,
is what tests/web/access_table.py says: somebody who may. Addresses that answer GET and are no pages stand in NO_PAGES with the reason.
A page that stands in neither fails by its name.
"""

from __future__ import annotations

# The frame of a page costs four for a person: session, user, Organisations, roles with unread notifications.
MOST: dict[str, int] = {
    "accounts:audit": 9,
    "accounts:customers": 7,
    "accounts:invitation": 5,
    "accounts:limits": 7,
    "accounts:members": 8,
    "accounts:notifications": 6,
    "accounts:organisation": 8,
    "accounts:organisation-new": 4,
    "accounts:profile": 4,
    "accounts:projects": 7,
    "accounts:ssh-keys": 5,
    "accounts:terms": 8,
    "accounts:terms-version": 9,
    "accounts:tokens": 6,
    "billing:agreement-documents": 6,
    "billing:agreement-return": 10,
    "billing:document": 8,
    "billing:document-payments": 10,
    "billing:documents": 7,
    "billing:finance": 14,
    "billing:finance-credit": 7,
    "billing:finance-document": 17,
    "billing:payment": 8,
    "billing:payment-refund": 8,
    "monitoring:live": 9,
    "monitoring:live-strip": 6,
    "monitoring:server-live": 10,
    "rentals:booking": 14,
    "rentals:booking-part": 14,
    "rentals:bookings": 8,
    "rentals:catalog": 8,
    "rentals:configuration": 30,
    "rentals:configure": 25,
    "rentals:offer": 11,
    "rentals:operate": 7,
    "rentals:operate-deployments": 6,
    "rentals:operate-operation": 8,
    "rentals:operate-server": 12,
    "rentals:operate-server-new": 7,
    "rentals:operate-servers": 8,
    "rentals:quote": 13,
    "rentals:quote-new": 7,
    "rentals:quotes": 8,
    "web:api-docs": 4,
    "web:components": 4,
    "web:demo-mails": 4,
    "web:home": 20,
}

NO_PAGES: dict[str, str] = {
    "api-schema": "a document for programs",
    "billing:document-file": "a file",
    "billing:finance-table": "a file",
    "monitoring:live-history": "numbers for the charts",
    "monitoring:server-live-history": "numbers for the charts",
    "rentals:offer-accept": "leads back to the offer",
    "rentals:offer-pdf": "a file",
    "rentals:booking-wipe": "a file",
    "rentals:operate-wipe": "a file",
    "rentals:quote-pdf": "a file",
    "web:demo-mail": "a mail as it was written",
    "web:healthz": "for supervisors",
    "web:metrics": "for Prometheus",
}

# Pages whose application is not ours.
OF_OTHERS = ("account_", "mfa_")
