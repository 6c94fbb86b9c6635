"""{% load shell %}: the navigation of the shell, by role."""

from __future__ import annotations

from dataclasses import dataclass

from django import http, template
from django.urls import reverse

from portal.accounts import queries
from portal.web import places

register = template.Library()


@dataclass(frozen=True, slots=True)
class Link:
    url: str
    label: str
    icon: str
    is_current: bool


@register.simple_tag(takes_context=True)
def site_nav(context: template.Context) -> dict[str, list[Link]]:
    """The links of each bar for whoever looks; worked out once a request."""
    request = context["request"]
    if not hasattr(request, "site_nav"):
        audiences = _audiences(request, context.get("shell"))
        request.site_nav = {bar: _links(request, places.places_for(audiences, bar)) for bar in ("places", "tools", "own", "foot")}
    return request.site_nav


def _audiences(request: http.HttpRequest, shell: queries.Shell | None) -> set[str]:
    user = getattr(request, "user", None)
    if user is None or shell is None or not user.is_authenticated:
        return {places.EVERYONE}
    roles = set(shell.staff_roles)
    return {places.EVERYONE, places.PERSON} | ({places.STAFF} | roles if roles else {places.CUSTOMER})


def _links(request: http.HttpRequest, rows: list[places.Place]) -> list[Link]:
    links = []
    for place in rows:
        url = reverse(place.name)
        links.append(Link(url, str(place.label), place.icon, request.path == url if url == "/" else request.path.startswith(url)))
    return links
