#!/bin/sh
# Guess:     required_positions of pyworkforce's ErlangC gives the smallest number of positions that meets the target.
# Version:   pyworkforce 0.5.1
# Behaviour: its search begins at round(load + 1) and only goes up. Where the part of the load behind the point is above
#            a half (or is a half, behind an odd number), one position less may meet the target, by its own service_level.
# Seen:      load 0.6, target 50%: required 2, by its own service_level 1 gives 60%
#            load 1.6, target 50%: required 3, by its own service_level 2 gives 52%
#            load 2.6, target 40%: required 4, by its own service_level 3 gives 49%
#            load 1.4, target 50%: required 2, no fewer meet it
# Shaped:    monosim whatif solve does not begin at a guess: it shows that no cheaper configuration holds.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check pyworkforce==0.5.1
cat > f.py <<'END'
from pyworkforce.queuing import ErlangC

for load, target in ((0.6, 0.5), (1.6, 0.5), (2.6, 0.4), (1.4, 0.5)):
    calls = ErlangC(transactions=load, aht=1, asa=1, interval=1)
    required = calls.required_positions(service_level=target)["raw_positions"]
    fewer = [p for p in range(int(load) + 1, required) if calls.service_level(p) >= target]
    less = f"by its own service_level {fewer[0]} gives {calls.service_level(fewer[0]):.0%}" if fewer else "no fewer meet it"
    print(f"load {load}, target {target:.0%}: required {required}, {less}")
END
cat > want <<'END'
load 0.6, target 50%: required 2, by its own service_level 1 gives 60%
load 1.6, target 50%: required 3, by its own service_level 2 gives 52%
load 2.6, target 40%: required 4, by its own service_level 3 gives 49%
load 1.4, target 50%: required 2, no fewer meet it
END
venv/bin/python f.py > got
cat got
diff want got
