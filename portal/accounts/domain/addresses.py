"""Regions that a tax decision needs: states of the US, provinces of Canada."""

from __future__ import annotations

REGIONS = {
    "US": frozenset(
        "AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA "
        "WV WI WY PR GU VI AS MP".split()
    ),
    "CA": frozenset("AB BC MB NB NL NS NT NU ON PE QC SK YT".split()),
}


def needs_region(country: str) -> bool:
    return country in REGIONS


def is_region(*, country: str, region: str) -> bool:
    """Whether `region` is possible in `country`; elsewhere than in the US and Canada any text is."""
    return country not in REGIONS or region in REGIONS[country]
