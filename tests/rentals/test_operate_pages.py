"""The operator's pages: they answer, act, refuse with reasons, and show the engine's words to nobody else."""

from io import BytesIO

import pypdf
import pytest

from portal.accounts.models import AuditEntry
from rentals.models import Assignment, Maintenance, Operation, Server, Unit
from rentals.services import servers
from tests.monitoring import rows
from tests.rentals import leaving


@pytest.fixture
def as_(client, cast):
    def log_in(name):
        client.force_login(getattr(cast, name))
        return client

    return log_in


@pytest.fixture
def olu(as_, racks):
    return as_("olu")


def text(answer):
    return answer.content.decode()


def test_the_wall_shows_each_rack_with_icon_and_word_and_who_is_on_it(olu, cast, racks, now):
    booking = rows.running(cast, racks, now)
    Server.objects.filter(serial="srv-a1").update(state="rented")

    shown = text(olu.get("/operate/"))

    assert "Frankfurt 1" in shown and "rack R1" in shown
    assert shown.count('class="rack-tile"') == 3
    assert booking.number in shown
    assert 'href="/operate/servers/?state=rented"' in shown


def test_an_empty_wall_teaches_the_next_step(as_, cast):
    assert "Add the first one by hand" in text(as_("olu").get("/operate/"))


def test_the_wall_counts_what_needs_somebody_and_links_to_its_list(olu, cast, racks, now):
    leaving.wiped(cast, racks, now, complete=False)

    olu.get("/operate/")
    failed = text(olu.get("/operate/deployments/?show=failed"))

    assert "wipe: not erased: SIM7" in failed


@pytest.mark.parametrize("show", ["waiting", "late", "overdue", "failed"])
def test_each_list_behind_a_number_opens(olu, show):
    assert "No deployment fits these filters." in text(olu.get(f"/operate/deployments/?show={show}"))


def test_a_deployment_is_found_by_booking_and_by_server(olu, cast, racks, now):
    booking = leaving.wiped(cast, racks, now).assignment.booking

    assert booking.number in text(olu.get(f"/operate/deployments/?q={booking.number.lower()}"))
    assert booking.number in text(olu.get("/operate/deployments/?q=srv-a"))
    assert booking.number not in text(olu.get("/operate/deployments/?q=srv-t1"))


def test_servers_are_filtered_by_state_model_and_text_and_come_in_pages(olu, monkeypatch):
    from rentals.queries import fleet

    Server.objects.filter(serial="srv-t1").update(state="maintenance")
    monkeypatch.setattr(fleet.servers, "__kwdefaults__", {**fleet.servers.__kwdefaults__, "size": 2})

    first = olu.get("/operate/servers/").context["page"]
    second = olu.get(f"/operate/servers/?after={first.next}").context["page"]

    assert [row.serial for row in first.items + second.items] == ["srv-a1", "srv-a2", "srv-t1"]
    assert "srv-a1" not in text(olu.get("/operate/servers/?state=maintenance"))
    assert "srv-t1" in text(olu.get("/operate/servers/?model=t4-x4"))
    assert "No server fits these filters." in text(olu.get("/operate/servers/?q=zzz"))


def test_a_server_can_be_added_by_hand_and_is_checked_before_it_is_sold(olu, racks):
    wish = {
        "serial": "srv-new",
        "model": "t4-x4",
        "layout": "",
        "site": "fra1",
        "fabric": "fra1-ib",
        "rack": "R2",
        "position": 3,
        "bmc_address": "",
        "engine": "simulated",
    }

    answer = olu.post("/operate/servers/new/", wish)
    again = olu.post("/operate/servers/new/", wish)

    assert answer["Location"] == "/operate/servers/srv-new/"
    assert Server.objects.get(serial="srv-new").state == "enrolled"
    assert again.status_code == 422
    assert "A server with this serial is in the fleet already." in text(again)


def test_a_form_that_is_not_complete_says_so_at_the_field(olu):
    answer = olu.post("/operate/servers/new/", {"serial": "with space"})

    assert answer.status_code == 422
    assert "with space" in text(answer)


def test_the_page_of_a_server_shows_evidence_with_its_flaw_and_who_had_it(olu, cast, racks, now):
    evidence = leaving.wiped(cast, racks, now, complete=False)

    shown = text(olu.get(f"/operate/servers/{evidence.server.serial}/"))

    assert "not erased: SIM7" in shown
    assert evidence.assignment.booking.number in shown
    assert f"/operate/wipes/{evidence.pk}/" not in shown


def test_a_server_with_bookings_is_not_taken_out_and_the_refusal_lists_them(olu, cast, racks, now):
    booking = rows.running(cast, racks, now)

    page = text(olu.get("/operate/servers/srv-a1/"))
    answer = olu.post("/operate/servers/srv-a1/take-out/", {"reason": "fan"})

    assert "Not now: 1 booking stands on it." in page and booking.number in page
    assert answer.status_code == 409
    assert Server.objects.get(serial="srv-a1").state == "available"


def test_the_refusal_carries_the_numbers_of_the_bookings(cast, racks, now):
    """Booking case 23: refused with the list, never half removed."""
    booking = rows.running(cast, racks, now)

    with pytest.raises(servers.StillBooked) as refused:
        servers.retire(server=Server.objects.get(serial="srv-a1"), reason="", by=cast.olu, now=now)

    assert refused.value.facts == {"bookings": [booking.number]}
    assert not Maintenance.objects.exists()
    assert Unit.objects.get(server__serial="srv-a1").in_service_until is None


def test_a_server_is_taken_out_with_its_reason_and_put_back_through_the_check(olu, cast):
    olu.post("/operate/servers/srv-a1/take-out/", {"reason": "loud fan"})
    out = Server.objects.get(serial="srv-a1")
    page = text(olu.get("/operate/servers/srv-a1/"))
    Operation.objects.update(state="done")

    olu.post("/operate/servers/srv-a1/put-back/")

    assert (out.state, out.state_reason) == ("maintenance", "loud fan")
    assert Maintenance.objects.get(server=out).planned_by == cast.olu
    assert "loud fan" in page
    assert Server.objects.get(serial="srv-a1").state == "verifying"
    assert set(AuditEntry.objects.filter(actor=cast.olu).values_list("verb", flat=True)) == {"server.taken_out", "server.put_back"}


def test_a_server_is_retired_for_good_only_by_its_name(olu):
    refused = olu.post("/operate/servers/srv-a1/retire/", {"typed": "srv-a2"})
    olu.post("/operate/servers/srv-a1/retire/", {"typed": "srv-a1", "reason": "sold"})

    assert refused.status_code == 400
    assert Server.objects.get(serial="srv-a1").state == "retired"
    assert Unit.objects.get(server__serial="srv-a1").in_service_until is not None
    assert "Take out for maintenance" not in text(olu.get("/operate/servers/srv-a1/"))


def test_a_server_at_work_is_left_alone(olu, cast, racks, now):
    operation = leaving.operation(cast, racks, now)
    Assignment.objects.update(live=False)

    answer = olu.post(f"/operate/servers/{operation.server.serial}/take-out/")

    assert answer.status_code == 409


def test_a_server_that_is_on_sale_cannot_be_put_back(olu):
    assert olu.post("/operate/servers/srv-a1/put-back/").status_code == 409


def test_a_unit_that_was_taken_off_sale_is_sold_again_by_a_person(olu, racks, now):
    unit = leaving.unit_off_sale(racks, now)
    assert "Sell again" in text(olu.get("/operate/servers/srv-a1/"))

    olu.post(f"/operate/servers/srv-a1/units/{unit}/put-back/")

    assert Unit.objects.get(pk=unit).in_service_until is None
    assert olu.post(f"/operate/servers/srv-a1/units/{unit}/put-back/").status_code == 409
    assert olu.post(f"/operate/servers/srv-a2/units/{unit}/put-back/").status_code == 404


def test_an_operation_shows_the_engines_words_to_the_operator(olu, cast, racks, now):
    operation = leaving.operation(cast, racks, now)

    shown = text(olu.get(f"/operate/operations/{operation.op_id}/"))

    assert "the engine&#x27;s own words" in shown
    assert f"bk-{operation.deployment.assignment_id}" in shown


def test_an_operation_about_a_server_as_a_whole_has_a_page_too(olu, racks, now):
    from rentals.services import operations

    row = operations.open_one(server=Server.objects.get(serial="srv-a1"), verb="validate", now=now)

    assert olu.get(f"/operate/operations/{row.op_id}/").status_code == 200


def test_the_customer_reads_steps_in_his_own_words_and_never_the_engines(as_, cast, racks, now):
    operation = leaving.operation(cast, racks, now)
    booking = operation.deployment.assignment.booking

    shown = text(as_("ada").get(f"/bookings/{booking.number}/steps/"))

    assert "Every disk erased" in shown
    assert "the engine" not in shown


def test_a_former_tenant_downloads_the_certificate_of_his_wipe(as_, cast, racks, now):
    evidence = leaving.wiped(cast, racks, now)
    number = evidence.assignment.booking.number
    ada = as_("ada")

    page = text(ada.get(f"/bookings/{number}/"))
    answer = ada.get(f"/bookings/{number}/wipe/")
    paper = pypdf.PdfReader(BytesIO(answer.content)).pages[0].extract_text()

    assert f"/bookings/{number}/wipe/" in page
    assert answer["Content-Disposition"] == f'attachment; filename="wipe-{number}.pdf"'
    assert all(f"SIM{disk}" in paper for disk in range(8))
    assert evidence.server.serial in paper and number in paper


def test_the_certificate_comes_in_chinese(as_, cast, racks, now):
    number = leaving.wiped(cast, racks, now).assignment.booking.number
    ada = as_("ada")

    answer = ada.get(f"/bookings/{number}/wipe/", headers={"accept-language": "zh-hans"})

    assert answer.status_code == 200


def test_a_failed_wipe_has_no_certificate(as_, cast, racks, now):
    evidence = leaving.wiped(cast, racks, now, complete=False)

    assert as_("ada").get(f"/bookings/{evidence.assignment.booking.number}/wipe/").status_code == 404
    assert as_("olu").get(f"/operate/wipes/{evidence.pk}/").status_code == 404


def test_the_operator_downloads_the_certificate_of_a_server(olu, cast, racks, now):
    evidence = leaving.wiped(cast, racks, now)

    assert olu.get(f"/operate/wipes/{evidence.pk}/")["Content-Type"] == "application/pdf"


ADDRESSES = ["/operate/", "/operate/servers/", "/operate/servers/new/", "/operate/servers/srv-a1/", "/operate/deployments/"]


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_customer_finds_nothing_of_the_racks_and_other_staff_may_not(as_, racks, address):
    assert as_("ada").get(address).status_code == 404
    assert as_("fin").get(address).status_code == 403
