"""Reading an OpenSSH public key as it stands in authorized_keys: one line, kind, base64 and an optional comment."""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Callable
from dataclasses import dataclass

LEAST_RSA_BITS = 2048
POINT_BYTES = {"nistp256": 65, "nistp384": 97, "nistp521": 133}


class NotAKey(ValueError):
    """The text is no public key that we take."""


class PrivateKey(NotAKey):
    """The text is the secret half of a key."""


class OtherKind(NotAKey):
    """A key of a kind that we do not take."""


class TooWeak(NotAKey):
    """An RSA key that is too short."""


@dataclass(frozen=True)
class PublicKey:
    """`line` is the key in one line, as it goes into authorized_keys; `fingerprint` is what ssh-keygen -l prints."""

    kind: str
    bits: int
    comment: str
    line: str
    fingerprint: str


def read(text: str) -> PublicKey:
    """The public key in `text`. Raises PrivateKey, OtherKind, TooWeak, and NotAKey for anything else that is not a key."""
    written = text.strip()
    if is_private(written):
        raise PrivateKey
    if not written or "\n" in written or "\r" in written:
        raise NotAKey
    kind, _space, rest = written.partition(" ")
    if kind not in BITS:
        raise OtherKind if _looks_like_a_kind(kind) else NotAKey
    encoded, _space, comment = rest.strip().partition(" ")
    blob = _decoded(encoded)
    fields = _fields(blob)
    if not fields or fields[0] != kind.encode():
        raise NotAKey
    bits = BITS[kind](fields)
    comment = "".join(character for character in comment.strip() if character.isprintable())[:100]
    digest = base64.b64encode(hashlib.sha256(blob).digest()).decode().rstrip("=")
    return PublicKey(kind, bits, comment, f"{kind} {encoded} {comment}".strip(), f"SHA256:{digest}")


def is_private(text: str) -> bool:
    """Whether `text` is the secret half of a key."""
    return "PRIVATE KEY" in text or text.strip().startswith("PuTTY-User-Key-File")


def _looks_like_a_kind(word: str) -> bool:
    return word.startswith(("ssh-", "ecdsa-", "sk-")) and len(word) < 60


def _decoded(encoded: str) -> bytes:
    try:
        return base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError) as error:
        raise NotAKey from error


def _fields(blob: bytes) -> list[bytes]:
    """The strings of an SSH wire blob (RFC 4251): each four bytes of length, then so many bytes, and nothing left over."""
    fields = []
    while blob:
        length = int.from_bytes(blob[:4], "big")
        if len(blob) < 4 or len(blob) - 4 < length:
            raise NotAKey
        fields.append(blob[4 : 4 + length])
        blob = blob[4 + length :]
    return fields


def _ed25519_bits(fields: list[bytes]) -> int:
    if len(fields) != 2 or len(fields[1]) != 32:
        raise NotAKey
    return 256


def _rsa_bits(fields: list[bytes]) -> int:
    if len(fields) != 3:
        raise NotAKey
    exponent, modulus = (int.from_bytes(field, "big", signed=True) for field in fields[1:])
    if exponent < 3 or modulus < 3 or not exponent % 2 or not modulus % 2:
        raise NotAKey
    if modulus.bit_length() < LEAST_RSA_BITS:
        raise TooWeak
    return modulus.bit_length()


def _ecdsa_bits(fields: list[bytes]) -> int:
    curve = fields[0].decode().rpartition("-")[2]
    uncompressed = len(fields) == 3 and fields[1] == curve.encode() and len(fields[2]) == POINT_BYTES[curve] and fields[2][0] == 4
    if not uncompressed:
        raise NotAKey
    return int(curve.removeprefix("nistp"))


BITS: dict[str, Callable[[list[bytes]], int]] = {
    "ssh-ed25519": _ed25519_bits,
    "ssh-rsa": _rsa_bits,
    **{f"ecdsa-sha2-{curve}": _ecdsa_bits for curve in POINT_BYTES},
}
