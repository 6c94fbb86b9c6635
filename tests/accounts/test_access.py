"""Who is who: the questions that every app asks."""

import pytest

from portal.accounts import queries
from portal.accounts.domain import roles
from portal.accounts.services import organisations
from portal.kernel.errors import NotAllowed, NotFound
from tests import world


def test_a_member_gets_his_organisation_with_his_role(cast):
    assert queries.organisation_for(cast.ben, cast.lab.number).role == roles.MEMBER


def test_a_stranger_gets_nothing_even_with_the_right_number(cast):
    with pytest.raises(NotFound):
        queries.organisation_for(cast.sid, cast.lab.number)


@pytest.mark.parametrize("number", ["O-9999999", "B-1001", "O-", "O-x", "1001", "O-٣"])
def test_a_number_that_names_nothing_is_not_found(cast, number):
    with pytest.raises(NotFound):
        queries.organisation_for(cast.ada, number)


def test_a_reader_may_not_do_what_managers_do(cast):
    with pytest.raises(NotAllowed):
        queries.organisation_for(cast.chen, cast.lab.number, roles=roles.MANAGERS)


def test_staff_come_in_only_with_a_role_that_is_named(cast):
    assert queries.organisation_for(cast.fin, cast.lab.number, roles=(), staff=[roles.FINANCE]).role == ""
    with pytest.raises(NotAllowed):
        queries.organisation_for(cast.olu, cast.lab.number, staff=[roles.FINANCE])


def test_the_current_organisation_is_the_chosen_one_else_the_oldest(cast, now):
    organisations.add_member(organisation=cast.other, user=cast.ben, role=roles.READER, by=cast.sid, now=now)

    before = queries.current_organisation(cast.ben)
    organisations.switch(user=cast.ben, organisation=cast.other)

    assert before == cast.lab
    assert queries.current_organisation(cast.ben) == cast.other
    assert queries.current_organisation(cast.ben).role == roles.READER


def test_nobody_switches_to_an_organisation_that_is_not_his(cast):
    with pytest.raises(NotFound):
        organisations.switch(user=cast.sid, organisation=cast.lab)


def test_one_who_left_no_longer_works_there(cast):
    cast.lab.memberships.filter(user=cast.ada).delete()

    assert queries.current_organisation(cast.ada) is None


def test_an_administrator_has_every_staff_role(db):
    admin = world.User.objects.create_superuser("root@example.com", world.PASSWORD)

    assert queries.staff_roles_of(admin) == set(roles.STAFF)


def test_require_staff_tells_customers_nothing_and_staff_the_truth(cast):
    queries.require_staff(cast.fin, roles.FINANCE)
    with pytest.raises(NotAllowed):
        queries.require_staff(cast.fin, roles.OPERATOR)
    with pytest.raises(NotFound):
        queries.require_staff(cast.ada)


def test_a_token_sees_its_own_organisation_only_and_is_never_staff(cast, now):
    organisations.add_member(organisation=cast.other, user=cast.fin, role=roles.MEMBER, by=cast.sid, now=now)
    cast.fin.acting_organisation_id = cast.other.pk

    assert queries.organisations_of(cast.fin) == [cast.other]
    assert queries.staff_roles_of(cast.fin) == frozenset()


def test_members_can_be_asked_for_by_role(cast):
    assert queries.members_of(cast.lab, roles.PAYERS) == [cast.ada, cast.bea]
    assert queries.members_of(cast.lab) == [cast.ada, cast.ben, cast.chen, cast.bea]


def test_the_frame_of_a_page_costs_two_queries(cast, django_assert_num_queries):
    with django_assert_num_queries(2):
        shell = queries.shell_of(cast.ada)

    assert (shell.organisation, shell.role, shell.unread) == (cast.lab, roles.OWNER, 0)


def test_a_complete_address_and_a_confirmed_mail_miss_nothing(cast):
    assert queries.missing_for_checkout(cast.lab, cast.ada) == []


def test_what_is_missing_for_the_checkout_is_named(cast, now):
    organisations.edit(organisation=cast.lab, by=cast.ada, now=now, country="US", tax_id="", city="", region="CA")
    cast.lab.refresh_from_db()
    cast.lab.region = ""
    newcomer = world.User.objects.create_user("new@example.com", world.PASSWORD)

    missing = queries.missing_for_checkout(cast.lab, newcomer)

    assert [each.code for each in missing] == ["city", "region", "verified_mail"]


def test_terms_count_for_the_organisation_of_whoever_accepted_them(cast, now):
    assert queries.has_accepted_terms(cast.lab, now)
    assert queries.current_terms(now).version == "2026-01"


def test_an_impossible_tax_id_is_refused(cast, now):
    with pytest.raises(organisations.ImpossibleTaxId) as refusal:
        organisations.edit(organisation=cast.lab, by=cast.ada, now=now, tax_id="DE136695975")

    assert refusal.value.field == "tax_id"


def test_an_american_needs_a_state(cast, now):
    with pytest.raises(organisations.UnknownRegion):
        organisations.edit(organisation=cast.lab, by=cast.ada, now=now, country="US", tax_id="", region="Bavaria")


def test_staff_can_be_asked_for_by_role(cast):
    assert queries.staff_of(roles.FINANCE, roles.OPERATOR) == [cast.fin, cast.olu]
