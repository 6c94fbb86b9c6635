"""The operator's desk: racks, Servers, Deployments, Operations."""

from __future__ import annotations

from django import http
from django.contrib import messages
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from portal.accounts.domain import roles
from portal.accounts.views.access import staff_required
from portal.kernel.errors import DomainError, InvalidInput
from portal.toolkit import pages
from rentals.forms import servers as forms
from rentals.queries import deployments as work
from rentals.queries import fleet
from rentals.services import engines, inventory, servers

operator_required = staff_required(roles.OPERATOR)


@require_safe
@operator_required
def wall(request: http.HttpRequest) -> http.HttpResponse:
    return pages.render_page(request, "rentals/operate/wall.html", {"wall": fleet.wall(timezone.now())}, partial="fleet-wall")


@require_safe
@operator_required
def listing(request: http.HttpRequest) -> http.HttpResponse:
    found = fleet.servers(filters=request.GET, after=request.GET.get("after", ""))
    return pages.render_page(request, "rentals/operate/servers.html", {"listing": found, "page": found.page}, partial="server-list")


@operator_required
def new(request: http.HttpRequest) -> http.HttpResponse:
    form = forms.NewServer(request.POST or None, choices=fleet.choices(), engines=engines.names())
    if request.method == "POST" and form.is_valid():
        try:
            server = inventory.add_server(by=request.user, now=timezone.now(), **form.cleaned_data)
            return redirect("rentals:operate-server", server.serial)
        except DomainError as refusal:
            pages.put_on_form(form, refusal)
    return pages.render_page(request, "rentals/operate/server_new.html", {"form": form}, status=422 if form.errors else 200)


@require_safe
@operator_required
def server(request: http.HttpRequest, serial: str) -> http.HttpResponse:
    shown = fleet.server_shown(server=fleet.server_for(request.user, serial), now=timezone.now())
    return pages.render_page(request, "rentals/operate/server.html", {"shown": shown, "server": shown.row}, partial="server-state")


@require_POST
@operator_required
def take_out(request: http.HttpRequest, serial: str) -> http.HttpResponse:
    row, form = fleet.server_for(request.user, serial), forms.Reason(request.POST)
    form.is_valid()
    servers.take_out(server=row, reason=form.cleaned_data.get("reason", ""), by=request.user, now=timezone.now())
    messages.info(request, _("%(serial)s is out of service.") % {"serial": serial})
    return redirect("rentals:operate-server", serial)


@require_POST
@operator_required
def retire(request: http.HttpRequest, serial: str) -> http.HttpResponse:
    row, form = fleet.server_for(request.user, serial), forms.Reason(request.POST)
    form.is_valid()
    if form.cleaned_data.get("typed", "") != serial:
        raise InvalidInput(_("Type the serial to confirm: this cannot be undone."), field="typed")
    servers.retire(server=row, reason=form.cleaned_data.get("reason", ""), by=request.user, now=timezone.now())
    return redirect("rentals:operate-server", serial)


@require_POST
@operator_required
def put_back(request: http.HttpRequest, serial: str) -> http.HttpResponse:
    servers.put_back(server=fleet.server_for(request.user, serial), by=request.user, now=timezone.now())
    return redirect("rentals:operate-server", serial)


@require_POST
@operator_required
def put_unit_back(request: http.HttpRequest, serial: str, unit: int) -> http.HttpResponse:
    servers.put_unit_back(unit=fleet.unit_for(request.user, serial, unit), by=request.user, now=timezone.now())
    return redirect("rentals:operate-server", serial)


@require_safe
@operator_required
def deployments(request: http.HttpRequest) -> http.HttpResponse:
    found = work.deployments(filters=request.GET, now=timezone.now(), after=request.GET.get("after", ""))
    return pages.render_page(request, "rentals/operate/deployments.html", {"listing": found, "page": found.page}, partial="deployment-list")


@require_safe
@operator_required
def operation(request: http.HttpRequest, op_id: str) -> http.HttpResponse:
    shown = work.operation_for(request.user, op_id)
    return pages.render_page(request, "rentals/operate/operation.html", {"shown": shown, "operation": shown.row}, partial="operation-state")
