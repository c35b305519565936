package training

import (
	"errors"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/envtest"
	"github.com/monosim/monosim/engine/env/zkerrors"
	"github.com/monosim/monosim/engine/pysem"
)

// Goal: an error of a file, of ZooKeeper or of Consul is returned, whichever call it is of. Method: each
// call fails once.

// failingZooKeeper is a client of which one call fails. It has the jobs old, which was made long ago, and
// new.
type failingZooKeeper struct {
	env.ZooKeeper
	at, calls int
	deleted   []string
}

func (z *failingZooKeeper) NewClient(string, env.ZooKeeperOptions) env.ZooKeeper { return z }

func (z *failingZooKeeper) next() error {
	z.calls++
	if z.calls-1 == z.at {
		return zkerrors.ErrConnectionLoss
	}
	return nil
}

func (z *failingZooKeeper) Start(time.Duration) error { return z.next() }
func (z *failingZooKeeper) Stop()                     {}
func (z *failingZooKeeper) EnsurePath(string) error   { return z.next() }
func (z *failingZooKeeper) Children(string) ([]string, error) {
	return []string{"old", "new"}, z.next()
}
func (z *failingZooKeeper) Exists(path string) (*env.Stat, error) {
	if err := z.next(); err != nil {
		return nil, err
	}
	stat := &env.Stat{MtimeMs: 1699999999000}
	if path == "/monolith/old" {
		stat.MtimeMs = 1600000000000
	}
	return stat, nil
}
func (z *failingZooKeeper) Delete(path string, _ env.DeleteOptions) error {
	z.deleted = append(z.deleted, path)
	return z.next()
}

func TestErrorsWhileJobsAreRemoved(t *testing.T) {
	for _, force := range []bool{true, false} {
		for at := 0; ; at++ {
			e, _ := newHeldEnv()
			zk := &failingZooKeeper{at: at}
			e.ZooKeeper = zk
			err := ClearZKPath(e, "", "new", force)
			if zk.calls <= at {
				if at < 6 || force != (err == nil) || !force && pysem.TypeOf(err) != "ValueError" {
					t.Errorf("force %t: got %v after %d calls, want a ValueError without force", force, err, at)
				}
				break
			}
			removesOld := len(zk.deleted) == 1 && zk.deleted[0] == "/monolith/old" && zk.calls == at+1
			if forgiven := len(zk.deleted) > 0 && zk.calls > at+1; !errors.Is(err, zkerrors.ErrConnectionLoss) && !forgiven && !removesOld {
				t.Errorf("force %t: call %d fails: got %v, want that error", force, at, err)
			}
		}
	}
}

func TestErrorsWhileFilesAreCopied(t *testing.T) {
	for at := 0; ; at++ {
		e := envtest.New(map[string]string{"/a/b/x": "1", "/a/y": "2", "/c/old": "3"}, nil)
		files := &envtest.Failing{Files: e.Files, At: at}
		e.Files = files
		err := CopyRecursively(e, "/a", "/c", CopyOptions{Overwrite: true, MaxWorkers: 1})
		if files.Calls <= at {
			if err != nil || at < 6 {
				t.Errorf("got %v after %d calls, want no error and more of them", err, at)
			}
			return
		}
		if err == nil {
			t.Errorf("call %d fails: got no error", at)
		}
	}
}

// failingConsul is a Consul that lists nobody and fails to change that.
type failingConsul struct{ err error }

func (failingConsul) Lookup(string, int) ([]any, error)        { return nil, nil }
func (c failingConsul) Register(string, int, ConsulTags) error { return c.err }
func (c failingConsul) Deregister(string, int) error           { return c.err }

func TestErrorsOfConsulAreReturned(t *testing.T) {
	e, _ := newHeldEnv()
	d := NewConsulServiceDiscovery(e, failingConsul{pysem.Raise("ConsulException", "no")}, "id", 0)
	for name, do := range map[string]func() error{ //lint:ordered each by itself
		"register":   func() error { return d.Register("worker", 1, "a:1") },
		"deregister": func() error { return d.Deregister("ps", 0, "a:1") },
	} {
		if err := do(); pysem.TypeOf(err) != "ConsulException" {
			t.Errorf("%s: got %v, want a ConsulException", name, err)
		}
	}
}

// failingWatches is a ZooKeeper of which the job's znode cannot be watched.
type failingWatches struct{ *caseZooKeeper }

func (failingWatches) ChildrenWatch(string, env.ChildrenFunc) (env.Watch, error) {
	return nil, zkerrors.ErrConnectionLoss
}

func TestADiscoveryThatCannotWatchIsAnError(t *testing.T) {
	e, _ := newHeldEnv()
	zk := failingWatches{&caseZooKeeper{data: map[string]env.DataFunc{}, children: map[string]env.ChildrenFunc{}, fill: func() {}}}
	if _, err := NewZKServiceDiscovery(e, ZKDiscoveryOptions{JobName: "job", MaxTries: 1, ZooKeeper: zk}); !errors.Is(err, zkerrors.ErrConnectionLoss) {
		t.Errorf("got %v, want the error of the watch", err)
	}
}

// Goal: a closed discovery has ended its registrations.
func TestAClosedDiscoveryEndsItsRegistrations(t *testing.T) {
	d, _ := newZKDiscovery(t)
	if err := d.Register("ps", 0, "a:1"); err != nil {
		t.Fatal(err)
	}
	d.Close()
	if r := d.threads[0]; !r.stop || !r.wakeup.IsSet() {
		t.Errorf("got stopped %t and woken %t, want both", r.stop, r.wakeup.IsSet())
	}
}

// Goal: below the root the directory of the code base is a relative one, which counts from the working
// directory (path_utils.py:29-35).
func TestMainBelowTheRoot(t *testing.T) {
	e := envtest.New(map[string]string{envtest.Dir + "/__main__/monolith/x": "", envtest.Dir + "/site-packages/monolith/x": ""}, nil)
	for file, want := range map[string]string{"/__main__/x.py": "__main__", "/site-packages/x.py": "site-packages", "/monolith/x.py": ""} { //lint:ordered each by itself
		main, err := FindMain(e.Files, file)
		if main != want || (pysem.TypeOf(err) == "ValueError") != (want == "") {
			t.Errorf("%s: got %q, %v, want %q", file, main, err, want)
		}
	}
}
