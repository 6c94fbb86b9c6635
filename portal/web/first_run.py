"""Setting up an installation of one's own: the first administrator, the seller, our people and the terms, in one transaction and once."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from django.contrib.auth import password_validation
from django.core.exceptions import ValidationError
from django.db import connection, transaction
from django.utils.translation import gettext as _
from stdnum import iban as iban_number
from stdnum.exceptions import ValidationError as BadNumber

from billing.queries import parties as sellers
from billing.services import parties
from portal.accounts import queries as accounts
from portal.accounts.domain import tax_ids
from portal.accounts.services import enrolment, staff
from portal.kernel.errors import Conflict, InvalidInput
from rentals.services import catalog

if TYPE_CHECKING:
    from portal.accounts.models import User

DATA = Path(__file__).resolve().parent / "data"
LOCK = 7_230_311  # any number that nothing else of the portal locks


class SetUpAlready(Conflict):
    """This installation was set up already: it has an administrator or a seller. Nothing was changed."""

    code = "set_up_already"


@dataclass(frozen=True)
class Person:
    """Someone to enrol; without a password one is made up, to be handed over and changed."""

    email: str
    name: str
    role: str = ""
    password: str = field(default="", repr=False)


@dataclass(frozen=True)
class Plan:
    """All that a first run needs to know."""

    administrator: Person
    seller: dict[str, str]
    staff: Sequence[Person] = ()
    terms_version: str = "1"
    terms_en: str = ""
    terms_zh: str = ""
    with_catalog: bool = False


@dataclass(frozen=True)
class LogIn:
    who: str
    email: str
    password: str = field(repr=False)


@transaction.atomic
def set_up(*, plan: Plan, now: datetime) -> list[LogIn]:
    """Create everything in `plan` and return the log-ins. Raises SetUpAlready when there is an administrator or a seller, InvalidInput for a password, tax
    id or IBAN that cannot be."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
    if accounts.has_administrator() or _has_seller():
        raise SetUpAlready()
    _check_seller(plan.seller)
    people = [plan.administrator, *plan.staff]
    log_ins = [LogIn(person.role or _("administrator"), person.email.lower(), _password(person)) for person in people]
    administrator = _enrol(plan.administrator, log_ins[0], now)
    staff.make_administrator(user=administrator, by=None, now=now)
    for person, log_in in zip(plan.staff, log_ins[1:], strict=True):
        staff.grant(user=_enrol(person, log_in, now), role=person.role, by=administrator, now=now)
    parties.set_up_seller(slug="seller", by=administrator, now=now, **plan.seller)
    enrolment.publish_terms(version=plan.terms_version, text_en=plan.terms_en or _model("en"), text_zh=plan.terms_zh or _model("zh"), now=now, by=administrator)
    if plan.with_catalog:
        catalog.load(now=now, by=administrator)
    return log_ins


def _has_seller() -> bool:
    try:
        return bool(sellers.default_seller())
    except sellers.NoSeller:
        return False


def _enrol(person: Person, log_in: LogIn, now: datetime) -> User:
    return enrolment.enrol(email=person.email, name=person.name, password=log_in.password, now=now)


def _password(person: Person) -> str:
    if not person.password:
        return secrets.token_urlsafe(15)
    try:
        password_validation.validate_password(person.password)
    except ValidationError as error:
        raise InvalidInput(" ".join(error.messages), field="password") from error
    return person.password


def _check_seller(seller: dict[str, str]) -> None:
    try:
        seller["tax_id"] = tax_ids.normalised(country=seller["country"], tax_id=seller["tax_id"])
    except tax_ids.ImpossibleTaxId as error:
        raise InvalidInput(_("The seller's tax id is not possible in %(country)s.") % {"country": seller["country"]}, field="tax_id") from error
    try:
        seller["iban"] = iban_number.validate(seller["iban"]) if seller.get("iban") else ""
    except BadNumber as error:
        raise InvalidInput(_("The seller's IBAN is not a possible one."), field="iban") from error


def _model(language: str) -> str:
    return (DATA / f"terms_{language}.txt").read_text(encoding="utf-8")
