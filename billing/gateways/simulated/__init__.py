"""The Stripe stand-in: an outside system of our own on loopback, so that a newcomer can pay without an account and without real money.

Only its own process runs this code (`python -m billing.gateways.simulated.server`); the portal speaks to it over HTTP exactly as it speaks to Stripe.
"""
