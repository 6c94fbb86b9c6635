"""The hosted pages as HTML: self-contained, without script, in two languages."""

from __future__ import annotations

from datetime import UTC, datetime
from html import escape

from billing.gateways.simulated import words
from portal.kernel.money import Money

BUTTONS = (
    ("4242424242424242", "success", "primary"),
    ("4000000000000002", "decline", ""),
    ("4000002760003184", "challenge", ""),
    ("4000000000009995", "funds", ""),
)


def _amount(minor: int, currency: str) -> str:
    money = Money.from_minor(minor, currency.upper())
    return f"{money.amount:,} <small>{money.currency}</small>"


def _page(code: str, title: str, body: str, *, wide: bool = False) -> str:
    say = words.WORDS[code]
    return (
        f'<!doctype html><html lang="{say["lang"]}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta name="robots" content="noindex"><title>{escape(title)}</title><link rel="stylesheet" href="/checkout.css"></head><body>'
        f'<header class="banner">{say["banner"]}<a href="?lang={say["other_code"]}" hreflang="{say["other_code"]}">{say["other"]}</a></header>'
        f'<main class="{"two" if wide else "one"}">{body}</main></body></html>'
    )


def checkout(session: dict, lines: list[dict], error: dict | None, code: str) -> str:
    """The page on which a customer pays: what for on the left, with which card on the right."""
    say, currency = words.WORDS[code], session["currency"]
    rows = "".join(_row(line, currency) for line in lines)
    until = datetime.fromtimestamp(session["expires_at"], UTC).strftime("%Y-%m-%d %H:%M UTC")
    total = _amount(session["amount_total"], currency)
    summary = (
        f'<section><h1>{say["pay_to"]}</h1><p class="amount">{total}</p><table>{rows}'
        f'<tr class="sum"><td>{say["total"]}</td><td>{total}</td></tr></table><p class="soft">{say["valid"]} {until}</p></section>'
    )
    fault = f'<p class="fault" role="alert"><b>{say["failed"]}</b>{escape(words.reason(error, code))}{say["again"]}</p>' if error else ""
    buttons = "".join(
        f'<button class="{look}" name="card" value="{number}"><b>{say[label]}</b>'
        f'<span><span class="unseen">{say["ending"]}</span> •••• {number[-4:]}</span></button>'
        for number, label, look in BUTTONS
    )
    back = session["cancel_url"]
    leave = f'<a class="button back" href="{escape(back)}">{say["back"]}</a>' if back else ""
    cards = (
        f'<section class="panel">{fault}<h2>{say["how"]}</h2><form method="post" action="/c/pay/{session["id"]}?lang={code}">{buttons}</form>{leave}'
        f'<p class="soft">{say["secret"]}</p></section>'
    )
    return _page(code, say["title"], summary + cards, wide=True)


def _row(line: dict, currency: str) -> str:
    count = f"{line['quantity']} × " if line["quantity"] != 1 else ""
    description = f"<span>{escape(line['description'])}</span>" if line["description"] else ""
    return f"<tr><td>{count}{escape(line['name'])}{description}</td><td>{_amount(line['amount'], currency)}</td></tr>"


def challenge(intent: dict, code: str) -> str:
    """The bank's 3-D Secure page."""
    say = words.WORDS[code]
    return _page(
        code,
        say["bank"],
        f'<section class="panel"><p class="soft">{say["bank"]}</p><h1>{say["confirm"]}</h1>'
        f'<p class="amount">{_amount(intent["amount"], intent["currency"])}</p>'
        f'<p>{say["confirm_text"]}</p><form method="post" action="/3ds/{intent["id"]}?lang={code}">'
        f'<button class="primary" name="answer" value="authenticate"><b>{say["authenticate"]}</b></button>'
        f'<button name="answer" value="fail"><b>{say["fail"]}</b></button></form></section>',
    )


def message(title: str, text: str, link: str | None, label: str, code: str) -> str:
    """A page that only says how things stand and where to go on."""
    onward = f'<a class="button primary" href="{escape(link)}"><b>{label}</b></a>' if link else ""
    return _page(code, title, f'<section class="panel"><h1>{title}</h1><p>{text}</p>{onward}</section>')
