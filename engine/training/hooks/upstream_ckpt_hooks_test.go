package hooks_test

import (
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	hookspb "github.com/monosim/monosim/engine/proto/monolith/native_training/hooks"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training/barrierops"
	"github.com/monosim/monosim/engine/training/hooks"
	"github.com/monosim/monosim/engine/training/saveutils"
	"github.com/monosim/monosim/engine/training/session"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// Goal: saves of iterators and saves at a barrier pass the reference's own tests
// (ckpt_hooks_test.py). Method: a number in a variable replaces the iterator.

// numbers is an iterator over 0, 1, 2 and so on. Its position is stored in a variable.
type numbers struct {
	files env.Files
	place *session.Variable
}

func newNumbers(c *worldtest.Case) *numbers {
	return &numbers{c.Env.Files, &session.Variable{Name: "iterator", First: int64(0)}}
}

func (n *numbers) next(c *worldtest.Case, s session.Session) int64 {
	at, err := session.Get[int64](s, session.Read(n.place))
	c.Must(err)
	c.Must(session.Do(s, session.Assign(n.place, at+1)))
	return at
}

func (n *numbers) Write(s session.Session, prefix string) error {
	at, err := session.Get[int64](s, session.Read(n.place))
	if err != nil {
		return err
	}
	return n.files.WriteFile(prefix+".index", []byte(pysem.Str(int(at))))
}

func (n *numbers) WriteMetaGraph(string) error { return nil }

func (n *numbers) Restore(s session.Session, prefix string) error {
	data, err := n.files.ReadFile(prefix + ".index")
	if err != nil {
		return err
	}
	at, err := pysem.ParseInt(string(data))
	if err != nil {
		return err
	}
	return session.Do(s, session.Assign(n.place, at.Int64()))
}

// saved takes a number, saves, and takes another number. Then it restores in a new session and
// returns the next number there.
func saved(c *worldtest.Case, it *numbers, helper *hooks.WorkerCkptHelper) int64 {
	c.Must(c.Env.Files.MkdirAll("m"))
	s := session.NewMemory()
	it.next(c, s)
	c.Must(hooks.AssignCkptInfo(s, &hookspb.WorkerCkptInfo{GlobalStep: proto.Int64(10)}))
	c.Must(helper.SaveIteratorCallback()(hooks.SaveAction, s))
	if n := it.next(c, s); n != 1 {
		c.T.Errorf("after the save: got %d, want 1", n)
	}
	m, err := session.NewMonitored(c.Env, session.NewMemory(), []session.Hook{helper.RestorerHook()})
	c.Must(err)
	return it.next(c, m.Session())
}

func TestUpstreamWorkerCkptHooks_testIteratorSaveRestore(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		it := newNumbers(c)
		if n := saved(c, it, hooks.NewWorkerCkptHelper(c.Env, "m", 0, it)); n != 1 {
			t.Errorf("after the restore: got %d, want 1", n)
		}
	})
}

func TestUpstreamWorkerCkptHooks_testNoCkpt(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		helper := hooks.NewWorkerCkptHelper(c.Env, "m", 0, newNumbers(c))
		if _, err := session.NewMonitored(c.Env, session.NewMemory(), []session.Hook{helper.RestorerHook()}); err != nil {
			t.Errorf("got %v, want no restore and no error", err)
		}
	})
}

func TestUpstreamWorkerCkptHooks_testNoSaveables(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		helper, s := hooks.NewWorkerCkptHelper(c.Env, "m", 0, nil), session.NewMemory()
		c.Must(hooks.AssignCkptInfo(s, &hookspb.WorkerCkptInfo{GlobalStep: proto.Int64(10)}))
		if err := helper.SaveIteratorCallback()(hooks.SaveAction, s); err != nil {
			t.Errorf("got %v, want no save and no error", err)
		}
	})
}

func TestUpstreamWorkerCkptHooks_testCkptDisabled(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		it := newNumbers(c)
		if n := saved(c, it, hooks.NewWorkerCkptHelper(c.Env, "m", 0, nil)); n != 0 {
			t.Errorf("after no restore: got %d, want 0", n)
		}
	})
}

// counting counts its calls.
type counting struct {
	session.NoListener
	begun, before, after int
}

func (n *counting) Begin() error { n.begun++; return nil }
func (n *counting) BeforeSave(session.Session, int64) error {
	n.before++
	return nil
}
func (n *counting) AfterSave(session.Session, int64) (bool, error) {
	n.after++
	return false, nil
}

func TestUpstreamWorkerCkptHooks_test_saver_with_barrier(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		s, it, counts := session.NewMemory(), newNumbers(c), &counting{}
		barrier := barrierops.MustBarrierOp(c.Env, 2, barrierops.Options{})
		options := saveutils.DefaultSaverHookOptions()
		options.Interval.Steps = 1
		options.Listeners = []session.Listener{hooks.NewBarrierSaverListener(c.Env, barrier, hooks.DefaultBarrierSaverOptions()), counts}
		hook, err := saveutils.NewSaverHook(c.Env, "m", saveutils.NewPartialRecoverySaver(c.Env, it, saveutils.SaverOptions{MaxToKeep: 5}), options)
		c.Must(err)
		chief := c.Env.Tasks.Go("chief", func() {
			m, err := session.NewMonitored(c.Env, s, []session.Hook{hook})
			c.Must(err)
			c.Must(m.Run(func(s session.Session) error { return session.Do(s, session.Assign(session.GlobalStep(), int64(1))) }))
			c.Must(m.Close())
		})
		c.Env.Tasks.Sleep(100 * time.Millisecond)
		if placed, err := barrier.IsBarrierPlaced(s); !placed || err != nil || *counts != (counting{begun: 1}) {
			t.Errorf("while it waits: got placed %v %v, %+v, want the barrier and one begin", placed, err, *counts)
		}
		c.Must(barrier.WaitUntilBarrierRemoved(s, 1))
		chief.Join()
		if *counts != (counting{begun: 1, before: 1, after: 1}) || !env.Exists(c.Env.Files, "m/model.ckpt-1.index") {
			t.Errorf("at the end: got %+v, want one save, in m/model.ckpt-1", *counts)
		}
	})
}
