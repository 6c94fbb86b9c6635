"""The demo's mails exist in a demo only."""

from django.core import mail

from portal.toolkit import mailbox


def test_outside_of_a_demo_there_are_no_such_pages(db, client):
    assert client.get("/demo/mail/").status_code == 404
    assert client.get("/demo/mail/x.eml/").status_code == 404


def test_in_a_demo_anyone_finds_his_confirmation_link(db, client, settings, tmp_path):
    settings.DEMO = True
    settings.EMAIL_FILE_PATH = tmp_path
    mail.EmailMessage("Confirm", "Open http://testserver/account/confirm-email/abc/", "p@example.com", ["new@example.com"], connection=mailbox.Backend()).send()

    listing = client.get("/demo/mail/").content.decode()
    name = next(tmp_path.glob("*.eml")).name
    shown = client.get(f"/demo/mail/{name}/").content.decode()

    assert f"/demo/mail/{name}/" in listing
    assert '<a href="http://testserver/account/confirm-email/abc/"' in shown


def test_an_empty_box_says_what_to_do_next(db, client, settings, tmp_path):
    settings.DEMO = True
    settings.EMAIL_FILE_PATH = tmp_path

    assert "/account/signup/" in client.get("/demo/mail/").content.decode()
