"""manage.py first_run: set up an installation of one's own, once. Every option may also come from the environment as PORTAL_FIRST_RUN_<OPTION>."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from portal.accounts.domain import roles
from portal.kernel.errors import DomainError
from portal.web import first_run

SELLER = {
    "name": "legal name on invoices", "street": "street and number", "city": "city", "postal_code": "postal code", "region": "state or province, if any",
    "country": "two letters, such as DE", "tax_id": "VAT number or the like", "email": "address on invoices", "iban": "account for transfers, if any",
    "bic": "of that account", "bank_name": "of that account", "accounting_currency": "three letters, such as EUR",
    "time_zone": "whose days and months count, such as Europe/Berlin",
}  # fmt: skip
MAY_BE_EMPTY = {"region", "iban", "bic", "bank_name"}


class Command(BaseCommand):
    help = "Create the first administrator, the seller, staff log-ins and the terms, without demo data. Works once. Passwords that are not given are made up."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        _option(parser, "admin-email", help="address of the first administrator")
        _option(parser, "admin-name", help="his name")
        _option(parser, "admin-password", help="his password (better in the environment); made up and printed when missing", default="")
        for name, text in SELLER.items():
            fallback = {"time_zone": "UTC"}.get(name, "" if name in MAY_BE_EMPTY else None)
            _option(parser, f"seller-{name.replace('_', '-')}", help=text, default=fallback)
        _option(parser, "staff", help="ROLE:EMAIL:NAME, several separated by semicolons; roles: " + ", ".join(roles.STAFF), default="")
        _option(parser, "terms-version", help="name of the version", default="1")
        _option(parser, "terms-en", help="file with your terms in English; model terms when missing", default="")
        _option(parser, "terms-zh", help="file with your terms in Chinese; model terms when missing", default="")
        parser.add_argument("--with-catalog", action="store_true", help="load the catalog and list prices that ship with the portal")

    def handle(self, **options: object) -> None:
        try:
            log_ins = first_run.set_up(plan=_plan(options), now=timezone.now())
        except DomainError as refusal:
            raise CommandError(refusal.message) from refusal
        for log_in in log_ins:
            self.stdout.write(f"{log_in.who:16} {log_in.email:32} {log_in.password}")
        self.stdout.write("Keep these passwords and change them after the first log-in.")


def _option(parser: argparse.ArgumentParser, name: str, *, help: str, default: str | None = None) -> None:
    value = os.environ.get(f"PORTAL_FIRST_RUN_{name.replace('-', '_').upper()}", default)
    parser.add_argument(f"--{name}", default=value, required=value is None, help=help)


def _plan(options: dict) -> first_run.Plan:
    return first_run.Plan(
        administrator=first_run.Person(options["admin_email"], options["admin_name"], password=options["admin_password"]),
        seller={name: options[f"seller_{name}"] for name in SELLER},
        staff=[_person(written) for written in options["staff"].split(";") if written.strip()],
        terms_version=options["terms_version"],
        terms_en=_text(options["terms_en"]),
        terms_zh=_text(options["terms_zh"]),
        with_catalog=options["with_catalog"],
    )


def _person(written: str) -> first_run.Person:
    role, email, name = (written.strip().split(":", 2) + ["", ""])[:3]
    if role not in roles.STAFF or "@" not in email:
        raise CommandError(f"--staff takes ROLE:EMAIL:NAME with a role among {', '.join(roles.STAFF)}, not {written!r}")
    return first_run.Person(email, name or email, role)


def _text(file: str) -> str:
    return Path(file).read_text(encoding="utf-8") if file else ""
