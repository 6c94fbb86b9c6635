"""The demo's cast: one log-in for each kind of person, and the organisation that rents."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from portal.accounts import queries
from portal.accounts.domain import roles
from portal.accounts.services import enrolment, organisations, staff, terms

PASSWORD = "demo-rents-gpus"  # noqa: S105 - printed at every start of the demo, which listens on loopback only
LAB: dict[str, Any] = {
    "name": "Lovelace Labs", "legal_name": "Lovelace Labs GmbH", "is_business": True, "street": "Torstraße 1", "city": "Berlin", "postal_code": "10119",
    "country": "DE", "tax_id": "DE136695976", "billing_email": "bills@lovelace.example", "currency": "EUR", "time_zone": "Europe/Berlin",
}  # fmt: skip
TERMS: dict[str, Any] = {
    "version": "demo",
    "text_en": "These are the terms of a demonstration. Nothing is sold, no money moves, no server is real.",
    "text_zh": "这是演示用条款：不发生任何销售，不涉及真实资金，服务器均为模拟。",
}


@dataclass(frozen=True)
class Person:
    who: str
    name: str
    email: str
    role: str = ""  # among our staff; empty for a customer
    password: str = PASSWORD


CUSTOMER = Person("customer", "Ada", "ada@lovelace.example")
STAFF = (
    Person("account manager", "Mei", "mei@portal.example", roles.ACCOUNT_MANAGER),
    Person("finance", "Fin", "fin@portal.example", roles.FINANCE),
    Person("operator", "Olu", "olu@portal.example", roles.OPERATOR),
)


def gather(*, now: datetime) -> Any:
    """Enrol everybody, give our staff their roles, and found the customer's organisation with terms accepted. Returns the customer."""
    for person in STAFF:
        user = enrolment.enrol(email=person.email, name=person.name, password=person.password, now=now, time_zone="Europe/Berlin")
        staff.grant(user=user, role=person.role, by=None, now=now)
    customer = enrolment.enrol(email=CUSTOMER.email, name=CUSTOMER.name, password=CUSTOMER.password, now=now, time_zone="Europe/Berlin")
    enrolment.publish_terms(**TERMS, now=now)
    lab = queries.current_organisation(customer) or organisations.found(by=customer, now=now, **LAB)
    terms.accept(by=customer, organisation=lab, address=None, now=now)
    return customer


def log_ins() -> list[dict[str, str]]:
    """Who may log in, for the line that the supervisor prints."""
    return [{name: asdict(person)[name] for name in ("who", "email", "password")} for person in (CUSTOMER, *STAFF)]
