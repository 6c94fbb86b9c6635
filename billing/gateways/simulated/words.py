"""What the hosted pages say, in both languages. The stand-in is an outside system, so its words are its own."""

from __future__ import annotations

WORDS = {
    "en": {
        "lang": "en", "other": "中文", "other_code": "zh", "banner": "Simulated checkout. No real money moves.", "title": "Checkout", "pay_to": "You pay",
        "how": "Choose a test card", "total": "Total", "valid": "This page is open until", "back": "Back without paying",
        "secret": "These are published test numbers. None is a real card.",
        "success": "Pays at once", "decline": "Is declined", "challenge": "Asks you to confirm (3-D Secure)", "funds": "Has no funds",
        "ending": "card ending in",
        "failed": "That card did not pay", "again": " Nothing was charged. Choose another card, or go back.",
        "paid": "Paid", "paid_text": "This checkout has been paid. Nothing more is needed here.", "go_on": "Continue",
        "expired": "This checkout has expired", "expired_text": "Nothing was charged. Go back to start again.", "go_back": "Go back",
        "bank": "Simulated bank", "confirm": "Confirm this payment?", "confirm_text": "A real bank would now ask you to prove who you are.",
        "authenticate": "Confirm the payment", "fail": "Refuse", "missing": "There is no such checkout",
        "missing_text": "The address is wrong or its data was deleted.",
    },
    "zh": {
        "lang": "zh-Hans", "other": "English", "other_code": "en", "banner": "模拟收银台，不涉及真实资金。", "title": "收银台", "pay_to": "您将支付",
        "how": "请选择一张测试卡", "total": "合计", "valid": "本页有效期至", "back": "不付款，返回", "secret": "以上均为公开的测试卡号，并非真实银行卡。",
        "success": "立即付款成功", "decline": "被发卡行拒绝", "challenge": "需要您确认（3-D Secure）", "funds": "余额不足", "ending": "卡号末四位",
        "failed": "这张卡未能付款", "again": "未扣任何款项。请换一张卡，或返回。",
        "paid": "已付款", "paid_text": "这笔款项已经付清，无需再做任何操作。", "go_on": "继续",
        "expired": "本次付款已过期", "expired_text": "未扣任何款项。请返回后重新开始。", "go_back": "返回",
        "bank": "模拟银行", "confirm": "确认这笔付款吗？", "confirm_text": "真实的银行会在此核实您的身份。",
        "authenticate": "确认付款", "fail": "拒绝", "missing": "找不到这次付款", "missing_text": "网址有误，或其数据已被删除。",
    },
}  # fmt: skip
REASONS = {
    "generic_decline": {"en": "The bank declined it.", "zh": "发卡行拒绝了这笔付款。"},
    "insufficient_funds": {"en": "The card has insufficient funds.", "zh": "卡内余额不足。"},
    "payment_intent_authentication_failure": {"en": "The bank could not confirm that it was you.", "zh": "银行未能确认是您本人。"},
    "expired_card": {"en": "The card has expired.", "zh": "卡片已过期。"},
}


def language(wanted: str | None, locale: str | None, accepted: str) -> str:
    """The language of a page: as asked for by its link, else as the session says, else as the browser prefers."""
    for hint in (wanted, None if locale == "auto" else locale, accepted):
        if hint:
            return "zh" if hint.lower().startswith("zh") else "en"
    return "en"


def reason(error: dict, code: str) -> str:
    """Why a card did not pay, in the page's language; the vendor's own sentence when it is not among ours."""
    known = REASONS.get(error.get("decline_code", "")) or REASONS.get(error.get("code", ""))
    return known[code] if known else error.get("message", "")
