"""What billing rings after a commit. The Announcement row is the truth; a ring that is lost costs one sweep."""

from django.dispatch import Signal

announced = Signal()  # sent with kind=<kind of the Announcement>
