"""New objects with every key that the vendor's example of the resource has. What the stand-in does not do is null, as the vendor answers it."""

from __future__ import annotations

from billing.gateways.simulated.cards import Card
from billing.gateways.simulated.store import new_id

API_VERSION = "2026-10-28.endive"
EMPTY_ADDRESS = {"city": None, "country": None, "line1": None, "line2": None, "postal_code": None, "state": None}


def customer(params: dict, now: int) -> dict:
    return {
        "address": params.get("address"), "balance": 0, "created": now, "currency": None, "default_source": None, "delinquent": False,
        "description": params.get("description"), "discount": None, "email": params.get("email"), "id": new_id("cus"), "invoice_prefix": "SIMULATED",
        "invoice_settings": {"custom_fields": None, "default_payment_method": None, "footer": None, "rendering_options": None}, "livemode": False,
        "metadata": params.get("metadata") or {}, "name": params.get("name"), "next_invoice_sequence": 1, "object": "customer", "phone": params.get("phone"),
        "preferred_locales": params.get("preferred_locales") or [], "shipping": None, "tax_exempt": "none", "test_clock": None,
    }  # fmt: skip


def payment_method(card: Card, now: int) -> dict:
    return {
        "allow_redisplay": "unspecified", "billing_details": {"address": EMPTY_ADDRESS, "email": None, "name": None, "phone": None, "tax_id": None},
        "card": {
            "brand": card.brand, "checks": {"address_line1_check": None, "address_postal_code_check": None, "cvc_check": "pass"}, "country": card.country,
            "display_brand": card.brand, "exp_month": 12, "exp_year": 2034, "fingerprint": f"Sim{card.number[-12:]}", "funding": "credit",
            "generated_from": None, "last4": card.number[-4:], "networks": {"available": [card.brand], "preferred": None},
            "three_d_secure_usage": {"supported": True}, "wallet": None, "regulated_status": "unregulated",
        },
        "created": now, "customer": None, "customer_account": None, "id": new_id("pm"), "livemode": False, "metadata": {}, "object": "payment_method",
        "type": "card",
    }  # fmt: skip


def payment_intent(params: dict, amount: int, currency: str, now: int) -> dict:
    id = new_id("pi")
    return {
        "amount": amount, "amount_capturable": 0, "amount_details": {"tip": {}}, "amount_received": 0, "application": None, "application_fee_amount": None,
        "automatic_payment_methods": {"allow_redirects": "always", "enabled": True}, "canceled_at": None, "cancellation_reason": None,
        "capture_method": params.get("capture_method") or "automatic_async", "client_secret": f"{id}_secret_{new_id('s')[2:]}",
        "confirmation_method": "automatic", "created": now, "currency": currency, "customer": params.get("customer"), "customer_account": None,
        "description": params.get("description"), "excluded_payment_method_types": None, "id": id, "last_payment_error": None, "latest_charge": None,
        "livemode": False, "managed_payments": {"enabled": False}, "metadata": params.get("metadata") or {}, "next_action": None, "object": "payment_intent",
        "on_behalf_of": None, "payment_method": params.get("payment_method"), "payment_method_configuration_details": None, "payment_method_options": {},
        "payment_method_types": ["card"], "processing": None, "receipt_email": params.get("receipt_email"), "review": None,
        "setup_future_usage": params.get("setup_future_usage"), "shipping": None, "source": None, "statement_descriptor": None,
        "statement_descriptor_suffix": params.get("statement_descriptor_suffix"),
        "status": "requires_confirmation" if params.get("payment_method") else "requires_payment_method", "transfer_data": None, "transfer_group": None,
    }  # fmt: skip


def charge(intent: dict, method: dict, now: int) -> dict:
    """A charge that went through; the caller writes what a refused one differs in."""
    card = method["card"]
    return {
        "amount": intent["amount"], "amount_captured": 0, "amount_refunded": 0, "application": None, "application_fee": None, "application_fee_amount": None,
        "balance_transaction": None, "billing_details": method["billing_details"], "calculated_statement_descriptor": "SIMULATED", "captured": False,
        "created": now, "currency": intent["currency"], "customer": intent["customer"], "description": intent["description"], "disputed": False,
        "failure_balance_transaction": None, "failure_code": None, "failure_message": None, "fraud_details": {}, "id": new_id("ch"), "livemode": False,
        "metadata": intent["metadata"], "object": "charge", "on_behalf_of": None,
        "outcome": {
            "advice_code": None, "network_advice_code": None, "network_decline_code": None, "network_status": "approved_by_network", "reason": None,
            "seller_message": "Payment complete.", "type": "authorized",
        },
        "paid": True, "payment_intent": intent["id"], "payment_method": method["id"],
        "payment_method_details": {
            "card": {
                "amount_authorized": intent["amount"], "authorization_code": None, "brand": card["brand"], "checks": card["checks"],
                "country": card["country"], "exp_month": card["exp_month"], "exp_year": card["exp_year"], "extended_authorization": {"status": "disabled"},
                "fingerprint": card["fingerprint"], "funding": card["funding"], "incremental_authorization": {"status": "unavailable"},
                "installments": None, "last4": card["last4"], "mandate": None, "multicapture": {"status": "unavailable"}, "network": card["brand"],
                "network_token": {"used": False}, "network_transaction_id": None,
                "overcapture": {"maximum_amount_capturable": intent["amount"], "status": "unavailable"},
                "regulated_status": "unregulated", "three_d_secure": None, "transaction_link_id": None, "wallet": None,
            },
            "type": "card",
        },
        "receipt_email": intent["receipt_email"], "receipt_number": None, "receipt_url": None, "refunded": False, "refunds": None, "review": None,
        "shipping": None, "source": None, "source_transfer": None, "statement_descriptor": None, "statement_descriptor_suffix": None, "status": "succeeded",
        "transfer_data": None, "transfer_group": None,
    }  # fmt: skip


def balance_transaction(source: dict, amount: int, fee: int, type: str, now: int) -> dict:
    details = [{"amount": fee, "application": None, "currency": source["currency"], "description": "Simulated fee", "type": "stripe_fee"}] if fee else []
    return {
        "amount": amount, "available_on": now, "balance_type": "payments", "created": now, "currency": source["currency"], "description": None,
        "exchange_rate": None, "fee": fee, "fee_details": details, "id": new_id("txn"), "net": amount - fee, "object": "balance_transaction",
        "reporting_category": type, "source": source["id"], "status": "available", "type": type,
    }  # fmt: skip


def refund(params: dict, charge: dict, amount: int, now: int) -> dict:
    return {
        "amount": amount, "balance_transaction": None, "charge": charge["id"], "created": now, "currency": charge["currency"], "customer": charge["customer"],
        "customer_account": None, "destination_details": {"card": {"type": "refund"}, "type": "card"}, "id": new_id("re"),
        "metadata": params.get("metadata") or {}, "object": "refund", "payment_intent": charge["payment_intent"], "payment_method": charge["payment_method"],
        "reason": params.get("reason"), "receipt_number": None, "source_transfer_reversal": None, "status": "succeeded", "transfer_reversal": None,
    }  # fmt: skip


def session(params: dict, total: int, currency: str, expires_at: int, address: str, now: int) -> dict:
    id = new_id("cs_test")
    email = params.get("customer_email")
    return {
        "adaptive_pricing": {"enabled": False}, "after_expiration": None, "allow_promotion_codes": None, "amount_subtotal": total, "amount_total": total,
        "automatic_tax": {"enabled": False, "liability": None, "provider": None, "status": None}, "billing_address_collection": None,
        "cancel_url": params.get("cancel_url"), "client_reference_id": params.get("client_reference_id"), "client_secret": None,
        "collected_information": None, "consent": None, "consent_collection": None, "created": now, "currency": currency, "currency_conversion": None,
        "custom_fields": [], "custom_text": {"after_submit": None, "shipping_address": None, "submit": None, "terms_of_service_acceptance": None},
        "customer": params.get("customer"), "customer_account": None, "customer_creation": "if_required",
        "customer_details": {
            "address": None, "business_name": None, "email": email, "individual_name": None, "name": None, "phone": None, "tax_exempt": "none", "tax_ids": None,
        },
        "customer_email": email, "discounts": [], "expires_at": expires_at, "id": id, "integration_identifier": None, "invoice": None,
        "invoice_creation": {"enabled": False, "invoice_data": None}, "livemode": False, "locale": params.get("locale"), "managed_payments": {"enabled": False},
        "metadata": params.get("metadata") or {}, "mode": "payment", "object": "checkout.session", "origin_context": None, "payment_intent": None,
        "payment_link": None, "payment_method_collection": "if_required", "payment_method_configuration_details": None,
        "payment_method_options": {"card": {"request_three_d_secure": "automatic"}}, "payment_method_types": ["card"], "payment_status": "unpaid",
        "permissions": None, "phone_number_collection": {"enabled": False}, "recovered_from": None, "saved_payment_method_options": None,
        "setup_intent": None, "shipping_address_collection": None, "shipping_cost": None, "shipping_options": [], "status": "open",
        "submit_type": params.get("submit_type"), "subscription": None, "success_url": params["success_url"],
        "total_details": {"amount_discount": 0, "amount_shipping": 0, "amount_tax": 0}, "ui_mode": "hosted_page", "url": f"{address}/c/pay/{id}",
        "wallet_options": None,
    }  # fmt: skip


def event(type: str, subject: dict, request: dict, waiting: int, now: int) -> dict:
    return {
        "api_version": API_VERSION, "created": now, "data": {"object": subject}, "id": new_id("evt"), "livemode": False, "object": "event",
        "pending_webhooks": waiting, "request": request, "type": type,
    }  # fmt: skip


def webhook_endpoint(url: str) -> dict:
    return {
        "api_version": API_VERSION, "application": None, "created": 0, "description": "The one endpoint of this stand-in, from its environment",
        "enabled_events": ["*"], "id": "we_simulated", "livemode": False, "metadata": {}, "object": "webhook_endpoint", "status": "enabled", "url": url,
    }  # fmt: skip
