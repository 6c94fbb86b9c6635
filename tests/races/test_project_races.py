"""A project is removed while somebody books for it."""

from __future__ import annotations

import threading
import time

import pytest
from django.db import transaction

from portal.accounts.models import Project
from portal.accounts.services import projects
from rentals.models import Booking
from tests.races.test_idempotency_races import in_threads
from tests.rentals.desk import Desk

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_project_removed_while_it_is_booked_leaves_the_booking_without_one(cast, racks, now):
    desk, held = Desk(cast, racks, now), threading.Event()
    vision = projects.add(organisation=cast.lab, name="Vision", cost_centre="", by=cast.ada, now=now)

    def book() -> None:
        with transaction.atomic():
            desk.hold(project_id=vision.pk)
            held.set()
            time.sleep(0.5)  # long enough for the removal to look for Bookings before this one is seen

    def remove() -> None:
        held.wait(10)
        projects.remove(organisation=cast.lab, project_id=vision.pk, by=cast.ada, now=now)

    acts = [book, remove]
    answers = in_threads(lambda: acts.pop()(), 2)

    assert answers == [None, None]
    assert Booking.objects.get().project_id is None
    assert not Project.objects.exists()
