"""Records recorded.jsonl: what Python 3.11's re.match makes of patterns and texts.

  python3.11 -W ignore record.py < recorded.jsonl > again.jsonl

Cases come in one a line, {"pattern", "text"}; answers they have already are dropped and made anew: match, null or
[text, groups, [[name, text]…]], or error with type and message.
"""
import json
import re
import sys


def main():
    for case in map(json.loads, sys.stdin):
        case = {name: case[name] for name in ("pattern", "text")}
        try:
            m = re.match(case["pattern"], case["text"])
            answer = {"match": None if m is None else [m.group(), list(m.groups()), [list(p) for p in m.groupdict().items()]]}
        except Exception as e:
            answer = {"error": {"type": type(e).__name__, "message": str(e)}}
        print(json.dumps({**case, **answer}))


if __name__ == "__main__":
    main()
