"""A person's SSH keys."""

from __future__ import annotations

from datetime import datetime

from django.db import IntegrityError, transaction

from portal.accounts.domain import ssh_keys
from portal.accounts.models import SshKey, User
from portal.accounts.services import audit
from portal.kernel.errors import Conflict, InvalidInput, NotFound

MOST_KEYS = 50


class UnreadableKey(InvalidInput):
    """This is no public key. Paste the one line of the file that ends in .pub: ssh-ed25519 or ssh-rsa or ecdsa, then the key."""

    code = "unreadable_key"


class SecretKey(InvalidInput):
    """This is your private key: never give it to anyone. We did not keep it. Paste the one line of the file that ends in .pub."""

    code = "secret_key"


class UnsupportedKey(InvalidInput):
    """Keys of this kind are not taken. Use ed25519, RSA of at least 2048 bits, or ECDSA."""

    code = "unsupported_key"


class WeakKey(InvalidInput):
    """This RSA key is too short: at least 2048 bits are needed. Better make a new one with: ssh-keygen -t ed25519"""

    code = "weak_key"


class KeyKnown(Conflict):
    """You have this key already."""

    code = "key_known"


class TooManyKeys(Conflict):
    """You have as many keys as one may have. Remove one first."""

    code = "too_many_keys"


REFUSALS = {ssh_keys.PrivateKey: SecretKey, ssh_keys.OtherKind: UnsupportedKey, ssh_keys.TooWeak: WeakKey, ssh_keys.NotAKey: UnreadableKey}


def add(*, user: User, name: str, text: str, by: User, now: datetime) -> SshKey:
    """Keep a public key under `name` (its comment when empty). Raises SecretKey, UnsupportedKey, WeakKey, UnreadableKey, KeyKnown, TooManyKeys."""
    try:
        key = ssh_keys.read(text)
    except ssh_keys.NotAKey as error:
        raise REFUSALS[type(error)](field="public_key") from error
    try:
        with transaction.atomic():
            User.objects.select_for_update().get(pk=user.pk)
            if SshKey.objects.filter(user=user).count() >= MOST_KEYS:
                raise TooManyKeys()
            row = SshKey.objects.create(
                user=user, name=(name or key.comment or key.kind)[:60], public_key=key.line, fingerprint=key.fingerprint, created_at=now
            )
            audit.record(verb="ssh_key.added", subject=user.email, by=by, now=now, fingerprint=key.fingerprint, name=row.name)
    except IntegrityError as error:
        raise KeyKnown(field="public_key") from error
    return row


@transaction.atomic
def remove(*, user: User, key_id: int, by: User, now: datetime) -> None:
    """Take the key out of his list; Servers that run with it keep it until their Booking ends. Raises NotFound."""
    row = SshKey.objects.filter(pk=key_id, user=user).first()
    if row is None:
        raise NotFound()
    audit.record(verb="ssh_key.removed", subject=user.email, by=by, now=now, fingerprint=row.fingerprint, name=row.name)
    row.delete()
