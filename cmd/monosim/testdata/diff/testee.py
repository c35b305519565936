"""A testee that knows utils.isabs and is wrong in the way of its argument."""
import json
import sys
import threading


def answer(case, how):
    right = {"id": case["id"], "out": case["in"]["path"].startswith("/")}
    if case["id"] != "utils.isabs/relative":
        return right
    if how == "value":
        return {**right, "out": "yes"}
    if how == "error":
        return {"id": case["id"], "error": {"type": "KeyError", "message": "'path'"}}
    if how == "id":
        return {**right, "id": case["id"].upper()}
    if how == "no-out":
        return {"id": case["id"], "result": right["out"]}
    if how == "exception":
        return {**right, "out": case["in"]["pfad"]}
    if how == "exit":
        sys.exit()
    if how == "hang":
        threading.Event().wait()
    if how == "json":
        return "fals"
    if how == "print":
        print("looking at", case["in"]["path"])
    if how == "twice":
        print(json.dumps(right))
    if how == "skipped":
        return {"id": case["id"], "skipped": "no relative paths yet"}
    return right


def main(how):
    for line in sys.stdin:
        case = json.loads(line)
        if case["op"] == "hello":
            print(json.dumps({"name": how, "version": "1", "ops": ["utils.isabs"]}), flush=True)
            continue
        a = answer(case, how)
        print(a if isinstance(a, str) else json.dumps(a), flush=True)
    if how == "end":
        sys.exit("the cache cannot be written")


main(sys.argv[1])
