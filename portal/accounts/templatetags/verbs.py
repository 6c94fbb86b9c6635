"""What the verbs of the audit log say. One row for each verb that a service records."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

VERBS = {
    "agreement.ended": _("price agreement ended"),
    "agreement.lapsed": _("price agreement lapsed"),
    "agreement.opened": _("price agreement opened"),
    "agreement.pending": _("price agreed, payment awaited"),
    "booking.active": _("booking started"),
    "booking.cancelled": _("booking cancelled"),
    "booking.confirmed": _("booking confirmed"),
    "booking.ended": _("booking ended"),
    "booking.ending": _("booking is ending"),
    "booking.expired": _("hold expired"),
    "booking.failed": _("booking failed"),
    "booking.held": _("capacity held"),
    "booking.preparing": _("servers being prepared"),
    "documents.exported": _("documents exported"),
    "credit_note.issued": _("credit note issued"),
    "invitation.accepted": _("invitation accepted"),
    "invitation.sent": _("invitation sent"),
    "invitation.withdrawn": _("invitation withdrawn"),
    "invoice.credited": _("invoice credited"),
    "invoice.issued": _("invoice issued"),
    "limits.changed": _("limits changed"),
    "membership.added": _("member added"),
    "membership.changed": _("role changed"),
    "membership.left": _("member left"),
    "membership.removed": _("member removed"),
    "organisation.edited": _("address changed"),
    "organisation.founded": _("organisation founded"),
    "project.added": _("project added"),
    "project.edited": _("project changed"),
    "project.removed": _("project removed"),
    "refund.wanted": _("refund asked for"),
    "tax_id.checked": _("tax id checked"),
    "terms.accepted": _("terms accepted"),
    "token.created": _("API token made"),
    "token.revoked": _("API token revoked"),
}
