"""The kinds of refusal that every interface knows how to answer. Each service names its own facts as subclasses."""

from __future__ import annotations


class DomainError(Exception):
    """A request that cannot be carried out. `message` is written for the person who asked; `field` names the input at fault, if one is."""

    status = 409
    code = "refused"

    def __init__(self, message: str = "", *, field: str = "", **facts: object) -> None:
        self.message = message or " ".join((self.__doc__ or self.code).split())
        super().__init__(self.message)
        self.field = field
        self.facts = facts


class InvalidInput(DomainError):
    """The input breaks a rule."""

    status = 400
    code = "invalid"


class NotAllowed(DomainError):
    """Your role does not permit this."""

    status = 403
    code = "not_allowed"


class NotFound(DomainError):
    """There is nothing here that you may see."""

    status = 404
    code = "not_found"


class Conflict(DomainError):
    """The present state does not permit this."""

    status = 409
    code = "conflict"


class LostRace(Conflict):
    """Someone else changed this first. Look at it again and repeat if you still want to."""

    code = "lost_race"
