"""A customer's own split of Bookings and cost centres."""

from __future__ import annotations

from datetime import datetime

from django.db import IntegrityError, transaction

from portal.accounts.models import Organisation, Project, User
from portal.accounts.queries import NoSuchProject
from portal.accounts.services import audit
from portal.kernel.errors import Conflict, NotFound


class NameTaken(Conflict):
    """There is a project with this name already."""

    code = "name_taken"


def add(*, organisation: Organisation, name: str, cost_centre: str, by: User, now: datetime) -> Project:
    """Add a project. Raises NameTaken."""
    try:
        with transaction.atomic():
            project = Project.objects.create(organisation=organisation, name=name, cost_centre=cost_centre)
            audit.record(verb="project.added", subject=organisation.number, by=by, organisation=organisation, now=now, name=name, cost_centre=cost_centre)
    except IntegrityError as error:
        raise NameTaken(field="name") from error
    return project


def edit(*, organisation: Organisation, project_id: int, name: str, cost_centre: str, by: User, now: datetime) -> None:
    """Rename a project or change its cost centre; what was booked keeps what was written then. Raises NotFound, NameTaken."""
    try:
        with transaction.atomic():
            if not Project.objects.filter(organisation=organisation, pk=project_id).update(name=name, cost_centre=cost_centre):
                raise NotFound()
            audit.record(verb="project.edited", subject=organisation.number, by=by, organisation=organisation, now=now, name=name, cost_centre=cost_centre)
    except IntegrityError as error:
        raise NameTaken(field="name") from error


@transaction.atomic
def remove(*, organisation: Organisation, project_id: int, by: User, now: datetime) -> None:
    """Remove a project; its Bookings stay, without a project. Raises NotFound."""
    project = Project.objects.select_for_update().filter(organisation=organisation, pk=project_id).first()
    if project is None:
        raise NotFound()
    audit.record(verb="project.removed", subject=organisation.number, by=by, organisation=organisation, now=now, name=project.name)
    project.delete()


def keep(*, organisation: Organisation, project_id: int) -> Project:
    """The Organisation's project, which nobody removes before the transaction ends. Raises NoSuchProject."""
    project = Project.objects.select_for_update(no_key=True).filter(organisation=organisation, pk=project_id).first()
    if project is None:
        raise NoSuchProject(field="project")
    return project
