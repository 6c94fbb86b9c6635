from portal.web.views.api_docs import api_docs
from portal.web.views.components import components
from portal.web.views.demo_mail import demo_mail, demo_mails
from portal.web.views.health import healthz
from portal.web.views.home import home
from portal.web.views.metrics import metrics
from portal.web.views.preferences import language, theme

__all__ = ["api_docs", "components", "demo_mail", "demo_mails", "healthz", "home", "language", "metrics", "theme"]
