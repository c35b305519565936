"""Records recorded.jsonl: what Python 3.11 makes of sources.

  python3.11 -W ignore record.py < recorded.jsonl > again.jsonl

Cases come in one a line, {"source", "names"?}; answers they have already are dropped and made anew: type and repr of
the value, or error with type and message.
"""
import json
import re
import sys

ADDRESS = re.compile(r" at 0x[0-9a-f]+")


def main():
    for case in map(json.loads, sys.stdin):
        case = {name: case[name] for name in ("source", "names") if name in case}
        try:
            value = eval(case["source"], {"__name__": "m"}, dict(case.get("names", {})))
            answer = {"type": type(value).__name__, "repr": ADDRESS.sub("", repr(value))}
        except BaseException as e:
            answer = {"error": {"type": type(e).__name__, "message": str(e)}}
        print(json.dumps({**case, **answer}))


if __name__ == "__main__":
    main()
