#!/bin/sh
# Guess:     Ciw's router JoinShortestQueue sends a customer to an idle server rather than to a busy one, as the
#            policy of that name does in queueing theory, where the one in service counts.
# Version:   Ciw 3.2.7
# Behaviour: it compares only those who wait, as its guide says, so a busy server without a queue ties with an idle
#            one, and the tie falls by chance or by the order of the nodes. The policy that counts everybody at the node
#            is LoadBalancing; so does the queue_size_at_arrival of Ciw's own records.
# Seen:      JoinShortestQueue: customer 2 arrives at 2, waits 9 at A, B is idle: True
#            LoadBalancing: customer 2 arrives at 2, waits 0 at B, B is idle: True
#            at A, Ciw's record of customer 2: queue_size_at_arrival 1
# Shaped:    balance: least_loaded of our plans is held to LoadBalancing, not to the policy with the better known name
#            (runners/whatif/model/testdata/ciw_plans.py).
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check ciw==3.2.7
cat > f.py <<'END'
import ciw

FRONT, A, B = 1, 2, 3


def play(router):
    network = ciw.create_network(
        arrival_distributions=[ciw.dists.Sequential([1, 1, 1000]), None, None],
        service_distributions=[ciw.dists.Deterministic(d) for d in (0, 10, 10)],
        number_of_servers=[float("inf"), 1, 1],
        routing=ciw.routing.NetworkRouting(
            [router(destinations=[A, B], tie_break="order"), ciw.routing.Leave(), ciw.routing.Leave()]
        ),
    )
    simulation = ciw.Simulation(network)
    simulation.simulate_until_max_time(100)
    return [r for r in simulation.get_all_records() if r.node != FRONT]


for router in (ciw.routing.JoinShortestQueue, ciw.routing.LoadBalancing):
    records = play(router)
    (second,) = (r for r in records if r.id_number == 2)
    idle = not any(r.node == B and r.arrival_date < second.arrival_date < r.exit_date for r in records)
    print(f"{router.__name__}: customer 2 arrives at {second.arrival_date}, waits {second.waiting_time}",
          f"at {'AB'[second.node - A]}, B is idle: {idle}")
    if second.node == A:
        record = f"at A, Ciw's record of customer 2: queue_size_at_arrival {second.queue_size_at_arrival}"
print(record)
END
cat > want <<'END'
JoinShortestQueue: customer 2 arrives at 2, waits 9 at A, B is idle: True
LoadBalancing: customer 2 arrives at 2, waits 0 at B, B is idle: True
at A, Ciw's record of customer 2: queue_size_at_arrival 1
END
venv/bin/python f.py > got
cat got
diff want got
