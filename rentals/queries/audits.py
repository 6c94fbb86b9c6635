"""What must never be wrong about capacity, looked at from outside: the database holds most of it by constraints, this finds what got past them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.db.models import Count, Exists, F, OuterRef, Q, Sum

from rentals.domain import lifecycle
from rentals.models import Assignment, Booking, Component, Deployment, Server, WipeEvidence

PATIENCE = timedelta(minutes=10)  # for sweepers, before a passed deadline is a finding
TAKES_UNITS = (Booking.State.HELD, Booking.State.CONFIRMED, Booking.State.PREPARING, Booking.State.ACTIVE)


def audit(*, now: datetime) -> list[str]:
    """One sentence for each thing that is wrong; empty when nothing is."""
    return [*_taken_twice(), *_sold_before_the_wipe(), *_booked_without_units(), *_elsewhere_than_its_unit(), *_holds_for_ever(now), *_stuck(now)]


def _taken_twice() -> Iterator[str]:
    others = Assignment.objects.filter(live=True, server=OuterRef("server"), slots__overlap=OuterRef("slots"), guarded__overlap=OuterRef("guarded"))
    twice = Assignment.objects.filter(Exists(others.exclude(pk=OuterRef("pk"))), live=True).select_related("server", "booking")
    for assignment in twice.order_by("server__serial", "id"):
        yield f"{assignment.server.serial} is assigned twice, among others to {assignment.booking.number}"


def _sold_before_the_wipe() -> Iterator[str]:
    clean = WipeEvidence.objects.filter(server=OuterRef("pk"), complete=True, finished_at__gte=OuterRef("last_tenant_ended_at"))
    for server in Server.objects.filter(~Exists(clean), state=Server.State.AVAILABLE, last_tenant_ended_at__isnull=False):
        yield f"{server.serial} is available without complete wipe evidence newer than its last tenant"


def _booked_without_units() -> Iterator[str]:
    """A degraded Booking has said itself that a Server is gone."""
    parts = dict(Component.objects.values_list("configuration").annotate(Sum("count")))
    taken = Booking.objects.filter(state__in=TAKES_UNITS, degraded=False).annotate(taken=Count("assignments", filter=Q(assignments__live=True)))
    for booking in taken.order_by("id"):
        wanted = booking.quantity * parts.get(booking.configuration_id, 0)
        if booking.taken != wanted:
            yield f"{booking.number} is {booking.state} with {booking.taken} of {wanted} units"


def _elsewhere_than_its_unit() -> Iterator[str]:
    strayed = Assignment.objects.exclude(server=F("unit__server"), slots=F("unit__slots"), unit_class=F("unit__unit_class"))
    for assignment in strayed.filter(live=True).select_related("booking").order_by("id"):
        yield f"an assignment of {assignment.booking.number} does not stand where its unit does"


def _holds_for_ever(now: datetime) -> Iterator[str]:
    for booking in Booking.objects.filter(state=Booking.State.HELD, hold_expires_at__lt=now - PATIENCE).order_by("id"):
        yield f"{booking.number} is still held {now - (booking.hold_expires_at or now)} after its hold ended"


def _stuck(now: datetime) -> Iterator[str]:
    for server in Server.objects.filter(state_deadline_at__lt=now - PATIENCE):
        yield f"{server.serial} is {server.state} past its deadline {server.state_deadline_at:%Y-%m-%d %H:%M} UTC"
    for deployment in Deployment.objects.filter(deadline_at__lt=now - PATIENCE).exclude(state__in=lifecycle.DEPLOYMENT.final).order_by("id"):
        yield f"the deployment of {deployment.assignment_id} is {deployment.state} past its deadline"
