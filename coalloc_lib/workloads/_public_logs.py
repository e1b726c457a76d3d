"""The table of the public logs that the studies use."""

from dataclasses import dataclass

ARCHIVE = "https://www.cs.huji.ac.il/labs/parallel/workload"


@dataclass(frozen=True)
class Trace:
    """What is known of one public log.

    Parameters
    ----------
    name : str
        How the studies call it.
    url : str
        The address of its packed file.
    archive_sha256, content_sha256 : str or None
        Checksums of the packed file and of what is in it; None where it is not known.
    processors : int
        Processors of the machine.
    jobs, usable : int or None
        How many jobs it has, and how many with a run time and processors above 0.
    acknowledge : str
        Who gave the log to the public; to be named in publications.
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
        """The name of its packed file."""
        return self.url.rpartition("/")[2]


# fmt: off
CATALOGUE = (
    Trace(
        "CTC-SP2", f"{ARCHIVE}/l_ctc_sp2/CTC-SP2-1996-3.1-cln.swf.gz",
        "9fa28ac16c4386fb81b72a91d8bd8888281df2948a9d912769d387c5ee285bb4",
        "8e33a9b597e1ddda2d2164347bac08c9444e1a2620a7947df52f0a1622ec4cde",
        338, 77_222, 77_205, "Dan Dwyer and Steve Hotovy",
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
