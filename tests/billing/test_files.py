"""Kept renderings: made after commit, once, retried."""

from datetime import timedelta

import pytest

from billing import tasks
from billing.models import Document, DocumentFile
from billing.services import files
from portal.kernel.errors import NotAllowed, NotFound


@pytest.fixture
def invoice(till) -> str:
    till.buy()
    return Document.objects.get().number


def test_an_issued_document_gets_its_pdf_in_both_languages(invoice, now):
    assert files.make(document=invoice, now=now) == 2

    assert {(row.language, bytes(row.content[:5])) for row in DocumentFile.objects.all()} == {("en", b"%PDF-"), ("zh-hans", b"%PDF-")}
    assert files.make(document=invoice, now=now) == 0


def test_the_sweeper_makes_what_no_ring_made(invoice, now):
    assert files.sweep(now=now) == 2


def test_a_failing_renderer_waits_longer_each_time_and_costs_nothing(invoice, now, monkeypatch):
    def broken(snapshot, *, language):
        raise RuntimeError("no font")

    monkeypatch.setitem(files.RENDERERS, "pdf", broken)
    assert files.sweep(now=now) == 0
    row = DocumentFile.objects.first()
    assert (row.attempts, row.next_attempt_at, row.last_error) == (1, now + timedelta(seconds=15), "RuntimeError: no font")

    assert files.sweep(now=now + timedelta(seconds=14)) == 0
    assert DocumentFile.objects.first().attempts == 1
    files.sweep(now=now + timedelta(seconds=15))
    assert DocumentFile.objects.first().next_attempt_at == now + timedelta(seconds=45)
    monkeypatch.undo()
    assert files.sweep(now=now + timedelta(hours=2)) == 2


def test_a_pdf_that_is_asked_for_before_its_turn_is_made_then(invoice, cast, now):
    made = files.rendering(document=invoice, form="pdf", language="zh-hans", by=cast.bea, now=now)

    assert made.content.startswith(b"%PDF-")
    assert DocumentFile.objects.get(language="zh-hans").made_at == now
    assert files.rendering(document=invoice, form="pdf", language="zh-hans", by=cast.bea, now=now).content == made.content


def test_a_pdf_that_cannot_be_made_says_so(invoice, cast, now, monkeypatch):
    monkeypatch.setitem(files.RENDERERS, "pdf", lambda snapshot, language: 1 / 0)

    with pytest.raises(files.NotMadeYet):
        files.rendering(document=invoice, form="pdf", language="en", by=cast.ada, now=now)


@pytest.mark.parametrize(("form", "start"), [("csv", b"\xef\xbb\xbfnumber"), ("xlsx", b"PK")])
def test_a_document_is_a_table_as_well(invoice, cast, now, form, start):
    assert files.rendering(document=invoice, form=form, language="en", by=cast.fin, now=now).content.startswith(start)


def test_files_go_to_those_who_may_see_the_document(invoice, cast, now):
    with pytest.raises(NotFound):
        files.rendering(document=invoice, form="csv", language="en", by=cast.sid, now=now)
    with pytest.raises(NotAllowed):
        files.rendering(document=invoice, form="csv", language="en", by=cast.ben, now=now)
    with pytest.raises(NotFound):
        files.rendering(document=invoice, form="docx", language="en", by=cast.ada, now=now)


def test_the_doorbells_find_their_rows(invoice):
    tasks.make_files(document=invoice)
    tasks.sweep_files()

    assert not DocumentFile.objects.filter(content__isnull=True).exists()
