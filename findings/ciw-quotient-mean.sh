#!/bin/sh
# Guess:     mean and variance of a distribution of Ciw are those of what it samples, or nan where Ciw has no formula
#            for them, as its guide says; so also of a quotient such as work / speed.
# Version:   Ciw 3.2.7
# Behaviour: those of sums, differences and products are exact, those of a quotient are an approximation for divisors
#            that hardly vary: the mean is the quotient of the means.
# Seen:      speed is 1 or 3, work is 12
#            work * speed: mean 24.0 variance 144.0, exact 24.0 144.0
#            work / speed: mean 6.0 variance 9.0, exact 8.0 16.0
#            100000 samples of work / speed: mean 8.0
# Shaped:    our comparison with Ciw takes means from its records, and asks no distribution for one
#            (runners/whatif/model/testdata/ciw_plans.py).
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check ciw==3.2.7
cat > f.py <<'END'
import operator

import ciw

WORK, SPEEDS = 12, (1, 3)
work, speed = ciw.dists.Deterministic(WORK), ciw.dists.Pmf(list(SPEEDS), [0.5, 0.5])
print(f"speed is {SPEEDS[0]} or {SPEEDS[1]}, work is {WORK}")
for sign, combine in (("*", operator.mul), ("/", operator.truediv)):
    combined = combine(work, speed)
    values = [combine(WORK, s) for s in SPEEDS]
    mean = sum(values) / len(values)
    variance = sum((v - mean) ** 2 for v in values) / len(values)
    print(f"work {sign} speed: mean {combined.mean} variance {combined.variance}, exact {mean} {variance}")
ciw.seed(1)
samples = [combined.sample() for _ in range(100_000)]
print(f"{len(samples)} samples of work / speed: mean {sum(samples) / len(samples):.1f}")
END
cat > want <<'END'
speed is 1 or 3, work is 12
work * speed: mean 24.0 variance 144.0, exact 24.0 144.0
work / speed: mean 6.0 variance 9.0, exact 8.0 16.0
100000 samples of work / speed: mean 8.0
END
venv/bin/python f.py > got
cat got
diff want got
