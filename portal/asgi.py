"""The front door: the ingest route before Django, websockets through Channels, everything else Django."""

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")

from django.core.asgi import get_asgi_application  # noqa: E402 - Django must be set up before anything that imports models

django_application = get_asgi_application()

from channels.auth import AuthMiddlewareStack  # noqa: E402
from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402
from channels.security.websocket import AllowedHostsOriginValidator  # noqa: E402

from monitoring import urls as monitoring_urls  # noqa: E402
from monitoring.consumers import ingest  # noqa: E402
from rentals import urls as rentals_urls  # noqa: E402


async def http(scope, receive, send):
    """Readings of agents do not pass through Django: at one request per server and second its middleware would cost more than all the rest."""
    await (ingest.application if scope["path"] == ingest.PATH else django_application)(scope, receive, send)


application_mapping = {
    "http": http,
    "websocket": AllowedHostsOriginValidator(AuthMiddlewareStack(URLRouter([*rentals_urls.sockets, *monitoring_urls.sockets]))),
}
application = ProtocolTypeRouter(application_mapping)
