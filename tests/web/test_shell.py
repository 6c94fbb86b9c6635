from django.urls import reverse

from portal.web import places


def test_every_place_of_the_shell_has_an_address():
    assert all(reverse(place.name) for place in places.PLACES)


def test_the_theme_is_remembered_and_leads_back(client):
    answer = client.post("/preferences/theme/", {"theme": "dark", "next": "/demo/"})

    assert answer.headers["Location"] == "/demo/"
    assert client.cookies["theme"].value == "dark"


def test_the_theme_never_leads_off_the_site(client):
    answer = client.post("/preferences/theme/", {"theme": "dark", "next": "https://elsewhere.example/"})

    assert answer.headers["Location"] == "/"


def test_an_unknown_theme_is_refused(client):
    assert client.post("/preferences/theme/", {"theme": "pink"}).status_code == 400


def test_a_forged_theme_cookie_is_ignored(client):
    client.cookies["theme"] = '"><script>'

    assert 'data-bs-theme="auto"' in client.get("/nothing-here/").content.decode()


def test_the_language_is_remembered(client):
    client.post("/preferences/language/", {"language": "zh-hans", "next": "/nothing-here/"})

    assert 'lang="zh-Hans"' in client.get("/nothing-here/").content.decode()


def test_the_components_page_exists_in_demo_installations_only(client, settings):
    assert client.get("/demo/components/").status_code == 404

    settings.DEMO = True
    assert client.get("/demo/components/").status_code == 200


def test_a_refusal_for_htmx_goes_into_the_flash(client):
    answer = client.get("/demo/components/", headers={"HX-Request": "true"})

    assert answer.headers["HX-Retarget"] == "#flash"
    assert "<html" not in answer.content.decode()
