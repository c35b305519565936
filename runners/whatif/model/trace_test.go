package model

import (
	"testing"

	"github.com/monosim/monosim/runners/whatif/law"
)

// Goal: a trace describes exactly the simulated requests. Method: trace fleets with
// timeouts, retries, hedges and counted connections. Compare each request and call with the
// sample of the same run.
func TestATraceIsOfWhatIsSimulated(t *testing.T) {
	if testing.Short() {
		t.Skip("takes minutes under the race detector; the whole tests have it")
	}
	plain := fan(5, 2, 6, 2)
	plain.Tiers[Entry].Law = law.Exponential(1e5)
	retried := fan(5, 2, 6, 2)
	retried.Timeout, retried.Retries = 4e6, 2
	retried.Latency[0] = law.Constant(1e5)
	cancelled := fan(5, 2, 6, 2)
	cancelled.Timeout, cancelled.Retries, cancelled.Cancel = 4e6, 1, true
	hedged := fan(5, 2, 3, 2)
	hedged.HedgeNs = 2e6
	paired := fan(5, 2, 3, 2)
	paired.Timeout, paired.Retries, paired.Connections = 5e6, 1, 2
	for name, s := range map[string]*Spec{"plain": plain, "retried": retried, "cancelled": cancelled, "hedged": hedged, "paired": paired} {
		t.Run(name, func(t *testing.T) {
			want, err := s.Run(0, 3)
			if err != nil {
				t.Fatal(err)
			}
			const all = 1 << 20
			got, err := s.Trace(0, 3, all)
			if err != nil {
				t.Fatal(err)
			}
			if got.Hash != want.Hash {
				t.Errorf("events have the hash %x when traced, want %x", got.Hash, want.Hash)
			}
			ended := int64(0)
			sum, last := int64(0), int64(1<<62)
			calls := map[string]int64{}
			for _, r := range got.Requests {
				ended++
				took := r.End - r.Intended
				if took > last {
					t.Fatalf("request %d took %d ns after one that took %d: want the slowest first", r.Number, took, last)
				}
				last = took
				if r.Failed == "" {
					sum += took
				}
				latest := r.Came + r.Queue + r.Compute
				for _, c := range r.Calls {
					calls[c.Outcome]++
					if c.Sent < latest || c.End > r.End {
						t.Fatalf("request %d, %d..%d: call %+v", r.Number, r.Intended, r.End, c)
					}
					if c.Outcome == callAnswered && (c.Arrived < c.Sent || c.Started < c.Arrived || c.Done < c.Started || c.End < c.Done) {
						t.Fatalf("request %d: an answered call whose instants do not rise: %+v", r.Number, c)
					}
					if c.Done != 0 && c.Done < c.Started {
						t.Fatalf("request %d: call %+v", r.Number, c)
					}
				}
			}
			failed := int64(0)
			for _, n := range want.Failed {
				failed += n
			}
			if ended != want.Completed+failed || sum != want.SumNs {
				t.Errorf("%d requests that took %d ns, want %d and %d", ended, sum, want.Completed+failed, want.SumNs)
			}
			if name == "hedged" && calls[callAbandoned] == 0 || name == "plain" && len(calls) != 1 {
				t.Errorf("calls by outcome: %v", calls)
			}
			if want.Calls.TimedOut > 0 && calls[callTimedOut] == 0 {
				t.Errorf("no call timed out, want some of %d", want.Calls.TimedOut)
			}
			few, err := s.Trace(0, 3, 7)
			if err != nil {
				t.Fatal(err)
			}
			for k, r := range few.Requests {
				if r.Number != got.Requests[k].Number || len(r.Calls) != len(got.Requests[k].Calls) {
					t.Errorf("the slowest %d of 7 is request %d with %d calls, want %d with %d", k, r.Number, len(r.Calls), got.Requests[k].Number, len(got.Requests[k].Calls))
				}
			}
			b := few.Bins[TraceBins-1]
			if len(few.Requests) != 7 || b.InFlight < 0 {
				t.Errorf("%d requests, %d in flight at the end", len(few.Requests), b.InFlight)
			}
		})
	}
}
