"""Tables of measured shapes."""
import statistics


def seconds(side):
    if side is None or side["seconds"] is None:
        return "-"
    mark = ">" if side["cut"] else ""
    return f"{mark}{side['seconds']:.4f}" if side["seconds"] < 100 else f"{mark}{side['seconds']:.1f}"


def ratio(record, side="ours"):
    """How many times as long they took; None unless both were measured. If both were stopped, nobody knows."""
    theirs, ours = record["theirs"], record[side]
    if theirs and ours and theirs["cut"] and ours["cut"]:
        return None
    if not theirs or not ours or not theirs["seconds"] or not ours["seconds"] or theirs["failed"] or ours["failed"]:
        return None
    return theirs["seconds"] / ours["seconds"]


def ratio_text(record, side="ours"):
    value = ratio(record, side)
    if value is None:
        return "-"
    mark = ">" if record["theirs"]["cut"] else "<" if record[side]["cut"] else ""
    return f"{mark}{value:.1f}"


def equal_ratio(record):
    """The ratio at the widest gap at which ours is no worse, if that is wider than the default; else the ratio."""
    equal = (record["ours"] or {}).get("equal")
    return record["theirs"]["seconds"] / equal["seconds"] if equal and ratio(record) is not None else ratio(record)


def difference(record, side="ours", key="objective"):
    """Objective relative to theirs, negative: ours is better."""
    theirs, ours = record["theirs"], record[side]
    if record["task"] == "knn":
        return f"{theirs['off']:.0e}" if theirs and "off" in theirs else "-"
    if not theirs or not ours or theirs["objective"] is None or ours.get(key) is None:
        return "-"
    value = ours[key] / theirs["objective"] - 1
    return f"{-value if record['more_is_better'] else value:+.1e}"


def state(record):
    ours = record["ours"]
    if ours["failed"]:
        return "failed"
    if ours["cut"]:
        return "stopped"
    if record["task"] == "knn":
        return "exact" if record["theirs"] and record["theirs"].get("off", 1) <= 1e-5 else "-"
    return "yes" if ours["converged"] else "NO"


def megabytes(side):
    return "-" if side is None or not side["peak"] else f"{side['peak'] / 1e6:.1f}"


def share(record):
    theirs, ours = record["theirs"], record["ours"]
    return ours["peak"] / theirs["peak"] if theirs and theirs["peak"] and ours["peak"] else None


HEAD = (f"{'shape':38} {'compared with':24} {'MB':>6} {'their s':>9} {'our s':>9} {'ratio':>7} {'equal':>7}"
        f" {'objective':>9} {'default':>9} {'asked':>5} {'gap':>8} {'conv.':>7} {'their MB':>8} {'our MB':>8} {'share':>6}")


def line(record):
    ours, theirs = record["ours"], record["theirs"]
    gap = f"{ours['gap']:.1e}" if isinstance(ours.get("gap"), float) else "-"
    name = "-" if theirs is None else theirs["name"] + ("*" if theirs.get("gave_up") else "")
    part = share(record)
    equal = f"{equal_ratio(record):.1f}" if ours.get("equal") else ""
    text = (f"{record['name']:38} {name:24} {record['bytes'] / 1e6:6.1f} {seconds(theirs):>9} {seconds(ours):>9}"
            f" {ratio_text(record):>7} {equal:>7} {difference(record):>9} {difference(record, key='default_objective'):>9}"
            f" {ours['gap_asked'] if record['task'] != 'knn' else '-':>5} {gap:>8} {state(record):>7}"
            f" {megabytes(theirs):>8} {megabytes(ours):>8} {'-' if part is None else f'{part:.2f}':>6}")
    old = record.get("old")
    if old:
        faster = old["seconds"] / ours["seconds"] if old["seconds"] and ours["seconds"] and not old["failed"] else None
        text += (f" | {seconds(old):>9} {ratio_text(record, 'old'):>7} {megabytes(old):>8}"
                 f" {'-' if faster is None else f'{faster:.2f}':>7}")
    return text


def head(records_have_old):
    return HEAD + (f" | {'old s':>9} {'ratio':>7} {'old MB':>8} {'old/new':>7}" if records_have_old else "")


NOTE = """
ratio: their seconds divided by ours (> they were stopped at the limit, < ours was). equal: the ratio at the widest gap of 1e-1
and 1e-2 at which our objective is no worse, where it is much better at the default gap. objective: ours relative to theirs,
negative if ours is better, both evaluated from the saved models; default: the same at the default gap of 1e-3. asked: the gap
that halfspace was asked for; gap: the one it reports. conv.: whether it reports convergence. MB: size of the text file; their
MB, our MB: peak memory; share: ours divided by theirs. * the peer stopped at its limit of iterations. knn: index and search in
memory; objective is the largest difference of distances."""


def summary(records):
    """The worst ratios, the median, what did not converge, what uses much memory."""
    measured = sorted((r for r in records if ratio(r) is not None), key=ratio)
    out = [NOTE]
    if measured:
        values = [ratio(r) for r in measured]
        out.append("\nsmallest ratios:")
        out += [f"  {ratio_text(r):>8}  {r['name']}" for r in measured[:10]]
        for name, tasks in (("all", None), ("linear", ("hinge", "squared", "logistic")), ("softmax", ("softmax",)),
                            ("rbf", ("rbf",)), ("knn", ("knn",))):
            some = [v for v, r in zip(values, measured) if tasks is None or r["task"] in tasks]
            if some:
                out.append(f"{name}: {len(some)} shapes, median ratio {statistics.median(some):.1f}, smallest {min(some):.1f},"
                           f" {sum(v < 5 for v in some)} below 5, {sum(v < 10 for v in some)} below 10")
        equal = [equal_ratio(r) for r in measured]
        out.append(f"at equal objectives: median ratio {statistics.median(equal):.1f}, {sum(v < 5 for v in equal)} below 5,"
                   f" {sum(v < 10 for v in equal)} below 10")
    bad = [r for r in records if state(r) in ("NO", "stopped", "failed")]
    out.append(f"not converged: {len(bad)}")
    out += [f"  {r['name']}: {state(r)}, {r['ours']['failed'] or r['ours'].get('stop') or 'time limit'}" for r in bad]
    worse = [r for r in records if r["task"] != "knn" and difference(r)[0] == "+" and float(difference(r)) > 1e-7]
    out.append(f"objective worse than theirs at every gap tried: {len(worse)}")
    out += [f"  {r['name']}: {difference(r)}" for r in worse]
    large = [r for r in records if r["task"] in ("hinge", "squared", "logistic") and r["bytes"] >= 1e7
             and share(r) is not None and share(r) > 0.5]
    out.append(f"files of 10 MB and more with more than half of LIBLINEAR's peak memory: {len(large)}")
    out += [f"  {share(r):.2f}  {r['name']}" for r in large]
    return "\n".join(out)
