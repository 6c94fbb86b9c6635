from portal.web.views.components import components
from portal.web.views.health import healthz
from portal.web.views.home import home
from portal.web.views.preferences import language, theme

__all__ = ["components", "healthz", "home", "language", "theme"]
