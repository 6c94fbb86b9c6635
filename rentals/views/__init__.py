from rentals.views import catalog, offers, quotes

__all__ = ["catalog", "offers", "quotes"]
