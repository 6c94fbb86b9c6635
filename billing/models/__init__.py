from billing.models.agreements import Agreement, AgreementLine, Announcement, Price, RatedItem, TermDiscount, UsageSegment
from billing.models.books import Entry, LedgerAccount, Posting
from billing.models.documents import Document, DocumentFile, DocumentStatus, Draft, DraftLine, Series
from billing.models.parties import BillingAccount, LegalEntity, TaxIdCheck, TaxRule
from billing.models.payments import GatewayEvent, GatewayWatch, Payment, PaymentAttempt, Refund

__all__ = [
    "Agreement", "AgreementLine", "Announcement", "BillingAccount", "Document", "DocumentFile", "DocumentStatus", "Draft", "DraftLine", "Entry",
    "GatewayEvent", "GatewayWatch", "LedgerAccount", "LegalEntity", "Payment", "PaymentAttempt", "Posting", "Price", "RatedItem", "Refund", "Series",
    "TaxIdCheck", "TaxRule", "TermDiscount", "UsageSegment",
]  # fmt: skip
