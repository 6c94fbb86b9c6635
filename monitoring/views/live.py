"""Live pages: of a Booking for its customer, of any Server for an operator. Right without a script; the script makes them move."""

from __future__ import annotations

from django import http
from django.contrib.auth.decorators import login_required
from django.urls import reverse
from django.utils import timezone

from monitoring.queries import pages, watching
from monitoring.queries.watching import Watch
from portal.accounts.views import access
from portal.toolkit.pages import render_page


@login_required
def booking(request: http.HttpRequest, number: str) -> http.HttpResponse:
    watch = watching.booking(user=request.user, number=number, now=timezone.now())
    return _page(request, watch, history=reverse("monitoring:live-history", args=[number]), socket=f"/ws/live/{watch.number}/")


@login_required
def booking_history(request: http.HttpRequest, number: str) -> http.HttpResponse:
    """What the page's script draws, for when it comes back from being hidden or cut off."""
    return _drawing(request, watching.booking(user=request.user, number=number, now=timezone.now()))


@login_required
def strip(request: http.HttpRequest, number: str) -> http.HttpResponse:
    """A fragment for the Booking's page: small bars for each Server."""
    now = timezone.now()
    watch = watching.booking(user=request.user, number=number, now=now)
    return render_page(request, "monitoring/_strip.html", {"watch": watch, "faces": pages.strip(watch=watch, now=now)})


@access.staff_required("operator")
def server(request: http.HttpRequest, serial: str) -> http.HttpResponse:
    watch = watching.server(user=request.user, serial=serial)
    return _page(request, watch, history=reverse("monitoring:server-live-history", args=[serial]), socket=f"/ws/operate/servers/{serial}/live/")


@access.staff_required("operator")
def server_history(request: http.HttpRequest, serial: str) -> http.HttpResponse:
    return _drawing(request, watching.server(user=request.user, serial=serial))


def _live(request: http.HttpRequest, watch: Watch) -> pages.Live:
    return pages.page(watch=watch, chosen=request.GET.get("server", ""), span=request.GET.get("span", ""), now=timezone.now())


def _page(request: http.HttpRequest, watch: Watch, *, history: str, socket: str) -> http.HttpResponse:
    live = _live(request, watch)
    query = http.QueryDict(mutable=True)
    query.update({"server": live.chosen} if live.chosen else {})
    context = {"live": live, "drawing": pages.drawing(live=live), "history": f"{history}?{query.urlencode()}", "socket": socket, "spans": pages.SPANS}
    return render_page(request, "monitoring/live.html", context)


def _drawing(request: http.HttpRequest, watch: Watch) -> http.JsonResponse:
    answer = http.JsonResponse(pages.drawing(live=_live(request, watch)), json_dumps_params={"allow_nan": False, "separators": (",", ":")})
    answer["Cache-Control"] = "no-store"
    return answer
