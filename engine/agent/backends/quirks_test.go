package backends_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/agent/backends"
	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/sim/world"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// These tests show quirks of the backend (python-quirks, backends.py) that need a real server, or
// on which a real server and the reference's fake client differ.

// serverBackend is a backend on a simulated ZooKeeper server, with a second client that also writes
// there.
type serverBackend struct {
	*backends.ZKBackend
	t       *testing.T
	e       *env.Env
	other   env.ZooKeeper
	layouts []string // arguments of the layout callback, one line for each call
}

func inServerGip(t *testing.T, fn func(b *serverBackend)) {
	worldtest.RunInPod(t, func(_ *world.World, e *env.Env) {
		b := &serverBackend{t: t, e: e, other: e.ZooKeeper.NewClient("", env.ZooKeeperOptions{})}
		worldtest.Must(t, b.other.Start(0))
		b.ZKBackend = backends.NewZKBackend(e, "gip", e.ZooKeeper.NewClient("", env.ZooKeeperOptions{}))
		worldtest.Must(t, b.Start())
		fn(b)
	})
}

func (b *serverBackend) follow() {
	b.t.Helper()
	worldtest.Must(b.t, b.RegisterLayoutCallback(gipLayout, func(models []backends.LayoutModel) error {
		var names []string
		for _, m := range models {
			names = append(names, m.Model.SubGraph)
		}
		b.layouts = append(b.layouts, strings.Join(names, " "))
		return nil
	}))
}

func (b *serverBackend) declare(graph string) {
	b.t.Helper()
	worldtest.Must(b.t, b.DeclSavedModel(ffm(graph)[0], &datadef.SavedModelDeployConfig{ModelBasePath: pysem.Some("/m"), VersionPolicy: pysem.Some("latest")}))
}

// publish adds a sub-graph to the layout and waits until the watches have fired.
func (b *serverBackend) publish(graph string) {
	b.t.Helper()
	worldtest.Must(b.t, b.other.EnsurePath(gipLayout+"/test_ffm_model:"+graph))
	b.e.Tasks.Sleep(time.Second)
}

func (b *serverBackend) bind(graphs ...string) {
	b.t.Helper()
	worldtest.Must(b.t, b.SyncAvailableSavedModels(gipContainer, ffm(graphs...)))
	b.e.Tasks.Sleep(time.Second)
}

func (b *serverBackend) wantLayouts(want ...string) {
	b.t.Helper()
	if diff := cmp.Diff(want, b.layouts); diff != "" {
		b.t.Errorf("layout callbacks (-want +got):\n%s", diff)
	}
	b.layouts = nil
}

// wantServed checks which sub-graphs, of all models, are in the service map.
func (b *serverBackend) wantServed(want ...string) {
	b.t.Helper()
	var got []string
	for _, m := range b.ServiceMap() {
		for _, g := range m.SubGraphs {
			got = append(got, m.Model+":"+g.SubGraph)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		b.t.Errorf("service map (-want +got):\n%s", diff)
	}
}

func TestQ42_AModelPublishedBeforeItIsDeclaredWaitsForTheNextChangeOfTheLayout(t *testing.T) {
	inServerGip(t, func(b *serverBackend) {
		b.follow()
		b.publish("entry")
		b.wantLayouts("", "")
		b.declare("entry")
		b.e.Tasks.Sleep(10 * time.Minute)
		b.wantLayouts()
		b.publish("ps_0")
		b.wantLayouts("entry")
	})
}

func TestQ43_ABindingBeforeItsServiceInfoIsLeftOutUntilTheBindingsChange(t *testing.T) {
	inServerGip(t, func(b *serverBackend) {
		b.follow()
		b.declare("entry")
		b.publish("entry")
		b.bind("entry")
		worldtest.Must(t, b.ReportServiceInfo(gipContainer, gipInfo()))
		b.e.Tasks.Sleep(10 * time.Minute)
		b.wantServed()
		b.bind("entry", "ps_0")
		b.wantServed("test_ffm_model:entry", "test_ffm_model:ps_0")
	})
}

func TestQ43_AServiceInfoThatChangesLaterIsNotSeen(t *testing.T) {
	inServerGip(t, func(b *serverBackend) {
		b.follow()
		worldtest.Must(t, b.ReportServiceInfo(gipContainer, gipInfo()))
		b.declare("entry")
		b.publish("entry")
		b.bind("entry")
		moved := gipInfo()
		moved.GRPC = pysem.Some("elsewhere:1")
		worldtest.Must(t, b.ReportServiceInfo(gipContainer, moved))
		b.e.Tasks.Sleep(10 * time.Minute)
		if got := b.ServiceMap()[0].SubGraphs[0].Services[0].GRPC.V; got != "localhost:8888" {
			t.Errorf("gRPC address: got %q, want the old localhost:8888", got)
		}
	})
}

func TestQ44_ALayoutChildWithoutColonBlocksEveryUpdateUntilItIsGone(t *testing.T) {
	inServerGip(t, func(b *serverBackend) {
		b.follow()
		b.declare("entry")
		worldtest.Must(t, b.other.EnsurePath(gipLayout+"/odd"))
		b.publish("entry")
		b.wantLayouts("")
		worldtest.Must(t, b.other.Delete(gipLayout+"/odd", env.AnyVersion))
		b.e.Tasks.Sleep(time.Second)
		b.wantLayouts("entry")
	})
}

func TestQ45_DeletingTheLayoutEndsItsWatchForGood(t *testing.T) {
	inServerGip(t, func(b *serverBackend) {
		b.follow()
		b.declare("entry")
		b.publish("entry")
		b.wantLayouts("", "entry")
		worldtest.Must(t, b.other.Delete(gipLayout, env.DeleteOptions{Version: -1, Recursive: true}))
		b.e.Tasks.Sleep(time.Second)
		b.layouts = nil // the child is deleted first, and the agent may see that before the rest is deleted, or not
		b.publish("entry")
		b.e.Tasks.Sleep(10 * time.Minute)
		b.wantLayouts()
	})
}

func TestQ45_TheFakeClientGoesOnWatchingADeletedLayout(t *testing.T) {
	inGip(t, func(b *gipBackend) {
		b.c.Must(b.DeclSavedModel(ffm("entry")[0], &datadef.SavedModelDeployConfig{ModelBasePath: pysem.Some("/m"), VersionPolicy: pysem.Some("latest")}))
		b.c.Must(b.AddToLayout(gipLayout, ffm("entry")[0]))
		b.c.Must(b.zk.Delete(gipLayout, env.AnyVersion))
		if len(b.layout) != 0 {
			t.Errorf("layout after the deletion: got %v, want none", b.layout)
		}
		b.c.Must(b.AddToLayout(gipLayout, ffm("entry")[0]))
		b.c.Must(b.AddToLayout(gipLayout, ffm("ps_0")[0]))
		if len(b.layout) != 1 {
			t.Errorf("layout made anew: got %v, want the declared entry", b.layout)
		}
	})
}

func TestQ46_ALayoutChangeDropsASubscribedModelAndEndsItsWatch(t *testing.T) {
	inServerGip(t, func(b *serverBackend) {
		worldtest.Must(t, b.ReportServiceInfo(gipContainer, gipInfo()))
		worldtest.Must(t, b.SubscribeModel("test_ffm_model"))
		b.bind("ps_0")
		b.wantServed("test_ffm_model:ps_0")
		b.follow() // an empty layout
		b.wantServed()
		b.bind("ps_0", "ps_1") // the callback returns that it wants no more calls
		b.bind("ps_1")
		if _, addrs, err := b.SyncTargets("ps_1"); err != nil || len(addrs) != 0 {
			t.Errorf("targets of ps_1: got %v, %v, want none", addrs, err)
		}
		b.wantServed()
	})
}

func TestQ49_SubscribingASecondModelIsAnAssertionError(t *testing.T) {
	inServerGip(t, func(b *serverBackend) {
		worldtest.Must(t, b.SubscribeModel("a"))
		worldtest.Must(t, b.SubscribeModel("a"))
		if err := b.SubscribeModel("b"); pysem.TypeOf(err) != "AssertionError" {
			t.Errorf("second model: got %v, want AssertionError", err)
		}
	})
}

func TestQ40_ABindingThatWasSetInsteadOfCreatedIsGoneForGood(t *testing.T) {
	worldtest.RunInPod(t, func(w *world.World, e *env.Env) {
		// The process of this agent ends, but its session still lives.
		old, life := worldtest.NewProcess(w, "old agent")
		life.Go("main", func() {
			b := backends.NewZKBackend(old, "gip", old.ZooKeeper.NewClient("", env.ZooKeeperOptions{}))
			worldtest.Must(t, b.Start())
			worldtest.Must(t, b.SyncAvailableSavedModels(gipContainer, ffm("entry")))
		})
		e.Tasks.Sleep(time.Second)
		life.Crash()

		b := backends.NewZKBackend(e, "gip", e.ZooKeeper.NewClient("", env.ZooKeeperOptions{}))
		worldtest.Must(t, b.Start())
		binding := "/gip/binding/test_ffm_model/entry:" + gipContainer.String()
		for range 20 {
			worldtest.Must(t, b.SyncAvailableSavedModels(gipContainer, ffm("entry")))
			if _, ok := w.ZooKeeper().Machine().Lookup(binding); ok != (e.Clock.Elapsed() < 10*time.Second) {
				t.Errorf("binding at t+%s: found %v, want it as long as the old session lives", e.Clock.Elapsed(), ok)
			}
			e.Tasks.Sleep(30 * time.Second)
		}
	})
}

func TestQ48_TheServiceMapIsACopyAtItsTopLevelOnly(t *testing.T) {
	inServerGip(t, func(b *serverBackend) {
		b.declare("entry")
		b.follow()
		b.publish("entry")
		worldtest.Must(t, b.ReportServiceInfo(gipContainer, &datadef.ContainerServiceInfo{GRPC: pysem.Some("h:1")}))
		b.bind("entry")
		b.wantServed("test_ffm_model:entry")
		got := b.ServiceMap()
		got[0].SubGraphs[0].Services[0].GRPC = pysem.Some("changed by the caller")
		got[0].Model = "renamed by the caller"
		b.wantServed("test_ffm_model:entry")
		if grpc := b.ServiceMap()[0].SubGraphs[0].Services[0].GRPC; grpc.V != "changed by the caller" {
			t.Errorf("address in the next map: got %q, want what the caller wrote", grpc.V)
		}
	})
}

// Goal: two backends of a process do not block each other. In the reference they share a lock, so
// the second backend would wait for the callback of the first.
func TestQ47_TheBackendsOfAProcessDoNotShareALock(t *testing.T) {
	inServerGip(t, func(b *serverBackend) {
		second := backends.NewZKBackend(b.e, "gip", b.e.ZooKeeper.NewClient("", env.ZooKeeperOptions{}))
		worldtest.Must(t, second.Start())
		b.e.Tasks.Go("first backend", func() {
			_ = b.RegisterLayoutCallback(gipLayout, func([]backends.LayoutModel) error {
				b.e.Tasks.Sleep(time.Minute)
				return nil
			})
		})
		b.e.Tasks.Sleep(time.Second)
		from := b.e.Clock.Elapsed()
		worldtest.Must(t, second.SyncAvailableSavedModels(gipContainer, ffm("entry")))
		if waited := b.e.Clock.Elapsed() - from; waited > time.Second {
			t.Errorf("the second backend waited for %s, want no wait for the first", waited)
		}
		from = b.e.Clock.Elapsed()
		worldtest.Must(t, b.SyncAvailableSavedModels(gipContainer, ffm("entry")))
		if waited := b.e.Clock.Elapsed() - from; waited < 50*time.Second {
			t.Errorf("the first backend waited for %s, want it to wait for its callback", waited)
		}
	})
}

func TestQ50_AZnodeThatGoesWhileItIsReadFailsTheInfo(t *testing.T) {
	for _, path := range []string{"/gip/saved_models/m/e", "/gip/container_service/c:1"} {
		worldtest.Run(t, nil, func(c *worldtest.Case) {
			zk := c.StartedZooKeeper()
			zk.Gone = path
			b := backends.NewZKBackend(c.Env, "gip", zk)
			c.Create(zk, path, []byte("data"))
			if _, err := b.BzidInfo(); pysem.TypeOf(err) != "AttributeError" {
				t.Errorf("%s goes: got %v, want AttributeError", path, err)
			}
			zk.Gone = ""
			if _, err := b.BzidInfo(); err != nil {
				t.Errorf("%s stays: got %v, want no error", path, err)
			}
		})
	}
}
