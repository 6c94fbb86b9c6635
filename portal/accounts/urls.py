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
    path("organisations/<str:number>/members/", views.members, name="members"),
    path("organisations/<str:number>/members/invite/", views.invite, name="invite"),
    path("organisations/<str:number>/members/leave/", views.leave, name="leave"),
    path("organisations/<str:number>/members/<int:membership>/role/", views.member_role, name="member-role"),
    path("organisations/<str:number>/members/<int:membership>/remove/", views.member_remove, name="member-remove"),
    path("organisations/<str:number>/invitations/<int:invitation>/withdraw/", views.invitation_withdraw, name="invitation-withdraw"),
    path("organisations/<str:number>/projects/", views.projects, name="projects"),
    path("organisations/<str:number>/projects/add/", views.project_add, name="project-add"),
    path("organisations/<str:number>/projects/<int:project>/edit/", views.project_edit, name="project-edit"),
    path("organisations/<str:number>/projects/<int:project>/remove/", views.project_remove, name="project-remove"),
    path("organisations/<str:number>/limits/", views.limits, name="limits"),
    path("organisations/<str:number>/limits/change/", views.limits_change, name="limits-change"),
    path("organisations/<str:number>/audit/", views.audit, name="audit"),
    path("invitations/<str:secret>/", views.invitation, name="invitation"),
    path("invitations/<str:secret>/accept/", views.invitation_accept, name="invitation-accept"),
    path("terms/", views.terms, name="terms"),
    path("terms/accept/", views.terms_accept, name="terms-accept"),
    path("terms/<str:version>/", views.terms, name="terms-version"),
    path("customers/", views.customers, name="customers"),
]
