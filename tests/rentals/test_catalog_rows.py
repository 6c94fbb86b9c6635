"""The data files: what is nonsense is refused by file, row and column."""

import dataclasses
from decimal import Decimal

import pytest

from rentals.domain import catalog_rows, cells
from rentals.services import reference

SITE = {"slug": "fra1", "name": "Frankfurt 1", "country": "DE", "time_zone": "Europe/Berlin"}
PRICE = {
    "sku": "a100",
    "currency": "USD",
    "unit": "hour",
    "rate": "15.12",
    "granule_seconds": "60",
    "minimum_seconds": "0",
    "valid_from": "2026-01-01T00:00:00+00:00",
    "source": "own list price",
}
MESH = {
    "slug": "four", "name": "Four", "shape": "mesh", "gpus": "4", "fabric": "NVLink", "links_per_gpu": "12", "gbs_per_link": "25", "gbs_per_gpu": "600",
    "switches": "0", "bisection_gbs": "", "links": "0-1:4 2-3:4", "host_link": "PCIe 4", "host_gbs": "31.5", "scale_out": "1 x HDR", "source": "tests",
}  # fmt: skip


def problems_of(**files) -> list[str]:
    with pytest.raises(catalog_rows.BadCatalog) as refused:
        catalog_rows.read_all(files)
    return refused.value.problems


def test_the_files_that_come_with_the_portal_are_sound():
    rows = reference.tables()

    assert set(rows) == set(catalog_rows.FILES)
    assert len(rows["configurations"]) >= 12
    assert all(getattr(row, "source", "x") for found in rows.values() for row in found)


def test_cells_become_numbers_moments_and_links():
    rows = catalog_rows.read_all({"interconnects": [MESH], "sites": [SITE]})

    assert rows["interconnects"][0].links == ((0, 1, 4), (2, 3, 4))
    assert rows["interconnects"][0].gbs_per_gpu == Decimal(600)
    assert rows["interconnects"][0].bisection_gbs is None


@pytest.mark.parametrize(
    ("column", "cell", "problem"),
    [
        ("currency", "ZZZ", "'ZZZ' is not a currency that we know"),
        ("unit", "day", "'day' must be one of hour, tb_hour"),
        ("rate", "cheap", "'cheap' is not a number"),
        ("rate", "-1", "'-1' must be a number of at least 0"),
        ("rate", "NaN", "'NaN' must be a number of at least 0"),
        ("granule_seconds", "0", "'0' must be at least 1"),
        ("granule_seconds", "1.5", "'1.5' is not a whole number"),
        ("valid_from", "yesterday", "'yesterday' is not an ISO date and time"),
        ("valid_from", "2026-01-01T00:00:00", "'2026-01-01T00:00:00' must name its offset from UTC"),
        ("sku", "two words", "'two words' is not a name of letters, digits and hyphens"),
        ("sku", "", "'' is not a name of letters, digits and hyphens"),
        ("source", "", "'' is empty"),
        ("source", None, "'' is empty"),
    ],
)
def test_nonsense_is_refused_by_file_row_and_column(column, cell, problem):
    assert problems_of(prices=[PRICE | {column: cell}]) == [f"prices.csv, row 2, column {column}: {problem}"]


def test_every_problem_is_told_at_once():
    assert len(problems_of(prices=[PRICE | {"rate": "x", "currency": "x"}], sites=[SITE, SITE])) == 3


def test_yes_is_yes_and_no_is_no():
    assert cells.yes_no("yes") and not cells.yes_no("no")
    with pytest.raises(cells.BadCell):
        cells.yes_no("maybe")


def test_a_row_with_other_columns_is_refused():
    assert problems_of(sites=[{"slug": "fra1"}]) == ["sites.csv, row 2: the columns must be slug, name, country, time_zone"]


def test_a_name_stands_once_in_a_file():
    assert problems_of(sites=[SITE, SITE]) == ["sites.csv, row 3: fra1 stands there twice"]


def test_a_name_that_leads_nowhere_is_refused():
    fabric = {"slug": "ib", "site": "mars", "name": "IB"}

    assert problems_of(sites=[SITE], fabrics=[fabric]) == ["fabrics.csv, row 2, column site: sites.csv has no 'mars'"]


def test_a_price_for_nothing_is_refused():
    assert problems_of(prices=[PRICE]) == ["prices.csv, row 2, column sku: nothing that is sold is called 'a100'"]


def test_every_column_says_how_it_is_read():
    assert all("read" in field.metadata for shape in catalog_rows.FILES.values() for field in dataclasses.fields(shape))
