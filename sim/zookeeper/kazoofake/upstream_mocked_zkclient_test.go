package kazoofake_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/zkerrors"
	"github.com/monosim/monosim/sim/zookeeper/kazoofake"
)

// These are the reference's own tests of its fake client (mocked_zkclient.py), under their names.
// The originals share one client, ignore NodeExists and NoNode, and only print what watches
// receive. Here each test has its own client, and all results are checked.

const fakePath = "/monolith/zk/data"

// fixedClock is a clock whose time never changes.
type fixedClock struct{}

func (fixedClock) Now() time.Time         { return time.Unix(1_700_000_000, 0) }
func (fixedClock) Elapsed() time.Duration { return 0 }

// fakeLab is a started fake client with a log of the calls of its watches.
type fakeLab struct {
	*kazoofake.Client
	t    *testing.T
	told []string
}

func newFakeLab(t *testing.T) *fakeLab {
	t.Helper()
	l := &fakeLab{Client: kazoofake.New(&env.Env{Clock: fixedClock{}}), t: t}
	l.must(l.Start(0))
	t.Cleanup(l.Stop)
	return l
}

func (l *fakeLab) must(err error) {
	l.t.Helper()
	if err != nil {
		l.t.Fatal(err)
	}
}

// makePath creates the znode fakePath with its parents.
func (l *fakeLab) makePath() {
	l.t.Helper()
	real, err := l.Create(fakePath, nil, env.CreateOptions{MakePath: true})
	l.must(err)
	if real != fakePath {
		l.t.Errorf("created %s, want %s", real, fakePath)
	}
}

func (l *fakeLab) watchData() {
	l.t.Helper()
	_, err := l.DataWatch(fakePath, func(data []byte, stat *env.Stat, event *env.WatchEvent) error {
		l.told = append(l.told, fmt.Sprintf("data %q of version %d, event %s", data, stat.Version, eventText(event)))
		return nil
	})
	l.must(err)
}

func eventText(event *env.WatchEvent) string {
	if event == nil {
		return "none"
	}
	return fmt.Sprintf("%s %s", event.Type, event.Path)
}

func (l *fakeLab) wantTold(want ...string) {
	l.t.Helper()
	if diff := cmp.Diff(want, l.told); diff != "" {
		l.t.Errorf("watches (-want +got):\n%s", diff)
	}
}

func TestUpstreamMockedZKClient_test_create(t *testing.T) {
	l := newFakeLab(t)
	l.makePath()
	if _, err := l.Create(fakePath, nil, env.CreateOptions{MakePath: true}); !errors.Is(err, zkerrors.ErrNodeExists) {
		t.Errorf("a second time: got %v, want %v", err, zkerrors.ErrNodeExists)
	}
}

func TestUpstreamMockedZKClient_test_set_get(t *testing.T) {
	l := newFakeLab(t)
	real, stat, err := l.CreateStat(fakePath, nil, env.CreateOptions{MakePath: true})
	l.must(err)
	if real != fakePath || stat.Version != 0 {
		t.Errorf("created %s of version %d, want %s of version 0", real, stat.Version, fakePath)
	}
	data := []byte("hi, I am Fitz!")
	if err := l.Set(fakePath+"/error", data, -1); !errors.Is(err, zkerrors.ErrNoNode) {
		t.Errorf("set of what is not there: got %v, want %v", err, zkerrors.ErrNoNode)
	}
	err = l.Set(fakePath, data, -1)
	l.must(err)
	if _, _, err := l.Get(fakePath + "/error"); !errors.Is(err, zkerrors.ErrNoNode) {
		t.Errorf("get of what is not there: got %v, want %v", err, zkerrors.ErrNoNode)
	}
	got, stat, err := l.Get(fakePath)
	l.must(err)
	if string(got) != string(data) || stat.Version != 1 {
		t.Errorf("got %q of version %d, want %q of version 1", got, stat.Version, data)
	}
}

// Goal: deletes work, also of a znode with a child. The fake deletes recursively by default (Q78).
func TestUpstreamMockedZKClient_test_delete(t *testing.T) {
	l := newFakeLab(t)
	l.makePath()
	l.must(l.Delete(fakePath, env.AnyVersion))
	if stat, err := l.Exists(fakePath); stat != nil || err != nil {
		t.Errorf("after the delete: got stat %v and error %v, want none", stat, err)
	}
	l.must(l.Delete("/monolith", env.AnyVersion))
	if got := l.Znodes(); len(got) > 0 {
		t.Errorf("left behind: %v", got)
	}
}

func TestQ78_ADeleteTakesTheChildrenToo(t *testing.T) {
	l := newFakeLab(t)
	l.makePath()
	top := "/" + strings.Split(fakePath, "/")[1]
	l.must(l.Delete(top, env.AnyVersion))
	if got := l.Znodes(); len(got) > 0 {
		t.Errorf("left behind: %v, want nothing of %s", got, top)
	}
}

func TestUpstreamMockedZKClient_test_data_watch(t *testing.T) {
	l := newFakeLab(t)
	l.makePath()
	l.watchData()
	l.wantTold(`data "" of version 0, event none`)
}

// Goal: a child watch on a missing znode is not called until the znode exists (Q82), and only
// reports changes of the children.
func TestUpstreamMockedZKClient_test_children_watch(t *testing.T) {
	l := newFakeLab(t)
	_, err := l.ChildrenEventWatch("/monolith/zk", func(children []string, event *env.WatchEvent) error {
		l.told = append(l.told, fmt.Sprintf("children %v, event %s", children, eventText(event)))
		return nil
	})
	l.must(err)
	l.makePath()
	l.watchData()
	_, err = l.Create("/monolith/zk/test", []byte("123"), env.CreateOptions{})
	l.must(err)
	l.wantTold(
		"children [data], event CHILD /monolith/zk",
		`data "" of version 0, event none`,
		"children [data test], event CHILD /monolith/zk",
	)
}

func TestQ82_AWatchOfWhatIsMissingIsSilent(t *testing.T) {
	l := newFakeLab(t)
	l.watchData()
	l.wantTold()
	l.makePath()
	l.wantTold(`data "" of version 0, event CREATED /monolith/zk/data`)
}

// Goal: the fake never calls session listeners. The reference's own tests do not cover listeners.
func TestQ90_SessionListenersAreNeverCalled(t *testing.T) {
	fake := kazoofake.New(&env.Env{Clock: fixedClock{}})
	var told []env.SessionState
	fake.AddListener(func(state env.SessionState) bool {
		told = append(told, state)
		return false
	})
	for range 2 {
		if err := fake.Start(0); err != nil {
			t.Fatal(err)
		}
		if err := fake.Restart(); err != nil {
			t.Fatal(err)
		}
		fake.Stop()
	}
	if len(told) > 0 {
		t.Errorf("got %v, want nothing told", told)
	}
}
