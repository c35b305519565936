package observe

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/runners/process"
	"github.com/monosim/monosim/runners/whatif/law"
	"github.com/monosim/monosim/sim/tfserving/serve"
	"github.com/monosim/monosim/sim/tfserving/serve/tfservingtest"
)

// work is how long a test server works on a call, with one thread.
const work = 5 * time.Millisecond

// serving starts a model server that works on one call at a time, and returns it as a target.
func serving(t *testing.T, takes time.Duration) *target {
	t.Helper()
	s := tfservingtest.Start(t, tfservingtest.Small("ps_0", 1), tfservingtest.With(func(o *serve.Options) {
		o.PredictThreads, o.Timings, o.Machine.Cost.PredictTime = 1, true, takes
		o.Machine.Cost.PredictSlowdown = 1
	}))
	return targetAt(t, s.GRPC(), 0)
}

func targetAt(t *testing.T, addr string, calls int) *target {
	t.Helper()
	one, err := dial(addr, calls, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { one.conn.Close() })
	return one
}

// nobody returns a target on whose port nothing listens.
func nobody(t *testing.T) *target {
	t.Helper()
	ports, err := process.FreePorts(1)
	if err != nil {
		t.Fatal(err)
	}
	return targetAt(t, fmt.Sprintf("127.0.0.1:%d", ports[0]), 0)
}

// every returns the arrival times of n requests at equal distances.
func every(gap time.Duration, n int) []int64 {
	var times []int64
	for i := range n {
		times = append(times, int64(i)*int64(gap))
	}
	return times
}

// drive sends an order's requests to the targets, which are all replicas of one PS, and returns
// what it observed.
func drive(t *testing.T, o order, targets ...*target) *Load {
	t.Helper()
	request, err := proto.Marshal(&apis.PredictRequest{ModelSpec: &apis.ModelSpec{Name: "ps_0"}, Inputs: map[string]*framework.TensorProto{"x": {
		Dtype: framework.DataType_DT_FLOAT, FloatVal: []float32{1}, TensorShape: &framework.TensorShapeProto{Dim: []*framework.TensorShapeProto_Dim{{Size: 1}}},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	all := make([]int16, len(targets))
	for i := range all {
		all[i] = int16(i)
	}
	d, err := newDriver(o, targets, [][]byte{request}, view{all})
	if err != nil {
		t.Fatal(err)
	}
	return d.all(t.Context())
}

// Goal: latency counts from when a request should have been sent, so a slow server is
// charged for all requests that were due (no coordinated omission). Method: requests arrive
// five times as fast as a server with one thread can work. The last request cannot end
// before all the work is done.
func TestLatenciesCountFromWhenRequestsWereToCome(t *testing.T) {
	const n, gap = 40, work / 5
	load := drive(t, order{arrivals: every(gap, n), end: int64(time.Hour), timeout: time.Minute}, serving(t, work))
	q := load.Requests
	if !slices.Equal(q.Intended, every(gap, n)) {
		t.Errorf("requests were to come at %v, want every %v", q.Intended, gap)
	}
	last := time.Duration(slices.Max(q.Done))
	if last < n*work {
		t.Fatalf("%d calls of %v by one thread were over after %v", n, work, last)
	}
	worst := time.Duration(0)
	for i := range q.Intended {
		if !q.OK[i] || q.Sent[i] < q.Intended[i] {
			t.Errorf("request %d: ok %v, began %v after it was to come", i, q.OK[i], time.Duration(q.Sent[i]-q.Intended[i]))
		}
		worst = max(worst, time.Duration(q.Done[i]-q.Intended[i]))
	}
	if least := n*work - (n-1)*gap; worst < least {
		t.Errorf("the longest latency is %v, want at least %v", worst, least)
	}
	for i := range load.Calls.Len() {
		c := &load.Calls
		if c.Worked[i] < int64(work) || c.Done[i]-c.Sent[i] < c.Waited[i]+c.Worked[i] {
			t.Errorf("call %d took %d ns, of which it waited %d and was worked on %d; want at least %v of work, within the call", i, c.Done[i]-c.Sent[i], c.Waited[i], c.Worked[i], work)
		}
	}
}

// Goal: a slow call is hedged by a second call. The faster answer counts, and the other call
// is abandoned. Method: of two servers, used in turn, the first would work far longer than
// the test.
func TestHedgedCallsTakeTheFasterAnswer(t *testing.T) {
	const never = time.Hour
	load := drive(t, order{arrivals: every(time.Millisecond, 1), end: int64(never), timeout: never, hedge: 5 * time.Millisecond, balance: "round_robin"},
		serving(t, time.Millisecond), serving(t, never))
	c := &load.Calls
	if !slices.Equal(load.Requests.OK, []bool{true}) || c.Len() != 2 {
		t.Fatalf("requests answered: %v, by %d calls; want one, by two", load.Requests.OK, c.Len())
	}
	for i, fast := range []bool{true, false} { // the faster of the two calls ends the other one
		want := uint8(GivenUp)
		if fast {
			want = Answered
		}
		if (c.Server[i] == 0) != fast || c.Outcome[i] != want || c.Attempt[i] != 0 {
			t.Errorf("call %d: server %d, attempt %d, outcome %d, want %d", i, c.Server[i], c.Attempt[i], c.Outcome[i], want)
		}
	}
}

// Goal: servers work on each item of a request. Method: a server that takes a millisecond
// per item, and requests with five to nine items.
func TestItemsAreWorkedOn(t *testing.T) {
	const item = time.Millisecond
	s := tfservingtest.Start(t, tfservingtest.Small("ps_0", 1), tfservingtest.With(func(o *serve.Options) {
		o.Timings, o.PredictItemTime, o.Machine.Cost.PredictTime, o.Machine.Cost.PredictSlowdown = true, item, work, 1
	}))
	load := drive(t, order{arrivals: every(time.Millisecond, 20), end: int64(time.Hour), timeout: time.Minute, items: law.Between(4.6, 9.4)}, targetAt(t, s.GRPC(), 0))
	items := load.Requests.Items
	if len(items) != 20 || slices.Min(items) < 5 || slices.Max(items) > 9 || slices.Min(items) == slices.Max(items) {
		t.Fatalf("items of 20 requests: %v, want 5 to 9", items)
	}
	for i := range load.Calls.Len() {
		c := &load.Calls
		if least := work + time.Duration(items[c.Request[i]])*item; c.Outcome[i] != Answered || c.Worked[i] < int64(least) {
			t.Errorf("call %d: outcome %d after %v of work, want an answer after %v", i, c.Outcome[i], time.Duration(c.Worked[i]), least)
		}
	}
}

// Goal: a refused call is retried at once, whether or not its hedge is still in progress.
func TestHedgesOfRefusedCalls(t *testing.T) {
	load := drive(t, order{arrivals: every(time.Millisecond, 10), end: int64(time.Hour), timeout: time.Minute, retries: 1, retry: "distinct", hedge: time.Minute, balance: "round_robin"},
		nobody(t), serving(t, time.Millisecond))
	if slices.Contains(load.Requests.OK, false) {
		t.Errorf("requests answered: %v", load.Requests.OK)
	}
}

// Goal: a refused call is retried with another replica. Method: two targets of which only
// one listens.
func TestRefusedCallsAreTriedElsewhere(t *testing.T) {
	load := drive(t, order{arrivals: every(time.Millisecond, 20), end: int64(time.Hour), timeout: time.Minute, retries: 1, retry: "distinct", balance: "round_robin"},
		nobody(t), serving(t, time.Millisecond))
	refused := 0
	for i := range load.Calls.Len() {
		c := &load.Calls
		if want := uint8(Refused); c.Server[i] == 0 && c.Outcome[i] != want || c.Server[i] == 1 && c.Outcome[i] != Answered {
			t.Errorf("call %d: server %d, outcome %d", i, c.Server[i], c.Outcome[i])
		}
		if c.Outcome[i] == Refused {
			refused++
		}
	}
	if refused != 10 || slices.Contains(load.Requests.OK, false) {
		t.Errorf("%d calls were refused and requests went well: %v; want every second, and all", refused, load.Requests.OK)
	}
}

// Goal: a call that times out is retried as often as allowed. Method: a server that takes
// over a minute, with a timeout of a millisecond.
func TestCallsTimeOut(t *testing.T) {
	load := drive(t, order{arrivals: every(time.Millisecond, 3), end: int64(time.Hour), timeout: time.Millisecond, retries: 2}, serving(t, time.Minute))
	if slices.Contains(load.Requests.OK, true) || load.Calls.Len() != 9 {
		t.Fatalf("requests went well: %v, %d calls; want none, and three of each", load.Requests.OK, load.Calls.Len())
	}
	for i, outcome := range load.Calls.Outcome {
		if outcome != TimedOut {
			t.Errorf("call %d: outcome %d, want %d", i, outcome, TimedOut)
		}
	}
}

// Goal: the load generator balances as the model does.
func TestBalancers(t *testing.T) {
	for _, c := range []struct {
		balance string
		busy    []int32
		want    map[int16]bool
	}{
		{"least_loaded", []int32{3, 0, 2}, map[int16]bool{1: true}},
		{"p2c", []int32{0, 9, 9}, map[int16]bool{0: true, 1: true, 2: true}},
		{"random", []int32{0, 9, 9}, map[int16]bool{0: true, 1: true, 2: true}},
		{"round_robin", []int32{0, 9, 9}, map[int16]bool{0: true, 1: true, 2: true}},
	} {
		d := driver{order: order{balance: c.balance}, turn: make([]int, 1), outstanding: c.busy}
		d.rand = newRand(1)
		counts := map[int16]int{}
		for range 3000 {
			counts[d.pick(0, []int16{0, 1, 2})]++
		}
		for at, n := range counts {
			if !c.want[at] {
				t.Errorf("%s: chose %d %d times among calls under way %v", c.balance, at, n, c.busy)
			}
		}
		switch {
		case c.balance == "p2c" && counts[0] < counts[1]+counts[2]:
			t.Errorf("p2c: chose %v among %v, want the idle one in two of three pairs", counts, c.busy)
		case c.balance == "round_robin" && (counts[0] != 1000 || counts[1] != 1000):
			t.Errorf("round_robin: chose %v, want each as often", counts)
		case len(counts) != len(c.want):
			t.Errorf("%s: chose %v, want %v", c.balance, counts, c.want)
		}
	}
}

// Goal: the delay of a distant network is added to both directions of every call, and not to
// the work that the server reports (CAP-7.7). A call whose delay exceeds its timeout ends at
// the timeout.
func TestARoundTripIsAdded(t *testing.T) {
	const way = 20 * time.Millisecond
	far := serving(t, work)
	far.way = way
	load := drive(t, order{arrivals: every(4*way, 3), end: int64(time.Hour), timeout: time.Minute}, far)
	for i := range load.Requests.Done {
		c := &load.Calls
		beyond := time.Duration(c.Done[i] - c.Sent[i] - c.Waited[i] - c.Worked[i])
		if !load.Requests.OK[i] || beyond < 2*way {
			t.Errorf("request %d: ok %v, %v beyond the server's work, want %v at least", i, load.Requests.OK[i], beyond, 2*way)
		}
	}
	load = drive(t, order{arrivals: every(4*way, 1), end: int64(time.Hour), timeout: way / 4}, far)
	if got := load.Calls.Outcome; len(got) != 1 || got[0] != TimedOut || load.Requests.OK[0] {
		t.Errorf("outcomes %v, want one call that timed out on its way", got)
	}
}
