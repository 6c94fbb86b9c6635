"""What is refused before any form or serializer reads it, and how it is said."""

import base64


def test_a_nul_is_refused_by_a_page_that_says_so(client, db):
    answer = client.get("/", {"q": "a\0b"})

    assert answer.status_code == 400
    assert "NUL" in answer.content.decode()


def test_a_nul_is_refused_by_the_api_at_its_field(client, db):
    answer = client.get("/api/v1/catalog/", {"q": "a\0b"})

    assert answer.status_code == 400
    assert answer.json()["error"]["field"] == "q" and answer.json()["error"]["code"] == "nul_character"


def test_json_without_end_is_refused_like_any_that_cannot_be_read(client, cast, racks):
    client.force_login(cast.ada)

    answer = client.post("/api/v1/catalog/a100-80-x8/price/", "[" * 100_000, content_type="application/json")

    assert answer.status_code == 400
    assert "nested too deeply" in answer.json()["error"]["message"]


def test_a_way_on_that_is_no_address_of_ours_is_not_taken(client, cast):
    client.force_login(cast.ada)

    answer = client.post(f"/organisations/{cast.lab.number}/switch/", {"next": "9999-12-31"})

    assert answer.status_code == 302
    assert answer["Location"] == "/home/"


def test_a_session_cookie_with_a_nul_is_no_session(client, db):
    answer = client.get("/", headers={"cookie": 'sessionid="abcdefgh\\000ijklmnop"'})

    assert answer.status_code == 200


def test_a_cursor_that_is_nested_without_end_is_refused(client, cast):
    client.force_login(cast.ada)
    cursor = base64.urlsafe_b64encode(b"[" * 3000).decode()

    assert client.get("/bookings/", {"after": cursor}).status_code == 400
