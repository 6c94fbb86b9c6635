"""The gateway of this installation, and the refusals that a customer sees when it does not do what was asked."""

from __future__ import annotations

import functools
import logging

from django.conf import settings

from billing.gateways import base, stripe
from portal.kernel.errors import Conflict, DomainError

log = logging.getLogger(__name__)


class GatewayUnavailable(DomainError):
    """The payment service does not answer at the moment. Nothing was charged, and nothing is lost. Please try again in a minute."""

    status = 503
    code = "gateway_unavailable"


class GatewayRefused(Conflict):
    """The payment service refused this payment. Nothing was charged. Please write to us."""

    code = "gateway_refused"


class EndpointVersionDiffers(Exception):
    """Events would arrive in another version of the gateway's interface than the one this code reads."""


def current() -> base.Gateway:
    """The one gateway, by the settings."""
    return _stripe(settings.STRIPE_SECRET_KEY, settings.STRIPE_API_BASE)


def check_endpoint(*, url: str) -> str:
    """Compare the version in which the gateway writes to our endpoint at `url` with the one this code reads. Returns what was found, in words. Raises
    EndpointVersionDiffers; a gateway that cannot be asked now is not a difference."""
    gateway = current()
    try:
        found = gateway.endpoint_version(url=url)
    except (base.OutcomeUnknown, base.Refused) as error:
        log.warning("the payment gateway could not be asked for its endpoint: %s", error)
        return "the gateway could not be asked"
    if found is None:
        log.warning("the payment gateway has no endpoint for %s: payments settle by polling only", url)
        return "the gateway has no endpoint for this address"
    if found != gateway.api_version:
        raise EndpointVersionDiffers(f"the endpoint {url} is written to in version {found}, this code reads {gateway.api_version}: create it anew")
    return f"events come in version {found}"


@functools.cache
def _stripe(secret_key: str, api_base: str) -> base.Gateway:
    return stripe.Stripe(secret_key=secret_key, api_base=api_base)
