"""Median milliseconds of one hold through its service (limits, locks, placing, price, tax, Agreement, audit, one transaction); as control the very rows that
it wrote, as bare INSERTs in one transaction, into plain PostgreSQL tables of the same columns, indexes and checks."""

from __future__ import annotations

import itertools
import statistics
import time

from tests.bench import database
from tests.bench.figure import Figure

HOLDS, WARM = 60, 5


def measure() -> Figure:
    with database.fresh():
        from django.utils import timezone

        from tests import world
        from tests.rentals.desk import Desk

        now = timezone.now().replace(microsecond=0)
        desk = Desk(world.cast(now), world.racks(now), now)
        starts = itertools.count(24, 36)
        shadows = _shadows()
        for _ in range(WARM):
            _one(desk, next(starts), shadows)
        pairs = [_one(desk, next(starts), shadows) for _ in range(HOLDS)]
    ours, control, rows = (statistics.median(column) for column in zip(*pairs, strict=True))
    return Figure(ours=ours * 1000, control=control * 1000, unit="ms", told=f"a hold through the service against bare INSERTs of its {rows:.0f} rows")


def _one(desk, start: int, shadows: dict[str, tuple[str, str]]) -> tuple[float, float, int]:
    """How long one hold takes, how long its rows alone take, and how many they are."""
    from django.db import connection, transaction

    newest = {table: _newest(table, key) for table, (key, _) in shadows.items()}
    begun = time.perf_counter()
    desk.hold(start=start, hours=24)
    ours = time.perf_counter() - begun
    inserts = [(insert, row) for table, (key, insert) in shadows.items() for row in _written(table, key, newest[table])]
    with connection.cursor() as cursor:
        begun = time.perf_counter()
        with transaction.atomic():
            for insert, row in inserts:
                cursor.execute(insert, row)
        return ours, time.perf_counter() - begun, len(inserts)


def _shadows() -> dict[str, tuple[str, str]]:
    """For each table that a hold may write to: its key, and the INSERT into its shadow, which has neither triggers nor foreign keys."""
    from django.apps import apps
    from django.db import connection

    found = {}
    with connection.cursor() as cursor:
        for model in apps.get_models():
            meta = model._meta
            if meta.app_label not in ("accounts", "billing", "rentals") or not meta.pk.get_internal_type().endswith("AutoField"):
                continue
            cursor.execute(f'CREATE TABLE "bench_{meta.db_table}" (LIKE "{meta.db_table}" INCLUDING ALL EXCLUDING IDENTITY)')
            marks = ", ".join(["%s"] * len(meta.local_concrete_fields))
            names = ", ".join(f'"{field.column}"' for field in meta.local_concrete_fields)
            found[meta.db_table] = (meta.pk.column, f'INSERT INTO "bench_{meta.db_table}" ({names}) VALUES ({marks})')
    return found


def _newest(table: str, key: str) -> int:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(f'SELECT coalesce(max("{key}"), 0) FROM "{table}"')
        return cursor.fetchone()[0]


def _written(table: str, key: str, after: int) -> list[list[str]]:
    """The rows of `table` since `after`, each value as PostgreSQL writes it."""
    from django.apps import apps
    from django.db import connection

    model = next(model for model in apps.get_models() if model._meta.db_table == table)
    names = ", ".join(f'"{field.column}"::text' for field in model._meta.local_concrete_fields)
    with connection.cursor() as cursor:
        cursor.execute(f'SELECT {names} FROM "{table}" WHERE "{key}" > %s ORDER BY "{key}"', [after])
        return cursor.fetchall()
