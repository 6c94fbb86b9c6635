"""How each noun's state looks: icon, tone and word. Tones are the four status colours plus neutral; a state is never shown by colour alone."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy as _c

OK, ATTENTION, FAULT, INFORMATION, NEUTRAL = "ok", "attention", "fault", "information", "neutral"


@dataclass(frozen=True, slots=True)
class Look:
    icon: str
    tone: str
    word: str | Promise


STATES: dict[str, dict[str, Look]] = {
    "booking": {
        "held": Look("hourglass", ATTENTION, _("held")),
        "confirmed": Look("calendar-event", INFORMATION, _("confirmed")),
        "preparing": Look("progress", INFORMATION, _("preparing")),
        "active": Look("player-play", OK, _("active")),
        "ending": Look("clock-pause", INFORMATION, _("ending")),
        "ended": Look("flag", NEUTRAL, _("ended")),
        "cancelled": Look("ban", NEUTRAL, _("cancelled")),
        "expired": Look("calendar-off", NEUTRAL, _("expired")),
        "failed": Look("alert-octagon", FAULT, _("failed")),
    },
    "server": {
        "enrolled": Look("plus", INFORMATION, _("enrolled")),
        "verifying": Look("list-check", INFORMATION, _("verifying")),
        "available": Look("circle-check", OK, _("available")),
        "reserved": Look("calendar-event", INFORMATION, _("reserved")),
        "deploying": Look("progress", INFORMATION, _("deploying")),
        "rented": Look("player-play", OK, _("rented")),
        "degraded": Look("alert-triangle", ATTENTION, _("degraded")),
        "undeploying": Look("rotate", INFORMATION, _("undeploying")),
        "wiping": Look("eraser", INFORMATION, _("wiping")),
        "wipe_failed": Look("alert-octagon", FAULT, _("wipe failed")),
        "validating": Look("list-check", INFORMATION, _("validating")),
        "quarantined": Look("lock", FAULT, _("quarantined")),
        "maintenance": Look("tool", ATTENTION, _("maintenance")),
        "retired": Look("archive", NEUTRAL, _("retired")),
        "unknown": Look("question-mark", ATTENTION, _("unknown")),
    },
    "deployment": {
        "planned": Look("calendar-event", NEUTRAL, _("planned")),
        "preparing": Look("progress", INFORMATION, _("preparing")),
        "prepared": Look("progress-check", INFORMATION, _("prepared")),
        "handing_over": Look("key", INFORMATION, _("handing over")),
        "ready": Look("circle-check", OK, _("ready")),
        "undeploying": Look("rotate", INFORMATION, _("handing back")),
        "wiping": Look("eraser", INFORMATION, _("wiping")),
        "validating": Look("list-check", INFORMATION, _("validating")),
        "done": Look("flag", NEUTRAL, _("done")),
        "failed": Look("alert-octagon", FAULT, _("failed")),
        "cancelled": Look("ban", NEUTRAL, _("cancelled")),
    },
    "operation": {
        "waiting": Look("clock", NEUTRAL, _("waiting")),
        "running": Look("progress", INFORMATION, _("running")),
        "done": Look("check", OK, _("done")),
        "failed": Look("alert-octagon", FAULT, _("failed")),
        "cancelled": Look("ban", NEUTRAL, _("cancelled")),
    },
    "wipe": {
        "complete": Look("shield-check", OK, _("every disk erased")),
        "failed": Look("alert-octagon", FAULT, _("wipe failed")),
    },
    "disk": {
        "passed": Look("circle-check", OK, _("erased")),
        "failed": Look("alert-octagon", FAULT, _("not erased")),
        "untouched": Look("question-mark", FAULT, _("untouched")),
    },
    "unit": {
        "off_sale": Look("lock", ATTENTION, _("not on sale")),
    },
    "quote": {
        "draft": Look("pencil", NEUTRAL, _("draft")),
        "sent": Look("send", INFORMATION, _("sent")),
        "accepted": Look("circle-check", OK, _("accepted")),
        "declined": Look("circle-x", NEUTRAL, _("declined")),
        "expired": Look("calendar-off", NEUTRAL, _("expired")),
        "withdrawn": Look("arrow-back-up", NEUTRAL, _("withdrawn")),
        "superseded": Look("versions", NEUTRAL, _("superseded")),
    },
    "agreement": {
        "pending": Look("hourglass", ATTENTION, _("waits for payment")),
        "open": Look("player-play", OK, _c("agreement", "open")),
        "ended": Look("flag", NEUTRAL, _("ended")),
        "lapsed": Look("calendar-off", NEUTRAL, _("lapsed")),
    },
    "document": {
        "open": Look("clock", INFORMATION, _c("invoice", "open")),
        "paid": Look("circle-check", OK, _("paid")),
        "partly_paid": Look("progress", INFORMATION, _("partly paid")),
        "overdue": Look("alert-triangle", ATTENTION, _("overdue")),
        "credited": Look("receipt-refund", NEUTRAL, _("credited")),
        "partly_credited": Look("receipt-refund", NEUTRAL, _("partly credited")),
        "refunded": Look("receipt-refund", NEUTRAL, _("refunded")),
        "draft": Look("pencil", NEUTRAL, _("draft")),
        "issued": Look("file-invoice", INFORMATION, _("issued")),
        "void": Look("ban", NEUTRAL, _("void")),
    },
    "payment": {
        "started": Look("hourglass", INFORMATION, _("started")),
        "processing": Look("progress", INFORMATION, _("processing")),
        "requires_action": Look("alert-triangle", ATTENTION, _("needs your confirmation")),
        "succeeded": Look("circle-check", OK, _("paid")),
        "failed": Look("alert-octagon", FAULT, _("failed")),
        "cancelled": Look("ban", NEUTRAL, _("cancelled")),
    },
    "refund": {
        "wanted": Look("hourglass", INFORMATION, _("on its way")),
        "pending": Look("building-bank", INFORMATION, _("pending at the bank")),
        "succeeded": Look("receipt-refund", OK, _("refunded")),
        "failed": Look("alert-octagon", FAULT, _("failed")),
    },
    "entry": {
        "invoice": Look("file-invoice", NEUTRAL, _("invoice issued")),
        "credit_note": Look("receipt-refund", NEUTRAL, _("credit note issued")),
        "payment_settled": Look("circle-check", NEUTRAL, _("payment settled")),
        "refund_wanted": Look("hourglass", NEUTRAL, _("refund wanted")),
        "refund_settled": Look("receipt-refund", NEUTRAL, _("refund settled")),
        "refund_failed": Look("alert-octagon", NEUTRAL, _("refund failed")),
        "revenue_served": Look("clock", NEUTRAL, _("service rendered")),
    },
    "usage": {
        "served": Look("circle-check", OK, _("served")),
        "interrupted": Look("alert-triangle", ATTENTION, _("interrupted")),
        "unknown": Look("question-mark", ATTENTION, _("unknown")),
    },
    "tax_id": {
        "valid": Look("circle-check", OK, _("valid")),
        "invalid": Look("circle-x", FAULT, _("invalid")),
        "unavailable": Look("wifi-off", ATTENTION, _("could not be checked")),
        "unchecked": Look("question-mark", NEUTRAL, _("not checked")),
    },
    "agent": {
        "reporting": Look("activity", OK, _("reporting")),
        "late": Look("clock", ATTENTION, _("late")),
        "silent": Look("plug-connected-x", FAULT, _("silent")),
    },
    "gpu": {
        "ok": Look("circle-check", OK, _("working")),
        "error": Look("alert-triangle", FAULT, _("does not answer")),
        "lost": Look("plug-connected-x", FAULT, _("lost")),
        "needs_reset": Look("refresh", FAULT, _("needs a reset")),
        "silent": Look("question-mark", ATTENTION, _("not reporting")),
    },
    "availability": {
        "free": Look("circle-check", OK, _("free")),
        "few": Look("circle-minus", ATTENTION, _("few left")),
        "taken": Look("circle-x", NEUTRAL, _("taken")),
    },
    "second_step": {
        "on": Look("shield-check", OK, _c("switch", "on")),
        "off": Look("shield", NEUTRAL, _c("switch", "off")),
    },
    "token": {
        "revoked": Look("ban", NEUTRAL, _("revoked")),
        "expired": Look("calendar-off", NEUTRAL, _("expired")),
    },
    "invitation": {
        "open": Look("mail", INFORMATION, _c("invitation", "open")),
        "expired": Look("calendar-off", NEUTRAL, _("expired")),
    },
    "rented": {
        "reserved": Look("calendar-event", INFORMATION, _("reserved")),
        "waiting": Look("hourglass", INFORMATION, _("being prepared")),
        "ready": Look("circle-check", OK, _("ready")),
        "gone": Look("alert-octagon", FAULT, _("not reachable")),
        "back": Look("flag", NEUTRAL, _("handed back")),
    },
    "step": {
        "done": Look("check", OK, _("done")),
        "running": Look("progress", INFORMATION, _("running")),
        "next": Look("circle-dashed", NEUTRAL, _c("step", "next")),
        "failed": Look("alert-octagon", FAULT, _("failed")),
    },
}


def look_of(noun: str, value: str) -> Look:
    """The Look of `noun` in state `value`; a state that nobody has drawn yet keeps its own word, neutral."""
    known = STATES.get(noun, {}).get(value)
    return known or Look("circle-dotted", NEUTRAL, str(value).replace("_", " "))
