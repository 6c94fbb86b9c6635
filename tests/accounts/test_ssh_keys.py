"""SSH keys: what is taken, what is refused, and why."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.accounts import queries
from portal.accounts.domain import ssh_keys
from portal.accounts.models import AuditEntry
from portal.accounts.services import ssh_keys as keeping
from portal.kernel.errors import NotFound
from tests.accounts import public_keys


@pytest.mark.parametrize(("line", "bits", "fingerprint"), public_keys.GOOD)
def test_a_key_is_read_as_ssh_keygen_reads_it(line, bits, fingerprint):
    key = ssh_keys.read(f"  {line}\n")

    assert (key.bits, key.fingerprint, key.comment, key.line) == (bits, fingerprint, "ada@laptop", line)


def test_a_short_rsa_key_is_too_weak():
    with pytest.raises(ssh_keys.TooWeak):
        ssh_keys.read(public_keys.RSA_1024[0])


@pytest.mark.parametrize(
    "text",
    [
        "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA\n-----END OPENSSH PRIVATE KEY-----",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----",
        "PuTTY-User-Key-File-3: ssh-ed25519",
    ],
)
def test_a_private_key_is_told_apart(text):
    with pytest.raises(ssh_keys.PrivateKey):
        ssh_keys.read(text)


@pytest.mark.parametrize("kind", ["ssh-dss", "sk-ssh-ed25519@openssh.com", "ssh-rsa-cert-v01@openssh.com"])
def test_other_kinds_are_told_apart(kind):
    with pytest.raises(ssh_keys.OtherKind):
        ssh_keys.read(f"{kind} AAAA")


def wire(*fields: bytes) -> str:
    return base64.b64encode(b"".join(len(field).to_bytes(4, "big") + field for field in fields)).decode()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello",
        "ssh-ed25519",
        "ssh-ed25519 !!!",
        "ssh-ed25519 " + wire(b"ssh-ed25519", b"short"),
        "ssh-ed25519 " + wire(b"ssh-rsa", b"x" * 32),
        "ssh-ed25519 " + wire(b"ssh-ed25519", b"x" * 32, b"more"),
        "ssh-ed25519 " + base64.b64encode(b"\x00\x00\x00\x63abc").decode(),
        "ssh-ed25519 " + base64.b64encode(b"\x00\x00").decode(),
        "ssh-rsa " + wire(b"ssh-rsa", b"\x03"),
        "ssh-rsa " + wire(b"ssh-rsa", b"\x02", b"\x00" + b"\xff" * 256),
        "ssh-rsa " + wire(b"ssh-rsa", b"\x03", b"\xff" * 256),
        "ecdsa-sha2-nistp256 " + wire(b"ecdsa-sha2-nistp256", b"nistp384", b"\x04" + b"x" * 64),
        "ecdsa-sha2-nistp256 " + wire(b"ecdsa-sha2-nistp256", b"nistp256", b"\x02" + b"x" * 64),
        public_keys.ED25519[0] + "\n" + public_keys.ED25519[0],
        'command="rm -rf /" ' + public_keys.ED25519[0],
    ],
)
def test_what_is_no_key_is_refused(text):
    with pytest.raises(ssh_keys.NotAKey) as refusal:
        ssh_keys.read(text)

    assert type(refusal.value) is ssh_keys.NotAKey


@given(st.text(max_size=300))
def test_any_text_is_read_or_refused_and_never_breaks_the_reader(text):
    try:
        ssh_keys.read(text)
    except ssh_keys.NotAKey:
        pass


@given(st.lists(st.binary(max_size=40), max_size=4))
def test_any_blob_is_read_or_refused_and_never_breaks_the_reader(fields):
    for kind in ssh_keys.BITS:
        try:
            ssh_keys.read(f"{kind} {wire(kind.encode(), *fields)}")
        except ssh_keys.NotAKey:
            pass


def test_a_comment_cannot_smuggle_control_characters():
    assert ssh_keys.read(public_keys.ED25519[0].replace("ada@laptop", "ada\x1b[31m\u202e@laptop")).comment == "ada[31m@laptop"


@pytest.fixture
def add(cast, now):
    def added(user=None, text=public_keys.ED25519[0], name=""):
        user = user or cast.ada
        return keeping.add(user=user, name=name, text=text, by=user, now=now)

    return added


def test_an_added_key_takes_its_comment_for_a_name_and_is_written_down(cast, add):
    key = add()

    assert queries.ssh_keys_of(cast.ada) == [key]
    assert key.name == "ada@laptop"
    assert AuditEntry.objects.get(verb="ssh_key.added").facts["fingerprint"] == public_keys.ED25519[2]


def test_the_same_key_is_kept_once_a_person(cast, add):
    add()
    add(cast.ben)

    with pytest.raises(keeping.KeyKnown):
        add()


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        ("-----BEGIN OPENSSH PRIVATE KEY-----", keeping.SecretKey),
        ("ssh-dss AAAA", keeping.UnsupportedKey),
        (public_keys.RSA_1024[0], keeping.WeakKey),
        ("hello", keeping.UnreadableKey),
    ],
)
def test_each_refusal_has_its_own_sentence_at_the_field(add, text, refusal):
    with pytest.raises(refusal) as refused:
        add(text=text)

    assert refused.value.field == "public_key"


def test_nobody_keeps_keys_without_end(cast, add, monkeypatch):
    monkeypatch.setattr(keeping, "MOST_KEYS", 1)
    add()

    with pytest.raises(keeping.TooManyKeys):
        add(text=public_keys.ECDSA_256[0])


def test_only_its_owner_removes_a_key(cast, add, now):
    key = add()

    with pytest.raises(NotFound):
        keeping.remove(user=cast.ben, key_id=key.pk, by=cast.ben, now=now)
    keeping.remove(user=cast.ada, key_id=key.pk, by=cast.ada, now=now)

    assert queries.ssh_keys_of(cast.ada) == []
