"""make.py OUT VERSION PAGE: packs the package, its version and the page into one file that Python runs.

The same sources give the same bytes: members have the date of SOURCE_DATE_EPOCH, in the order of their names.
"""
import os
import sys
import time
import zipfile
from pathlib import Path

START = "from mlpboot.__main__ import main\nimport sys\nsys.exit(main())\n"


def main():
    out, version, page = sys.argv[1:]
    package, conditions, data = (Path(__file__).parent / path for path in ("mlpboot", "../page/conditions.csv", "../data"))
    members = {"__main__.py": START.encode(), "mlpboot/version": version.encode(),
               "mlpboot/page.html": Path(page).read_bytes(),
               "mlpboot/conditions.csv": conditions.read_bytes(),
               **{f"mlpboot/data/{path.parent.name}/{path.name}": path.read_bytes()
                  for file in ("run.json", "verdicts.csv") for path in data.glob(f"*/{file}")},
               **{f"mlpboot/{path.name}": path.read_bytes() for path in package.glob("*.py")}}
    date = time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", "1700000000")))[:6]
    with open(out, "wb") as file:
        file.write(b"#!/usr/bin/python3\n")
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in sorted(members):
                entry = zipfile.ZipInfo(name, date)
                entry.compress_type = zipfile.ZIP_DEFLATED
                entry.external_attr = 0o644 << 16
                archive.writestr(entry, members[name])
    os.chmod(out, 0o755)


main()
