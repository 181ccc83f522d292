"""sbom: prints what a release is made of as SPDX 2.3 in JSON; the same inputs give the same bytes.

usage: sbom.py SOURCES FILES

SOURCES is the folder of the source archive, FILES that of the release without the SBOM. It reads the parts by
others from images/NOTICES.md, the versions of d3's modules and esbuild from the page's lock file. From the
environment: VERSION, SOURCE_DATE_EPOCH; TOOLS, the Debian packages that it was built with; CC, the compiler.
"""

import datetime
import hashlib
import json
import os
import re
import subprocess
import sys
import uuid
from pathlib import Path
from urllib.parse import quote

# The relation to the release of the parts in each table of NOTICES.md, by the table's heading.
RELATIONS = {
    "Parts of the files": "CONTAINS",
    "Parts opened or linked at run time": "DEPENDS_ON",
    "Sources of facts": "OTHER",
}

# Debian's names of packages whose parts have other names in NOTICES.md.
DEBIAN = {"GNU-EFI": "gnu-efi", "GNU C Library": "libc6-dev", "Python": "python3",
          "psycopg": "python3-psycopg2"}

RELEASE = "SPDXRef-Release"
SOURCE = "SPDXRef-Source"


def notices(text):
    """Yields (heading, name, licence, whose, where) of each row of the tables."""
    for section in re.split(r"(?m)^## ", text)[1:]:
        heading, _, body = section.partition("\n")
        rows = re.findall(r"(?m)^\| (.+?) \| (.+?) \| (.+?) \| (.+?) \|$", body)
        for name, licence, whose, where in rows[1:]:
            yield heading, name, licence, whose, where


def debian_version(package):
    """Returns the version of an installed package; None if it is not installed, or dpkg is missing."""
    try:
        asked = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], text=True,
                               capture_output=True)
    except FileNotFoundError:
        return None
    return asked.stdout if asked.returncode == 0 else None


def debian_purl(package, version):
    return f"pkg:deb/debian/{package}@{quote(version)}" if version else None


def locked(sources):
    """Returns {name in small letters: row} of the page's lock file, without modules that only some machines install."""
    with open(sources / "images/page/package-lock.json", encoding="utf-8") as file:
        rows = json.load(file)["packages"]
    return {path.removeprefix("node_modules/").lower(): row for path, row in rows.items()
            if path and not row.get("optional")}


def digests(path):
    data = path.read_bytes()
    return [{"algorithm": name.upper(), "checksumValue": hashlib.new(name, data).hexdigest()}
            for name in ("sha1", "sha256")]


class Document:
    def __init__(self):
        self.packages, self.files, self.relationships = [], [], []

    def relate(self, element, kind, other, comment=None):
        self.relationships.append({"spdxElementId": element, "relationshipType": kind,
                                   "relatedSpdxElement": other,
                                   **({"comment": comment} if comment else {})})

    def add_package(self, identifier, name, licence, *, version=None, purl=None, **more):
        package = {"SPDXID": identifier, "name": name, "downloadLocation": "NOASSERTION",
                   "filesAnalyzed": False, "licenseConcluded": licence, "licenseDeclared": licence,
                   "copyrightText": "NOASSERTION"} | more
        if version:
            package["versionInfo"] = version
        if purl:
            package["externalRefs"] = [{"referenceCategory": "PACKAGE-MANAGER",
                                        "referenceType": "purl", "referenceLocator": purl}]
        self.packages.append(package)

    def add_files(self, package, folder):
        """Adds a folder's files, in order. Returns the code that verifies them, as SPDX computes it."""
        paths = sorted(path for path in folder.rglob("*") if path.is_file())
        for number, path in enumerate(paths, 1):
            identifier = f"{package}-File-{number}"
            self.files.append({"SPDXID": identifier, "checksums": digests(path),
                               "fileName": f"./{path.relative_to(folder).as_posix()}",
                               "licenseConcluded": "NOASSERTION", "copyrightText": "NOASSERTION"})
            self.relate(package, "CONTAINS", identifier)
        sums = sorted(file["checksums"][0]["checksumValue"] for file in self.files[-len(paths):])
        return hashlib.sha1("".join(sums).encode()).hexdigest()


def add_parts(document, sources):
    """Adds the parts by others that the release contains or uses, and the tools and facts that were used for it."""
    lock = locked(sources)
    table = notices((sources / "images/NOTICES.md").read_text(encoding="utf-8"))
    for number, (heading, name, licence, whose, where) in enumerate(table, 1):
        identifier = f"SPDXRef-Part-{number}"
        version = purl = None
        if name.lower() in lock:
            version = lock.pop(name.lower())["version"]
            purl = f"pkg:npm/{name.lower()}@{version}"
        elif name in DEBIAN:
            version = debian_version(DEBIAN[name])
            purl = debian_purl(DEBIAN[name], version)
        document.add_package(identifier, name, licence, version=version, purl=purl,
                             copyrightText=whose, comment=where.replace("`", ""))
        document.relate(RELEASE, RELATIONS[heading], identifier, heading)
    for name, row in sorted(lock.items()):
        identifier = f"SPDXRef-Tool-{name}"
        document.add_package(identifier, name, row["license"], version=row["version"],
                             purl=f"pkg:npm/{name}@{row['version']}")
        document.relate(identifier, "BUILD_TOOL_OF", RELEASE)


def add_tools(document, packages):
    for name in packages:
        version = debian_version(name)
        identifier = f"SPDXRef-Tool-{name}"
        document.add_package(identifier, name, "NOASSERTION", version=version,
                             purl=debian_purl(name, version))
        document.relate(identifier, "BUILD_TOOL_OF", RELEASE)
    asked = subprocess.run(f"{os.environ.get('CC') or 'gcc'} --version", shell=True, text=True,
                           capture_output=True, check=True)
    document.add_package("SPDXRef-Compiler", asked.stdout.split("\n", 1)[0], "NOASSERTION")
    document.relate("SPDXRef-Compiler", "BUILD_TOOL_OF", RELEASE)


def make(sources, files, version, seconds, tools):
    document = Document()
    for identifier, name, folder in ((RELEASE, "mlpboot", files), (SOURCE, "mlpboot-sources", sources)):
        code = document.add_files(identifier, folder)
        document.add_package(identifier, name, "MIT", version=version,
                             copyrightText="Copyright (c) 2026 the mlpboot authors", filesAnalyzed=True,
                             packageVerificationCode={"packageVerificationCodeValue": code})
    document.relate("SPDXRef-DOCUMENT", "DESCRIBES", RELEASE)
    document.relate(RELEASE, "GENERATED_FROM", SOURCE)
    add_parts(document, sources)
    add_tools(document, tools)
    created = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
    name = f"mlpboot-{version}"
    what = json.dumps([document.packages, document.files])
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": name,
        "documentNamespace": f"https://spdx.org/spdxdocs/{name}-{uuid.uuid5(uuid.NAMESPACE_URL, what)}",
        "creationInfo": {"created": created.strftime("%Y-%m-%dT%H:%M:%SZ"),
                         "creators": ["Organization: the mlpboot authors", f"Tool: mlpboot-sbom-{version}"]},
        "packages": document.packages, "files": document.files,
        "relationships": document.relationships,
    }


def main(sources, files):
    made = make(Path(sources), Path(files), os.environ["VERSION"],
                int(os.environ["SOURCE_DATE_EPOCH"]), os.environ.get("TOOLS", "").split())
    json.dump(made, sys.stdout, indent=1, ensure_ascii=False)
    print()


if __name__ == "__main__":
    main(*sys.argv[1:])
