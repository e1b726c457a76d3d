"""The public logs of the Parallel Workloads Archive: where they are, and whether they are whole.

The logs are not part of this package. `load_trace` looks for one in the folder that the
environment variable ``COALLOC_TRACES`` names, then in the user's cache, and only then fetches it
from the archive. Every copy is checked by SHA-256 before it is used; one that cannot be checked
is not used.
"""

import hashlib
import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from coalloc_lib.checks import InputError, one_of, path_of, shown
from coalloc_lib.progress import SILENT, Silent
from coalloc_lib.workloads._public_logs import CATALOGUE, Trace
from coalloc_lib.workloads._swf_blocks import content
from coalloc_lib.workloads.swf import SwfLog, read_swf

FOLDER_VARIABLE = "COALLOC_TRACES"
MISSING = ("fetch", "stand-in", "error")


def trace(name: str) -> Trace:
    """Return the catalogue's entry of a log.

    `name` is its name, its first word (``"CTC"``) or its file, in any case of letters.
    """
    entry = _find(name)
    if entry is None:
        raise InputError(
            f"name = {shown(name)} is no log of the catalogue; choose one of "
            f"{', '.join(entry.name for entry in CATALOGUE)}"
        )
    return entry


def _find(name: object) -> Trace | None:
    wanted = str(name).lower()
    for entry in CATALOGUE:
        stem = entry.file.removesuffix(".swf.gz")
        names = (entry.name, entry.name.split("-")[0], stem, f"{stem}.swf", entry.file)
        if wanted in map(str.lower, names):
            return entry
    return None


def load_trace(
    name_or_path: str | os.PathLike[str], *, missing: str = "fetch", progress: Silent = SILENT
) -> SwfLog:
    """Return a public log by its name, or any log by its path.

    Parameters
    ----------
    name_or_path : str or Path
        A name of the catalogue (``"KTH-SP2"``, ``"kth"``) or the path of a log.
    missing : {"fetch", "stand-in", "error"}
        What to do when a public log is neither in the folder of ``COALLOC_TRACES`` nor in the
        cache: fetch it from the archive, use the synthetic stand-in that comes with a
        checkout, or give up. Nothing is fetched but with ``"fetch"``.
    progress : coalloc_lib.progress.Progress, optional
        Moved on while the log is read; see `read_swf`.

    Returns
    -------
    SwfLog
        Its `source` is the file that was used; `is_stand_in` says whether it is synthetic.

    Raises
    ------
    InputError
        There is no such log, it is not the one that the catalogue describes, or it could not
        be fetched.
    """
    one_of("missing", missing, MISSING)
    entry = _find(name_or_path)
    if entry is None:
        own = path_of("name_or_path", name_or_path)
        if not os.path.exists(own) and own.name == str(own) and "." not in str(own):
            trace(str(own))  # a bare word was meant as a name: say which names there are
        return read_swf(own, progress=progress)
    path = _local_file(entry)
    if path is not None:
        _check(path, entry)
    elif missing == "stand-in":
        return load_stand_in(entry.name)
    elif missing == "error":
        raise InputError(
            f"{entry.name} is not here; fetch it (coalloc traces fetch {entry.name}), or set "
            f"{FOLDER_VARIABLE} to a folder with {entry.file}"
        )
    else:
        path = _download(entry)
    return replace(read_swf(path, progress=progress), name=entry.name)


def fetch(names: Iterable[str] | None = None) -> list[Path]:
    """Make sure that public logs are here; fetch those that are not.

    Parameters
    ----------
    names : iterable of str, optional
        Names of the catalogue; all when not given.

    Returns
    -------
    list of Path
        The files, in the order of the names.
    """
    if names is not None and (isinstance(names, str) or not isinstance(names, Iterable)):
        raise InputError(f"names = {shown(names)}; give a list of names")
    entries = CATALOGUE if names is None else [trace(name) for name in names]
    return [_local_file(entry) or _download(entry) for entry in entries]


def listing() -> list[dict]:
    """Return one dict a public log: name, jobs, processors, acknowledge, found.

    `found` is the path of the file that `load_trace` would use, or ``"not fetched"``.
    """
    known = ("name", "jobs", "processors", "acknowledge")
    return [
        {name: getattr(entry, name) for name in known}
        | {"found": str(_local_file(entry) or "not fetched")}
        for entry in CATALOGUE
    ]


def cache_folder() -> Path:
    """Return the folder in which fetched logs are kept."""
    import pooch

    return Path(pooch.os_cache("coalloc-workbench"))


def _local_file(entry: Trace) -> Path | None:
    """Return the file of a log that is here already, None if there is none."""
    for folder_of in (_named_folder, cache_folder):  # the second imports pooch, which takes long
        folder = folder_of()
        for file in (entry.file, entry.file.removesuffix(".gz")):
            if folder is not None and os.path.isfile(folder / file):
                return folder / file
    return None


def _named_folder() -> Path | None:
    value = os.environ.get(FOLDER_VARIABLE)
    if not value:
        return None
    folder = Path(os.path.expanduser(value))
    if not os.path.isdir(folder):
        raise InputError(
            f"{FOLDER_VARIABLE} = {shown(value)} is not a folder; name one that holds logs, or "
            "unset it"
        )
    return folder


def _check(path: Path, entry: Trace) -> None:
    # The content decides where it is known, as the same log may have been packed anew.
    if entry.content_sha256:
        digest = hashlib.sha256()
        for block in content(path):
            digest.update(block)
        what, expected = "content", entry.content_sha256
    elif entry.archive_sha256 and path.suffix == ".gz":
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256")
        what, expected = "file", entry.archive_sha256
    else:
        raise InputError(
            f"{path} cannot be checked: of {entry.name} only {entry.file} has a known checksum; "
            "put that file there, or give your copy another name and load it by its path"
        )
    if digest.hexdigest() != expected:
        raise InputError(
            f"{path}: the {what} has SHA-256 {digest.hexdigest()}, the catalogue says {expected}; "
            "remove the file and fetch it again"
        )


def _download(entry: Trace) -> Path:
    """Fetch a log into the cache; it appears there only when it is whole and checked."""
    import pooch

    known = f"sha256:{entry.archive_sha256}" if entry.archive_sha256 else None
    downloader = pooch.HTTPDownloader(progressbar=True, timeout=30)
    try:
        file = pooch.retrieve(entry.url, known, entry.file, cache_folder(), downloader=downloader)
    # requests raises subclasses of OSError, pooch ValueError where the checksum differs.
    except (OSError, ValueError) as error:
        raise InputError(
            f"{entry.url} could not be fetched ({' '.join(str(error).split())[:400]}); try again "
            f"later, or download {entry.file} elsewhere and set {FOLDER_VARIABLE} to its folder"
        ) from None
    try:
        _check(Path(file), entry)
    except InputError as error:  # the file is gone by the time that this is read
        os.remove(file)
        raise InputError(str(error).replace(file, entry.url)) from None
    return Path(file)


def load_stand_in(name: str) -> SwfLog:
    """Return the synthetic log that stands in for a public one.

    It comes with a checkout of the repository, in ``data/traces``, not with an installed package:
    where it is not there, an `InputError` says so.
    """
    entry = trace(name)
    folder = Path(__file__).parents[2] / "data" / "traces"
    path = folder / f"{entry.name}-synthetic.swf.gz"
    if not path.is_file():
        there = sorted(file.name.split("-synthetic")[0] for file in folder.glob("*-synthetic*"))
        raise InputError(
            f"there is no stand-in for {entry.name} (only for {', '.join(there) or 'none'}, and "
            f"none outside a checkout); fetch the log: coalloc traces fetch {entry.name}"
        )
    return replace(read_swf(path), name=entry.name, is_stand_in=True)
