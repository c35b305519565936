#!/bin/sh
# Guess:     ErlangA of pyqueueing says how many wait and how many give up for any number of servers; its documentation
#            names no largest one.
# Version:   pyqueueing 0.1.1
# Behaviour: it sums the states of up to 500 customers. With 500 servers or more no state with a queue is left: nobody
#            gives up, and the queue is empty, at a load of 105 %. There is no warning.
# Seen:       100 servers: 70.0% wait, 6.7% give up; summed up to 8000 customers: 70.0%, 6.7%
#             490 servers: 50.1% wait, 0.5% give up; summed up to 8000 customers: 86.5%, 5.1%
#            1000 servers: 6.0% wait, 0.0% give up; summed up to 8000 customers: 94.1%, 4.8%
# Shaped:    our closed forms are tried at 1,000 servers, too, where the terms of such sums overflow: MMcK there is held to
#            Erlang B and to M/M/c (runners/whatif/theory/theory_test.go).
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check pyqueueing==0.1.1
cat > f.py <<'END'
import math

from pyqueueing import ErlangA


def summed(rate, servers, upto):
    """The shares that wait and that give up, from the states of M/M/c+M; everybody stays and waits for 1 on average."""
    logs = [0.0]
    for n in range(1, upto):
        logs.append(logs[-1] + math.log(rate) - math.log(min(n, servers) + max(0, n - servers)))
    top = max(logs)
    weights = [math.exp(x - top) for x in logs]
    total = sum(weights)
    return sum(weights[servers:]) / total, sum((n - servers) * weights[n] for n in range(servers, upto)) / total / rate


for servers in (100, 490, 1000):
    rate = servers * 1.05
    q = ErlangA(arrival_rate=rate, service_rate=1, servers=servers, patience_rate=1)
    waits, leaves = summed(rate, servers, 8000)
    print(f"{servers:4} servers: {q.prob_wait():.1%} wait, {q.prob_abandon():.1%} give up; summed up to 8000 customers:",
          f"{waits:.1%}, {leaves:.1%}")
END
cat > want <<'END'
 100 servers: 70.0% wait, 6.7% give up; summed up to 8000 customers: 70.0%, 6.7%
 490 servers: 50.1% wait, 0.5% give up; summed up to 8000 customers: 86.5%, 5.1%
1000 servers: 6.0% wait, 0.0% give up; summed up to 8000 customers: 94.1%, 4.8%
END
venv/bin/python f.py > got
cat got
diff want got
