#!/usr/bin/env python3
"""Recompute the numbers of insights.json from reviews.json and per_review.

    python3 bench/recount/recount.py PUBLIC

It shares no code with the generator: the formulas are those of docs/insights.md.
Exit status 1 and a list when a number differs.
"""
import datetime
import json
import math
import sys

Z = 1.959963984540054
wrong = []


def same(name, got, want, tolerance=0.0051):
    if got is None or want is None:
        ok = got is want
    elif isinstance(want, (int, float)):
        ok = abs(got - want) <= tolerance
    else:
        ok = got == want
    if not ok:
        wrong.append(f"{name}: published {got}, recomputed {want}")


def mean(values):
    return sum(values) / len(values) if values else None


def wilson(k, n):
    p = k / n
    centre = (p + Z * Z / (2 * n)) / (1 + Z * Z / n)
    half = Z / (1 + Z * Z / n) * math.sqrt(p * (1 - p) / n + Z * Z / (4 * n * n))
    return max(0, centre - half), min(1, centre + half)


def trend(newest, values):
    """values: (date, number). The newest 90 days against the 90 before."""
    day = datetime.date.fromisoformat
    recent, before = newest - datetime.timedelta(89), newest - datetime.timedelta(179)
    a = [v for d, v in values if day(d) >= recent]
    b = [v for d, v in values if before <= day(d) < recent]
    if len(a) < 8 or len(b) < 8:
        return "insufficient_data", None, None
    change, both = mean(a) - mean(b), a + b
    variance = sum((v - mean(both)) ** 2 for v in both) / (len(both) - 1)
    error = math.sqrt(variance * (1 / len(a) + 1 / len(b)))
    if abs(change) <= 1.96 * error or round(change, 2) == 0:
        return "steady", change, error
    return ("improving" if change > 0 else "declining"), change, error


def share_trend(newest, reviews, has):
    """The share of the reviews that has is true of, with Yates's correction."""
    day = datetime.date.fromisoformat
    recent, before = newest - datetime.timedelta(89), newest - datetime.timedelta(179)
    a = [has(r) for r in reviews if day(r["date"]) >= recent]
    b = [has(r) for r in reviews if before <= day(r["date"]) < recent]
    if len(a) < 8 or len(b) < 8:
        return "insufficient_data", None, None
    change, p, n = mean(a) - mean(b), mean(a + b), len(a) + len(b)
    error = math.sqrt(p * (1 - p) * n / (n - 1) * (1 / len(a) + 1 / len(b)))
    if abs(change) <= 1.96 * error + (1 / len(a) + 1 / len(b)) / 2 or round(change, 2) == 0:
        return "steady", change, error
    return ("rising" if change > 0 else "falling"), change, error


def check_quarters(entity, reviews, per, of):
    for q in entity["quarters"]:
        name = f"{entity['id']} {q['quarter']}"
        here = [r for r in of if f"{r['date'][:4]}-Q{(int(r['date'][5:7]) + 2) // 3}" == q["quarter"]]
        same(name + " reviews", q["review_count"], len(here))
        same(name + " stars", q["average_rating"], mean([r["rating"] for r in here]))
        votes = [v for r in here for v in per[r["id"]]["aspects"].items()]
        same(name + " aspects", [c["id"] for c in q["votes"]], sorted({a for a, _ in votes}))
        for counts in q["votes"]:
            for p in ("positive", "neutral", "negative", "mixed"):
                same(f"{name} {counts['id']} {p}", counts[p + "_count"], votes.count((counts["id"], p)))
    same(entity["id"] + " quarters", sum(q["review_count"] for q in entity["quarters"]), len(of))


def check_trend(name, published, expected):
    direction, change, error = expected
    same(name + " direction", published["direction"], direction)
    same(name + " change", published["change"], change)
    same(name + " standard error", published["standard_error"], error)


def main(public):
    reviews = json.load(open(public + "/reviews.json"))["reviews"]
    ins = json.load(open(public + "/insights.json"))
    per, by = ins["per_review"], {r["id"]: r for r in reviews}
    texts = [r for r in reviews if r["text"] is not None]
    newest = max((datetime.date.fromisoformat(r["date"]) for r in reviews), default=None)
    same("review_count", ins["review_count"], len(reviews))
    same("per_review", sorted(per), sorted(by))
    languages = ins["method"]["languages"]
    same("analysed_count", ins["method"]["analysed_count"],
         sum(r["language"].lower().split("-")[0] in languages for r in texts))
    overall = ins["overall_sentiment"]
    for key in ("positive", "neutral", "negative"):
        share = sum(p["sentiment"] == key for p in per.values()) / max(1, len(per))
        same("overall " + key, overall[key + "_pct"], 100 * share, 0.051)
    same("overall score", overall["score"], mean([p["score"] for p in per.values()]) or 0)

    measured = ins["method"]["measured"]
    labels = measured["labels"]
    e = wilson((1 - measured["precision"]) * labels, labels)[1]
    value = {"positive": 1, "negative": -1, "neutral": 0, "mixed": 0}
    for a in ins["aspects"]:
        name = a["id"]
        votes = {i: p["aspects"][name] for i, p in per.items() if name in p["aspects"]}
        same(name + " mention_count", a["mention_count"], len(votes))
        for p in value:
            same(f"{name} {p}", a[p + "_count"], sum(v == p for v in votes.values()))
        same(name + " average_rating", a["average_rating"], mean([by[i]["rating"] for i in votes]))
        same(name + " average_rating_without", a["average_rating_without"],
             mean([r["rating"] for r in texts if r["id"] not in votes]))
        same(name + " score", a["score"], mean([value[v] for v in votes.values()]) or 0)
        if votes:
            n, positive = len(votes), a["positive_count"]
            same(name + " positive_pct", a["positive_pct"], 100 * positive / n, 0.051)
            same(name + " low", a["confidence"]["low"], wilson(positive * (1 - e), n)[0])
            same(name + " high", a["confidence"]["high"], wilson(positive + a["negative_count"] * e, n)[1])
        for m in a["monthly"]:
            of = [value[v] for i, v in votes.items() if by[i]["date"].startswith(m["month"])]
            same(f"{name} {m['month']}", m["mention_count"], len(of))
            same(f"{name} {m['month']} score", m["score"], mean(of))
        if newest:
            check_trend(name, a["trend"], trend(newest, [(by[i]["date"], value[v]) for i, v in votes.items()]))
        for q in a["evidence"]:
            same(f"{name} quote of {q['review_id']}", q["quote"], by[q["review_id"]]["text"][q["start"]:q["end"]])
    if newest:
        check_trend("stars", ins["temporal"]["trend"], trend(newest, [(r["date"], r["rating"]) for r in reviews]))
    for m in ins["temporal"]["monthly"]:
        of = [r["rating"] for r in reviews if r["date"].startswith(m["month"])]
        same(m["month"] + " reviews", m["review_count"], len(of))
        same(m["month"] + " stars", m["average_rating"], mean(of))
    kinds = {"technicians": "technicians", "services": "services", "service_areas": "service_areas"}
    for kind, member in kinds.items():
        for entity in ins["entities"][kind]:
            of = [r for r in reviews if entity["id"] in r["mentions"][member]]
            same(f"{entity['id']} reviews", entity["review_count"], len(of))
            same(f"{entity['id']} stars", entity["average_rating"], mean([r["rating"] for r in of]))
            check_trend(entity["id"], entity["trend"], share_trend(newest, reviews, lambda r: r in of))
            if kind == "technicians":
                check_quarters(entity, reviews, per, of)
    print("\n".join(wrong) or f"insights of {len(reviews)} reviews recomputed: no difference")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
