"""A stand-in for a whole module, and the gateway that speaks to it."""

from __future__ import annotations

import pytest
import stripe
from stripe._api_requestor import _APIRequestor

from billing.gateways.stripe import Stripe
from tests.contracts import stripe_parameters
from tests.contracts.stand_in import KEY, Endpoint, StandIn


@pytest.fixture(scope="module")
def endpoint():
    endpoint = Endpoint()
    yield endpoint
    endpoint.close()


@pytest.fixture(scope="module")
def stand_in(tmp_path_factory, endpoint):
    """Running, with `endpoint` as the one that is told of events."""
    stand_in = StandIn(tmp_path_factory.mktemp("stripe"), webhook_url=endpoint.url).start()
    yield stand_in
    stand_in.stop()


@pytest.fixture
def requests_made(monkeypatch) -> list[tuple[str, str, dict]]:
    """Every request that leaves through the vendor's client; each has been compared with the vendor's own request types."""
    made: list[tuple[str, str, dict]] = []
    original = _APIRequestor.request

    def checked(self, method, url, params=None, *arguments, **named):
        sent = dict(params or {})
        faults = stripe_parameters.faults(sent, stripe_parameters.request_type(method, url))
        assert not faults, (method, url, faults)
        made.append((method, url, sent))
        return original(self, method, url, params, *arguments, **named)

    monkeypatch.setattr(_APIRequestor, "request", checked)
    return made


@pytest.fixture
def gateway(stand_in, requests_made) -> Stripe:
    return Stripe(secret_key=KEY, api_base=stand_in.url)


@pytest.fixture
def vendor(stand_in) -> stripe.StripeClient:
    """The vendor's client itself, for what the portal does not ask for."""
    return stripe.StripeClient(KEY, base_addresses={"api": stand_in.url}, max_network_retries=0)
