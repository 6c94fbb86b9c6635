from datetime import timedelta
from decimal import Decimal

import pytest

from billing import queries
from billing.domain.pricing import Wanted
from billing.models import Agreement, Price, TermDiscount
from billing.queries import agreements
from portal.kernel.errors import NotFound
from portal.kernel.period import Period
from tests.billing.conftest import A100, T4

WANTED = [Wanted(A100, "8 × A100 80 GB", Decimal(2)), Wanted(T4, "4 × T4", Decimal(1))]


def test_the_price_of_an_agreement_is_its_preview_to_the_cent_whatever_the_list_says_later(till):
    TermDiscount.objects.create(from_hours=24, percent=Decimal(5))
    during = Period.starting(till.now, timedelta(hours=37, minutes=7))
    before = queries.preview(organisation=till.cast.lab, wanted=WANTED, during=during, currency="USD", now=till.now)
    number = till.order(wanted=WANTED, during=during)
    Price.objects.update(rate=Decimal("99"))

    agreed = agreements.price_of(agreement=number)

    assert [(line.sku, line.net, line.discount, line.rule) for line in agreed.lines] == [
        (line.sku, line.net, line.discount, line.rule) for line in before.lines
    ]
    assert (agreed.net, agreed.tax, agreed.gross, agreed.term_percent) == (before.net, before.tax, before.gross, before.term_percent)
    row = Agreement.objects.by_number(number).get()
    assert (row.net_minor, row.tax_minor, row.gross_minor) == (agreed.net.minor, agreed.tax.minor, agreed.gross.minor)


def test_an_agreement_that_does_not_exist_has_no_price(db):
    with pytest.raises(NotFound):
        agreements.price_of(agreement="A-9999")
