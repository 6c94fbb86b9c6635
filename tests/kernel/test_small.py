"""Refusals, transitions and pages."""

import pytest

from portal.kernel import errors
from portal.kernel.page import Page
from portal.kernel.transitions import IllegalMove, Transitions

DOOR = Transitions("door", {"open": frozenset({"shut"}), "shut": frozenset({"open", "gone"}), "gone": frozenset()})


def test_a_move_that_the_table_names_is_permitted():
    DOOR.check("open", "shut")

    assert DOOR.permits("shut", "gone") and not DOOR.permits("open", "gone")
    assert (DOOR.states, DOOR.final) == ({"open", "shut", "gone"}, {"gone"})


def test_any_other_move_is_refused_with_both_states():
    with pytest.raises(IllegalMove) as refusal:
        DOOR.check("gone", "open")

    assert refusal.value.facts == {"old": "gone", "new": "open"}
    assert refusal.value.status == 409


@pytest.mark.parametrize(
    ("kind", "status"),
    [(errors.InvalidInput, 400), (errors.NotAllowed, 403), (errors.NotFound, 404), (errors.Conflict, 409), (errors.LostRace, 409), (errors.DomainError, 409)],
)
def test_every_kind_of_refusal_knows_its_status_and_has_words(kind, status):
    assert kind().status == status
    assert kind().message == kind.__doc__.strip()


def test_a_refusal_carries_message_field_and_facts():
    refusal = errors.InvalidInput("Too many.", field="quantity", most=3)

    assert (str(refusal), refusal.message, refusal.field, refusal.facts) == ("Too many.", "Too many.", "quantity", {"most": 3})


def test_a_refusal_without_any_words_says_its_code():
    class Silent(errors.DomainError):
        code = "silent"

    Silent.__doc__ = None

    assert Silent().message == "silent"


def test_a_page_may_be_the_last():
    assert Page([1]) == Page(items=[1], next="", count=0)
