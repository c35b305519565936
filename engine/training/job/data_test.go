package job

import (
	"testing"
	"time"

	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/engine/env/envtest"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training"
	"github.com/monosim/monosim/engine/training/checkpoints"
	"github.com/monosim/monosim/engine/training/session"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// Goal: positions and steps that are written are read again, as text in a simulation and as TensorFlow
// reads them otherwise, and a file that cannot be written or read is an error.
func TestPositionsAreReadAgain(t *testing.T) {
	for _, readable := range []bool{false, true} {
		e := envtest.New(map[string]string{"/m/x": ""}, nil)
		files := &envtest.Failing{Files: e.Files, At: -1}
		e.Files = files
		step := int64(7)
		if err := (&places{e, &step, readable}).Write(nil, "/m/a-7"); err != nil {
			t.Fatal(err)
		}
		again := int64(0)
		if err := (&places{e, &again, readable}).Restore(nil, "/m/a-7"); err != nil || again != 7 {
			t.Errorf("readable %t: got %d, %v, want 7", readable, again, err)
		}
		if err := (&places{e, &again, readable}).Restore(nil, "/m/gone"); pysem.TypeOf(err) != "NotFoundError" || again != 7 {
			t.Errorf("readable %t: from no file: got %d, %v, want a NotFoundError", readable, again, err)
		}
		for at := 0; ; at++ {
			files.Calls, files.At = 0, at
			err := (&places{e, &step, readable}).Write(nil, "/m/a-7")
			if files.Calls <= at {
				break
			}
			if pysem.TypeOf(err) != "PermissionDeniedError" {
				t.Errorf("readable %t: call %d fails: got %v, want a PermissionDeniedError", readable, at, err)
			}
		}
	}
}

func TestStepsAreReadAgain(t *testing.T) {
	for _, readable := range []bool{false, true} {
		worldtest.Run(t, nil, func(c *worldtest.Case) {
			c.Must(c.Env.Files.MkdirAll("/m"))
			p := &process{e: c.Env, Options: Options{Spec: cluster.TrainingSpec{PS: 2}, Hazards: &cluster.Hazards{}}, readable: readable}
			s := session.NewMemory()
			c.Must(session.Do(s, session.Assign(session.GlobalStep(), int64(41))))
			c.Must((&tensors{p}).Write(s, "/m/model.ckpt-41"))
			if step, err := checkpoints.Int64(c.Env.Files, "/m/model.ckpt-41", stepTensor); step != 41 || err != nil {
				t.Errorf("readable %t: got %d, %v, want 41", readable, step, err)
			}
			for shard := range 2 {
				_, err := c.Env.Files.Stat(checkpoints.DataFile("/m/model.ckpt-41", shard, 2))
				c.Must(err)
			}
		})
	}
}

// Goal: a process says which of the others it lacks.
func TestWhatIsMissing(t *testing.T) {
	listed := func(indices ...int) (list training.Addrs) {
		for _, i := range indices {
			list = append(list, training.IndexedAddr{Index: i, Addr: "a:1"})
		}
		return list
	}
	for _, c := range []struct {
		chief     bool
		asked     string
		found     training.Addrs
		redundant int
		want      string
	}{
		{true, PS, listed(1), 0, "ps 0, 2 of 3"},
		{true, PS, listed(1, 3), 1, "3 ps, 2 listed, not ps 0, 2"},
		{false, PS, listed(), 0, "ps 0, 1, 2 of 3"},
		{false, Worker, listed(0), 0, "the chief's file of PS"},
		{false, Worker, listed(1), 0, "the chief"},
	} {
		p := &process{Options: Options{Spec: cluster.TrainingSpec{RedundantPS: c.redundant}}, discovery: &watchedDiscovery{asked: c.asked, found: c.found}}
		if p.Role, p.Index = Worker, 1; c.chief {
			p.Index = 0
		}
		if got := p.lacks(3); got != c.want {
			t.Errorf("%+v: got %q, want %q", c, got, c.want)
		}
	}
}

// countedDiscovery counts how often it is asked, and lists worker 1. An answer takes some time.
type countedDiscovery struct {
	training.ServiceDiscovery
	c     *worldtest.Case
	takes time.Duration
	asked int
}

func (d *countedDiscovery) Query(string) (training.Addrs, error) {
	d.asked++
	d.c.Env.Tasks.Sleep(d.takes)
	return training.Addrs{{Index: 1, Addr: "a:1"}}, nil
}

// Goal: with Q239 repaired the chief's checks of a barrier ask Consul twice a second at most, one question
// at a time, and count every worker while there is no answer of the last 5 s.
func TestConsulIsAskedSeldomForTheLiving(t *testing.T) {
	for _, c := range []struct {
		takes  time.Duration
		asked  int
		counts bool // whether a worker that is not listed counts in the end
	}{{0, 4, false}, {time.Minute, 1, true}} {
		worldtest.Run(t, nil, func(w *worldtest.Case) {
			d := &countedDiscovery{c: w, takes: c.takes}
			p := &process{e: w.Env, Options: Options{Spec: cluster.TrainingSpec{Discovery: cluster.DiscoveryConsul}}, discovery: &watchedDiscovery{ServiceDiscovery: d}}
			l := &living{p: p}
			w.Env.Tasks.Sleep(time.Second)
			if !l.lists(2) {
				t.Error("without an answer: a worker does not count, want all to")
			}
			var counts bool
			for range 20 {
				w.Env.Tasks.Sleep(100 * time.Millisecond)
				counts = l.lists(2)
				if !l.lists(1) {
					t.Error("a listed worker does not count")
				}
			}
			if d.asked != c.asked || counts != c.counts {
				t.Errorf("answers after %v: asked %d times, counts %t, want %d and %t", c.takes, d.asked, counts, c.asked, c.counts)
			}
		})
	}
}
