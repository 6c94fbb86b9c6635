"""Pages about an Organisation."""

from datetime import date, timedelta

import pytest

from portal.accounts import queries
from portal.accounts.domain import roles
from portal.accounts.models import Organisation, TermsVersion
from portal.accounts.services import audit, invitations, projects
from portal.accounts.templatetags import own

BACKEND = "django.contrib.auth.backends.ModelBackend"
FACTS = {
    "name": "Analytical Engines", "is_business": "on", "legal_name": "Analytical Engines Ltd", "street": "1 Mill Lane", "postal_code": "N1", "city": "London",
    "country": "GB", "region": "", "tax_id": "", "billing_email": "bills@example.com", "currency": "EUR", "time_zone": "Europe/London",
}  # fmt: skip


@pytest.fixture
def at(cast, client):
    """at(user) -> a client logged in as him, and the path of Lovelace Labs."""

    def logged_in(user):
        client.force_login(user, backend=BACKEND)
        return client

    return logged_in


@pytest.fixture
def lab(cast) -> str:
    return f"/organisations/{cast.lab.number}/"


def test_a_newcomer_founds_an_organisation_and_works_in_it(cast, at):
    answer = at(cast.mei).post("/organisations/new/?next=/catalog/x/", {**FACTS, "next": "/catalog/x/"})

    assert answer["Location"] == "/catalog/x/"
    assert queries.current_organisation(cast.mei).name == "Analytical Engines"


@pytest.mark.parametrize(
    ("change", "field"),
    [({"tax_id": "GB123"}, "tax_id"), ({"country": "US", "region": "Bavaria"}, "region"), ({"country": "XX"}, "country"), ({"name": ""}, "name")],
)
def test_a_wrong_fact_is_refused_at_its_field_and_the_rest_is_kept(cast, at, change, field):
    answer = at(cast.mei).post("/organisations/new/", {**FACTS, **change})

    page = answer.content.decode()
    assert answer.status_code == 422
    assert f'id="id_{field}-error"' in page
    assert "1 Mill Lane" in page


def test_an_owner_edits_the_address(cast, at, lab):
    at(cast.ada).post(f"{lab}edit/", {**FACTS, "name": "Lovelace Labs"})

    assert Organisation.objects.get(pk=cast.lab.pk).city == "London"


def test_a_reader_sees_the_address_but_no_way_to_change_it(cast, at, lab):
    page = at(cast.chen).get(lab).content.decode()

    assert "Torstr. 1" in page
    assert f'action="{lab}edit/"' in page and "<fieldset disabled" in page
    assert at(cast.chen).post(f"{lab}edit/", FACTS).status_code == 403


def test_what_is_missing_for_a_checkout_is_said(cast, at, lab):
    Organisation.objects.filter(pk=cast.lab.pk).update(city="")

    assert "Needed before the first checkout" in at(cast.ada).get(lab).content.decode()


def test_an_owner_invites_and_withdraws_on_the_page(cast, at, lab):
    client = at(cast.ada)
    client.post(f"{lab}members/invite/", {"email": "new@example.com", "role": roles.READER})
    invitation = queries.invitations_of(cast.lab)[0]
    assert "new@example.com" in client.get(f"{lab}members/").content.decode()

    client.post(f"{lab}members/{0}/role/", {"role": "x"})
    client.post(f"{lab}invitations/{invitation.pk}/withdraw/")

    assert queries.invitations_of(cast.lab) == []


def test_inviting_a_member_is_refused_at_the_field(cast, at, lab):
    answer = at(cast.ada).post(f"{lab}members/invite/", {"email": "ben@example.com", "role": roles.READER})

    assert answer.status_code == 422
    assert "id_email-error" in answer.content.decode()


def test_the_last_owner_is_told_why_he_cannot_leave(cast, at, lab):
    answer = at(cast.ada).post(f"{lab}members/leave/")

    assert answer.status_code == 409
    assert "at least one owner" in answer.content.decode()


def test_a_role_is_changed_and_a_member_removed_on_the_page(cast, at, lab):
    client = at(cast.ada)
    ben = cast.lab.memberships.get(user=cast.ben)

    client.post(f"{lab}members/{ben.pk}/role/", {"role": roles.BILLING})
    assert queries.role_of(cast.ben, cast.lab) == roles.BILLING

    client.post(f"{lab}members/{ben.pk}/remove/")
    assert queries.role_of(cast.ben, cast.lab) == ""


def test_projects_are_kept_on_their_page(cast, at, lab):
    client = at(cast.ada)
    client.post(f"{lab}projects/add/", {"name": "Vision", "cost_centre": "4711"})
    project = queries.projects_of(cast.lab)[0]
    assert client.post(f"{lab}projects/add/", {"name": "Vision", "cost_centre": ""}).status_code == 422

    client.post(f"{lab}projects/{project.pk}/edit/", {"name": "Sight", "cost_centre": ""})
    assert "Sight" in client.get(f"{lab}projects/").content.decode()
    client.post(f"{lab}projects/{project.pk}/remove/")

    assert queries.projects_of(cast.lab) == []


def test_sales_change_limits_and_the_customer_reads_it(cast, at, lab):
    at(cast.mei).post(f"{lab}limits/change/", {"spend_cap": "50000.00", "quantity_cap": "16", "payment_attempts_cap": "5"})

    assert Organisation.objects.get(pk=cast.lab.pk).spend_cap_minor == 5_000_000
    assert "limits changed" in at(cast.ada).get(f"{lab}audit/").content.decode()
    assert "50,000.00" in at(cast.chen).get(f"{lab}limits/").content.decode()


def test_a_limit_without_sense_is_refused(cast, at, lab):
    assert at(cast.mei).post(f"{lab}limits/change/", {"spend_cap": "-1", "quantity_cap": "x", "payment_attempts_cap": "0"}).status_code == 422


@pytest.fixture
def history(cast, now):
    for number in range(120):
        audit.record(verb="booking.held", subject=f"B-{number}", by=cast.ben, organisation=cast.lab, now=now + timedelta(minutes=number // 3), rate="15.12")
    audit.record(verb="booking.held", subject="B-9999", by=cast.sid, organisation=cast.other, now=now)


def test_the_audit_log_comes_in_pages_that_neither_repeat_nor_skip(cast, history):
    seen, after = [], ""
    while True:
        page = queries.audit_of(cast.lab, queries.Filter(verb="booking."), after=after)
        seen += [entry.subject for entry in page.items]
        after = page.next
        if not after:
            break

    assert page.count == 120
    assert len(seen) == len(set(seen)) == 120


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("verb=booking.", 120),
        ("subject=b-7", 1),
        ("person=ben@", 120),
        ("person=ada@", 0),
        ("since=2026-12-02", 0),
        ("until=2026-11-30", 0),
        ("since=2026-12-01&until=2026-12-01", 120),
    ],
)
def test_the_audit_log_is_filtered(cast, at, lab, history, query, found):
    page = at(cast.ada).get(f"{lab}audit/?{query}" + ("" if "verb" in query else "&verb=booking.")).context["page"]

    assert page.count == found


@pytest.mark.parametrize(
    "query", ["after=x", "after=2026-12-01_1", "after=2026-12-01T09:00:00Z_x", "since=never", "after=2026-12-01T09:00:00.000000Z_9999999999999999999999"]
)
def test_a_forged_address_breaks_nothing(cast, at, lab, query):
    assert at(cast.ada).get(f"{lab}audit/?{query}").status_code == 200


def test_days_of_the_filter_are_the_readers(cast, now):
    assert queries.audit_of(cast.lab, queries.Filter(since=date(2026, 12, 1), until=date(2026, 12, 1))).count > 0


def test_the_terms_are_read_in_the_readers_language_and_accepted_for_the_organisation(cast, at, now, client):
    TermsVersion.objects.create(version="2026-06", published_at=now - timedelta(days=10), text_en="Be kind.", text_zh="请友善。")
    client = at(cast.ben)
    client.cookies["django_language"] = "zh-hans"
    assert "Be kind." in client.get("/terms/").content.decode()
    cast.ben.language = "zh-hans"
    cast.ben.save()
    assert "请友善。" in client.get("/terms/").content.decode()

    answer = client.post("/terms/accept/", {"version": "2026-06", "next": "/catalog/a/"})

    assert answer["Location"] == "/catalog/a/"
    assert queries.acceptance_of(cast.lab, queries.current_terms(now)).user == cast.ben


def test_an_older_version_says_that_it_is_no_longer_in_force(cast, client, now):
    TermsVersion.objects.create(version="2026-06", published_at=now - timedelta(days=10), text_en="Be kind.", text_zh="请友善。")

    assert "no longer in force" in client.get("/terms/2026-01/").content.decode()
    assert client.get("/terms/1999/").status_code == 404


def test_without_terms_the_page_says_so(db, client):
    assert client.get("/terms/").status_code == 200


@pytest.mark.parametrize(("words", "found"), [("", 2), ("lovelace", 1), ("sid@", 1), ("o-", 0), ("nobody", 0)])
def test_staff_find_customers(cast, at, words, found):
    assert at(cast.olu).get("/customers/", {"words": words}).context["page"].count == found


def test_staff_find_a_customer_by_number(cast, at):
    assert at(cast.olu).get("/customers/", {"words": cast.lab.number.lower()}).context["page"].items == [cast.lab]


@pytest.mark.parametrize(("page", "most"), [("", 12), ("members/", 8), ("projects/", 7), ("limits/", 7), ("audit/", 9)])
def test_a_page_costs_few_queries_whatever_is_on_it(cast, at, lab, history, now, page, most, django_assert_max_num_queries):
    for number in range(5):
        invitations.invite(organisation=cast.lab, email=f"p{number}@example.com", role=roles.READER, by=cast.ada, now=now)
        projects.add(organisation=cast.lab, name=f"p{number}", cost_centre="", by=cast.ada, now=now)
    client = at(cast.ada)

    with django_assert_max_num_queries(most):
        assert client.get(lab + page).status_code == 200


def test_the_customers_page_costs_few_queries(cast, at, django_assert_max_num_queries):
    client = at(cast.mei)

    with django_assert_max_num_queries(8):
        client.get("/customers/")


@pytest.mark.parametrize(
    ("value", "words"),
    [(["bookings:read", "bookings:write"], "bookings:read, bookings:write"), ([8, 16], "8 → 16"), ({"a": 1}, "a: 1"), ("x", "x"), (True, "True")],
)
def test_facts_of_the_audit_log_read_as_people_write_them(value, words):
    assert own.fact_words(value) == words
