"""Organisations: members, invitations, projects, limits, terms."""

import re
from datetime import timedelta

import pytest
from django.core import mail
from django.utils import timezone

from portal.accounts import queries
from portal.accounts.domain import addresses, roles, tax_ids
from portal.accounts.models import AuditEntry, Membership, TermsVersion, User
from portal.accounts.services import invitations, letters, limits, memberships, organisations, projects, terms
from portal.kernel.errors import NotFound
from portal.toolkit import rates
from tests import world


def membership(organisation, user) -> int:
    return Membership.objects.get(organisation=organisation, user=user).pk


def role(organisation, user) -> str:
    return queries.role_of(user, organisation)


@pytest.mark.parametrize(("own", "wanted", "may"), [
    (roles.OWNER, roles.OWNER, True), (roles.OWNER, roles.READER, True), (roles.ADMIN, roles.OWNER, False), (roles.ADMIN, roles.ADMIN, True),
    (roles.MEMBER, roles.READER, False), ("", roles.READER, False),
])  # fmt: skip
def test_owners_grant_every_role_and_admins_every_role_but_owner(own, wanted, may):
    assert roles.may_grant(own=own, role=wanted) is may


@pytest.mark.parametrize(("leaving", "owners", "may"), [(roles.OWNER, 1, False), (roles.OWNER, 2, True), (roles.ADMIN, 1, True)])
def test_only_the_last_owner_must_stay(leaving, owners, may):
    assert roles.may_leave(role=leaving, owners=owners) is may


@pytest.mark.parametrize(("country", "written", "kept"), [
    ("DE", "DE 136 695 976", "DE136695976"), ("DE", "136695976", "DE136695976"), ("GR", "EL 094259216", "EL094259216"), ("FR", "", ""),
    ("US", "91-1144442", "911144442"),
    ("CN", "91110000600037341L", "91110000600037341L"), ("GB", "GB 980 7806 84", "980780684"), ("HK", "anything", "anything"),
])  # fmt: skip
def test_a_tax_id_is_kept_in_one_form(country, written, kept):
    assert tax_ids.normalised(country=country, tax_id=written) == kept


@pytest.mark.parametrize(
    ("country", "written"), [("DE", "DE136695975"), ("DE", "hello"), ("CN", "91110000600037342L"), ("US", "07-1144442"), ("DE", "FR40303265045")]
)
def test_a_tax_id_that_cannot_be_is_refused(country, written):
    with pytest.raises(tax_ids.ImpossibleTaxId):
        tax_ids.normalised(country=country, tax_id=written)


def test_states_and_provinces_are_known_where_the_tax_depends_on_them():
    assert addresses.needs_region("US") and not addresses.needs_region("DE")
    assert addresses.is_region(country="CA", region="QC") and addresses.is_region(country="DE", region="Bavaria")
    assert not addresses.is_region(country="US", region="QC")


def test_an_owner_changes_roles_and_it_is_written_down(cast, now):
    memberships.change_role(organisation=cast.lab, membership_id=membership(cast.lab, cast.ben), role=roles.ADMIN, by=cast.ada, now=now)

    assert role(cast.lab, cast.ben) == roles.ADMIN
    assert AuditEntry.objects.get(verb="membership.changed").facts == {"user": "ben@example.com", "role": "admin", "old": "member"}


def test_an_admin_neither_makes_nor_unmakes_owners(cast, now):
    memberships.change_role(organisation=cast.lab, membership_id=membership(cast.lab, cast.ben), role=roles.ADMIN, by=cast.ada, now=now)

    for target, wanted in ((cast.chen, roles.OWNER), (cast.ada, roles.READER)):
        with pytest.raises(memberships.BeyondYourRole):
            memberships.change_role(organisation=cast.lab, membership_id=membership(cast.lab, target), role=wanted, by=cast.ben, now=now)
    with pytest.raises(memberships.BeyondYourRole):
        memberships.remove(organisation=cast.lab, membership_id=membership(cast.lab, cast.ada), by=cast.ben, now=now)


def test_the_last_owner_can_neither_leave_nor_step_down(cast, now):
    with pytest.raises(memberships.LastOwner):
        memberships.leave(organisation=cast.lab, by=cast.ada, now=now)
    with pytest.raises(memberships.LastOwner):
        memberships.change_role(organisation=cast.lab, membership_id=membership(cast.lab, cast.ada), role=roles.ADMIN, by=cast.ada, now=now)


def test_one_of_two_owners_can_leave(cast, now):
    memberships.change_role(organisation=cast.lab, membership_id=membership(cast.lab, cast.ben), role=roles.OWNER, by=cast.ada, now=now)

    memberships.leave(organisation=cast.lab, by=cast.ada, now=now)

    assert role(cast.lab, cast.ada) == ""
    assert User.objects.get(pk=cast.ada.pk).current_organisation is None


def test_a_closed_account_does_not_count_as_an_owner(cast, now):
    memberships.change_role(organisation=cast.lab, membership_id=membership(cast.lab, cast.ben), role=roles.OWNER, by=cast.ada, now=now)
    User.objects.filter(pk=cast.ben.pk).update(is_active=False)

    with pytest.raises(memberships.LastOwner):
        memberships.leave(organisation=cast.lab, by=cast.ada, now=now)


def test_a_membership_of_another_organisation_is_not_found(cast, now):
    with pytest.raises(NotFound):
        memberships.remove(organisation=cast.lab, membership_id=membership(cast.other, cast.sid), by=cast.ada, now=now)


@pytest.fixture
def invite(cast, now):
    """invite(email, role, by) -> the secret in the mailed link."""

    def invited(email="new@example.com", wanted=roles.MEMBER, by=None):
        invitations.invite(organisation=cast.lab, email=email, role=wanted, by=by or cast.ada, now=timezone.now())
        letters.sweep(now=timezone.now())
        return re.search(r"/invitations/([\w-]+)/", mail.outbox[-1].body)[1]

    return invited


def test_an_invited_stranger_joins_with_the_role_that_was_offered(cast, invite):
    joined = invitations.accept(secret=invite(email="sid@example.com"), by=cast.sid, now=timezone.now())

    assert joined == cast.lab
    assert role(cast.lab, cast.sid) == roles.MEMBER
    assert queries.current_organisation(cast.sid) == cast.lab


def test_an_invitation_works_once(cast, invite):
    secret = invite()
    invitations.accept(secret=secret, by=cast.sid, now=timezone.now())

    with pytest.raises(invitations.InvitationOver):
        invitations.accept(secret=secret, by=cast.mei, now=timezone.now())


def test_an_invitation_expires(cast, invite):
    secret = invite()

    with pytest.raises(invitations.InvitationOver):
        invitations.accept(secret=secret, by=cast.sid, now=timezone.now() + timedelta(days=14, seconds=1))


def test_a_withdrawn_invitation_is_void(cast, invite, now):
    secret = invite()
    row = queries.invitations_of(cast.lab)[0]
    invitations.withdraw(organisation=cast.lab, invitation_id=row.pk, by=cast.ada, now=now)
    invitations.withdraw(organisation=cast.lab, invitation_id=row.pk, by=cast.ada, now=now)

    with pytest.raises(invitations.InvitationOver):
        invitations.accept(secret=secret, by=cast.sid, now=timezone.now())
    assert AuditEntry.objects.filter(verb="invitation.withdrawn").count() == 1


def test_inviting_again_voids_the_first_link(cast, invite):
    first, second = invite(), invite()

    assert queries.open_invitation(first, timezone.now()) is None
    assert queries.open_invitation(second, timezone.now()) is not None
    assert len(queries.invitations_of(cast.lab)) == 1


def test_a_member_is_not_invited_again(cast, invite):
    with pytest.raises(organisations.AlreadyMember):
        invite(email="BEN@example.com")


def test_nobody_invites_to_a_role_above_his_own(cast, invite, now):
    memberships.change_role(organisation=cast.lab, membership_id=membership(cast.lab, cast.ben), role=roles.ADMIN, by=cast.ada, now=now)

    with pytest.raises(memberships.BeyondYourRole):
        invite(wanted=roles.OWNER, by=cast.ben)
    with pytest.raises(memberships.BeyondYourRole):
        invite(by=cast.chen)
    with pytest.raises(invitations.UnknownRole):
        invite(wanted="king")


def test_nobody_mails_invitations_without_end(cast, invite, monkeypatch):
    monkeypatch.setattr(invitations, "MOST_A_DAY", 1)
    invite(email="a@example.com")

    with pytest.raises(rates.TooOften):
        invite(email="b@example.com")


def test_a_newcomer_comes_by_the_link_signs_up_and_joins_without_a_second_mail(cast, client, invite):
    path = f"/invitations/{invite(email='grace@example.com')}/"
    page = client.get(path).content.decode()
    assert f"/account/signup/?next={path}" in page

    answer = client.post(
        f"/account/signup/?next={path}", {"name": "Grace", "email": "grace@example.com", "password1": world.PASSWORD, "password2": world.PASSWORD, "next": path}
    )
    assert answer["Location"] == path
    client.post(f"{path}accept/")

    assert role(cast.lab, User.objects.get(email="grace@example.com")) == roles.MEMBER


def test_projects_are_added_changed_and_removed(cast, now):
    project = projects.add(organisation=cast.lab, name="Vision", cost_centre="4711", by=cast.ada, now=now)
    with pytest.raises(projects.NameTaken):
        projects.add(organisation=cast.lab, name="Vision", cost_centre="", by=cast.ada, now=now)

    projects.edit(organisation=cast.lab, project_id=project.pk, name="Sight", cost_centre="4712", by=cast.ada, now=now)
    assert [(each.name, each.cost_centre) for each in queries.projects_of(cast.lab)] == [("Sight", "4712")]
    for act in (lambda: projects.edit(organisation=cast.other, project_id=project.pk, name="x", cost_centre="", by=cast.sid, now=now),
                lambda: projects.remove(organisation=cast.other, project_id=project.pk, by=cast.sid, now=now)):  # fmt: skip
        with pytest.raises(NotFound):
            act()

    projects.remove(organisation=cast.lab, project_id=project.pk, by=cast.ada, now=now)
    assert queries.projects_of(cast.lab) == []


def test_limits_are_sane_from_the_start_and_changes_say_from_what_to_what(cast, now):
    fresh = organisations.found(by=cast.sid, now=now, name="Fresh", country="DE")
    assert (fresh.spend_cap_minor, fresh.quantity_cap, fresh.payment_attempts_cap) == (2_000_000, 8, 10)

    limits.change(organisation=fresh, spend_cap_minor=5_000_000, quantity_cap=8, payment_attempts_cap=10, by=cast.mei, now=now)

    assert AuditEntry.objects.get(verb="limits.changed").facts == {"spend_cap_minor": [2_000_000, 5_000_000]}


def test_terms_that_changed_while_one_read_are_not_accepted_unread(cast, now):
    TermsVersion.objects.create(version="2027-01", published_at=now, text_en="New.", text_zh="新。")

    with pytest.raises(terms.TermsChanged):
        terms.accept(by=cast.ada, organisation=cast.lab, address=None, now=now, version="2026-01")


def test_the_audit_log_tells_of_the_founding(cast):
    page = queries.audit_of(cast.lab, queries.Filter(verb="organisation."))

    assert [entry.verb for entry in page.items] == ["organisation.founded"]
    assert queries.verbs_of(cast.lab) == ["membership", "organisation"]


def test_audit_entries_never_change(cast):
    from django.db import DatabaseError, transaction

    for act in (lambda: AuditEntry.objects.update(verb="forged"), lambda: AuditEntry.objects.all().delete()):
        with pytest.raises(DatabaseError), transaction.atomic():
            act()
