"""Small exports of sacct, and what is read of them."""

from own_system.sacct import read_sacct

#: The hour that occurs twice when summer time ends in Amsterdam begins here: 2024-10-27, 02:00.
TWICE = 1_729_987_200


NO_JOB = r"has no job (that ran|below)"


HEADER = "JobID|Submit|Start|End|ElapsedRaw|State|AllocCPUS|ReqCPUS|TimelimitRaw|User|Account"


def file_of(folder, *lines, header=HEADER, name="export.txt"):
    (folder / name).write_text("".join(f"{line}\n" for line in (header, *lines)), "utf-8")
    return folder / name


def line(name="1", submit="100", start="160", end="260", elapsed="100", state="COMPLETED", **more):
    sizes = [more.get("cores", "4"), more.get("asked", "4"), more.get("limit", "60")]
    who = [more.get("user", "ann"), more.get("account", "physics")]
    return "|".join([name, submit, start, end, elapsed, state, *sizes, *who])


def outcomes(log, outcome):
    rows = log.receipt[log.receipt["outcome"] == outcome]
    return dict(zip(rows["what"], rows["lines"], strict=True))


def log_of(export, folder, **how):
    path = folder / "export.txt"
    path.write_text(export.text, "utf-8")
    return read_sacct(path, **how)
