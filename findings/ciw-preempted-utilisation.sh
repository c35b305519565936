#!/bin/sh
# Guess:     server_utilisation of a node of Ciw is the share of the time in which its servers had a customer,
#            whichever customers pre-empted one another.
# Version:   Ciw 3.2.7
# Behaviour: the part of a service before its interruption does not count: neither where it is resumed, so that the
#            work done is counted in part only, nor where it is begun anew. Ciw's own records have it all.
# Seen:      first come: utilisation 0.35, by records 0.35
#            resume: utilisation 0.25, by records 0.35
#            restart: utilisation 0.35, by records 0.45
# Shaped:    our comparison with Ciw holds us to its records, not to its utilisation
#            (runners/whatif/model/testdata/ciw_plans.py).
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check ciw==3.2.7
cat > f.py <<'END'
import ciw

UNTIL = 20


def play(name, priorities):
    """One server has a customer who needs 5 from 1 on, and from 3 on one who needs 2."""
    network = ciw.create_network(
        arrival_distributions={"low": [ciw.dists.Sequential([1, 1000])], "high": [ciw.dists.Sequential([3, 1000])]},
        service_distributions={"low": [ciw.dists.Deterministic(5)], "high": [ciw.dists.Deterministic(2)]},
        number_of_servers=[1],
        priority_classes=priorities,
    )
    simulation = ciw.Simulation(network)
    simulation.simulate_until_max_time(UNTIL)
    held = sum(r.exit_date - r.service_start_date for r in simulation.get_all_records())
    print(f"{name}: utilisation {simulation.nodes[1].server_utilisation}, by records {held / UNTIL}")


play("first come", {"low": 0, "high": 0})
for option in ("resume", "restart"):
    play(option, ({"high": 0, "low": 1}, [option]))
END
cat > want <<'END'
first come: utilisation 0.35, by records 0.35
resume: utilisation 0.25, by records 0.35
restart: utilisation 0.35, by records 0.45
END
venv/bin/python f.py > got
cat got
diff want got
