"""The shapes of what the API of rentals says and hears. Times are ISO 8601 with an offset, amounts decimals as text."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers

from portal.kernel.period import Period
from rentals.domain import lifecycle, local_time

HOUR = timedelta(hours=1)
STATES = sorted(lifecycle.BOOKING.states)


class Money(serializers.Serializer):
    amount = serializers.DecimalField(max_digits=20, decimal_places=None)
    currency = serializers.CharField()


class GpuGroup(serializers.Serializer):
    name = serializers.CharField()
    family = serializers.CharField()
    count = serializers.IntegerField()
    memory_gb = serializers.IntegerField()
    slices = serializers.IntegerField(help_text="Memory slices of 8 of a MIG instance, else 0.")
    role = serializers.CharField()


class Configuration(serializers.Serializer):
    sku = serializers.CharField()
    name = serializers.CharField()
    summary = serializers.CharField()
    template = serializers.CharField()
    gpus = GpuGroup(many=True)
    memory_gb = serializers.IntegerField(help_text="Of all accelerators together.")
    rate = Money(allow_null=True, help_text="Net, for an hour; null without a price in the currency.")
    total = serializers.IntegerField(help_text="How many there are.")
    starts_at = serializers.DateTimeField(help_text="The earliest start that leaves room for preparation.")
    free_now = serializers.IntegerField(help_text="How many can start then for the shortest term.")
    next_free_at = serializers.DateTimeField(allow_null=True)


class Start(serializers.CharField):
    """An instant as a person or a program writes it. What cannot be read is an error, never now."""

    def to_internal_value(self, data: Any) -> datetime:  # type: ignore[override]  # text comes in, an instant goes on
        zone = self.parent.initial_data.get("zone") or "UTC"
        try:
            return local_time.read(super().to_internal_value(data), str(zone)).at
        except local_time.NoSuchTime as error:
            raise serializers.ValidationError(_("The clocks skip this time that day. Choose another.")) from error
        except local_time.UnknownZone as error:
            raise serializers.ValidationError(_("This time zone is not known.")) from error
        except local_time.Unreadable as error:
            raise serializers.ValidationError(_("This is not a date and time. Write it like 2026-12-24 18:00.")) from error


class Wish(serializers.Serializer):
    """What is wanted of a Configuration."""

    quantity = serializers.IntegerField(min_value=1, default=1)
    start = Start(required=False, help_text="Left out: as soon as possible. ISO 8601; without an offset it is read in `zone`.")
    zone = serializers.CharField(required=False, help_text="IANA name, UTC when left out.")
    length_hours = serializers.IntegerField(min_value=1, max_value=24 * 366, help_text="Hours of absolute time.")
    storage_class = serializers.CharField(required=False, allow_blank=True, default="")
    storage_tb = serializers.IntegerField(required=False, min_value=0, default=0)

    def during_from(self, earliest: datetime) -> Period:
        """The Period wanted; `earliest` is what a start left out means."""
        wanted = self.validated_data
        return Period.starting(wanted.get("start") or earliest, wanted["length_hours"] * HOUR)


class Order(Wish):
    configuration = serializers.CharField(help_text="sku")
    image = serializers.CharField(help_text="slug")
    ssh_keys = serializers.ListField(
        child=serializers.CharField(max_length=5000), help_text="Fingerprints of keys in the account, or public keys as they stand in authorized_keys."
    )
    purchase_order = serializers.CharField(required=False, allow_blank=True, max_length=60, default="")
    project = serializers.CharField(required=False, allow_blank=True, max_length=80, default="", help_text="Name of a project of the organisation.")
    accept_terms = serializers.BooleanField(required=False, default=False)


class PriceLine(serializers.Serializer):
    sku = serializers.CharField()
    description = serializers.CharField()
    quantity = serializers.DecimalField(max_digits=20, decimal_places=None)
    unit = serializers.CharField()
    rate = Money()
    hours = serializers.DecimalField(max_digits=20, decimal_places=None)
    discount_percent = serializers.DecimalField(max_digits=5, decimal_places=None)
    discount = Money()
    net = Money()
    rule = serializers.CharField(help_text="The sum in figures.")


class TaxLine(serializers.Serializer):
    category = serializers.CharField()
    rate = serializers.DecimalField(max_digits=6, decimal_places=None)
    base = Money()
    tax = Money()
    note = serializers.CharField()


class Price(serializers.Serializer):
    lines = PriceLine(many=True)
    term_percent = serializers.DecimalField(max_digits=5, decimal_places=None)
    taxes = TaxLine(many=True)
    net = Money()
    tax = Money()
    gross = Money()
    tax_known = serializers.BooleanField(help_text="False: net only, no country is known.")


class Outlook(serializers.Serializer):
    start = serializers.DateTimeField(source="during.start")
    end = serializers.DateTimeField(source="during.end")
    price = Price(allow_null=True)
    is_bookable = serializers.BooleanField()
    problem = serializers.CharField(help_text="Why it cannot be booked like this; empty when it can.")
    field = serializers.CharField()
    earliest_start = serializers.DateTimeField(allow_null=True)
    largest_quantity = serializers.IntegerField()


class Step(serializers.Serializer):
    start = serializers.DateTimeField()
    end = serializers.DateTimeField()
    free = serializers.IntegerField(help_text="How many can be in use at every instant of this span.")


class Availability(serializers.Serializer):
    sku = serializers.CharField()
    total = serializers.IntegerField()
    starts_at = serializers.DateTimeField(help_text="The earliest start that leaves room for preparation.")
    free_now = serializers.IntegerField(help_text="How many can start then for the shortest term.")
    next_free_at = serializers.DateTimeField(allow_null=True)
    steps = Step(many=True)


class Server(serializers.Serializer):
    label = serializers.CharField()  # type: ignore[assignment]  # a field of this name hides the attribute of Field that we do not use
    kind = serializers.CharField()
    gpus = serializers.CharField()
    memory_gb = serializers.IntegerField()
    site = serializers.CharField()
    state = serializers.CharField(help_text="reserved, waiting, ready, gone or back")
    ready_at = serializers.DateTimeField(allow_null=True)
    handed_back_at = serializers.DateTimeField(allow_null=True)
    ssh = serializers.CharField(source="command", help_text="Empty before the hand-over and after the hand-back.")
    is_simulated = serializers.BooleanField()


class Cost(serializers.Serializer):
    booked = Money()
    served = Money()
    back = Money(help_text="With tax: what ending now, or the end that was, gives back.")
    is_final = serializers.BooleanField()


class ListedBooking(serializers.Serializer):
    number = serializers.CharField()
    state = serializers.ChoiceField(choices=STATES)
    is_degraded = serializers.BooleanField()
    configuration = serializers.CharField(source="sku")
    project = serializers.CharField(help_text="Name; empty without one.")
    quantity = serializers.IntegerField()
    start = serializers.DateTimeField(source="during.start")
    end = serializers.DateTimeField(source="during.end")
    hold_expires_at = serializers.DateTimeField(allow_null=True)


class BookingPage(serializers.Serializer):
    count = serializers.IntegerField()
    next = serializers.CharField(help_text="Give it as `after` for the following page; empty at the end.")
    items = ListedBooking(many=True)


class Booking(ListedBooking):
    image = serializers.CharField()
    storage = serializers.CharField()
    storage_tb = serializers.IntegerField()
    agreement = serializers.CharField()
    servers = Server(many=True)
    price = Price()
    cost = Cost(allow_null=True)
