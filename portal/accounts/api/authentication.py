"""Bearer tokens. Only the hash of a token is stored."""

from rest_framework.authentication import BaseAuthentication


class Token(BaseAuthentication):
    def authenticate_header(self, request) -> str:
        return "Bearer"

    def authenticate(self, request):
        return None
