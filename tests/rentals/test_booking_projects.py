"""A Booking may belong to one of its Organisation's projects."""

from __future__ import annotations

import pytest
from django.test import Client
from django.utils import timezone

from billing.models import Agreement
from portal.accounts.domain import scopes
from portal.accounts.models import SshKey
from portal.accounts.services import projects, tokens
from rentals.models import Booking

BACKEND = "django.contrib.auth.backends.ModelBackend"
CONFIGURE, HOLD, API = "/catalog/a100-80-x8/configure/", "/catalog/a100-80-x8/hold/", "/api/v1/bookings/"
REFUSAL = "Your organisation has no such project."


@pytest.fixture
def now():
    """Pages look at the clock: so does this world."""
    return timezone.now().replace(microsecond=0)


@pytest.fixture
def vision(cast, now):
    return projects.add(organisation=cast.lab, name="Vision", cost_centre="CC-7", by=cast.ada, now=now)


@pytest.fixture
def foreign(cast, now):
    return projects.add(organisation=cast.other, name="Rockets", cost_centre="", by=cast.sid, now=now)


@pytest.fixture
def ada(cast, now) -> Client:
    SshKey.objects.create(user=cast.ada, name="laptop", public_key="ssh-ed25519 AAAA ada", fingerprint="SHA256:abc", created_at=now)
    client = Client()
    client.force_login(cast.ada, backend=BACKEND)
    return client


@pytest.fixture
def wish(desk) -> dict:
    return {"start": "", "zone": "UTC", "length": "2", "unit": "days", "quantity": "1", "image": desk.racks.image.slug, "keys": ["SHA256:abc"]}


@pytest.fixture
def api(cast, desk, now):
    secret = tokens.create(
        user=cast.ben, organisation=cast.lab, name="ci", scopes=(scopes.BOOKINGS_READ, scopes.BOOKINGS_WRITE), expires_at=None, by=cast.ben, now=now
    )[1]  # fmt: skip
    return Client(headers={"authorization": f"Bearer {secret}"})


@pytest.fixture
def order(desk) -> dict:
    key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHqkCsuuc8tQkcsw+cVTB4q5sTzFU5VsyMRF3tVSTS9o ben@laptop"
    return {"configuration": "a100-80-x8", "length_hours": 48, "image": desk.racks.image.slug, "ssh_keys": [key]}


def test_the_chosen_project_stands_on_the_booking_and_on_what_is_billed(ada, wish, vision):
    page = ada.post(HOLD, {**wish, "project": "Vision"}, follow=True).content.decode()

    booking = Booking.objects.get()
    agreement = Agreement.objects.by_number(booking.agreement).get()
    assert booking.project == vision
    assert (agreement.project, agreement.cost_centre) == ("Vision", "CC-7")
    assert "<dt>Project</dt><dd>Vision</dd>" in page


def test_no_project_is_the_default(ada, wish, vision):
    page = ada.post(HOLD, wish, follow=True).content.decode()

    assert Booking.objects.get().project is None
    assert "<dt>Project</dt>" not in page


def test_the_form_offers_the_projects_of_the_own_organisation_only(ada, desk, vision, foreign):
    page = ada.get(CONFIGURE).content.decode()

    assert "Vision · CC-7" in page
    assert "Rockets" not in page


def test_the_form_does_not_ask_where_there_is_no_project(ada, desk):
    assert 'name="project"' not in ada.get(CONFIGURE).content.decode()


def test_who_may_not_book_is_shown_no_project(cast, desk, vision):
    chen = Client()
    chen.force_login(cast.chen, backend=BACKEND)

    assert "Vision" not in chen.get(CONFIGURE).content.decode()


def test_the_form_speaks_chinese(cast, ada, desk, vision):
    cast.ada.language = "zh-hans"
    cast.ada.save()

    assert "项目及其成本中心会显示在发票明细中。" in ada.get(CONFIGURE).content.decode()


def test_a_foreign_project_is_refused_at_the_field(ada, wish, vision, foreign):
    answer = ada.post(HOLD, {**wish, "project": "Rockets"})

    assert answer.status_code == 400
    assert answer.context["configure"]["form"].errors == {"project": [REFUSAL]}
    assert not Booking.objects.exists()


def test_a_service_refuses_a_foreign_project_too(desk, foreign):
    with pytest.raises(projects.NoSuchProject):
        desk.hold(project_id=foreign.pk)

    assert not Booking.objects.exists()


def test_a_project_removed_since_the_form_was_read_is_refused_at_the_field(ada, wish, vision, monkeypatch):
    monkeypatch.setattr("rentals.forms.configure.Configure.order", _order_of_a_removed_project(vision.pk))

    answer = ada.post(HOLD, {**wish, "project": "Vision"})

    assert answer.status_code == 400
    assert answer.context["configure"]["form"].errors == {"project": [REFUSAL]}
    assert not Booking.objects.exists()


def test_the_list_shows_projects_and_narrows_to_one(ada, desk, vision, foreign):
    mine, other = desk.hold(project_id=vision.pk), desk.hold()

    everything = ada.get("/bookings/").content.decode()
    narrowed = ada.get("/bookings/?project=Vision").content.decode()
    unknown = ada.get("/bookings/?project=Rockets").content.decode()

    assert mine.number in everything and other.number in everything and "Vision</span>" in everything
    assert mine.number in narrowed and other.number not in narrowed
    assert mine.number not in unknown and "Nothing found" in unknown


def test_a_removed_project_leaves_its_bookings_and_its_name_on_what_is_billed(cast, ada, desk, vision, now):
    booking = desk.hold(project_id=vision.pk)

    projects.remove(organisation=cast.lab, project_id=vision.pk, by=cast.ada, now=now)

    page = ada.get(f"/bookings/{booking.number}/")
    assert (page.status_code, "<dt>Project</dt>" in page.content.decode()) == (200, False)
    assert Agreement.objects.by_number(booking.agreement).get().project == "Vision"


def test_an_order_over_the_api_names_its_project(api, order, vision):
    said = api.post(API, {**order, "project": "Vision"}, content_type="application/json")

    assert (said.status_code, said.json()["project"]) == (201, "Vision")
    assert Booking.objects.get().project == vision


def test_an_order_over_the_api_needs_no_project(api, order):
    assert api.post(API, order, content_type="application/json").json()["project"] == ""


@pytest.mark.parametrize("name", ["Rockets", "vision", "1"])
def test_the_api_refuses_a_project_that_is_not_the_organisations(api, order, vision, foreign, name):
    answer = api.post(API, {**order, "project": name}, content_type="application/json")

    error = answer.json()["error"]
    assert (answer.status_code, error["code"], error["field"], error["message"]) == (400, "no_such_project", "project", REFUSAL)
    assert not Booking.objects.exists()


def test_the_api_lists_the_bookings_of_a_project(api, desk, vision):
    mine, other = desk.hold(project_id=vision.pk), desk.hold()

    everything, narrowed = api.get(API).json()["items"], api.get(f"{API}?project=Vision").json()["items"]

    assert {row["number"]: row["project"] for row in everything} == {mine.number: "Vision", other.number: ""}
    assert [row["number"] for row in narrowed] == [mine.number]


def _order_of_a_removed_project(pk: int):
    """What the form makes of an order, when somebody removes the project right after."""
    from portal.accounts.models import Project
    from rentals.forms.configure import Configure

    made = Configure.order

    def order(form: Configure) -> dict:
        facts = made(form)
        Project.objects.filter(pk=pk).delete()
        return facts

    return order
