"""The catalogue of public logs in the Parallel Workloads Archive, and functions that load them.

A log is looked for in the folder that the environment variable ``COALLOC_TRACES`` names, and then
in the cache of the user. If it is in neither, it can be downloaded. The SHA-256 of each file is
checked if its checksum is known.
"""

import hashlib
import os
import time
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from coalloc_lib.basics.checks import InputError, one_of, path_of, shown
from coalloc_lib.basics.data import data_folder
from coalloc_lib.workloads.log_files import content
from coalloc_lib.workloads.swf import SwfLog, read_swf

ARCHIVE = "https://www.cs.huji.ac.il/labs/parallel/workload"
#: The name of the environment variable that gives the path of a folder with logs.
FOLDER_VARIABLE = "COALLOC_TRACES"
#: What `load_trace` can do if a public log is not on this computer: download it, load a synthetic
#: stand-in, or raise an error.
MISSING = ("fetch", "stand-in", "error")
#: If a file changes twice within this number of nanoseconds, both changes can have the same time
#: stamp.
SOON = 2 * 10**9


@dataclass(frozen=True)
class Trace:
    """The catalogue entry of a public log: its address, checksums and size.

    The log is in the Parallel Workloads Archive. A value that is not known is None.

    Attributes
    ----------
    name : str
        The name of the log.
    url : str
        The address of the packed file.
    archive_sha256, content_sha256 : str or None
        The SHA-256 of the packed file and of its content.
    processors, jobs : int
        The number of processors of the machine, and the number of jobs.
    usable : int or None
        The number of jobs with a run time and a number of processors above 0.
    acknowledge : str
        The people whom a publication that uses the log must acknowledge.
    """

    name: str
    url: str
    archive_sha256: str | None
    content_sha256: str | None
    processors: int
    jobs: int
    usable: int | None
    acknowledge: str

    @property
    def file(self) -> str:
        """The file name of the compressed log in the Parallel Workloads Archive."""
        return self.url.rpartition("/")[2]


# fmt: off

#: The public logs that `load_trace` knows by name.
CATALOGUE = (
    Trace(
        "CTC-SP2", f"{ARCHIVE}/l_ctc_sp2/CTC-SP2-1996-3.1-cln.swf.gz",
        "9fa28ac16c4386fb81b72a91d8bd8888281df2948a9d912769d387c5ee285bb4",
        "8e33a9b597e1ddda2d2164347bac08c9444e1a2620a7947df52f0a1622ec4cde",
        338, 77_222, 77_205, "Dan Dwyer and Steve Hotovy",
    ),
    Trace(
        "CTC-1995", f"{ARCHIVE}/l_ctc_sp2/CTC-SP2-1995-2.swf.gz", None, None,
        430, 75_944, None, "Steve Hotovy",
    ),
    Trace(
        "KTH-SP2", f"{ARCHIVE}/l_kth_sp2/KTH-SP2-1996-2.1-cln.swf.gz",
        "3e152f201fd2e96808a735bced6ea6eb0bb07fdc447689cafb0750d87b264c0b",
        "fba36494c4e4257f72182e8b629ebb0bcb054b3b82851ef957445bd627adcc87",
        100, 28_476, 28_467, "Lars Malinowsky",
    ),
    Trace(
        "HPC2N", f"{ARCHIVE}/l_hpc2n/HPC2N-2002-2.2-cln.swf.gz",
        "3c534857d6065cfd9cc35aac8d064c9c17172be7acf336de835006f43a626e64",
        "77b8993c73ae438385f6c0015708251f52dc316267b03ac19a406fbea2802afa",
        240, 202_871, 202_871, "Ake Sandgren",
    ),
    Trace(
        "DAS2-fs1", f"{ARCHIVE}/l_das2/DAS2-fs1-2003-1.swf.gz",
        None,
        "9ca5b9e94026112e9025f8ff78b55a78ca59b5f04771c5973d9ddd7729ac0211",
        64, 40_315, 38_294, "Hui Li, David Groep, Lex Wolters",
    ),
    Trace(
        "SDSC-SP2", f"{ARCHIVE}/l_sdsc_sp2/SDSC-SP2-1998-4.2-cln.swf.gz",
        "e03fe48be50c4ab04d6bb2285296d9c3399e9c1f27ee79b754ad32a14abd9bac",
        None,
        128, 59_715, None, "Victor Hazlewood",
    ),
)
# fmt: on


def trace(name: str) -> Trace:
    """Return the catalogue entry of the public log with the given name.

    Parameters
    ----------
    name : str
        The name of the log, the first part of its name such as ``"CTC"``, or the name of its file.
        Upper and lower case make no difference.

    Raises
    ------
    InputError
        The catalogue does not have the log.
    """
    entry = _find(name)
    if entry is None:
        raise InputError(
            f"name = {shown(name)} is not a log in the catalogue; choose one of "
            f"{', '.join(entry.name for entry in CATALOGUE)}"
        )
    return entry


def _find(name: object) -> Trace | None:
    for entry in CATALOGUE:
        stem = entry.file.removesuffix(".swf.gz")
        names = (entry.name, entry.name.split("-")[0], stem, f"{stem}.swf", entry.file)
        if str(name).lower() in map(str.lower, names):
            return entry
    return None


def load_trace(name_or_path: str | os.PathLike[str], *, missing: str = "fetch") -> SwfLog:
    """Load a public log by its name, or any log by the path of its file.

    Parameters
    ----------
    name_or_path : str or path-like
        The name of a public log, such as ``"KTH-SP2"`` or ``"kth"``, or the path of a file. An
        existing file is read even if the catalogue has a log of the same name.
    missing : {"fetch", "stand-in", "error"}
        What to do if a public log is neither in the folder that ``COALLOC_TRACES`` names nor in the
        cache: download it from the archive, load the synthetic stand-in that comes with the
        library, or raise an error.

    Returns
    -------
    SwfLog
        The log.

    Raises
    ------
    InputError
        The log cannot be found, downloaded or read, or its checksum is wrong.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "small.swf")
    ...     _ = path.write_text("1 0 2 60 4 -1 -1 4 90 -1 1 1 1 -1 -1 -1 -1 -1")
    ...     load_trace(path)
    <SwfLog small: 1 jobs>
    """
    one_of("missing", missing, MISSING)
    own, entry = path_of("name_or_path", name_or_path), _find(name_or_path)
    if entry is None or os.path.isfile(own):
        if not os.path.exists(own) and own.name == str(own) and "." not in str(own):
            trace(str(own))  # raises an error that lists the names of the catalogue
        return read_swf(own)
    path = _local_file(entry)
    if path is not None:
        _check(path, entry)
    elif missing == "stand-in":
        return load_stand_in(entry.name)
    elif missing == "error":
        raise InputError(
            f"{entry.name} is not on this computer; fetch it (coalloc traces fetch {entry.name}), "
            f"or set {FOLDER_VARIABLE} to a folder that contains {entry.file}"
        )
    else:
        path = _download(entry)
    return replace(read_swf(path), name=entry.name)


def fetch(names: Iterable[str] | None = None) -> list[Path]:
    """Download the public logs that are not yet on this computer, and return all file paths.

    The checksums of all files are checked, including files that were already on this computer.

    Parameters
    ----------
    names : iterable of str, optional
        The names of the logs. By default, all logs of the catalogue are downloaded.

    Raises
    ------
    InputError
        A log cannot be downloaded, or its checksum is wrong.
    """
    names = [entry.name for entry in CATALOGUE] if names is None else names
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise InputError(f"names = {shown(names)}; give a list of log names")
    return [_fetched(entry) for entry in [trace(name) for name in names]]


def _fetched(entry: Trace) -> Path:
    path = _local_file(entry)
    if path is None:
        return _download(entry)
    _check(path, entry)
    return path


def listing() -> list[dict]:
    """Return one dict per public log in the catalogue, including whether it is on this computer.

    The keys are ``name``, ``jobs``, ``processors``, ``acknowledge`` (see `Trace`) and ``found``,
    which is the path of the file that `load_trace` would read, or None if the log is not on this
    computer.
    """
    known = ("name", "jobs", "processors", "acknowledge")
    return [
        {name: getattr(entry, name) for name in known} | {"found": _local_file(entry)}
        for entry in CATALOGUE
    ]


def content_checksum(name: str) -> str | None:
    """Return the SHA-256 of an unpacked public log, or None if the log is not on this computer.

    The checksum is stored with results, to record which version of the log they come from.
    """
    path = _local_file(trace(name))
    return None if path is None else _sha256_of_content(path)


def _sha256_of_content(path: Path) -> str:
    now = path.stat()
    # Another change could leave the time stamp of a recently changed file as it is, so such a file
    # is always read again.
    if time.time_ns() - now.st_mtime_ns < SOON:
        return _read_sha256(path)
    return _known_sha256(path, now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns)


@lru_cache(maxsize=64)
def _known_sha256(path: Path, *version: int) -> str:
    return _read_sha256(path)


def _read_sha256(path: Path) -> str:
    return hashlib.sha256(b"".join(content(path))).hexdigest()


def cache_folder() -> Path:
    """Return the folder in which downloaded logs are kept."""
    import pooch

    return Path(pooch.os_cache("coalloc-workbench"))


def _local_file(entry: Trace) -> Path | None:
    def file_in(folder: Path) -> Path | None:
        files = (folder / entry.file, folder / entry.file.removesuffix(".gz"))
        return next(filter(os.path.isfile, files), None)

    text = os.environ.get(FOLDER_VARIABLE)
    if text:
        folder = Path(os.path.expanduser(text))
        if not os.path.isdir(folder):
            raise InputError(
                f"{FOLDER_VARIABLE} = {shown(text)} is not a folder; give the path of a folder "
                "with logs, or unset the variable"
            )
        file = file_in(folder)
        if file is not None:
            return file
    return file_in(cache_folder())  # the cache comes last because the import of pooch is slow


def _check(path: Path, entry: Trace) -> None:
    # The checksum of the unpacked log is preferred, because the packed file changes when the same
    # log is packed again.
    if entry.content_sha256:
        what, expected, digest = "content", entry.content_sha256, _sha256_of_content(path)
    elif entry.archive_sha256 and path.suffix == ".gz":
        what, expected = "file", entry.archive_sha256
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
    elif not entry.archive_sha256:
        warnings.warn(f"{path} is not checked: no checksum of {entry.name} is known", stacklevel=3)
        return
    else:
        raise InputError(
            f"{path} cannot be checked, because for {entry.name} only the checksum of {entry.file} "
            f"is known; download {entry.file} instead, or rename your file and load it by its path"
        )
    if digest != expected:
        raise InputError(
            f"{path}: the SHA-256 of the {what} is {digest}, but the catalogue has {expected}; "
            "remove the file and fetch it again"
        )


def _download(entry: Trace) -> Path:
    import pooch

    known = f"sha256:{entry.archive_sha256}" if entry.archive_sha256 else None
    downloader = pooch.HTTPDownloader(progressbar=True, timeout=30)
    try:
        file = pooch.retrieve(entry.url, known, entry.file, cache_folder(), downloader=downloader)
    # A failed download raises an OSError (from requests), and a wrong checksum raises a ValueError
    # (from pooch).
    except (OSError, ValueError) as error:
        raise InputError(
            f"{entry.url} could not be fetched ({' '.join(str(error).split())[:400]}); try again "
            f"later, or get {entry.file} in another way and set {FOLDER_VARIABLE} to its folder"
        ) from None
    try:
        _check(Path(file), entry)
    except InputError as error:
        os.remove(file)
        # The file has been removed, so the error message names the URL of the log instead.
        raise InputError(str(error).replace(file, entry.url)) from None
    return Path(file)


def load_stand_in(name: str) -> SwfLog:
    """Load the synthetic log that the library provides as a stand-in for a public log.

    Parameters
    ----------
    name : str
        The name of the public log; see `trace`.

    Raises
    ------
    InputError
        The library has no stand-in for this log.
    """
    entry = trace(name)
    folder = data_folder("traces")
    path = folder / f"{entry.name}-synthetic.swf.gz"
    if not path.is_file():
        there = sorted(file.name.split("-synthetic")[0] for file in folder.glob("*-synthetic*"))
        raise InputError(
            f"the library has no synthetic log for {entry.name} (only for "
            f"{', '.join(there) or 'no log'}); fetch the real log: coalloc traces fetch "
            f"{entry.name}"
        )
    return replace(read_swf(path), name=entry.name, is_stand_in=True)
