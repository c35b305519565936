#!/bin/sh
# Guess:     ports of HdrHistogram give the same percentile for the same histogram: the least value that at least so
#            many per cent of the values do not exceed.
# Version:   org.hdrhistogram:HdrHistogram 2.2.2, hdrhistogram 0.10.8 of PyPI, hdrhistogram-go 1.4.0
# Behaviour: Java's rounds the rank up, those for Python and Go round it to the nearest whole one: where its fraction
#            is below one half, they give the value before, which fewer values than asked for do not exceed.
# Seen:      Java   p91 of 1..10: 10, p99 of 1..140: 139, p99 of 1..151: 150
#            Python p91 of 1..10: 9, p99 of 1..140: 139, p99 of 1..151: 149
#            Go     p91 of 1..10: 9, p99 of 1..140: 139, p99 of 1..151: 149
# Shaped:    a packed histogram of ours computes the rank of the Go port, so that packing changes no percentile
#            (runners/whatif/model/hist.go).
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
cat > pom.xml <<'POM'
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>finding</groupId><artifactId>finding</artifactId><version>1</version>
  <dependencies>
    <dependency><groupId>org.hdrhistogram</groupId><artifactId>HdrHistogram</artifactId><version>2.2.2</version></dependency>
  </dependencies>
</project>
POM
MAVEN_OPTS=-Djansi.mode=strip mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies -DoutputDirectory=jars >&2
cat > Rank.java <<'END'
import org.HdrHistogram.Histogram;

public class Rank {
    public static void main(String[] args) {
        System.out.println("Java   " + tell(91, 10) + ", " + tell(99, 140) + ", " + tell(99, 151));
    }

    static String tell(int p, int n) {
        Histogram h = new Histogram(1, 1000, 3);
        for (int v = 1; v <= n; v++) h.recordValue(v);
        return "p" + p + " of 1.." + n + ": " + h.getValueAtPercentile(p);
    }
}
END
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check hdrhistogram==0.10.8
cat > rank.py <<'END'
from hdrh.histogram import HdrHistogram


def tell(p, n):
    h = HdrHistogram(1, 1000, 3)
    for v in range(1, n + 1):
        h.record_value(v)
    return f"p{p} of 1..{n}: {h.get_value_at_percentile(p)}"


print("Python " + ", ".join((tell(91, 10), tell(99, 140), tell(99, 151))))
END
cat > go.mod <<'END'
module finding
go 1.24
require github.com/HdrHistogram/hdrhistogram-go v1.4.0
END
cat > main.go <<'END'
package main

import (
	"fmt"

	"github.com/HdrHistogram/hdrhistogram-go"
)

func main() {
	fmt.Printf("Go     %s, %s, %s\n", tell(91, 10), tell(99, 140), tell(99, 151))
}

func tell(p float64, n int64) string {
	h := hdrhistogram.New(1, 1000, 3)
	for v := int64(1); v <= n; v++ {
		if err := h.RecordValue(v); err != nil {
			panic(err)
		}
	}
	return fmt.Sprintf("p%v of 1..%d: %d", p, n, h.ValueAtQuantile(p))
}
END
cat > want <<'END'
Java   p91 of 1..10: 10, p99 of 1..140: 139, p99 of 1..151: 150
Python p91 of 1..10: 9, p99 of 1..140: 139, p99 of 1..151: 149
Go     p91 of 1..10: 9, p99 of 1..140: 139, p99 of 1..151: 149
END
{ java -cp 'jars/*' Rank.java; venv/bin/python rank.py; GOFLAGS=-mod=mod GOWORK=off go run .; } > got
cat got
diff want got
