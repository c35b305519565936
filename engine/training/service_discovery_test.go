package training

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/envtest"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/env/zkerrors"
	"github.com/monosim/monosim/engine/pysem"
)

// Goal: discoveries handle what recorded cases cannot show. In those the clients never fail, never
// lose a session, and report the old data of a deleted znode.

// heldTasks keeps tasks until the test runs them, and advances its time by what they sleep.
type heldTasks struct {
	inlineTasks
	now   time.Time
	slept []time.Duration
	held  []func()
}

func (t *heldTasks) Now() time.Time         { return t.now }
func (t *heldTasks) Elapsed() time.Duration { return 0 }
func (t *heldTasks) Sleep(d time.Duration) {
	t.now = t.now.Add(d)
	t.slept = append(t.slept, d)
}
func (t *heldTasks) Go(_ string, fn func()) env.Task {
	t.held = append(t.held, fn)
	return doneTask{}
}

type caseRandom struct{}

func (caseRandom) Intn(string, int) int   { return 0 }
func (caseRandom) Float64(string) float64 { return 0.5 }

func newHeldEnv() (*env.Env, *heldTasks) {
	tasks := &heldTasks{now: time.Unix(1700000000, 0)}
	host := &caseHost{vars: map[string]string{}, ipv4: "192.0.2.10"}
	return &env.Env{Host: host, Tasks: tasks, Clock: tasks, Random: caseRandom{}, Log: envtest.Quiet{}, Network: deadNetwork{}}, tasks
}

func newZKDiscovery(t *testing.T) (*ZKServiceDiscovery, *caseZooKeeper) {
	t.Helper()
	e, _ := newHeldEnv()
	zk := &caseZooKeeper{data: map[string]env.DataFunc{}, children: map[string]env.ChildrenFunc{}, fill: func() {}}
	d, err := NewZKServiceDiscovery(e, ZKDiscoveryOptions{JobName: "job", MaxTries: 1, ZooKeeper: zk})
	if err != nil {
		t.Fatal(err)
	}
	return d, zk
}

func TestADeletedZnodeIsForgotten(t *testing.T) {
	d, zk := newZKDiscovery(t)
	if err := d.Register("ps", 0, "a:1"); err != nil {
		t.Fatal(err)
	}
	if err := zk.data["/monolith/job/ps.0"](nil, nil, nil); err != nil {
		t.Fatal(err)
	}
	addrs, err := d.Query("ps")
	if diff := cmp.Diff(Addrs{}, addrs); diff != "" || err != nil {
		t.Errorf("error %v, addresses (-want +got):\n%s", err, diff)
	}
}

func TestAMalformedZnodeIsAValueError(t *testing.T) {
	_, zk := newZKDiscovery(t)
	for _, child := range []string{"ps", "ps.0.1", "ps.x"} {
		if err := zk.make("/monolith/job/"+child, []byte("a:1"), true); pysem.TypeOf(err) != "ValueError" {
			t.Errorf("%s: got %v, want ValueError", child, err)
		}
		zk.nodes = nil
	}
}

func TestANewSessionAfterALossWakesTheRegistrations(t *testing.T) {
	d, _ := newZKDiscovery(t)
	if err := d.Register("ps", 0, "a:1"); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		state env.SessionState
		want  bool
	}{{env.Connected, false}, {env.Suspended, false}, {env.Connected, false}, {env.Lost, false}, {env.Suspended, false}, {env.Connected, true}} {
		d.listen(step.state)
		if got := d.threads[0].wakeup.IsSet(); got != step.want {
			t.Errorf("%s: got woken %v, want %v", step.state, got, step.want)
		}
	}
}

// closingZooKeeper is a server whose first create or delete fails, while the discovery is closed.
type closingZooKeeper struct {
	*caseZooKeeper
	fails error
	close func()
}

func (z *closingZooKeeper) Create(string, []byte, env.CreateOptions) (string, error) {
	z.close()
	return "", z.fails
}

func (z *closingZooKeeper) Delete(string, env.DeleteOptions) error {
	z.close()
	return z.fails
}

// Goal: what waits while a discovery is closed fails as the reference does, which has no client then
// (service_discovery.py:271-280, 383). The first try of each line fails with its error.
func TestADiscoveryMayBeClosedBetweenTwoTries(t *testing.T) {
	for _, c := range []struct {
		name, want string
		fails      error
		do         func(d *ZKServiceDiscovery) error
	}{
		{"registering", "'NoneType' object has no attribute 'create'", zkerrors.ErrConnectionLoss, func(d *ZKServiceDiscovery) error { return d.Register("ps", 0, "a:1") }},
		{"registering what is there", "'NoneType' object has no attribute 'set'", zkerrors.ErrNodeExists, func(d *ZKServiceDiscovery) error { return d.Register("ps", 0, "a:1") }},
		{"deregistering", "'NoneType' object has no attribute 'delete'", zkerrors.ErrConnectionLoss, func(d *ZKServiceDiscovery) error { return d.Deregister("ps", 0, "a:1") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, _ := newHeldEnv()
			log := &envtest.Heard{}
			e.Log = log
			zk := &closingZooKeeper{&caseZooKeeper{data: map[string]env.DataFunc{}, children: map[string]env.ChildrenFunc{}, fill: func() {}}, c.fails, nil}
			d, err := NewZKServiceDiscovery(e, ZKDiscoveryOptions{JobName: "job", MaxTries: 3, Delay: time.Second, ZooKeeper: zk})
			if err != nil {
				t.Fatal(err)
			}
			zk.close = d.Close
			err = c.do(d)
			if pysem.TypeOf(err) != "AttributeError" || !strings.Contains(fmt.Sprint(err), c.want) {
				t.Errorf("got %v, want AttributeError: %s", err, c.want)
			}
			if len(log.Lines) != 1 || !strings.HasSuffix(log.Lines[0], "register fail") {
				t.Errorf("logged %q, want the one line that it failed", log.Lines)
			}
		})
	}
}

func TestAClosedDiscoveryRegistersNobody(t *testing.T) {
	d, _ := newZKDiscovery(t)
	d.Close()
	d.Close()
	if err := d.Register("ps", 0, "a:1"); pysem.TypeOf(err) != "AttributeError" {
		t.Errorf("got %v, want AttributeError", err)
	}
	if err := d.Deregister("ps", 0, "a:1"); pysem.TypeOf(err) != "AttributeError" {
		t.Errorf("got %v, want AttributeError", err)
	}
}

// deafConsul is a Consul that fails the first lookups and never lists what was registered.
type deafConsul struct {
	failures int
	err      error
	lookups  int
}

func (c *deafConsul) Lookup(string, int) ([]any, error) {
	c.lookups++
	if c.failures > 0 {
		c.failures--
		return nil, c.err
	}
	return nil, nil
}
func (c *deafConsul) Register(string, int, ConsulTags) error { return nil }
func (c *deafConsul) Deregister(string, int) error           { return nil }

func TestAMachineThatConsulNeverListsIsBlacklisted(t *testing.T) {
	e, tasks := newHeldEnv()
	d := NewConsulServiceDiscovery(e, &deafConsul{}, "id", 0)
	err := d.Register("ps", 0, "a:1")
	if !errors.Is(err, &pysem.Error{Type: "OSError", Message: "This machine is blacklisted by consul."}) {
		t.Errorf("got %v, want OSError: This machine is blacklisted by consul.", err)
	}
	if got := tasks.now.Sub(time.Unix(1700000000, 0)); got != 3*time.Minute {
		t.Errorf("got an end after %s, want 3m0s", got)
	}
}

func TestSocketErrorsAreRetriedFourTimes(t *testing.T) {
	for _, test := range []struct {
		name     string
		failures int
		err      string
		lookups  int
		fails    bool
	}{
		{"four failures pass", 4, "ConnectionRefusedError", 5, false},
		{"five do not", 5, "ConnectionRefusedError", 5, true},
		{"other errors do not", 1, "ValueError", 1, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			e, _ := newHeldEnv()
			c := &deafConsul{failures: test.failures, err: &pysem.Error{Type: test.err}}
			_, err := NewConsulServiceDiscovery(e, c, "id", 0).Query("ps")
			if (err != nil) != test.fails || c.lookups != test.lookups {
				t.Errorf("got %d look-ups, error %v, want %d, failing %v", c.lookups, err, test.lookups, test.fails)
			}
		})
	}
}

// lateNetwork refuses the first connections, as if the server began to listen late.
type lateNetwork struct {
	env.Network
	refusals int
	addrs    []string
}

func (n *lateNetwork) Probe(addr string, _ time.Duration) error {
	n.addrs = append(n.addrs, addr)
	if n.refusals > 0 {
		n.refusals--
		return &env.RPCError{Code: rpcerrors.Unavailable}
	}
	return nil
}

func TestCheckPortWaitsUntilTheLimit(t *testing.T) {
	for _, test := range []struct {
		name     string
		refusals int
		want     bool
		probes   int
	}{
		{"at once", 0, true, 1}, {"late", 3, true, 4}, {"at the limit", 5, true, 6}, {"too late", 6, false, 6},
	} {
		t.Run(test.name, func(t *testing.T) {
			e, _ := newHeldEnv()
			n := &lateNetwork{refusals: test.refusals}
			e.Network = n
			if got := CheckPort(e, "[::1]", "80", 5*time.Second); got != test.want || len(n.addrs) != test.probes {
				t.Errorf("got %v after %d probes, want %v after %d", got, len(n.addrs), test.want, test.probes)
			}
			if n.addrs[0] != "[::1]:80" {
				t.Errorf("got a probe of %s, want [::1]:80", n.addrs[0])
			}
		})
	}
}

func TestMLPQueryFailsWhereAPSDoesNotListen(t *testing.T) {
	e, _ := newHeldEnv()
	for _, v := range [][2]string{
		{"MLP_ROLE", "WORKER"}, {"MLP_PS_NUM", "1"}, {"MLP_PS_0_PRIMARY_HOST", "ps0"}, {"MLP_PS_0_PORT", "1000"},
	} {
		e.Host.Setenv(v[0], v[1])
	}
	d, err := NewMLPServiceDiscovery(e)
	if err != nil {
		t.Fatal(err)
	}
	_, err = d.Query("ps")
	if !errors.Is(err, &pysem.Error{Type: "AssertionError", Message: "ps0:1000 connect error!"}) {
		t.Errorf("got %v, want AssertionError: ps0:1000 connect error!", err)
	}
}

// Goal (TRN-2.16): if a process registers twice, the task of the first registration goes on with
// the old address. Neither deregistering nor closing ends that task.
func TestQ290_ASecondRegistrationLeavesTheTaskOfTheFirst(t *testing.T) {
	e, tasks := newHeldEnv()
	zk := &caseZooKeeper{data: map[string]env.DataFunc{}, children: map[string]env.ChildrenFunc{}, fill: func() {}}
	d, err := NewZKServiceDiscovery(e, ZKDiscoveryOptions{JobName: "job", MaxTries: 1, ZooKeeper: zk})
	if err != nil {
		t.Fatal(err)
	}
	for _, addr := range []string{"a:1", "b:2"} {
		if err := d.Register("ps", 0, addr); err != nil {
			t.Fatal(err)
		}
	}
	if len(tasks.held) != 2 || len(d.threads) != 1 {
		t.Fatalf("got %d tasks, of which %d are known; want 2, 1", len(tasks.held), len(d.threads))
	}
	known := d.threads[0]
	if err := d.Deregister("ps", 0, "b:2"); err != nil || !known.stop {
		t.Fatalf("deregistering: got %v, stopped %v; want the known task stopped", err, known.stop)
	}
}
