"""stored_runs: runs whose rows are kept: those of tests/data, and the references that a release has (images/data)."""

import gzip
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = {folder.name: folder for data in ("tests/data", "images/data") for folder in sorted((ROOT / data).iterdir())
           if (folder / "results.csv.gz").exists()}
JUDGED = [name for name, folder in FOLDERS.items() if list(folder.glob("verdicts.csv*"))]


def path_of(run, file):
    """Tables are packed where nobody reads them: rows everywhere, verdicts in tests/data."""
    packed = FOLDERS[run] / f"{file}.gz"
    return packed if packed.exists() else FOLDERS[run] / file


def stored_text(run, file):
    path = path_of(run, file)
    return (gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()).decode()


def keep(run, file, text):
    path = path_of(run, file)
    path.write_bytes(gzip.compress(text.encode(), mtime=0) if path.suffix == ".gz" else text.encode())
