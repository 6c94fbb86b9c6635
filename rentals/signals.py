"""What bookings say, upward, to deployments and to the floors above.

The first two are sent inside the acting transaction, so that a Booking and its Deployments change together or not at all; a receiver that raises undoes both.
`announced` follows the commit: the Announcement row is the truth, and a ring that is lost costs one sweep.
"""

from django.dispatch import Signal

booking_confirmed = Signal()  # booking, now: its Assignments are to be made real
booking_winds_down = Signal()  # booking, at, now: it ends at `at`, whatever its Deployments are doing
announced = Signal()  # kind of the Announcement
