#!/bin/sh
# Guess:     a t-digest of 99 latencies of 5 ms and one of 5 s says 5 ms for p10, p50 and p90: few values, no
#            compression, and tails are what the sketch is known for.
# Version:   tdigest 0.1.3 of npm, tdigest 0.5.2.2 of PyPI; fastdigest 0.12.0 beside them
# Behaviour: both put equal values into one centroid and draw a line from its middle to the next centroid, so half of
#            the 5 ms lie between 5 ms and 5 s. That of PyPI draws the line below the least value, too.
# Seen:      npm        p0 5  p10 5  p50 54.95  p90 4050.95  p100 5000
#            PyPI       p0 5  p10 -3941.05  p50 54.95  p90 4050.95  p100 5000
#            fastdigest p0 5  p10 5  p50 5  p90 5  p100 5000
# Shaped:    latencies of our plans, which tie where work is constant, are in an HdrHistogram, not in such a sketch
#            (runners/whatif/model/hist.go).
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm install --silent --no-fund --no-audit tdigest@0.1.3 >&2
cat > f.js <<'END'
const { TDigest } = require('tdigest')

const digest = new TDigest()
digest.push([...Array(99).fill(5), 5000])
digest.compress()
console.log('npm       ', [0, 10, 50, 90, 100].map((p) => `p${p} ${+digest.percentile(p / 100).toPrecision(6)}`).join('  '))
END
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check tdigest==0.5.2.2 fastdigest==0.12.0
cat > f.py <<'END'
import fastdigest
import tdigest

latencies = [5.0] * 99 + [5000.0]
slow = tdigest.TDigest()
slow.batch_update(latencies)
fast = fastdigest.TDigest.from_values(latencies)
for name, percentile in (("PyPI      ", slow.percentile), ("fastdigest", lambda p: fast.quantile(p / 100))):
    print(name, "  ".join(f"p{p} {percentile(p):.6g}" for p in (0, 10, 50, 90, 100)))
END
cat > want <<'END'
npm        p0 5  p10 5  p50 54.95  p90 4050.95  p100 5000
PyPI       p0 5  p10 -3941.05  p50 54.95  p90 4050.95  p100 5000
fastdigest p0 5  p10 5  p50 5  p90 5  p100 5000
END
{ node f.js; venv/bin/python f.py; } > got
cat got
diff want got
