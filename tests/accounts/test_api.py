"""The API by token: who acts, with which scopes, how often."""

from datetime import timedelta

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone
from rest_framework.response import Response
from rest_framework.test import APIRequestFactory, force_authenticate
from rest_framework.views import APIView

from portal.accounts import queries
from portal.accounts.api.keyed import Keyed
from portal.accounts.domain import roles, scopes
from portal.accounts.models import ApiToken, AuditEntry
from portal.accounts.services import audit, organisations, tokens


@pytest.fixture
def ask(cast):
    """ask(secret, path) -> response, with nothing but the bearer token."""

    def asked(secret: str, path: str = "/api/v1/me/"):
        return Client().get(path, headers={"authorization": f"Bearer {secret}"})

    return asked


@pytest.fixture
def made(cast):
    """made(user, scopes, expires_at) -> (token, secret) in Lovelace Labs."""

    def make(user=None, wanted=(scopes.ACCOUNT_READ,), expires_at=None):
        user = user or cast.ben
        return tokens.create(user=user, organisation=cast.lab, name="laptop", scopes=wanted, expires_at=expires_at, by=user, now=timezone.now())

    return make


def test_a_token_acts_as_its_person_in_its_organisation(cast, ask, made):
    _, secret = made()

    answer = ask(secret).json()

    assert answer["email"] == "ben@example.com"
    assert answer["scopes"] == ["account:read"]
    assert answer["organisation"]["number"] == cast.lab.number
    assert answer["organisation"]["role"] == roles.MEMBER


def test_the_secret_is_nowhere_in_the_database(made):
    token, secret = made()
    row = ApiToken.objects.filter(pk=token.pk).values().get()

    assert secret not in str(row)
    assert row["prefix"] == secret[:12]


def test_without_a_token_or_session_the_answer_is_401_in_our_shape(db):
    response = Client().get("/api/v1/me/")

    assert response.status_code == 401
    assert response["WWW-Authenticate"] == "Bearer"
    assert response.json()["error"]["code"] == "not_authenticated"


@pytest.mark.parametrize("secret", ["gpr_unknown", "", "'; DROP TABLE accounts_apitoken; --"])
def test_a_token_that_nobody_made_is_refused(ask, secret):
    assert ask(secret).status_code == 401


def test_a_revoked_token_is_refused_at_once(cast, ask, made):
    token, secret = made()
    tokens.revoke(user=cast.ben, organisation=cast.lab, token_id=token.pk, by=cast.ben, now=timezone.now())

    assert ask(secret).status_code == 401


def test_an_expired_token_is_refused(ask, made):
    token, secret = made(expires_at=timezone.now() + timedelta(hours=1))
    ApiToken.objects.filter(pk=token.pk).update(expires_at=timezone.now())

    assert ask(secret).status_code == 401


def test_the_token_of_one_who_left_is_refused(cast, ask, made):
    _, secret = made()
    cast.lab.memberships.filter(user=cast.ben).delete()

    assert ask(secret).status_code == 401


def test_the_token_of_an_inactive_person_is_refused(cast, ask, made):
    _, secret = made()
    cast.ben.is_active = False
    cast.ben.save()

    assert ask(secret).status_code == 401


def test_a_token_without_the_scope_is_told_which_one_it_lacks(ask, made):
    _, secret = made(wanted=[scopes.BOOKINGS_READ])

    response = ask(secret)

    assert response.status_code == 403
    assert response.json()["error"]["code"] == "missing_scope"
    assert response.json()["error"]["facts"] == {"scope": "account:read"}


def test_the_last_use_is_kept_to_the_minute(ask, made, django_assert_num_queries):
    token, secret = made()

    ask(secret)
    first = ApiToken.objects.get(pk=token.pk).last_used_at
    ask(secret)

    assert first is not None
    assert ApiToken.objects.get(pk=token.pk).last_used_at == first


def test_a_token_sees_no_other_organisation_of_its_person(cast, ask, made, now):
    organisations.add_member(organisation=cast.other, user=cast.ben, role=roles.OWNER, by=cast.sid, now=now)
    _, secret = made()

    assert [each["number"] for each in ask(secret, "/api/v1/organisations/").json()] == [cast.lab.number]


def test_wrong_tokens_from_one_address_are_stopped(ask):
    answers = [ask("gpr_guess").status_code for _ in range(31)]

    assert answers[:30] == [401] * 30
    assert answers[30] == 429


def test_the_audit_entry_says_which_token_did_it(cast, made, now):
    token, secret = made()
    acting = queries.acting_by(secret, timezone.now())
    acting.user.acting_address = "192.0.2.7"
    audit.record(verb="test.done", subject="T-1", by=acting.user, organisation=cast.lab, now=now)

    entry = AuditEntry.objects.get(verb="test.done")
    assert (entry.actor, entry.token, entry.address) == (cast.ben, token, "192.0.2.7")


@pytest.mark.parametrize("wanted", [[], ["bookings:own"]])
def test_a_token_needs_scopes_that_exist(cast, made, wanted):
    with pytest.raises(tokens.UnknownScope):
        made(wanted=wanted)


def test_a_token_that_has_expired_already_is_not_made(made):
    with pytest.raises(tokens.AlreadyExpired):
        made(expires_at=timezone.now() - timedelta(seconds=1))


def test_nobody_makes_tokens_without_end(made):
    for _ in range(tokens.MOST_TOKENS):
        made()

    with pytest.raises(tokens.TooManyTokens):
        made()


class Ring(Keyed, APIView):
    rung = 0

    def act(self, request):
        Ring.rung += 1
        return Response({"rung": Ring.rung}, status=201)


def post(user, body: dict, key: str = "") -> Response:
    request = APIRequestFactory().post("/ring/", body, format="json", headers={"Idempotency-Key": key} if key else {})
    force_authenticate(request, user)
    return Ring.as_view(throttle_classes=[])(request)


def test_a_keyed_post_acts_once(cast):
    first, again = post(cast.ben, {"a": 1}, "k1"), post(cast.ben, {"a": 1}, "k1")

    assert (first.status_code, again.status_code) == (201, 201)
    assert first.data == again.data
    assert "Idempotent-Replayed" not in first
    assert again["Idempotent-Replayed"] == "true"


def test_a_keyed_post_with_another_body_is_refused(cast):
    post(cast.ben, {"a": 1}, "k1")

    response = post(cast.ben, {"a": 2}, "k1")

    assert response.status_code == 422
    assert response.data["error"]["code"] == "idempotency_key_reused"


def test_a_post_without_a_key_acts_each_time(cast):
    assert post(cast.ben, {}).data != post(cast.ben, {}).data


def test_the_openapi_document_is_valid_and_warns_of_nothing(tmp_path):
    call_command("spectacular", "--validate", "--fail-on-warn", "--file", str(tmp_path / "schema.yml"))


class Open(APIView):
    permission_classes = ()

    def get(self, request):
        return Response({})


def test_a_visitor_who_asks_too_fast_is_told_when_to_come_again(db):
    request = APIRequestFactory().get("/open/")

    answers = [Open.as_view()(request) for _ in range(121)]

    assert [answer.status_code for answer in answers] == [200] * 120 + [429]
    assert 0 < int(answers[-1]["Retry-After"]) <= 60
