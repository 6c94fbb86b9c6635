"""Pages about oneself."""

from __future__ import annotations

from django import http
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from portal.accounts import forms, queries
from portal.accounts.services import notifications as notifying
from portal.accounts.services import people, ssh_keys
from portal.kernel.errors import DomainError
from portal.toolkit import pages, requests


@login_required
def profile(request: requests.SignedIn) -> http.HttpResponse:
    user = request.user
    form = forms.Profile(request.POST or None, initial={"name": user.name, "language": user.language, "time_zone": user.time_zone})
    if request.method == "POST" and form.is_valid():
        people.edit(user=user, **form.cleaned_data)
        messages.success(request, _("Saved."))
        return redirect("accounts:profile")
    return pages.render_page(request, "accounts/profile.html", {"form": form}, status=422 if form.errors else 200)


@login_required
def keys(request: requests.SignedIn) -> http.HttpResponse:
    """The list, and the form that adds one."""
    form = forms.SshKey(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            name, text = form.cleaned_data["name"], form.cleaned_data["public_key"]
            ssh_keys.add(user=request.user, name=name, text=text, by=request.user, now=timezone.now())
            return redirect(pages.safe_next(request, default="accounts:ssh-keys"))
        except DomainError as refusal:
            pages.put_on_form(form, refusal)
    context = {"form": form, "keys": queries.ssh_keys_of(request.user), "next": pages.safe_next(request, default="")}
    return pages.render_page(request, "accounts/ssh_keys.html", context, status=422 if form.errors else 200)


@require_POST
@login_required
def key_remove(request: requests.SignedIn, key: int) -> http.HttpResponse:
    ssh_keys.remove(user=request.user, key_id=key, by=request.user, now=timezone.now())
    return redirect("accounts:ssh-keys")


@login_required
def notifications(request: requests.SignedIn) -> http.HttpResponse:
    unread_only = request.GET.get("unread") == "1"
    page = queries.notifications_of(request.user, after=request.GET.get("after", ""), unread_only=unread_only)
    return pages.render_page(request, "accounts/notifications.html", {"page": page, "unread_only": unread_only})


@require_POST
@login_required
def notification_open(request: requests.SignedIn, notification: int) -> http.HttpResponse:
    """Mark it as read and go where it leads."""
    path = queries.notification_path(request.user, notification)
    notifying.mark_read(user=request.user, notification_id=notification, now=timezone.now())
    return redirect(path or "accounts:notifications")


@require_POST
@login_required
def notifications_read(request: requests.SignedIn) -> http.HttpResponse:
    notifying.mark_read(user=request.user, now=timezone.now())
    return redirect("accounts:notifications")
