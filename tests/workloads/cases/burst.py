"""Write a log in which every job runs for 100 s, with forty wide jobs at once in week 5."""

rows = [(day * 86400, 1) for day in range(56)] + [(4 * 604800 + 50000 + k, 4) for k in range(40)]
with open("burst.swf", "w") as log:
    log.write("; UnixStartTime: 1704067200\n; MaxProcs: 4\n")
    for number, (submit, processors) in enumerate(sorted(rows), 1):
        log.write(
            f"{number} {submit} -1 100 {processors} -1 -1 {processors} 200 -1 1 1 1 1 1 1 -1 -1\n"
        )
