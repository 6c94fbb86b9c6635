"""What a person says about himself."""

from __future__ import annotations

from django.contrib.auth.models import AnonymousUser

from portal.accounts.models import User


def prefill(*, user: User, name: str, language: str, time_zone: str) -> None:
    """Set what is known of a person who signs up, before he is saved."""
    user.name, user.language, user.time_zone = name, language, time_zone


def choose_language(*, user: User | AnonymousUser, language: str) -> None:
    """Keep the language he reads. A visitor has no account; his choice is a cookie."""
    if user.is_authenticated:
        User.objects.filter(pk=user.pk).update(language=language)


def edit(*, user: User, name: str, language: str, time_zone: str) -> None:
    """Keep his name, the language he reads and the zone in which pages show him times."""
    prefill(user=user, name=name, language=language, time_zone=time_zone)
    User.objects.filter(pk=user.pk).update(name=name, language=language, time_zone=time_zone)
