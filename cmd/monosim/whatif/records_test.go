package whatif

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/monosim/monosim/runners/whatif/result"
)

// Goal: the JSON result has everything that each replication counted (CAP-4.4). Method: compute the
// estimates, the checks and the conservation again, from the counters and histograms in it alone.
func TestRecordsAreWhatEstimatesAreMadeOf(t *testing.T) {
	file := planFile(t, "", "")
	r := resultOf(t, "run", file)
	p99, mean := r.Find("p99(request)", ""), r.Find("mean(request)", "")
	if len(r.Records) != p99.Runs || p99.Runs < 20 {
		t.Fatalf("%d records of %d replications, want one of each", len(r.Records), p99.Runs)
	}
	var sum result.Checks
	for k, one := range r.Records {
		c := one.Counters
		if one.Replication != k || one.Window != p99.Scope.Window || one.WarmupCut != p99.WarmupCut || len(one.Point) != 0 || c.Trace == "" {
			t.Errorf("record %d: got %+v, want replication %d of %s", k, one, k, p99.Scope.Window)
		}
		failed := int64(0)
		for _, n := range c.Failed {
			failed += n
		}
		if c.Arrived != c.Completed+failed+c.Open || c.Calls.Sent != c.Calls.Answered+c.Calls.TimedOut+c.Calls.Refused+c.Calls.Abandoned+c.Calls.Open {
			t.Errorf("record %d: %+v is not conserved", k, c)
		}
		request := one.Histograms["request"]
		if request.Count() != c.Completed || one.Histograms["ps"].Count() != c.Tiers["ps"].Attempts || len(one.Histograms) != 3 {
			t.Errorf("record %d: histograms count %d requests and %d attempts, want %+v", k, request.Count(), one.Histograms["ps"].Count(), c)
		}
		if got := float64(c.LatencyNs) / float64(c.Completed); got != mean.Values[k] {
			t.Errorf("record %d: mean %v, the estimate has %v", k, got, mean.Values[k])
		}
		if got := float64(quantile(request, 0.99)); got != p99.Values[k] {
			t.Errorf("record %d: p99 %v, the estimate has %v", k, got, p99.Values[k])
		}
		sum.Arrivals += c.Arrived
		sum.Sent += c.Calls.Sent
	}
	if sum.Arrivals != r.Checks.Arrivals || sum.Sent != r.Checks.Sent {
		t.Errorf("records have %d requests and %d calls, checks %d and %d", sum.Arrivals, sum.Sent, r.Checks.Arrivals, r.Checks.Sent)
	}
}

// quantile returns the upper end of the histogram's bar that contains the quantile q.
func quantile(h result.Histogram, q float64) int64 {
	rank, seen := int64(q*float64(h.Count())+0.5), int64(0)
	for _, b := range h {
		if seen += b.Count; seen >= rank {
			return b.To
		}
	}
	return 0
}

// Goal: a sweep has records for every cell, and a search has those of its answer. A result that is
// read and written again stays the same. The page has no records, because its plots show no
// replications.
func TestRecordsNameTheirPoint(t *testing.T) {
	file := planFile(t, "", "")
	for _, c := range []struct {
		command, path string
		values        []string
	}{{"sweep", "workload.rate", []string{"500/s", "1k/s"}}, {"solve", "fleet.ps.replicas", nil}} {
		r := resultOf(t, c.command, file)
		count := map[string]int{}
		for _, one := range r.Records {
			count[one.Point[c.path]]++
		}
		if r.Answer != nil {
			c.values = []string{r.Answer.Point[c.path]}
		}
		if len(count) != len(c.values) {
			t.Errorf("%s: records of %v, want %v", c.command, count, c.values)
		}
		for _, v := range c.values {
			if count[v] < 20 {
				t.Errorf("%s: %d records with %s %s, want one of each replication", c.command, count[v], c.path, v)
			}
		}
	}
	page := filepath.Join(t.TempDir(), "page.html")
	_, stdout, _ := whatif("run", file, "--json", "--html", page)
	if !strings.Contains(stdout, `"records"`) || strings.Contains(read(t, page), `"records"`) {
		t.Error("want records in the JSON, and none in the page")
	}
	again, err := result.Read(strings.NewReader(stdout))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := again.Write(&out); err != nil || out.String() != stdout {
		t.Errorf("%v: want the bytes that were read", err)
	}
}

func resultOf(t *testing.T, command, file string) *result.Result {
	t.Helper()
	_, stdout, message := whatif(command, file, "--json")
	r, err := result.Read(strings.NewReader(stdout))
	if err != nil {
		t.Fatal(message, err)
	}
	return r
}
