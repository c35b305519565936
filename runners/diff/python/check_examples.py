"""Runs answered cases through the testee and compares.

    MONOLITH_SRC=<checkout> python3 runners/diff/python/check_examples.py examples.jsonl

Prints what differs, then a line for each operation with its totals, and exits
with 1 when anything differs or was skipped.
"""
import collections
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True


def answers(lines):
    """The testee's answers to the lines."""
    requests = []
    for case in lines:
        requests.append(json.dumps({k: v for k, v in case.items() if k not in ("out", "error", "skipped")}))
    done = subprocess.run([sys.executable, os.path.join(HERE, "testee.py")], input="\n".join(requests) + "\n",
                          stdout=subprocess.PIPE, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def compare_case(case, answer):
    import compare  # pylint: disable=import-outside-toplevel
    for field in case.get("shows", ()):
        if case[field] != answer.get(field):
            return f"{field}: want {case[field]!r}, got {answer.get(field)!r}"
    if "skipped" in answer:
        return f"skipped: {answer['skipped']}"
    kind = "error" if "error" in case else "out"
    if kind not in answer:
        return f"want {kind} {case[kind]!r}, got {answer!r}"
    return compare.difference(case["op"], case[kind], answer[kind])


def main():
    sys.path.insert(0, HERE)
    import protos  # pylint: disable=import-outside-toplevel
    protos.load_all()
    with open(sys.argv[1], encoding="utf-8") as f:
        cases = [json.loads(line) for line in f if line.strip()]
    passed, total = collections.Counter(), collections.Counter()
    answered = answers(cases)
    if len(answered) != len(cases):
        sys.exit(f"want {len(cases)} answers, got {len(answered)}")
    for case, answer in zip(cases, answered):
        total[case["op"]] += 1
        difference = compare_case(case, answer)
        if difference:
            print(f"{case['id']}: {difference}")
        else:
            passed[case["op"]] += 1
    for op, n in total.items():
        print(f"{passed[op]:5d}/{n:<5d} {op}")
    print(f"{sum(passed.values())}/{sum(total.values())} agree")
    sys.exit(0 if passed == total else 1)


if __name__ == "__main__":
    main()
