"""Pages about oneself: they work, they are one's own, they cost few queries."""

import pytest
from django.utils import timezone

from portal.accounts import queries
from portal.accounts.domain import scopes
from portal.accounts.models import ApiToken, Notification
from portal.accounts.services import notifications, ssh_keys, tokens
from tests.accounts import public_keys

BACKEND = "django.contrib.auth.backends.ModelBackend"


@pytest.fixture
def ada(cast, client):
    client.force_login(cast.ada, backend=BACKEND)
    return client


@pytest.fixture
def told(cast, now):
    def tell(user, key="k"):
        notifications.notify(users=[user], kind="account", key=key, subject="B-1", path="/me/", now=now, headline="x")
        return Notification.objects.get(user=user, key=key)

    return tell


def test_the_profile_changes_name_language_and_zone(cast, ada):
    ada.post("/me/", {"name": "Ada L.", "language": "zh-hans", "time_zone": "Asia/Shanghai"})

    cast.ada.refresh_from_db()
    assert (cast.ada.name, cast.ada.language, cast.ada.time_zone) == ("Ada L.", "zh-hans", "Asia/Shanghai")
    assert 'lang="zh-Hans"' in ada.get("/me/").content.decode()


def test_a_zone_that_does_not_exist_is_refused_at_its_field(ada):
    answer = ada.post("/me/", {"name": "Ada", "language": "en", "time_zone": "Mars/Olympus"})

    assert answer.status_code == 422
    assert "id_time_zone-error" in answer.content.decode()


def test_a_key_is_added_and_removed_on_the_page(cast, ada):
    ada.post("/me/keys/", {"name": "", "public_key": public_keys.ED25519[0]})
    key = queries.ssh_keys_of(cast.ada)[0]
    assert public_keys.ED25519[2] in ada.get("/me/keys/").content.decode()

    ada.post(f"/me/keys/{key.pk}/remove/")

    assert queries.ssh_keys_of(cast.ada) == []


def test_after_adding_a_key_for_a_booking_one_goes_back_there(ada):
    answer = ada.post("/me/keys/", {"name": "", "public_key": public_keys.ED25519[0], "next": "/catalog/a100/"})

    assert answer["Location"] == "/catalog/a100/"


def test_a_pasted_private_key_is_refused_and_not_shown_again(ada):
    answer = ada.post("/me/keys/", {"name": "", "public_key": "-----BEGIN OPENSSH PRIVATE KEY-----\nc2VjcmV0\n-----END OPENSSH PRIVATE KEY-----"})

    page = answer.content.decode()
    assert answer.status_code == 422
    assert "private key" in page
    assert "c2VjcmV0" not in page


def test_anothers_key_cannot_be_removed(cast, ada, now):
    key = ssh_keys.add(user=cast.ben, name="", text=public_keys.ED25519[0], by=cast.ben, now=now)

    assert ada.post(f"/me/keys/{key.pk}/remove/").status_code == 404


def test_a_token_is_shown_once(cast, ada):
    answer = ada.post("/me/tokens/", {"name": "ci", "scopes": [scopes.BOOKINGS_READ], "days": "30"})

    token = ApiToken.objects.get()
    secret = answer.context["secret"]
    assert secret.startswith("gpr_") and secret in answer.content.decode()
    assert answer["Cache-Control"].startswith("max-age=0")
    assert secret not in ada.get("/me/tokens/").content.decode()
    assert 29 <= (token.expires_at - timezone.now()).days <= 30


def test_a_token_for_ever_is_possible_but_must_be_chosen(ada):
    ada.post("/me/tokens/", {"name": "ci", "scopes": [scopes.BOOKINGS_READ], "days": ""})

    assert ApiToken.objects.get().expires_at is None


def test_a_token_is_revoked_by_its_owner_only(cast, ada, client, now):
    token, _ = tokens.create(user=cast.ben, organisation=cast.lab, name="x", scopes=[scopes.BOOKINGS_READ], expires_at=None, by=cast.ben, now=now)
    own, _ = tokens.create(user=cast.ada, organisation=cast.lab, name="y", scopes=[scopes.BOOKINGS_READ], expires_at=None, by=cast.ada, now=now)

    assert ada.post(f"/me/tokens/{token.pk}/revoke/").status_code == 404
    assert ada.post(f"/me/tokens/{own.pk}/revoke/").status_code == 302
    assert ApiToken.objects.get(pk=own.pk).revoked_at is not None


def test_opening_a_notification_reads_it_and_leads_on(cast, ada, told):
    row = told(cast.ada)

    answer = ada.post(f"/me/notifications/{row.pk}/open/")

    assert answer["Location"] == "/me/"
    assert queries.shell_of(cast.ada).unread == 0


def test_anothers_notification_is_not_found(cast, ada, told):
    assert ada.post(f"/me/notifications/{told(cast.ben).pk}/open/").status_code == 404


def test_the_count_of_unread_stands_in_the_frame(cast, ada, told):
    told(cast.ada, "a")
    told(cast.ada, "b")

    assert "Notifications: 2 unread" in ada.get("/me/").content.decode()
    ada.post("/me/notifications/read/")
    assert "Notifications: 0 unread" in ada.get("/me/").content.decode()


def test_notifications_come_in_pages_without_repeating(cast, told):
    for number in range(35):
        told(cast.ada, f"k{number}")

    first = queries.notifications_of(cast.ada)
    second = queries.notifications_of(cast.ada, after=first.next)

    assert (len(first.items), len(second.items), first.count, second.next) == (30, 5, 35, "")
    assert not {told.id for told in first.items} & {told.id for told in second.items}


@pytest.mark.parametrize("cursor", ["x", "-1", "9" * 40, "٣"])
def test_a_forged_cursor_breaks_nothing(cast, ada, cursor):
    assert ada.get("/me/notifications/", {"after": cursor}).status_code == 200


@pytest.mark.parametrize(
    ("path", "most"),
    [("/me/", 6), ("/me/keys/", 7), ("/me/tokens/", 8), ("/me/notifications/", 8), ("/me/notifications/?unread=1", 8), ("/organisations/new/", 6)],
)
def test_a_page_costs_few_queries_whatever_is_on_it(cast, ada, told, now, path, most, django_assert_max_num_queries):
    for number in range(5):
        told(cast.ada, f"k{number}")
        tokens.create(user=cast.ada, organisation=cast.lab, name="x", scopes=[scopes.BOOKINGS_READ], expires_at=None, by=cast.ada, now=now)
    ssh_keys.add(user=cast.ada, name="", text=public_keys.ED25519[0], by=cast.ada, now=now)

    with django_assert_max_num_queries(most):
        assert ada.get(path).status_code == 200
