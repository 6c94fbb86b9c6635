from rentals.views import bookings, catalog, configure, offers, quotes

__all__ = ["bookings", "catalog", "configure", "offers", "quotes"]
