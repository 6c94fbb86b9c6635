"""The sockets that tell an open page to look again: who may hear, what they hear, and that they end with his right."""

from __future__ import annotations

import json

import pytest
from asgiref.sync import sync_to_async
from channels.db import database_sync_to_async
from django.contrib.auth.models import AnonymousUser

from portal.accounts.models import Membership, StaffRole
from portal.live import push, sockets
from rentals import consumers
from tests.live.talk import Socket
from tests.rentals.desk import Desk

pytestmark = pytest.mark.django_db(transaction=True)


class Session:
    session_key = "key"

    def __init__(self) -> None:
        self.stands = True

    def exists(self, key: str) -> bool:
        return self.stands


def socket(consumer, user, session=None, **kwargs) -> Socket:
    return Socket(consumer, user=user, session=session or Session(), url_route={"kwargs": kwargs})


@pytest.fixture
def booking(transactional_db, cast, racks, now):
    return Desk(cast, racks, now).hold()


async def test_a_member_hears_what_changes_in_his_booking(cast, booking):
    line = await socket(consumers.BookingHints, cast.chen, number=booking.number).open()
    opening = json.loads(await line.text())

    await sync_to_async(push.hint)(f"booking-{booking.number}", "steps")

    assert opening == {"hub": "resumed"}
    assert json.loads(await line.text()) == {"hint": "steps"}
    await line.leave()


async def test_nobody_hears_another_bookings_hints(cast, booking):
    line = await socket(consumers.BookingHints, cast.ada, number=booking.number).open()
    await line.text()

    await sync_to_async(push.hint)("booking-B-999999", "steps")
    await sync_to_async(push.hint)(f"booking-{booking.number}", "status")

    assert json.loads(await line.text()) == {"hint": "status"}
    await line.leave()


@pytest.mark.parametrize(("who", "code"), [("sid", 4404), ("fin", 4403)])
async def test_a_stranger_and_the_wrong_staff_are_refused_with_their_code(cast, booking, who, code):
    line = await socket(consumers.BookingHints, getattr(cast, who), number=booking.number).open()

    assert await line.code() == code


async def test_a_visitor_is_not_logged_in(booking):
    line = await socket(consumers.BookingHints, AnonymousUser(), number=booking.number).open()

    assert await line.code() == sockets.NOT_LOGGED_IN


async def test_a_booking_that_is_not_there_is_not_found(cast, transactional_db):
    line = await socket(consumers.BookingHints, cast.ada, number="B-999999").open()

    assert await line.code() == 4404


async def test_the_line_ends_with_the_membership(cast, booking, monkeypatch):
    monkeypatch.setattr(consumers, "LOOK_EVERY", 0.05)
    line = await socket(consumers.BookingHints, cast.ben, number=booking.number).open()

    await database_sync_to_async(Membership.objects.filter(user=cast.ben).delete)()

    assert await line.code() == 4404


async def test_the_line_ends_with_the_session(cast, booking, monkeypatch):
    monkeypatch.setattr(consumers, "LOOK_EVERY", 0.05)
    session = Session()
    line = await socket(consumers.BookingHints, cast.ada, session, number=booking.number).open()

    session.stands = False

    assert await line.code() == sockets.NOT_LOGGED_IN


@pytest.mark.parametrize(("who", "code"), [("ada", 4404), ("fin", 4403)])
async def test_the_racks_are_the_operators_alone(cast, transactional_db, who, code):
    line = await socket(consumers.FleetHints, getattr(cast, who)).open()

    assert await line.code() == code


async def test_an_operator_hears_the_racks_until_he_is_one_no_more(cast, transactional_db, monkeypatch):
    monkeypatch.setattr(consumers, "LOOK_EVERY", 0.05)
    line = await socket(consumers.FleetHints, cast.olu).open()
    await line.text()
    await sync_to_async(push.hint)("fleet", "state")
    heard = json.loads(await line.text())

    await database_sync_to_async(StaffRole.objects.filter(user=cast.olu).delete)()

    assert heard == {"hint": "state"}
    assert await line.code() == 4404
