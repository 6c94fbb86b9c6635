"""Where allauth asks the portal: mail goes through our outbox, a new person starts with the language and zone of his browser."""

from __future__ import annotations

import zoneinfo
from typing import TYPE_CHECKING

from allauth.account.adapter import DefaultAccountAdapter
from django import forms, http
from django.utils import timezone, translation

from portal.accounts.services import letters, people

if TYPE_CHECKING:
    from portal.accounts.models import User


class Adapter(DefaultAccountAdapter):
    def send_mail(self, template_prefix: str, email: str, context: dict) -> None:
        """Into the outbox: a mail server that is away must not fail the page. The words are those of the person's own language, if he is known."""
        user = context.get("user")
        language = user.language if user is not None and user.pk else translation.get_language()
        with translation.override(language):
            message = self.render_mail(template_prefix, email, {"request": self.request, "email": email, **context})
        facts = {"subject": message.subject, "body": message.body}
        letters.write(address=email, kind="account", now=timezone.now(), language=language, facts=facts)

    def save_user(self, request: http.HttpRequest, user: User, form: forms.Form, commit: bool = True) -> User:
        zone = request.COOKIES.get("tz", "UTC")
        people.prefill(
            user=user,
            name=form.cleaned_data["name"],
            language=translation.get_language(),
            time_zone=zone if zone in zoneinfo.available_timezones() else "UTC",
        )
        return super().save_user(request, user, form, commit)
