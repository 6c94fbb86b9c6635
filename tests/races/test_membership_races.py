"""Two owners who leave at once."""

import pytest

from portal.accounts.models import Membership
from portal.accounts.services import memberships, organisations
from tests import world
from tests.races.test_idempotency_races import in_threads

pytestmark = pytest.mark.django_db(transaction=True)


def test_of_two_owners_who_leave_at_once_one_stays(now):
    ada, ben = world.person("Ada"), world.person("Ben")
    lab = organisations.found(by=ada, now=now, name="Lab", country="DE")
    organisations.add_member(organisation=lab, user=ben, role="owner", by=ada, now=now)
    leaving = [ada, ben]

    answers = in_threads(lambda: memberships.leave(organisation=lab, by=leaving.pop(), now=now), 2)

    assert Membership.objects.filter(organisation=lab, role="owner").count() == 1
    assert sum(isinstance(answer, memberships.LastOwner) for answer in answers) == 1
