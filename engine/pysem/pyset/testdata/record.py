"""Records recorded-3.N.jsonl: how Python orders sets of strings and of data classes.

  for p in python3.8 python3.11; do $p record.py; done     # each writes the file of its version

A line is a case with what Python answered: PYTHONHASHSEED, the operation, its keys, the order.
"""
import dataclasses
import json
import os
import random
import subprocess
import sys


@dataclasses.dataclass(frozen=True)
class SavedModel:
    model_name: str = None
    sub_graph: str = None

    def __str__(self):
        return f"{self.model_name}:{self.sub_graph}"


def models(names):
    return [SavedModel(*name.split(":")) for name in names]


OPERATIONS = {
    "hash": lambda keys, _: [str(hash(k)) for k in keys],
    "set": lambda keys, _: list(set(keys)),
    "minus": lambda keys, other: list(set(keys) - set(other)),
    "dicts": lambda keys, other: list(set(dict.fromkeys(keys)) - set(dict.fromkeys(other))),
    "models": lambda keys, other: [str(m) for m in set(models(keys)) - set(models(other))],
}


def cases():
    draw = random.Random(11)
    words = ["entry", "dense", "", "名", "é", "\U0001f600x"] + [f"ps_{i}" for i in range(40)]
    for seed in [1, 2, 3, 7, 4294967295] + [draw.randrange(1, 1 << 32) for _ in range(15)]:
        yield {"seed": seed, "op": "hash", "keys": words[:12]}
        for size in (2, 3, 4, 5, 9, 40):
            keys = draw.sample(words, size)
            other = draw.sample(words, draw.randrange(size))
            yield {"seed": seed, "op": "set", "keys": keys}
            yield {"seed": seed, "op": "minus", "keys": keys, "other": other}
            yield {"seed": seed, "op": "dicts", "keys": keys, "other": other}
            yield {"seed": seed, "op": "models", "keys": ["ctr:" + k for k in keys], "other": ["ctr:" + k for k in other]}


def answer():
    for case in map(json.loads, sys.stdin):
        print(json.dumps({**case, "out": OPERATIONS[case["op"]](case["keys"], case.get("other", []))}))


def main():
    if "PYTHONHASHSEED" in os.environ:
        return answer()
    by_seed = {}
    for case in cases():
        by_seed.setdefault(case["seed"], []).append(json.dumps(case) + "\n")
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, f"recorded-3.{sys.version_info.minor}.jsonl"), "w") as file:
        for seed, lines in by_seed.items():
            done = subprocess.run([sys.executable, __file__], input="".join(lines), stdout=subprocess.PIPE, text=True, check=True,
                                  env={**os.environ, "PYTHONHASHSEED": str(seed)})
            file.write(done.stdout)


main()
