"""Numbers of Documents under load: 1..N, no gap, no duplicate, whoever rolls back (M1, M2; booking case 14)."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import connection, transaction

from billing import signals
from billing.domain import snapshot
from billing.models import BillingAccount, Document, Draft, Series
from billing.services import invoices, parties
from tests import world

WORKERS, EACH = 8, 100
TAX = {
    "customer": {"name": "Lovelace Labs GmbH"},
    "decisions": {"service": {"group": "domestic", "category": "S", "rate": "19", "note": "", "reason_code": "", "source": "tests"}},
}


class RolledBack(Exception):
    """Something after the issue failed."""


@pytest.fixture
def account(transactional_db, now, monkeypatch) -> BillingAccount:
    monkeypatch.setattr("portal.toolkit.tasks.ring", lambda task, **ids: None)
    monkeypatch.setattr(signals.announced, "send_robust", lambda **facts: [])  # doorbells and receivers are not what races here
    cast = world.cast(now)
    world.racks(now)
    cast.lab.memberships.all().delete()
    return parties.account_for(organisation=cast.lab)


def draft(account: BillingAccount, now) -> Draft:
    line = invoices.LineWanted(1, "sku", "8 × A100", Decimal(1), "hour", Decimal("15.12"), "service", 1512, "", now, now + timedelta(hours=1))
    return invoices.draft(kind="invoice", account=account, currency="USD", tax=TAX, lines=[line], now=now)


def crowd(act) -> list:
    """`act(place)` from 8 threads at once, 100 times each."""

    def worker(first: int) -> list:
        try:
            return [act(first * EACH + place) for place in range(EACH)]
        finally:
            connection.close()

    with ThreadPoolExecutor(WORKERS) as pool:
        return [outcome for outcomes in pool.map(worker, range(WORKERS)) for outcome in outcomes]


def test_eight_workers_issue_without_gap_or_duplicate_though_a_tenth_rolls_back(account, now):
    drafts = [draft(account, now) for _each in range(WORKERS * EACH)]

    def issue(place: int) -> str | None:
        try:
            with transaction.atomic():
                number = invoices.issue(draft=drafts[place], now=now + timedelta(seconds=place % 7 - 3)).number
                if place % 10 == 0:
                    raise RolledBack
                return number
        except RolledBack:
            return None

    issued = [number for number in crowd(issue) if number]

    documents = list(Document.objects.order_by("sequence"))
    assert len(issued) == len(set(issued)) == len(documents) == WORKERS * EACH * 9 // 10
    assert [row.sequence for row in documents] == list(range(1, len(documents) + 1))
    assert Series.objects.get(kind="invoice").last_number == len(documents)
    assert [row.issued_on for row in documents] == sorted(row.issued_on for row in documents)
    assert Draft.objects.filter(state=Draft.State.OPEN).count() == WORKERS * EACH // 10


def test_the_control_that_reads_the_last_number_and_adds_one_gives_duplicates(transactional_db):
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE control_document (sequence int)")
    try:

        def issue(place: int) -> None:
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute("SELECT COALESCE(MAX(sequence), 0) + 1 FROM control_document")
                sequence = cursor.fetchone()[0]
                cursor.execute("SELECT pg_sleep(0.001)")
                cursor.execute("INSERT INTO control_document VALUES (%s)", [sequence])

        crowd(issue)

        with connection.cursor() as cursor:
            cursor.execute("SELECT COUNT(*), COUNT(DISTINCT sequence) FROM control_document")
            rows, different = cursor.fetchone()
        assert rows == WORKERS * EACH
        assert different < rows
    finally:
        with connection.cursor() as cursor:
            cursor.execute("DROP TABLE control_document")


def test_an_issue_that_fails_after_its_number_was_drawn_burns_no_number(account, now, monkeypatch):
    """M2: number 41 goes to the next Document that is really issued."""
    for _each in range(40):
        invoices.issue(draft=draft(account, now), now=now)
    failing = draft(account, now)

    with monkeypatch.context() as broken, pytest.raises(RolledBack):
        broken.setattr(snapshot, "build", _raise)
        invoices.issue(draft=failing, now=now + timedelta(days=2))
    following = invoices.issue(draft=draft(account, now), now=now + timedelta(days=1))

    assert (following.sequence, following.number) == (41, "INV-2026-00041")
    days = list(Document.objects.order_by("sequence").values_list("issued_on", flat=True))
    assert days == sorted(days)
    assert invoices.issue(draft=failing, now=now).sequence == 42


def test_a_clock_that_steps_back_never_dates_a_later_number_earlier(account, now):
    first = invoices.issue(draft=draft(account, now), now=now)
    second = invoices.issue(draft=draft(account, now), now=now - timedelta(days=3))

    assert (second.sequence, second.issued_on) == (2, first.issued_on)


def test_a_new_year_begins_a_new_series(account, now):
    invoices.issue(draft=draft(account, now), now=now)

    assert invoices.issue(draft=draft(account, now), now=now + timedelta(days=31)).number == "INV-2027-00001"


def _raise(**_facts: object) -> None:
    raise RolledBack
