"""Small logs for the tests, and lines that are none."""

HEADER = """; Version: 2.2
;   Information: http://example.org/a: b
;                http://example.org/c
;      MaxNodes: 338 (batch partition; 512 total)
; Information: third
;

"""

REST = "-1 1 3 4 -1 1 -1 -1 -1"


def job(number=1, submit=0, runtime=10, allocated=4, requested=-1, time=20):
    return f"{number} {submit} 5 {runtime} {allocated} -1 -1 {requested} {time} {REST}"


def log_file(folder, *lines, header=HEADER, name="small.swf"):
    path = folder / name
    path.write_text(header + "".join(f"{line}\n" for line in lines))
    return path


def with_word(position, word):
    words = job(2).split()
    words[position - 1] = word
    return " ".join(words)


BAD_LINES = {
    "17 fields": (job(2).rsplit(" ", 1)[0], "17 fields where the format has 18"),
    "19 fields": (f"{job(2)} 7", "19 fields where the format has 18"),
    "30 fields": (job(2) + " 7" * 12, "30 fields"),
    "one field": ("7", "1 fields"),
    "word": (with_word(4, "long"), r"field 4 \(runtime\) is 'long', not a number"),
    "last is a word": (with_word(18, "x"), r"field 18 \(think_time\) is 'x'"),
    "nan": (with_word(4, "nan"), r"field 4 \(runtime\) is 'nan', not a number"),
    "NA": (with_word(18, "NA"), r"field 18 \(think_time\) is 'NA'"),
    "empty quotes": (with_word(3, '""'), r"field 3 \(wait\)"),
    "inf": (with_word(2, "inf"), r"field 2 \(submit\) is 'inf'"),
    "overflow": (with_word(2, "1e999"), r"field 2 \(submit\) is 1e999, too large"),
    "True": (with_word(11, "True"), r"field 11 \(status\) is 'True'"),
    "underscore": (with_word(4, "1_0"), r"field 4 \(runtime\) is '1_0'"),
    "hexadecimal": (with_word(4, "0x10"), r"field 4 \(runtime\) is '0x10'"),
    "no-break space": (with_word(4, "1\xa01"), r"field 4"),
    "remark after a job": (f"{job(2)} ; slow", "not|19|20"),
    "two jobs, old line end": (f"{job(2)}\r{job(3)}", "field 18|fields"),
    "half a processor": (with_word(5, "2.5"), r"allocated_processors is 2.5; give a whole"),
    "huge number": (with_word(1, "1e300"), r"job is 1e\+300; give a whole number"),
    "negative submit": (with_word(2, "-1"), r"submit is -1; give seconds"),
}
