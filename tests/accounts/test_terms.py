from datetime import timedelta

from portal.accounts import queries
from portal.accounts.models import AuditEntry, TermsVersion
from portal.accounts.services import terms


def test_new_terms_must_be_accepted_once_for_the_organisation(cast, now):
    TermsVersion.objects.create(version="2027-01", published_at=now, text_en="New.", text_zh="新。")
    later = now + timedelta(hours=1)
    assert not queries.has_accepted_terms(cast.lab, later)

    terms.accept(by=cast.ada, organisation=cast.lab, address="192.0.2.9", now=later)
    terms.accept(by=cast.ada, organisation=cast.lab, address="192.0.2.9", now=later)

    assert queries.has_accepted_terms(cast.lab, later)
    assert AuditEntry.objects.filter(verb="terms.accepted").count() == 1
