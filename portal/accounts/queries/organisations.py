"""An Organisation's people and projects, and our staff's list of customers."""

from __future__ import annotations

from django.db.models import Q

from portal.accounts.models import Membership, Organisation, Project
from portal.kernel.errors import InvalidInput
from portal.kernel.page import Page

PAGE = 50


def memberships_of(organisation: Organisation) -> list[Membership]:
    """Members with their role, in the order in which they joined."""
    return list(Membership.objects.filter(organisation=organisation).select_related("user").order_by("pk"))


class NoSuchProject(InvalidInput):
    """Your organisation has no such project."""

    code = "no_such_project"


def projects_of(organisation: Organisation | int) -> list[Project]:
    return list(Project.objects.filter(organisation=organisation).order_by("name", "pk"))


def project_named(organisation: Organisation | int, name: str) -> Project:
    """The Organisation's project with this name. Raises NoSuchProject."""
    project = Project.objects.filter(organisation=organisation, name=name).first()
    if project is None:
        raise NoSuchProject(field="project")
    return project


def customers(*, words: str = "", after: str = "") -> Page[Organisation]:
    """All Organisations by number, found by name, legal name, number or a member's address; for our staff."""
    rows = Organisation.objects.all()
    if words:
        found = Q(name__icontains=words) | Q(legal_name__icontains=words) | Q(memberships__user__email__icontains=words)
        rows = Organisation.objects.filter(Q(pk__in=Organisation.objects.by_number(words.upper())) | Q(pk__in=Organisation.objects.filter(found)))
    count = rows.count()
    if after.isascii() and after.isdigit():
        rows = rows.filter(pk__lt=int(after[:18]))
    shown = list(rows.select_related("account_manager").order_by("-pk")[: PAGE + 1])
    return Page(shown[:PAGE], str(shown[PAGE - 1].pk) if len(shown) > PAGE else "", count)
