from rentals.views import bookings, catalog, configure, offers, operate, quotes, wipes

__all__ = ["bookings", "catalog", "configure", "offers", "operate", "quotes", "wipes"]
