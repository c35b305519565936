"""Records recorded.jsonl: what Python itself answers.

  python record.py < recorded.jsonl > again.jsonl

Cases come in one a line; answers they have already are dropped and made anew.
"""
import json
import os
import sys


def encode(v):
    if isinstance(v, bool) or v is None or isinstance(v, str):
        return v
    if isinstance(v, int):
        return {"$int": str(v)} if abs(v) > 2**53 else v
    if isinstance(v, float):
        return {"$f64": repr(v)}
    if isinstance(v, tuple):
        return {"$tuple": [encode(x) for x in v]}
    if isinstance(v, list):
        return [encode(x) for x in v]
    if isinstance(v, dict):
        return {k: encode(x) for k, x in v.items()}
    return str(v)


def text(i):
    s = i["text"]
    return {"strip": s.strip(), "split": s.split(), "lower": s.lower(), "isnumeric": s.isnumeric(),
            "isidentifier": s.isidentifier(), "repr": repr(s), "json": json.dumps(s)}


def paths(i):
    p = i["path"]
    return {"basename": os.path.basename(p), "dirname": os.path.dirname(p)}


OPERATIONS = {
    "pysem.text": text,
    "pysem.float": lambda i: {"repr": repr(float(i["value"]["$f64"])), "json": json.dumps(float(i["value"]["$f64"]))},
    "pysem.json": lambda i: json.dumps(json.loads(i["text"])),
    "pysem.path": paths,
    "pysem.join": lambda i: os.path.join(*i["parts"]),
    "pysem.int": lambda i: encode(int(i["text"])),
    "pysem.parse_float": lambda i: encode(float(i["text"])),
}


def main():
    for case in map(json.loads, sys.stdin):
        case.pop("out", None)
        case.pop("error", None)
        try:
            answer = {"out": OPERATIONS[case["op"]](case["in"])}
        except Exception as e:
            answer = {"error": {"type": type(e).__name__, "message": str(e)}}
        print(json.dumps({**case, **answer}))


if __name__ == "__main__":
    main()
