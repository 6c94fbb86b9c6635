from rentals.views import catalog

__all__ = ["catalog"]
