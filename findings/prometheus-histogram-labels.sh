#!/bin/sh
# Guess:     a reader of Prometheus' text format keeps the series of a histogram apart by their labels, as it does for
#            counters, and as Prometheus' own for Python does.
# Version:   parse-prometheus-text-format 1.1.1 of npm; prometheus-client 0.22.1 beside it
# Behaviour: a histogram or a summary with labels becomes one series without labels: the buckets are those of the last
#            label set, and sum and count are left out. Without labels they are there.
# Seen:      no labels: [{"buckets":{"1":"1","+Inf":"2"},"count":"2","sum":"3"}]
#            two models: [{"buckets":{"1":"5","+Inf":"7"}}]
#            counter of two models: [{"value":"2","labels":{"model":"a"}},{"value":"7","labels":{"model":"b"}}]
#            Python, two models: bucket a 1, bucket a 2, sum a 3, count a 2, bucket b 5, bucket b 7, sum b 9, count b 7
# Shaped:    the metrics page of our TensorFlow Serving has a histogram for each model, in this form
#            (sim/tfserving/serve/prometheus.go).
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
cat > plain.txt <<'END'
# TYPE latency histogram
latency_bucket{le="1"} 1
latency_bucket{le="+Inf"} 2
latency_sum 3
latency_count 2
END
cat > models.txt <<'END'
# TYPE latency histogram
latency_bucket{model="a",le="1"} 1
latency_bucket{model="a",le="+Inf"} 2
latency_sum{model="a"} 3
latency_count{model="a"} 2
latency_bucket{model="b",le="1"} 5
latency_bucket{model="b",le="+Inf"} 7
latency_sum{model="b"} 9
latency_count{model="b"} 7
END
cat > counter.txt <<'END'
# TYPE requests counter
requests{model="a"} 2
requests{model="b"} 7
END
npm install --silent --no-fund --no-audit parse-prometheus-text-format@1.1.1 >&2
cat > f.js <<'END'
const { readFileSync } = require('node:fs')
const parse = require('parse-prometheus-text-format')

for (const [what, file] of [['no labels', 'plain.txt'], ['two models', 'models.txt'], ['counter of two models', 'counter.txt']]) {
  console.log(`${what}: ${JSON.stringify(parse(readFileSync(file, 'utf8'))[0].metrics)}`)
}
END
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check prometheus-client==0.22.1
cat > f.py <<'END'
from prometheus_client.parser import text_string_to_metric_families

(family,) = text_string_to_metric_families(open("models.txt").read())
print("Python, two models:", ", ".join(f"{s.name.removeprefix('latency_')} {s.labels['model']} {s.value:g}" for s in family.samples))
END
cat > want <<'END'
no labels: [{"buckets":{"1":"1","+Inf":"2"},"count":"2","sum":"3"}]
two models: [{"buckets":{"1":"5","+Inf":"7"}}]
counter of two models: [{"value":"2","labels":{"model":"a"}},{"value":"7","labels":{"model":"b"}}]
Python, two models: bucket a 1, bucket a 2, sum a 3, count a 2, bucket b 5, bucket b 7, sum b 9, count b 7
END
{ node f.js; venv/bin/python f.py; } > got
cat got
diff want got
