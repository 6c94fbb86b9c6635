from portal.web.views.health import healthz
from portal.web.views.home import home

__all__ = ["healthz", "home"]
