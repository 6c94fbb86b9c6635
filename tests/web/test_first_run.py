"""Setting up an installation of one's own."""

import io

import pytest
from django.core.management import CommandError, call_command

from billing.models import LegalEntity, TaxRule
from portal.accounts import queries
from portal.accounts.domain import roles
from portal.accounts.models import AuditEntry, TermsVersion, User
from rentals.models import Configuration

OPTIONS = {
    "admin_email": "Root@Example.com", "admin_name": "Root", "seller_name": "GPU Rental GmbH", "seller_street": "Hauptstr. 5", "seller_city": "Frankfurt",
    "seller_postal_code": "60311", "seller_country": "DE", "seller_tax_id": "DE129273398", "seller_email": "billing@example.com",
    "seller_iban": "DE89 3704 0044 0532 0130 00", "seller_accounting_currency": "EUR", "seller_time_zone": "Europe/Berlin",
    "staff": "finance:fin@example.com:Fin; operator:olu@example.com:Olu",
}  # fmt: skip


def run(**changes) -> str:
    out = io.StringIO()
    call_command("first_run", stdout=out, **{**OPTIONS, **changes})
    return out.getvalue()


def test_it_creates_the_administrator_the_seller_our_people_and_the_terms(db, client, now):
    printed = run()

    root = User.objects.get(email="root@example.com")
    password = printed.split("root@example.com")[1].split()[0]
    assert client.post("/account/login/", {"login": "root@example.com", "password": password})["Location"] == "/home/"
    assert client.get("/admin/").status_code == 200
    assert queries.staff_roles_of(root) == set(roles.STAFF)
    assert [user.email for user in queries.staff_of(roles.FINANCE)] == ["fin@example.com"]
    seller = LegalEntity.objects.get(is_default=True)
    assert (seller.name, seller.iban) == ("GPU Rental GmbH", "DE89370400440532013000")
    assert TaxRule.objects.filter(seller_country="DE").exists()
    assert "Model terms" in TermsVersion.objects.get().text_en
    assert AuditEntry.objects.filter(verb="staff.administrator").exists()
    assert not Configuration.objects.exists()


def test_a_second_run_is_refused_and_changes_nothing(db):
    run()

    with pytest.raises(CommandError, match="set up already"):
        run(admin_email="second@example.com")

    assert not User.objects.filter(email="second@example.com").exists()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"seller_tax_id": "DE129273399"}, "tax id"),
        ({"seller_iban": "DE00370400440532013000"}, "IBAN"),
        ({"admin_password": "short"}, "password"),
        ({"staff": "king:a@example.com:A"}, "ROLE:EMAIL:NAME"),
        ({"staff": "finance:nobody:A"}, "ROLE:EMAIL:NAME"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_made(db, change, says):
    with pytest.raises(CommandError, match=says):
        run(**change)

    assert not User.objects.exists()
    assert not LegalEntity.objects.exists()


def test_options_may_come_from_the_environment(db, monkeypatch):
    for name, value in OPTIONS.items():
        monkeypatch.setenv(f"PORTAL_FIRST_RUN_{name.upper()}", value)
    monkeypatch.setenv("PORTAL_FIRST_RUN_ADMIN_PASSWORD", "a long phrase of mine")

    call_command("first_run", stdout=io.StringIO())

    assert User.objects.get(email="root@example.com").check_password("a long phrase of mine")


def test_a_missing_option_is_named(db):
    with pytest.raises(CommandError, match="--seller-name"):
        call_command("first_run", *[f"--{name.replace('_', '-')}={value}" for name, value in OPTIONS.items() if name != "seller_name"])


def test_the_catalog_that_ships_can_be_loaded_at_once(db):
    run(with_catalog=True)

    assert Configuration.objects.count() >= 10


def test_own_terms_are_published_from_files(db, tmp_path, now):
    (tmp_path / "en.txt").write_text("Own terms.")
    (tmp_path / "zh.txt").write_text("自有条款。")
    run(terms_en=str(tmp_path / "en.txt"), terms_zh=str(tmp_path / "zh.txt"))

    call_command("publish_terms", version_name="2", en=tmp_path / "en.txt", zh=tmp_path / "zh.txt", stdout=io.StringIO())

    assert list(TermsVersion.objects.values_list("version", "text_zh")) == [("2", "自有条款。"), ("1", "自有条款。")]
