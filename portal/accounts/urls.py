"""Addresses of accounts."""

from django.urls import path

from portal.accounts import views

app_name = "accounts"
urlpatterns = [
    path("me/", views.profile, name="profile"),
    path("me/keys/", views.keys, name="ssh-keys"),
    path("me/keys/<int:key>/remove/", views.key_remove, name="ssh-key-remove"),
    path("me/tokens/", views.tokens, name="tokens"),
    path("me/tokens/<int:token>/revoke/", views.token_revoke, name="token-revoke"),
    path("me/notifications/", views.notifications, name="notifications"),
    path("me/notifications/read/", views.notifications_read, name="notifications-read"),
    path("me/notifications/<int:notification>/open/", views.notification_open, name="notification-open"),
    path("organisations/new/", views.organisation_new, name="organisation-new"),
    path("organisations/<str:number>/", views.organisation, name="organisation"),
    path("organisations/<str:number>/edit/", views.organisation_edit, name="organisation-edit"),
    path("organisations/<str:number>/switch/", views.organisation_switch, name="organisation-switch"),
]
