"""manage.py audit: silent while all is well, and it finds what was done behind the database's back."""

import io

import pytest
from django.core.management import call_command
from django.db import connection

from portal.web import audits
from tests.rentals.desk import Desk

# What a hand at the database could do once the guard is off, and what the audit says then.
SABOTAGE = {
    "a posting was changed": (
        "billing",
        "ALTER TABLE billing_posting DISABLE TRIGGER USER; UPDATE billing_posting SET amount_minor = amount_minor + 1 WHERE amount_minor > 0",
        "out of balance",
    ),
    "a document was changed": (
        "billing",
        'ALTER TABLE billing_document DISABLE TRIGGER USER; UPDATE billing_document SET snapshot = snapshot || \'{"number": "X"}\'',
        "hash differs",
    ),
    "a total was changed": (
        "billing",
        "ALTER TABLE billing_document DISABLE TRIGGER USER; UPDATE billing_document SET net_minor = net_minor - 1, tax_minor = tax_minor + 1",
        "does not add up",
    ),
    "a number was skipped": (
        "billing",
        "ALTER TABLE billing_series DISABLE TRIGGER USER; UPDATE billing_series SET last_number = last_number + 1",
        "its counter says",
    ),
    "a credit was only noted": ("billing", "UPDATE billing_documentstatus SET credited_minor = 1", "its credit notes say"),
    "a refund was only noted": ("billing", "UPDATE billing_payment SET refunded_minor = 1", "its refunds say"),
    "an invoice was forgotten": ("billing", "UPDATE billing_agreement SET state = 'open' WHERE state = 'pending'", "without an invoice"),
    "a unit was given twice": (
        "rentals",
        "ALTER TABLE rentals_assignment DROP CONSTRAINT rentals_never_twice; INSERT INTO rentals_assignment SELECT (jsonb_populate_record(a, "
        "jsonb_build_object('id', gen_random_uuid()))).* FROM rentals_assignment a",
        "assigned twice",
    ),
    "a server was sold unwiped": (
        "rentals",
        "UPDATE rentals_server SET state = 'available', last_tenant_ended_at = now(), wiped_at = now()",
        "without complete wipe evidence",
    ),
    "an assignment was lost": ("rentals", "UPDATE rentals_assignment SET live = false", "with 0 of 1 units"),
    "an assignment was moved": ("rentals", "UPDATE rentals_assignment SET slots = '[0,1)'", "does not stand where its unit does"),
    "a hold was forgotten": ("rentals", "UPDATE rentals_booking SET hold_expires_at = '2020-01-01'", "after its hold ended"),
    "a deployment was forgotten": ("rentals", "UPDATE rentals_server SET state_deadline_at = '2020-01-01'", "past its deadline"),
    "an owner was lost": ("accounts", "UPDATE accounts_membership SET role = 'member'", "has no owner"),
}


@pytest.fixture
def busy(cast, racks, now) -> Desk:
    """One Booking that is paid and one that is held."""
    desk = Desk(cast, racks, now)
    desk.book()
    desk.hold()
    return desk


def test_nothing_is_found_while_all_is_well(busy, now):
    assert audits.findings(now=now) == {"accounts": [], "billing": [], "rentals": [], "monitoring": []}


@pytest.mark.parametrize("deed", SABOTAGE)
def test_the_audit_finds_out_that(busy, now, deed):
    app, sql, words = SABOTAGE[deed]
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute(sql)

    found = audits.findings(now=now)

    assert any(words in finding for finding in found[app]), found


def test_the_command_tells_and_exits_with_1(busy):
    with connection.cursor() as cursor:
        cursor.execute("UPDATE accounts_membership SET role = 'member'")
    output = io.StringIO()

    with pytest.raises(SystemExit) as ended:
        call_command("audit", stdout=output)

    assert ended.value.code == 1
    assert "has no owner" in output.getvalue()
