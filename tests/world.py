"""The world in which tests play: people through services, reference data through the ORM."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from portal.accounts.models import Membership, Organisation, StaffRole, TermsAcceptance, TermsVersion, User
from portal.accounts.services import organisations, staff


@dataclass
class Cast:
    ada: User
    ben: User
    chen: User
    bea: User
    mei: User
    fin: User
    olu: User
    sid: User
    lab: Organisation
    other: Organisation


PASSWORD = "correct horse battery"


def person(name: str, **fields) -> User:
    from allauth.account.models import EmailAddress

    user = User.objects.create_user(f"{name.lower()}@example.com", PASSWORD, name=name, **fields)
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    return user


def cast(now: datetime) -> Cast:
    ada, ben, chen, bea, mei, fin, olu, sid = (person(name) for name in ("Ada", "Ben", "Chen", "Bea", "Mei", "Fin", "Olu", "Sid"))
    address = {
        "legal_name": "Lovelace Labs GmbH", "street": "Torstr. 1", "city": "Berlin", "postal_code": "10119", "country": "DE",
        "tax_id": "DE136695976", "billing_email": "bills@example.com", "currency": "USD", "time_zone": "Europe/Berlin",
        "spend_cap_minor": 100_000_000, "quantity_cap": 64,
    }  # fmt: skip
    lab = organisations.found(by=ada, now=now, name="Lovelace Labs", **address)
    other = organisations.found(by=sid, now=now, name="Sidecar", **{**address, "legal_name": "Sidecar Inc", "country": "US", "tax_id": "", "region": "CA"})
    for user, role in ((ben, Membership.Role.MEMBER), (chen, Membership.Role.READER), (bea, Membership.Role.BILLING)):
        organisations.add_member(organisation=lab, user=user, role=role, by=ada, now=now)
    for user, role in ((mei, StaffRole.Role.ACCOUNT_MANAGER), (fin, StaffRole.Role.FINANCE), (olu, StaffRole.Role.OPERATOR)):
        staff.grant(user=user, role=role, by=None, now=now)
    terms = TermsVersion.objects.create(version="2026-01", published_at=now - timedelta(days=30), text_en="Terms.", text_zh="条款。")
    for organisation, user in ((lab, ada), (lab, ben), (other, sid)):
        TermsAcceptance.objects.create(user=user, organisation=organisation, terms=terms, accepted_at=now)
    return Cast(ada, ben, chen, bea, mei, fin, olu, sid, lab, other)


@dataclass
class Racks:
    site: object
    a100: object  # UnitClass of whole A100 8-card servers, two Units
    t4: object  # UnitClass of whole T4 servers, one Unit
    a100x8: object  # Configuration of one A100 8-card server
    mixed: object  # Configuration of one A100 8-card and one T4 server
    image: object
    seller: object


def racks(now: datetime) -> Racks:
    from billing.models import LegalEntity, Price, TaxRule
    from rentals.models import Component, Configuration, Fabric, GpuModel, Image, ServerModel, ServerModelGpu, Site, UnitClass, UnitKind
    from rentals.services import inventory

    site = Site.objects.create(slug="fra1", name="Frankfurt 1", country="DE", time_zone="Europe/Berlin")
    fabric = Fabric.objects.create(site=site, slug="fra1-ib", name="Frankfurt InfiniBand")
    image = Image.objects.create(slug="ubuntu-24.04-cuda", name="Ubuntu 24.04 + CUDA")
    kinds = {}
    for slug, family, count, memory in (("a100-sxm4-80", "A100", 8, 80), ("t4", "T4", 4, 16)):
        gpu = GpuModel.objects.create(
            slug=slug, name=slug.upper(), family=family, form_factor="SXM4", architecture="Ampere", memory_gb=memory, memory_type="HBM2e",
            memory_bandwidth_gbs=2039, tdp_w=400, pcie_generation=4, compute_capability="8.0", release_year=2020, source="tests",
        )  # fmt: skip
        model = ServerModel.objects.create(
            slug=f"{slug}-x{count}", name=f"{count} x {family}", cpu="2 x EPYC 7742", cpu_cores=128, memory_gb=2048, nvme_tb=Decimal("30.72"), nvme_disks=8,
            nic="8 x HDR", interconnect="dgxa100-nvs8", interconnect_name="NVSwitch", interconnect_gbs=600, power_kw=Decimal("6.5"), source="tests",
        )  # fmt: skip
        ServerModelGpu.objects.create(server_model=model, gpu_model=gpu, count=count)
        kinds[family] = UnitKind.objects.create(
            sku=model.slug, name=model.name, name_zh=model.name, shape="whole", server_model=model, gpu_model=gpu, gpu_count=count, memory_gb=count * memory
        )
    classes = {
        family: UnitClass.objects.create(kind=kind, site=site, fabric=fabric, prepare_lead=timedelta(minutes=10), turn_over=timedelta(minutes=30))
        for family, kind in kinds.items()
    }
    configurations = []
    for sku, template, parts in (("a100-80-x8", "single_node", ("A100",)), ("a100x8-t4x4", "train_serve", ("A100", "T4"))):
        configuration = Configuration.objects.create(
            sku=sku, name=sku, name_zh=sku, summary=sku, summary_zh=sku, template=template, source="tests"
        )  # fmt: skip
        for position, family in enumerate(parts):
            Component.objects.create(configuration=configuration, unit_kind=kinds[family], count=1, position=position)
        configurations.append(configuration)
    for kind, rate in ((kinds["A100"], "15.12"), (kinds["T4"], "1.60")):
        Price.objects.create(sku=kind.sku, currency="USD", unit="hour", rate=Decimal(rate), valid_from=now - timedelta(days=365), source="tests")
    seller = LegalEntity.objects.create(
        slug="seller", name="GPU Rental GmbH", street="Hauptstr. 5", city="Frankfurt", postal_code="60311", country="DE", tax_id="DE129273398",
        email="billing@example.com", iban="DE89370400440532013000", accounting_currency="EUR", time_zone="Europe/Berlin", is_default=True,
    )  # fmt: skip
    for group, category, rate in (("domestic", "S", "19"), ("eu_business", "AE", "0"), ("eu_consumer", "S", "19"), ("world", "O", "0")):
        TaxRule.objects.create(
            seller_country="DE", customer_group=group, category=category, rate=Decimal(rate), valid_from=now.date().replace(year=2020), source="tests"
        )
    for serial, family in (("srv-a1", "A100"), ("srv-a2", "A100"), ("srv-t1", "T4")):
        inventory.add_server(
            serial=serial,
            model=kinds[family].server_model,
            site=site,
            fabric=fabric,
            rack="R1",
            bmc_address="",
            engine="simulated",
            by=None,
            now=now,
            verified=True,
        )
    return Racks(site, classes["A100"], classes["T4"], configurations[0], configurations[1], image, seller)


def paid_agreement(cast: Cast, racks: Racks, now: datetime, *, hours: int = 72, reference: str = "B-1000") -> str:
    """The lab orders one A100 server and pays it; returns the Agreement's number. Plays the gateway."""
    from billing.domain.pricing import Wanted
    from billing.models import Agreement, Payment
    from billing.services import agreements
    from portal.kernel.period import Period

    pending = agreements.open_pending(
        organisation=cast.lab, wanted=[Wanted("a100-sxm4-80-x8", "8 × A100 80 GB", Decimal(1))], during=Period.starting(now, timedelta(hours=hours)),
        reference=reference, path=f"/bookings/{reference}/", title="8 × A100 80 GB", by=cast.ada, now=now,
    )  # fmt: skip
    payment = Payment.objects.create(
        agreement=Agreement.objects.by_number(pending.number).get(), state="succeeded", amount_minor=pending.gross.minor, captured_minor=pending.gross.minor,
        currency=pending.gross.currency, started_at=now, settled_at=now,
    )  # fmt: skip
    agreements.open_on_payment(agreement=pending.number, payment=payment, now=now)
    return pending.number


def invoice_of(agreement: str) -> str:
    from billing.models import Agreement

    return Agreement.objects.by_number(agreement).get().documents.get(kind="invoice").number


def payment_of(agreement: str) -> str:
    from billing.models import Agreement

    return Agreement.objects.by_number(agreement).get().payments.get().number
