"""Addresses of rentals."""

from django.urls import path, re_path

from rentals import consumers, views

app_name = "rentals"
urlpatterns: list = [
    path("", views.catalog.listing, name="catalog"),
    path("catalog/<slug:sku>/", views.catalog.configuration, name="configuration"),
    path("sales/", views.quotes.listing, name="quotes"),
    path("sales/new/", views.quotes.new, name="quote-new"),
    path("sales/<str:number>/", views.quotes.quote, name="quote"),
    path("sales/<str:number>/edit/", views.quotes.edit, name="quote-edit"),
    path("sales/<str:number>/lines/", views.quotes.line_add, name="quote-line-add"),
    path("sales/<str:number>/lines/<int:line>/remove/", views.quotes.line_remove, name="quote-line-remove"),
    path("sales/<str:number>/send/", views.quotes.send, name="quote-send"),
    path("sales/<str:number>/revise/", views.quotes.revise, name="quote-revise"),
    path("sales/<str:number>/withdraw/", views.quotes.withdraw, name="quote-withdraw"),
    path("sales/<str:number>/pdf/", views.quotes.pdf, name="quote-pdf"),
    path("offer/<str:secret>/", views.offers.offer, name="offer"),
    path("offer/<str:secret>/pdf/", views.offers.pdf, name="offer-pdf"),
    path("offer/<str:secret>/accept/", views.offers.accept, name="offer-accept"),
    path("offer/<str:secret>/decline/", views.offers.decline, name="offer-decline"),
    path("catalog/<slug:sku>/configure/", views.configure.configure, name="configure"),
    path("catalog/<slug:sku>/hold/", views.configure.hold, name="hold"),
    path("operate/", views.operate.wall, name="operate"),
    path("operate/servers/", views.operate.listing, name="operate-servers"),
    path("operate/servers/new/", views.operate.new, name="operate-server-new"),
    path("operate/servers/<slug:serial>/", views.operate.server, name="operate-server"),
    path("operate/servers/<slug:serial>/take-out/", views.operate.take_out, name="operate-take-out"),
    path("operate/servers/<slug:serial>/retire/", views.operate.retire, name="operate-retire"),
    path("operate/servers/<slug:serial>/put-back/", views.operate.put_back, name="operate-put-back"),
    path("operate/servers/<slug:serial>/units/<int:unit>/put-back/", views.operate.put_unit_back, name="operate-unit-back"),
    path("operate/deployments/", views.operate.deployments, name="operate-deployments"),
    path("operate/operations/<uuid:op_id>/", views.operate.operation, name="operate-operation"),
    path("operate/wipes/<int:wipe>/", views.wipes.wipe, name="operate-wipe"),
    path("bookings/", views.bookings.listing, name="bookings"),
    path("bookings/<str:number>/", views.bookings.page, name="booking"),
    re_path(r"^bookings/(?P<number>[^/]+)/(?P<name>status|steps|servers|events)/$", views.bookings.part, name="booking-part"),
    path("bookings/<str:number>/release/", views.bookings.release, name="booking-release"),
    path("bookings/<str:number>/wipe/", views.wipes.booking, name="booking-wipe"),
    path("bookings/<str:number>/end/", views.bookings.end, name="booking-end"),
]
sockets: list = [
    path("ws/bookings/<str:number>/", consumers.BookingHints.as_asgi()),
    path("ws/operate/fleet/", consumers.FleetHints.as_asgi()),
]
