"""What leaves this folder: builds with settings from outside, what is installed, a release, and its SBOM."""

import csv
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import jsonschema
import pytest

from machine import BUILD, ENVIRONMENT, ROOT
from tool import tool

HOSTED = BUILD / "mlpboot-hosted"
CLEAN = {name: value for name, value in ENVIRONMENT.items()
         if not name.startswith("MAKE") and name not in ("CFLAGS", "CPPFLAGS", "LDFLAGS", "SOURCE_DATE_EPOCH")}

# Licences that NOTICES.md names, as SPDX writes them; of expressions each part.
LICENCES = {"MIT", "BSD-2-Clause", "BSD-3-Clause", "LGPL-2.1-or-later", "PSF-2.0", "LGPL-3.0-or-later", "GPL-2.0-only",
            "CDDL-1.0", "ISC", "GPL-3.0-or-later", "Apache-2.0", "LLVM-exception", "NOASSERTION"}


def command(*words, cwd=ROOT, umask=-1, **environment):
    """Runs a command: (exit code, everything it said)."""
    done = subprocess.run([str(word) for word in words], text=True, cwd=cwd, umask=umask, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**CLEAN, **environment}, timeout=300)
    return done.returncode, done.stdout


def right(*words, **settings):
    code, said = command(*words, **settings)
    assert code == 0, said
    return said


# --- Which sources these are ---


@pytest.fixture
def bare(tmp_path):
    """The files of the Makefile alone, in a folder that is not git's."""
    for name in ("Makefile", "images/release.mk", "tests/tests.mk"):
        (tmp_path / "tree" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / "tree" / name)
    return tmp_path / "tree"


def sources_of(tree, **environment):
    return subprocess.run(["make", "-s", "--eval", "show: ; @echo $(VERSION) $$SOURCE_DATE_EPOCH", "show"], cwd=tree,
                          env={**CLEAN, **environment}, text=True, check=True, capture_output=True).stdout.split()


def test_version_and_date_without_git(bare):
    assert sources_of(bare) == ["1.0-unknown", "1700000000"]
    (bare / ".version").write_text("1.0-abcdef012345\n1750000000\n")
    assert sources_of(bare) == ["1.0-abcdef012345", "1750000000"]
    assert sources_of(bare, SOURCE_DATE_EPOCH="1234567890") == ["1.0-abcdef012345", "1234567890"]


def test_a_folder_may_have_a_blank_in_its_name(tmp_path):
    """An object of the process, one of the image, and the data tool are built there."""
    tree = tmp_path / "a b"
    tree.mkdir()
    for name in ("Makefile", "images", "tests", "kernel", "efi", "linker", "README.md"):
        (shutil.copytree if (ROOT / name).is_dir() else shutil.copy)(ROOT / name, tree / name)
    for name in ("hosted/kernel/lib/text.o", "efi/kernel/lib/text.o", "mlpboot.pyz"):
        subprocess.run(["make", "-s", "INSTALL=no", f"build/{name}"], cwd=tree, env=CLEAN, check=True, capture_output=True)
        assert (tree / "build" / name).stat().st_size > 0


with_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


@with_git
def test_a_repository_around_the_folder_is_not_asked(bare):
    right("git", "init", "-q", cwd=bare.parent)
    right("git", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "other",
          cwd=bare.parent)
    assert sources_of(bare) == ["1.0-unknown", "1700000000"]


@with_git
def test_the_repository_of_another_user_is_read(bare):
    right("git", "init", "-q", cwd=bare)
    right("git", "add", "-A", cwd=bare)
    right("git", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "first", cwd=bare)
    commit = right("git", "rev-parse", "--short=12", "HEAD", cwd=bare).strip()
    others = {"GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"}  # by which git's own tests do without root
    assert "dubious ownership" in command("git", "status", cwd=bare, **others)[1]
    assert sources_of(bare, **others)[0] == f"1.0-{commit}"
    (bare / "more").touch()
    assert sources_of(bare, **others)[0] == f"1.0-{commit}+"


# --- Flags from outside ---


def compiled_with(path):
    """What the compiler says it was told, as it writes it beside the names of variables."""
    return re.search(r"DW_AT_producer .*: (GNU C.*)", right("readelf", "--debug-dump=info", path))[1].split()


def test_flags_reach_the_process_and_not_what_is_measured(tmp_path):
    build = tmp_path / "build"
    portable, loop, image = (build / name for name in (
        "hosted/kernel/lib/text.o", "hosted/kernel/probe/pattern_loops.o", "efi/kernel/lib/text.o"))
    right("make", f"BUILD={build}", portable, loop, image, CFLAGS="-O1 -g -grecord-gcc-switches -fstack-protector-all")
    told = compiled_with(portable)
    assert "-O1" in told and "-fstack-protector-all" in told and "-ffp-contract=off" in told
    for path, level in ((loop, "-O2"), (image, "-Os")):
        told = compiled_with(path)
        assert level in told and "-O1" not in told and "-fstack-protector-all" not in told


def commands_for(target, **settings):
    """What make would run for a target."""
    words = [f"{name}={value}" for name, value in settings.items()]
    return [line for line in right("make", "-n", "-B", *words, target).splitlines() if " -o " in line]


def test_where_flags_are_given():
    [image] = commands_for("build/efi/kernel/lib/text.o", CFLAGS="-O3 -march=native -ffile-prefix-map=/a=/b")
    assert "-ffile-prefix-map=/a=/b" in image and "-O3" not in image and "native" not in image
    *_, link = commands_for("build/mlpboot-hosted", LDFLAGS="-Wl,-z,now", LDLIBS="-lgiven", CC="given-cc")
    assert link.startswith("given-cc ") and "-Wl,-z,now" in link and link.endswith("-lgiven")
    [ours] = commands_for("build/hosted/kernel/lib/text.o")
    [theirs] = commands_for("build/hosted/kernel/lib/text.o", CFLAGS="-O3", CPPFLAGS="-DGIVEN")
    assert " -O3 " in theirs and " -DGIVEN " in theirs and " -O2 " not in theirs
    assert "-Werror" in ours or (ROOT / ".version").exists()
    assert "-Werror" not in theirs


# --- make install ---


def files_below(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir())


def test_install_and_uninstall(tmp_path):
    prefix = tmp_path / "prefix"
    settings = [f"PREFIX={prefix}", "INSTALL=no"]
    said = right("make", *settings, "install", umask=0o077)
    installed = files_below(prefix)
    assert {f"{prefix}/{name}" for name in installed} <= set(said.split())
    assert {"bin/mlpboot", "bin/mlpboot-hosted", "bin/mlpboot-read-results", "bin/mlpboot-run", "bin/mlpboot-serve",
            "bin/mlpboot-write-usb",
            "share/man/man1/mlpboot-hosted.1", "share/doc/mlpboot/manual.html",
            "share/doc/mlpboot/LICENCE", "share/doc/mlpboot/NOTICES.md"} <= set(installed)
    for name in ("mlpboot.img", "mlpboot.iso", "BOOTX64.EFI"):
        assert (prefix / "share/mlpboot" / name).read_bytes() == (BUILD / name).read_bytes()
    # An ISO that is there may be of another image or configuration.
    assert "CONFIG= HOSTED=build/mlpboot-hosted sh images/make-iso.sh build/mlpboot.img build/mlpboot.iso\n" in right(
        "make", "-n", "build/mlpboot.iso", CONFIG="/nonexistent.cfg")
    for path in prefix.rglob("*"):
        open_to_all = 0o755 if path.is_dir() or path.parent.name == "bin" or path.suffix == ".sh" else 0o644
        assert path.stat().st_mode & 0o777 == open_to_all, path
    for program in ("mlpboot", "mlpboot-hosted"):
        assert right(prefix / "bin" / program, "--version") == right(HOSTED, "--version")

    for path in (prefix / "bin").iterdir():
        assert "DESCRIPTION" in re.sub(r".\x08", "", right("mandoc", f"man1/{path.name}.1", cwd=prefix / "share/man"))
    for path in (prefix / "share/mlpboot").glob("*.sh"):
        code = re.sub(r"(?m)^ *#.*$", "", path.read_text())
        assert not re.search(r"build/mlpboot|make usb|run make|mktemp -d build", code), path
    code, said = command(prefix / "bin/mlpboot-read-results", tmp_path / "out", cwd="/")
    assert code != 0 and f"{prefix}/share/mlpboot/mlpboot.img holds no results yet" in said
    assert "usage: mlpboot-serve " in right(prefix / "bin/mlpboot-serve", "--help", cwd="/")
    (tmp_path / "short.cfg").write_text("experiments = floor\n")
    said = right(prefix / "bin/mlpboot-run", cwd=tmp_path, CONFIG="short.cfg", ACCEL="tcg")
    assert "run: done; results in results/0001\n" in said and (tmp_path / "results/latest/run.json").exists()
    code, said = command(prefix / "bin/mlpboot-write-usb", "/dev/null", cwd="/")
    assert code != 0 and "/dev/null is not a whole disk" in said
    code, said = command(prefix / "bin/mlpboot-write-usb", cwd="/")
    assert code == 2 and "usage: [SIZE=512M] mlpboot-write-usb /dev/sdX " in said
    code, said = command(prefix / "bin/mlpboot-write-usb", "/dev/null", "SIZE=512M", cwd="/")
    assert code != 0 and "SIZE=512M is one too many" in said

    right("make", *settings, "uninstall")
    assert files_below(prefix) == [] and not (prefix / "share/mlpboot").exists()


def test_destdir_goes_before_the_prefix(tmp_path):
    right("make", f"DESTDIR={tmp_path}/root", "PREFIX=/opt/a", "INSTALL=no", "install")
    assert (tmp_path / "root/opt/a/bin/mlpboot-hosted").exists()
    assert "/opt/a/share/mlpboot/mlpboot.img" in (tmp_path / "root/opt/a/share/mlpboot/read-results.sh").read_text()
    assert "exec /opt/a/share/mlpboot/read-results.sh" in (tmp_path / "root/opt/a/bin/mlpboot-read-results").read_text()
    for prefix in ("relative", "/with blank", "/a|b", "/';touch x;'"):
        code, said = command("make", f"PREFIX={prefix}", f"DESTDIR={tmp_path}/x", "INSTALL=no", "install")
        assert code != 0 and prefix in said and not (tmp_path / "x").exists() and not (ROOT / "x").exists()


# --- The manual page ---


def test_manual_page_is_right_and_names_all_that_help_names():
    page = BUILD / "mlpboot-hosted.1"
    assert command("mandoc", "-T", "lint", page, "images/mlpboot-write-usb.1") == (0, "")
    shown = re.sub(r".\x08", "", right("mandoc", "-T", "ascii", page))
    for name in re.findall(r"(?m)^mlpboot-hosted ([a-z][a-z-]*) ", right(HOSTED, "--help")):
        assert re.search(rf"(?m)^ +{name}$", shown), name
        for option in re.findall(r"(?m)^  (--[a-z]+(?: \S+)?)  ", right(HOSTED, name, "--help")):
            assert re.search(rf"(?m)^ +{re.escape(option)}(?:  .*)?$", shown), option


# --- A release ---


def page_modules():
    """The folder of the modules that the page was made of: an archive has it, a repository fetches it."""
    ready = ROOT / "images/prebuilt/modules"
    if ready.exists():
        return ready
    code, said = command("make", "INSTALL=no", "build/page/node_modules/.package-lock.json")
    if code != 0:
        pytest.skip(f"the page's modules cannot be fetched: {said.splitlines()[-1]}")
    return BUILD / "page/node_modules"


def release(tree, out, **settings):
    """images/dist.sh as make runs it, of what was built here; checksums, by file."""
    version, seconds = sources_of(ROOT)
    modules = tree / "images/prebuilt/modules"
    right("bash", "images/dist.sh", out, cwd=tree, BUILD=str(BUILD), CC="gcc", VERSION=version,
          PAGE_MODULES=str(modules if modules.exists() else page_modules()),
          TOOLS=" ".join(release_packages()), **{"SOURCE_DATE_EPOCH": seconds, **settings})
    lines = (out / "SHA256SUMS").read_text().splitlines()
    return {name: digest for digest, name in (line.split(maxsplit=1) for line in lines)}


def release_packages():
    return right("make", "-s", "--eval", "show: ; @echo $(RELEASE_PACKAGES)", "show").split()


@pytest.fixture(scope="module")
def dist(tmp_path_factory):
    """A release, the folder its sources were unpacked to, and its checksums."""
    folder = tmp_path_factory.mktemp("dist")
    right("make", "INSTALL=no", "build/mlpboot.iso")
    sums = release(ROOT, folder / "first")
    [archive] = (folder / "first").glob("*.tar.gz")
    right("tar", "-xf", archive, "-C", folder)
    return folder / "first", folder / archive.name.removesuffix(".tar.gz"), sums


def test_checksums_are_of_every_file(dist):
    folder, _, sums = dist
    assert sums == {path.name: hashlib.sha256(path.read_bytes()).hexdigest()
                    for path in folder.iterdir() if path.name != "SHA256SUMS"}
    assert {re.sub(r"^mlpboot-1\.0-[0-9a-z+]*", "", name) for name in sums} == {
        "BOOTX64.EFI", "mlpboot-hosted", "mlpboot-hosted.1", "mlpboot.pyz", "mlpboot.cfg", "page.html", "read-results.sh", "serve.sh",
        "run.sh", "find-ovmf.sh", "Containerfile", "manual.html", "LICENCE", "NOTICES.md", "CHANGES.md", "RELEASE-NOTES.md", "SECURITY.md",
        "CITATION.cff", ".img.gz", ".iso", ".tar.gz", "-data.zip", ".spdx.json"}


def test_the_archive_of_references_is_one_of_runs(dist, tmp_path):
    archive, page = next(dist[0].glob("*-data.zip")), tmp_path / "page.html"
    runs = len(list(ROOT.glob("images/data/*/run.json")))
    assert tool("report", archive, "--out", page)[:2] == (0, f"{page}: {runs} runs; any browser shows it\n")


def test_a_release_of_the_unpacked_release_is_the_same(dist):
    folder, tree, sums = dist
    assert not (tree / ".git").exists() and not (tree / "build").exists()
    right(sys.executable, tree / "images/manual.py", folder.parent / "manual.html")
    assert (folder.parent / "manual.html").read_bytes() == (BUILD / "manual.html").read_bytes()
    again = release(tree, folder.parent / "deeper/second", umask=0o077, TZ="Asia/Tokyo", LC_ALL="C.UTF-8")
    assert again == sums


def test_archive_holds_nothing_of_this_machine(dist):
    folder, tree, _ = dist
    _, seconds = sources_of(ROOT)
    [path] = folder.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        members = archive.getmembers()
    assert {member.name.split("/")[0] for member in members} == {tree.name}
    assert {(member.uid, member.gid, member.mtime, member.uname) for member in members} == {(0, 0, int(seconds), "")}
    assert {member.mode for member in members} <= {0o644, 0o755}
    assert path.read_bytes()[4:8] == bytes(4)  # gzip's date
    for name in ("mlpboot-hosted", "BOOTX64.EFI"):
        assert str(ROOT).encode() not in (folder / name).read_bytes()


def test_released_page_is_taken_until_a_source_of_it_is_changed(dist):
    _, tree, _ = dist
    assert sources_of(tree) == sources_of(ROOT)
    assert (tree / "images/prebuilt/page.html").read_bytes() == (BUILD / "page.html").read_bytes()
    said = right("make", "-n", "build/page.html", "-W", "images/prebuilt/page.html", cwd=tree)
    assert "cp images/prebuilt/page.html build/page.html" in said and "npm" not in said
    with open(tree / "images/page/main.js", "a") as file:
        file.write("// changed\n")
    said = right("make", "-n", "build/page.html", cwd=tree)
    assert "npm ci" in said and "prebuilt" not in said


# --- What it is made of ---

TEXT = {"type": "string", "minLength": 1}
IDENTIFIER = {"type": "string", "pattern": r"^SPDXRef-[A-Za-z0-9.-]+$"}
CHECKSUMS = {"type": "array", "minItems": 1, "items": {
    "type": "object", "required": ["algorithm", "checksumValue"], "additionalProperties": False,
    "properties": {"algorithm": {"enum": ["SHA1", "SHA256"]}, "checksumValue": {"pattern": r"^[0-9a-f]{40}([0-9a-f]{24})?$"}}}}
# Of SPDX 2.3, chapters 6 to 11, what this document uses of it, and all that is mandatory.
SCHEMA = {
    "type": "object", "additionalProperties": False,
    "required": ["spdxVersion", "dataLicense", "SPDXID", "name", "documentNamespace", "creationInfo"],
    "properties": {
        "spdxVersion": {"const": "SPDX-2.3"}, "dataLicense": {"const": "CC0-1.0"},
        "SPDXID": {"const": "SPDXRef-DOCUMENT"}, "name": TEXT,
        "documentNamespace": {"type": "string", "pattern": r"^https://[^#\s]+$"},
        "creationInfo": {
            "type": "object", "required": ["created", "creators"], "additionalProperties": False,
            "properties": {"created": {"pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$"},
                           "creators": {"type": "array", "minItems": 1, "items": {
                               "pattern": r"^(Person|Organization|Tool): \S"}}}},
        "packages": {"type": "array", "minItems": 1, "items": {
            "type": "object", "required": ["SPDXID", "name", "downloadLocation"], "additionalProperties": False,
            "properties": {
                "SPDXID": IDENTIFIER, "name": TEXT, "downloadLocation": {"const": "NOASSERTION"},
                "filesAnalyzed": {"type": "boolean"}, "licenseConcluded": TEXT, "licenseDeclared": TEXT,
                "copyrightText": TEXT, "versionInfo": TEXT, "comment": TEXT,
                "packageVerificationCode": {"type": "object", "required": ["packageVerificationCodeValue"]},
                "externalRefs": {"type": "array", "items": {
                    "type": "object", "required": ["referenceCategory", "referenceType", "referenceLocator"],
                    "properties": {"referenceCategory": {"const": "PACKAGE-MANAGER"}, "referenceType": {"const": "purl"},
                                   "referenceLocator": {"pattern": r"^pkg:(npm|deb/debian)/[^@\s]+@[^\s+:]+$"}}}}}}},
        "files": {"type": "array", "items": {
            "type": "object", "required": ["SPDXID", "fileName", "checksums"], "additionalProperties": False,
            "properties": {"SPDXID": IDENTIFIER, "fileName": {"pattern": r"^\./"}, "checksums": CHECKSUMS,
                           "licenseConcluded": TEXT, "copyrightText": TEXT}}},
        "relationships": {"type": "array", "items": {
            "type": "object", "required": ["spdxElementId", "relationshipType", "relatedSpdxElement"],
            "additionalProperties": False, "properties": {
                "spdxElementId": IDENTIFIER, "relatedSpdxElement": IDENTIFIER, "comment": TEXT,
                "relationshipType": {"enum": ["DESCRIBES", "CONTAINS", "GENERATED_FROM", "DEPENDS_ON",
                                              "BUILD_TOOL_OF", "OTHER"]}}}}}}


@pytest.fixture(scope="module")
def sbom(dist):
    [path] = dist[0].glob("*.spdx.json")
    return json.loads(path.read_text())


def test_sbom_is_spdx(sbom):
    jsonschema.Draft7Validator(SCHEMA).validate(sbom)
    elements = [sbom["SPDXID"], *(element["SPDXID"] for element in sbom["packages"] + sbom["files"])]
    assert len(set(elements)) == len(elements)
    related = {link[end] for link in sbom["relationships"] for end in ("spdxElementId", "relatedSpdxElement")}
    assert related == set(elements)
    for package in sbom["packages"]:
        assert ("packageVerificationCode" in package) == package["filesAnalyzed"]
        for licence in re.split(r" (?:AND|OR|WITH) ", package["licenseDeclared"]):
            assert licence in LICENCES, package


def test_sbom_has_every_file_with_its_checksum(dist, sbom):
    folder, tree, sums = dist
    def of(package):
        return {file["fileName"][2:]: file["checksums"][1]["checksumValue"] for file in sbom["files"]
                if file["SPDXID"].startswith(f"{package}-File-")}
    assert of("SPDXRef-Release") == {name: sums[name] for name in sums if not name.endswith(".spdx.json")}
    sources = of("SPDXRef-Source")
    assert "kernel/run.c" in sources and "images/prebuilt/modules/d3-shape/LICENSE" in sources
    assert sources["kernel/run.c"] == hashlib.sha256((tree / "kernel/run.c").read_bytes()).hexdigest()
    sha1 = sorted(file["checksums"][0]["checksumValue"] for file in sbom["files"] if "Release" in file["SPDXID"])
    [package] = (package for package in sbom["packages"] if package["name"] == "mlpboot")
    assert package["packageVerificationCode"]["packageVerificationCodeValue"] == hashlib.sha1(
        "".join(sha1).encode()).hexdigest()


def test_sbom_names_every_part_of_others(sbom):
    named = {package["name"].lower(): package for package in sbom["packages"]}
    locked = json.loads((ROOT / "images/page/package-lock.json").read_text())["packages"]
    for path, row in locked.items():
        if path and not row.get("optional"):
            package = named[path.removeprefix("node_modules/")]
            assert (package["versionInfo"], package["licenseDeclared"]) == (row["version"], row["license"])
    for name in release_packages():
        assert named[name]["versionInfo"] == right("dpkg-query", "-W", "-f", "${Version}", name)
    assert {"gnu-efi", "gnu c library", "python", "psycopg"} <= set(named)


def sources_named(path):
    with open(ROOT / path, newline="", encoding="utf-8") as file:
        return {row["source"] for row in csv.DictReader(file)}


def test_everybody_whose_facts_are_used_is_named(sbom):
    facts = [package["name"] for package in sbom["packages"]
             if any(link["relatedSpdxElement"] == package["SPDXID"] and link["relationshipType"] == "OTHER"
                    for link in sbom["relationships"])]
    used = set()
    for source in sources_named("kernel/pmu/events.csv") | sources_named("images/page/published.csv"):
        for part in re.split("; | \\+ ", source):
            found = [name for name in facts if name in part] or [
                name for name in facts if name == "torvalds/linux" and part.startswith("arch/x86/")]
            assert found, f"images/NOTICES.md does not name {part}"
            used.update(found)
    noted = (ROOT / "kernel/pmu/events.csv").read_text()
    assert set(facts) - used == ({"libpfm"} if "libpfm" in noted else set())


def test_the_page_says_the_terms_of_what_it_holds():
    page = (BUILD / "page.html").read_text()
    holder = page_modules()
    for name in ("d3-shape", "d3-path"):
        assert (holder / name / "LICENSE").read_text().strip() in page
    assert page.index('<meta charset="utf-8">') < 1024 and "NOTICES" not in page


def test_licence_is_said_alike():
    ours = (ROOT / "images/LICENCE").read_text()
    assert ours.startswith("MIT License\n")
    debian = (ROOT / "images/debian/copyright").read_text().split("\nLicense: Expat\n ")[-1]
    assert debian.replace("\n .\n", "\n\n").split() == ours[ours.index("Permission is"):].split()


def test_the_page_that_is_here_ready_made_is_what_its_sources_make(tmp_path):
    page_modules()
    modules = BUILD / "page/node_modules"
    if not modules.exists():
        pytest.skip("the page's modules are of a release, without esbuild")
    right("node", "images/page/build.mjs", modules, tmp_path / "page.html")
    assert (ROOT / "images/prebuilt/page.html").read_bytes() == (tmp_path / "page.html").read_bytes()
