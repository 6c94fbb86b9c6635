"""What a person says about himself."""

from __future__ import annotations

from portal.accounts.models import User


def choose_language(*, user: User, language: str) -> None:
    """Keep the language he reads. A visitor has no account; his choice is a cookie."""
    if user.is_authenticated:
        User.objects.filter(pk=user.pk).update(language=language)
