"""Settings, read once from the environment (docs/settings.md says what each variable means). Defaults are the safe ones; PORTAL_DEMO loosens them."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from csp.constants import NONE, SELF
from django.utils.translation import gettext_lazy as _

from portal.env import BadSetting, Reader

env = Reader()
BASE_DIR = Path(__file__).resolve().parent.parent

# What kind of installation this is
DEMO = env.flag("PORTAL_DEMO")
TESTING = env.flag("PORTAL_TESTING")
LOOSE = DEMO or TESTING  # plain http on loopback
VAR = Path(env.text("PORTAL_VAR", str(BASE_DIR / "var"))).resolve()
BASE_URL = env.text("PORTAL_BASE_URL", "http://127.0.0.1:8000").rstrip("/")
SECRET_KEY = env.text("PORTAL_SECRET_KEY", "loose-installations-only" if LOOSE else "")
if len(SECRET_KEY) < 50 and not LOOSE:
    raise BadSetting("PORTAL_SECRET_KEY must hold at least 50 characters")
DEBUG = False
ALLOWED_HOSTS = env.words("PORTAL_HOSTS", "127.0.0.1,localhost,[::1],testserver" if LOOSE else "")
CSRF_TRUSTED_ORIGINS = [BASE_URL]

# Apps: floors from the bottom up
INSTALLED_APPS = [
    "portal.web.apps.Administration",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.postgres",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "django.forms",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "channels",
    "csp",
    "django_filters",
    "django_htmx",
    "django_structlog",
    "drf_spectacular",
    "rest_framework",
    "template_partials",
    "portal.toolkit",
    "portal.live",
    "portal.accounts",
    "billing",
    "rentals",
    "monitoring",
    "portal.web",
]
MIDDLEWARE = [
    "portal.toolkit.metrics.count_requests",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "portal.toolkit.middleware.readable_cookies",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "portal.toolkit.middleware.viewer_preferences",
    "portal.toolkit.middleware.acting_address",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "django_structlog.middlewares.RequestMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "portal.toolkit.middleware.answer_domain_errors",
]
ROOT_URLCONF = "portal.urls"
ASGI_APPLICATION = "portal.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "django.template.context_processors.i18n",
                "portal.toolkit.context.page",
                "portal.web.context.shell",
            ],
        },
    }
]
FORM_RENDERER = "django.forms.renderers.TemplatesSetting"

# Database and Valkey
DATABASES = {"default": env.database("DATABASE_URL")}
DATABASES["default"]["OPTIONS"] = DATABASES["default"].get("OPTIONS", {})
DATABASES["default"]["CONN_MAX_AGE"] = 0
DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
REDIS_URL = env.text("REDIS_URL", "redis://127.0.0.1:6379").rstrip("/")
REDIS_FIRST_DB = env.number("PORTAL_REDIS_FIRST_DB", 0)  # four database numbers from here: layer, broker, cache, live


def redis_db(offset: int) -> str:
    return f"{REDIS_URL}/{REDIS_FIRST_DB + offset}"


LIVE_REDIS_URL = redis_db(3)
CHANNEL_LAYERS = {
    "default": {
        "BACKEND": "channels_redis.core.RedisChannelLayer",
        # redis-py 8 defaults to a socket time-out of 5 s, as long as the layer's blocking pop: an idle websocket would die (case H1).
        "CONFIG": {"hosts": [{"address": redis_db(0), "socket_timeout": None}], "prefix": "portal"},
    }
}
CACHES = {"default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": redis_db(2)}}

# Celery: the row is the truth, a task is a doorbell
CELERY_BROKER_URL = redis_db(1)
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# One second try and no more: a ring into a broker that is gone must not hold the request up (the sweeper finds the row).
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "socket_timeout": None,
    "visibility_timeout": 600,
    "max_retries": 1,
    "interval_start": 0,
    "interval_step": 0,
    "interval_max": 0,
}
CELERY_TIMEZONE = "UTC"
SWEEP_SECONDS = env.number("PORTAL_SWEEP_SECONDS", 2, least=1)
CELERY_BEAT_SCHEDULE = {
    name: {"task": name, "schedule": timedelta(seconds=SWEEP_SECONDS * factor), "options": {"expires": SWEEP_SECONDS * factor}}
    for name, factor in (
        ("rentals.sweep_bookings", 1),
        ("rentals.sweep_quotes", 10),
        ("rentals.sweep_deployments", 1),
        ("rentals.sweep_announcements", 1),
        ("billing.sweep_payments", 2),
        ("billing.sweep_files", 3),
        ("accounts.sweep_mail", 2),
        ("accounts.forget_keys", 1800),
        ("monitoring.sweep", 10),
    )
}

# People
AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["django.contrib.auth.backends.ModelBackend", "allauth.account.auth_backends.AuthenticationBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
if TESTING:
    PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # the real one is slow by design
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "web:home"
ACCOUNT_ADAPTER = "portal.accounts.views.adapter.Adapter"
ACCOUNT_FORMS = {
    "login": "portal.accounts.forms.entrance.LogIn",
    "signup": "portal.accounts.forms.entrance.SignUp",
    "reset_password": "portal.accounts.forms.entrance.Reset",
    "add_email": "portal.accounts.forms.entrance.Address",
}
ACCOUNT_CHANGE_EMAIL = True  # one address a person; a new one counts once it is confirmed
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_REAUTHENTICATION_REQUIRED = True  # before one changes how one logs in
ACCOUNT_REAUTHENTICATION_METHODS = ["password", "mfa"]
ACCOUNT_LOGIN_ON_EMAIL_CONFIRMATION = True
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "mandatory"
ACCOUNT_CONFIRM_EMAIL_ON_GET = False
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_LOGOUT_REDIRECT_URL = "/"
ACCOUNT_RATE_LIMITS = False if TESTING else {"login_failed": "10/m/ip,5/5m/key"}  # tests that are about limits set their own
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
MFA_TOTP_ISSUER = "GPU rental portal"

# Mail
EMAIL_FILE_PATH = VAR / "mail"
EMAIL_URL = env.text("PORTAL_SMTP_HOST")
EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend" if EMAIL_URL else "portal.toolkit.mailbox.Backend"
EMAIL_HOST = EMAIL_URL
EMAIL_PORT = env.number("PORTAL_SMTP_PORT", 587)
EMAIL_HOST_USER = env.text("PORTAL_SMTP_USER")
EMAIL_HOST_PASSWORD = env.text("PORTAL_SMTP_PASSWORD")
EMAIL_USE_TLS = env.flag("PORTAL_SMTP_TLS", True)
DEFAULT_FROM_EMAIL = env.text("PORTAL_MAIL_FROM", "GPU rental <portal@localhost>")

# Languages and time
LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English")), ("zh-hans", _("Simplified Chinese"))]
LOCALE_PATHS = [BASE_DIR / "portal" / "locale"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

# Static files: our own folder plus what make assets laid into static/vendor
STATIC_URL = "/static/"
STATIC_ROOT = VAR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_KEEP_ONLY_HASHED_FILES = True  # half as much to compress; no page asks for a plain name
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": VAR / "media"}},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage" if TESTING else "whitenoise.storage.CompressedManifestStaticFilesStorage"
    },
}

# Safety
STRIPE_CHECKOUT_ORIGIN = env.text("STRIPE_CHECKOUT_ORIGIN", "https://checkout.stripe.com").rstrip("/")
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "object-src": [NONE],
        "base-uri": [SELF],
        "frame-ancestors": [NONE],
        "form-action": [SELF, STRIPE_CHECKOUT_ORIGIN],  # else the browser blocks the redirect to the checkout after our POST
    }
}
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = not LOOSE
SECURE_HSTS_SECONDS = 0 if LOOSE else 31_536_000
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = not LOOSE
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^metrics$"]
METRICS_TOKEN = env.text("PORTAL_METRICS_TOKEN")
if env.flag("PORTAL_BEHIND_PROXY"):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
DATA_UPLOAD_MAX_MEMORY_SIZE = 2_621_440

# API
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["portal.accounts.api.authentication.Token", "rest_framework.authentication.SessionAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["portal.toolkit.parsers.Json"],
    "DEFAULT_SCHEMA_CLASS": "portal.accounts.api.schema.Schema",
    "DEFAULT_THROTTLE_CLASSES": ["portal.accounts.api.throttles.Fair"],
    "EXCEPTION_HANDLER": "portal.toolkit.api.answer",
    "COERCE_DECIMAL_TO_STRING": True,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "GPU rental portal",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PERMISSIONS": ["rest_framework.permissions.AllowAny"],
    "SCHEMA_PATH_PREFIX": "/api/v1/",
    "POSTPROCESSING_HOOKS": ["drf_spectacular.hooks.postprocess_schema_enums", "portal.accounts.api.schema.add_refusals"],
    "ENUM_NAME_OVERRIDES": {"BookingState": "rentals.api.shapes.STATES", "DocumentState": "billing.queries.STATES"},
}

# Money
CURRENCIES = env.words("PORTAL_CURRENCIES", "USD,EUR,CNY")
STRIPE_SECRET_KEY = env.text("STRIPE_SECRET_KEY")
STRIPE_WEBHOOK_SECRETS = env.words("STRIPE_WEBHOOK_SECRETS")
STRIPE_API_BASE = env.text("STRIPE_API_BASE", "https://api.stripe.com").rstrip("/")

# Capacity and deployments
QUOTE_DISCOUNT_PERCENT = env.number("PORTAL_QUOTE_DISCOUNT_PERCENT", 15)  # the most an account manager may give by himself
HOLD_MINUTES = env.number("PORTAL_HOLD_MINUTES", 15, least=1)
ENGINE_SPEED = env.number("PORTAL_ENGINE_SPEED", 1, least=1)  # of the simulated engine; its new unit classes need a lead shorter by as much
DEPLOYMENTS_PER_RACK = env.number("PORTAL_DEPLOYMENTS_PER_RACK", 8, least=1)
SIMULATED_ENGINE_URL = env.text("PORTAL_SIMULATED_ENGINE_URL", "http://127.0.0.1:8090").rstrip("/")

# Documents
FONT_DIRS = env.words("PORTAL_FONT_DIRS", str(BASE_DIR / "static" / "vendor" / "fonts"))

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "handlers": {"console": {"class": "logging.StreamHandler"}},
    "root": {"handlers": ["console"], "level": "WARNING"},
    "loggers": {name: {"level": "INFO"} for name in ("portal", "rentals", "billing", "monitoring")},
}
