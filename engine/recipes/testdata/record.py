"""Records what kazoo's paths and retries do, for recipes_test.go.

Usage: python3 record.py > recorded.json, with kazoo 2.8.0 installed.
"""
import json
import random

from kazoo.exceptions import ConnectionLoss
from kazoo.protocol.paths import normpath
from kazoo.retry import KazooRetry, RetryFailedError

PATHS = [
    "/", "//", "/a", "/a/", "/a//b", "//a/b//", "/a/b/c", "/.a", "/a/.b", "/a..b", "/.", "/a/..", "/a/./b",
    "/a b", "/ünï", "/a/b/", "/election/",
]


def paths():
  cases = []
  for path in PATHS:
    for trailing in (False, True):
      case = {"path": path, "trailing": trailing}
      try:
        case["result"] = normpath(path, trailing=trailing)
      except ValueError:
        case["error"] = "ValueError"
      cases.append(case)
  return cases


def delays(draws, failures, **policy):
  """What is slept, in seconds, when the call fails so many times."""
  slept, calls = [], 0
  queue = list(draws)
  random.uniform = lambda low, high: low + (high - low) * queue.pop(0)

  def call():
    nonlocal calls
    calls += 1
    if calls <= failures:
      raise ConnectionLoss()
    return "ok"

  try:
    result = KazooRetry(sleep_func=slept.append, **policy)(call)
  except RetryFailedError:
    result = "RetryFailedError"
  return {"draws": draws, "failures": failures, "policy": policy, "slept": slept, "result": result, "calls": calls}


def retries():
  half = [0.5] * 16
  return [
      delays(half, 0, max_tries=None, max_delay=3600),
      delays(half, 3, max_tries=None, max_delay=3600),
      delays([0.0, 1.0, 0.25, 0.75], 4, max_tries=None, max_delay=3600),
      delays(half, 3, max_tries=1),
      delays(half, 1, max_tries=1),
      delays(half, 12, max_tries=None, max_delay=10.0),
      delays(half, 2, max_tries=0),
  ]


print(json.dumps({"kazoo": "2.8.0", "paths": paths(), "retries": retries()}, indent=1))
