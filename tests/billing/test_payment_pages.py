"""Pages of paying: to the checkout, back from it, the gateway's messages, and finance's refund."""

from __future__ import annotations

import pytest
from django.urls import reverse

from billing.models import Agreement, Document, GatewayEvent, Payment, Refund
from billing.services import agreements
from tests.billing.counter import Counter
from tests.house import tree

HTMX = {"HX-Request": "true"}


def log_in(client, user):
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client


def pay(client, number):
    return client.post(reverse("billing:agreement-pay", args=[number]))


def come_back(client, number, **more):
    return client.get(reverse("billing:agreement-return", args=[number]), **more)


def test_the_pay_button_leads_to_the_hosted_checkout(client, counter: Counter):
    number = counter.order()
    log_in(client, counter.cast.ben)

    answer = pay(client, number)

    assert (answer.status_code, answer["Location"]) == (303, counter.vendor.checkouts["cs_1"].url)
    assert counter.vendor.wishes["cs_1"].success_url.endswith(f"/billing/agreements/{number}/return/")
    assert counter.vendor.wishes["cs_1"].success_url.startswith("http")


def test_the_checkout_speaks_the_customers_language(client, counter: Counter):
    number = counter.order()
    counter.cast.ada.language = "zh-hans"
    counter.cast.ada.save()

    pay(log_in(client, counter.cast.ada), number)

    assert counter.vendor.wishes["cs_1"].language == "zh"


@pytest.mark.parametrize(("who", "status"), [("sid", 404), ("chen", 403), ("olu", 403), ("fin", 403)])
def test_only_those_who_book_or_pay_for_the_organisation_may_pay(client, counter: Counter, who, status):
    number = counter.order()

    assert pay(log_in(client, getattr(counter.cast, who)), number).status_code == status
    assert not Payment.objects.exists()


def test_a_visitor_is_sent_to_the_log_in(client, counter: Counter):
    number = counter.order()

    assert pay(client, number)["Location"].startswith("/account/login/")
    assert come_back(client, number)["Location"].startswith("/account/login/")


def test_a_gateway_that_is_away_is_told_with_503_and_a_way_to_try_again(client, counter: Counter):
    number = counter.order()
    counter.vendor.away = True

    answer = pay(log_in(client, counter.cast.ada), number)

    page = answer.content.decode()
    assert answer.status_code == 503
    assert "does not answer at the moment" in page
    assert "Try again" in page


@pytest.mark.parametrize(
    ("state", "failure", "words"),
    [
        ("succeeded", "", "Your booking is confirmed."),
        ("processing", "", "being processed"),
        ("failed", "insufficient_funds", "The card has insufficient funds."),
        ("failed", "something_new", "could not charge this card"),
    ],
)
def test_the_return_page_says_how_it_went_and_what_to_do_next(client, counter: Counter, state, failure, words):
    number = counter.order()
    counter.start(number)
    counter.vendor.card("cs_1", state, failure)

    page = come_back(log_in(client, counter.cast.ada), number).content.decode()

    assert words in page
    assert Agreement.objects.get().path in page
    assert ("Try again" in page) == (state == "failed")
    assert ("every 2s" in page) == (state == "processing")


def test_whoever_left_the_checkout_reads_that_nothing_was_charged(client, counter: Counter):
    number = counter.order()
    counter.start(number)

    page = come_back(log_in(client, counter.cast.ada), number).content.decode()

    assert "You left the checkout. Nothing was charged" in page
    assert "Try again" in page


def test_an_expired_checkout_and_an_ended_hold_are_told_apart(client, counter: Counter):
    number = counter.order()
    counter.start(number)
    counter.vendor.expire("cs_1")
    log_in(client, counter.cast.ada)

    expired = come_back(client, number).content.decode()
    agreements.lapse(number=number, now=counter.now)
    lapsed = come_back(client, number).content.decode()

    assert "The checkout has closed" in expired
    assert "The hold has ended" in lapsed
    assert "Try again" not in lapsed


def test_money_that_came_too_late_is_told_as_being_given_back(client, counter: Counter):
    number = counter.order()
    counter.start(number)
    agreements.lapse(number=number, now=counter.now)
    counter.vendor.card("cs_1")
    log_in(client, counter.cast.ada)

    on_its_way = come_back(client, number).content.decode()
    counter.send_refunds(later=10 * 365 * 24 * 3600)
    given_back = come_back(client, number).content.decode()

    assert "your money is on its way back" in on_its_way
    assert "given back" in given_back


def test_htmx_gets_the_panel_only_and_stops_asking_once_it_is_settled(client, counter: Counter):
    number = counter.order()
    counter.start(number)
    counter.vendor.card("cs_1")

    answer = come_back(log_in(client, counter.cast.ada), number, headers=HTMX).content.decode()

    assert answer.strip().startswith("<section")
    assert "hx-trigger" not in answer


def test_the_return_page_is_closed_to_strangers_and_readers_and_open_to_finance(client, counter: Counter):
    number = counter.order()

    statuses = {who: come_back(log_in(client, getattr(counter.cast, who)), number).status_code for who in ("sid", "chen", "olu", "fin", "bea")}

    assert statuses == {"sid": 404, "chen": 403, "olu": 403, "fin": 200, "bea": 200}


def test_the_return_page_asks_the_database_a_fixed_number_of_times(client, counter: Counter, django_assert_max_num_queries):
    number = counter.buy()
    log_in(client, counter.cast.ada)

    with django_assert_max_num_queries(18):
        come_back(client, number)


def test_a_signed_event_is_taken_without_a_log_in_or_a_token(client, counter: Counter):
    number = counter.order()
    counter.start(number)
    counter.vendor.card("cs_1")
    address, event = reverse("billing:gateway-events"), counter.vendor.events[0]

    taken = client.post(address, counter.vendor.body(event), content_type="application/json", headers={"Stripe-Signature": "signed"})
    again = client.post(address, counter.vendor.body(event), content_type="application/json", headers={"Stripe-Signature": "signed"})

    assert (taken.status_code, again.status_code) == (200, 200)
    assert GatewayEvent.objects.get().payload["id"] == event.id
    assert GatewayEvent.objects.get().processed_at is None


@pytest.mark.parametrize("signature", ["", "forged"])
def test_an_event_that_is_not_signed_is_refused_with_400(client, counter: Counter, signature):
    answer = client.post(reverse("billing:gateway-events"), b"{}", content_type="application/json", headers={"Stripe-Signature": signature})

    assert answer.status_code == 400
    assert not GatewayEvent.objects.exists()


def test_the_webhook_answers_post_only(client, db):
    assert client.get(reverse("billing:gateway-events")).status_code == 405


def test_the_payments_of_a_document_are_a_page_and_a_fragment(client, counter: Counter):
    counter.buy()
    invoice, payment = Document.objects.get().number, Payment.objects.get().number
    address = reverse("billing:document-payments", args=[invoice])

    page = log_in(client, counter.cast.bea).get(address).content.decode()
    fragment = client.get(address, headers=HTMX).content.decode()
    finance = log_in(client, counter.cast.fin).get(address).content.decode()

    assert payment in page
    assert "<html" not in fragment
    assert reverse("billing:payment", args=[payment]) in finance
    assert reverse("billing:payment", args=[payment]) not in page


@pytest.mark.parametrize(("who", "status"), [("sid", 404), ("ben", 403), ("mei", 403)])
def test_the_payments_of_a_document_are_for_payers_and_finance(client, counter: Counter, who, status):
    counter.buy()

    assert log_in(client, getattr(counter.cast, who)).get(reverse("billing:document-payments", args=[Document.objects.get().number])).status_code == status


def test_finance_sees_a_payment_and_refunds_it_after_a_preview(client, counter: Counter):
    counter.buy()
    payment = Payment.objects.get()
    log_in(client, counter.cast.fin)
    address = reverse("billing:payment-refund", args=[payment.number])
    token = client.get(address).context["form"].initial["token"]
    wish = {"amount": "50.00", "reason": "Goodwill", "token": token}

    preview = client.post(address, wish)
    written_after_preview = Refund.objects.count()
    done = client.post(address, {**wish, "confirmed": "yes"})
    again = client.post(address, {**wish, "confirmed": "yes"})

    assert "will count as unpaid by that much" in preview.content.decode()
    assert written_after_preview == 0
    assert done["Location"] == again["Location"] == reverse("billing:payment", args=[payment.number])
    assert (Refund.objects.get().amount_minor, Refund.objects.get().reason) == (5000, "Goodwill")
    assert Refund.objects.get().number in client.get(done["Location"]).content.decode()


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        ({"amount": "50.005", "reason": "x"}, "no such small part"),
        ({"amount": "999999", "reason": "x"}, "Enter an amount above 0"),
        ({"amount": "1", "reason": ""}, "required"),
        ({"amount": "many", "reason": "x"}, "number"),
    ],
)
def test_a_refund_that_cannot_be_is_refused_at_its_field(client, counter: Counter, wish, words):
    counter.buy()
    address = reverse("billing:payment-refund", args=[Payment.objects.get().number])

    answer = log_in(client, counter.cast.fin).post(address, {**wish, "token": "a"})

    assert answer.status_code == 422
    assert words in answer.content.decode()
    assert not Refund.objects.exists()


@pytest.mark.parametrize(("who", "status"), [("sid", 404), ("ada", 404), ("mei", 403), ("olu", 403)])
def test_finances_pages_are_for_finance(client, counter: Counter, who, status):
    counter.buy()
    log_in(client, getattr(counter.cast, who))

    for name in ("billing:payment", "billing:payment-refund"):
        assert client.get(reverse(name, args=[Payment.objects.get().number])).status_code == status


def test_finances_page_of_a_payment_asks_the_database_a_fixed_number_of_times(client, counter: Counter, django_assert_max_num_queries):
    counter.buy()
    address = reverse("billing:payment", args=[Payment.objects.get().number])
    log_in(client, counter.cast.fin)

    with django_assert_max_num_queries(16):
        client.get(address)


def test_every_act_of_paying_works_without_a_script():
    page = tree.text(next(path for path in tree.files() if path.name == "payment_return.html"))

    assert '<form class="row-gap" method="post"' in page
    assert "Look again" in page
