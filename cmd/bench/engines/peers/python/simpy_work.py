"""SimPy: timeouts with a callback, and processes that wait for timeouts.

Usage: simpy_work.py callbacks|tasks N EVENTS
"""

import random
import sys
from math import log
from time import perf_counter_ns

import simpy


def main():
    work, n, events = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    timed = events / n
    # One stream for all: a 64-bit generator per model, as in the other programs, costs
    # several times as much in Python.
    rand = random.Random(1).random
    env = simpy.Environment()
    timeout = env.timeout
    count = 0

    if work == "callbacks":

        def tick(_event):
            nonlocal count
            count += 1
            timeout(-log(1.0 - rand())).callbacks.append(tick)

        for _ in range(n):
            timeout(-log(1.0 - rand())).callbacks.append(tick)
    elif work == "tasks":

        def sleeper():
            nonlocal count
            while True:
                yield timeout(-log(1.0 - rand()))
                count += 1

        for _ in range(n):
            env.process(sleeper())
    else:
        sys.exit(f"found work {work}, want callbacks or tasks")

    env.run(until=timed / 10)
    before = count
    start = perf_counter_ns()
    env.run(until=timed * 1.1)
    took = perf_counter_ns() - start
    print(f"measured version={simpy.__version__} events={count - before} ns={took}")


main()
