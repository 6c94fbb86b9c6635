"""Tax ids: is this one even possible in that country? Whether it is registered is asked by billing, at the tax authority's service."""

from __future__ import annotations

import stdnum
import stdnum.exceptions
from stdnum.eu import vat as eu_vat
from stdnum.us import ein


class ImpossibleTaxId(ValueError):
    """The tax id does not fit the format or the check digits of the country."""


def normalised(*, country: str, tax_id: str) -> str:
    """The tax id in its compact form, with the country prefix where the EU writes one. Raises ImpossibleTaxId. Countries that nobody has published a rule
    for take anything."""
    written = tax_id.strip()
    if not written:
        return ""
    try:
        if country.lower() in eu_vat.MEMBER_STATES:
            return _in_the_eu(country, written)
        module = ein if country == "US" else stdnum.get_cc_module(country.lower(), "vat")
        return module.validate(written) if module else written
    except stdnum.exceptions.ValidationError as error:
        raise ImpossibleTaxId(written) from error


def _in_the_eu(country: str, written: str) -> str:
    prefix = "EL" if country == "GR" else country
    compact = "".join(character for character in written.upper() if character.isalnum())
    return eu_vat.validate(compact if compact.startswith(prefix) else prefix + compact)
