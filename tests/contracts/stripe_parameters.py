"""Is an outgoing request one that the vendor's interface takes? Compared with the request types that the installed client carries."""

from __future__ import annotations

import importlib
import re
import sys
import types
import typing

import typing_extensions
from stripe._stripe_context import StripeContext

NAMES = {**vars(typing), **vars(typing_extensions), "StripeContext": StripeContext}  # the types name it and do not import it
REQUESTS = (
    ("post", r"/v1/checkout/sessions", "stripe.params.checkout", "SessionCreateParams"),
    ("get", r"/v1/checkout/sessions/[^/]+", "stripe.params.checkout", "SessionRetrieveParams"),
    ("post", r"/v1/checkout/sessions/[^/]+/expire", "stripe.params.checkout", "SessionExpireParams"),
    ("get", r"/v1/payment_intents/[^/]+", "stripe.params", "PaymentIntentRetrieveParams"),
    ("post", r"/v1/refunds", "stripe.params", "RefundCreateParams"),
    ("get", r"/v1/refunds", "stripe.params", "RefundListParams"),
    ("get", r"/v1/refunds/[^/]+", "stripe.params", "RefundRetrieveParams"),
    ("get", r"/v1/events", "stripe.params", "EventListParams"),
    ("get", r"/v1/webhook_endpoints", "stripe.params", "WebhookEndpointListParams"),
)


def request_type(method: str, path: str) -> type:
    """The type of the request that `method` and `path` name; fails for one that this table does not know."""
    for verb, pattern, package, name in REQUESTS:
        if verb == method and re.fullmatch(pattern, path):
            module = "_" + re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
            return getattr(importlib.import_module(f"{package}.{module}"), name)
    raise AssertionError(f"{method} {path}: name the type of this request in REQUESTS")


def faults(value: object, wanted: object, where: str = "request") -> list[str]:
    """What is wrong with `value` as a `wanted`: unknown and missing parameters, wrong types, words outside of an enumeration."""
    while typing_extensions.get_origin(wanted) in (typing_extensions.NotRequired, typing_extensions.Required):
        wanted = typing_extensions.get_args(wanted)[0]
    if wanted is typing.Any:
        return []
    if typing_extensions.is_typeddict(wanted):
        return _of_object(value, wanted, where)
    origin, arguments = typing_extensions.get_origin(wanted), typing_extensions.get_args(wanted)
    if origin in (typing.Union, types.UnionType):
        return _of_union(value, arguments, where)
    if origin in (typing.Literal, typing_extensions.Literal):
        return [] if value in arguments else [f"{where}: {value!r} is none of {arguments}"]
    if origin in (list, dict):
        return _of_container(value, origin, arguments, where)
    fits = isinstance(value, wanted) and not (wanted is int and isinstance(value, bool)) if isinstance(wanted, type) else True
    return [] if fits else [f"{where}: {value!r} is no {wanted}"]


def _of_object(value: object, wanted: type, where: str) -> list[str]:
    if not isinstance(value, dict):
        return [f"{where}: not an object"]
    known = typing_extensions.get_type_hints(wanted, globalns={**NAMES, **vars(sys.modules[wanted.__module__])}, include_extras=True)
    found = [f"{where}: {name} is missing" for name in wanted.__required_keys__ - value.keys()]
    found += [f"{where}: {name} is unknown" for name in value.keys() - known.keys()]
    for name in value.keys() & known.keys():
        found += faults(value[name], known[name], f"{where}.{name}")
    return found


def _of_union(value: object, alternatives: tuple, where: str) -> list[str]:
    # An open enumeration is typed "one of these or any string": what is taken today is the closed one.
    enumerated = any(
        typing_extensions.get_origin(each) in (typing.Literal, typing_extensions.Literal) and any(typing_extensions.get_args(each)) for each in alternatives
    )
    tried = [faults(value, each, where) for each in alternatives if not (enumerated and each is str)]
    return min(tried, key=len)


def _of_container(value: object, origin: type, arguments: tuple, where: str) -> list[str]:
    if not isinstance(value, origin):
        return [f"{where}: not a {origin.__name__}"]
    items = enumerate(value) if origin is list else value.items()
    return [fault for name, item in items for fault in faults(item, arguments[-1], f"{where}[{name}]")]
