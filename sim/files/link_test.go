package files_test

import (
	"errors"
	"testing"
	"time"

	"github.com/monosim/monosim/sim/files"
)

// Goal: watches, faults, mounts and crashes treat symbolic links correctly. os_test.go compares all
// other behaviour of links with the kernel.

func TestAWatchFollowsLinks(t *testing.T) {
	cases := []struct {
		name string
		do   func(f *tree) error
		want int
	}{
		{"a change where the link leads", func(f *tree) error { return f.WriteFile("/v1/x", nil) }, 1},
		{"a change elsewhere", func(f *tree) error { return f.WriteFile("/v2/x", nil) }, 0},
		{"the link is replaced", func(f *tree) error { return f.Rename("/next", "/current") }, 1},
		{"the link is removed", func(f *tree) error { return f.Remove("/current") }, 1},
		{"a change where it leads now", func(f *tree) error {
			return errors.Join(f.Rename("/next", "/current"), f.WriteFile("/v2/x", nil), f.WriteFile("/v1/x", nil))
		}, 2},
		{"a change through the link", func(f *tree) error { return f.WriteFile("/current/x", nil) }, 1},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			f := newTree(t)
			f.must(f.WriteTree(map[string]string{"/v1/": "", "/v2/": ""}))
			f.must(errors.Join(f.Symlink("v1", "/current"), f.Symlink("/v2", "/next")))
			calls := 0
			f.Watch("/current", func() { calls++ })
			f.must(c.do(f))
			if calls != c.want {
				t.Errorf("called %d times, want %d", calls, c.want)
			}
		})
	}
}

func TestALinkLeadsIntoAMountAndOutOfIt(t *testing.T) {
	f := newTree(t)
	store := files.NewFS(f.w)
	f.must(errors.Join(f.Mount("/store", store), f.WriteTree(map[string]string{"/here": "host", "/store/there": "store"})))
	f.must(errors.Join(f.Symlink("/store/there", "/in"), f.Symlink("/here", "/store/out"), f.Symlink("../here", "/store/up")))
	f.want("/in", "store")
	f.want("/store/out", "host")
	f.want("/store/up", "host")
	// An absolute link in a store resolves in the tree of the reader. Read as its own root, the
	// store has no /here.
	if _, err := store.ReadFile("/out"); err == nil {
		t.Error("the link of the store leads to the host without being mounted there")
	}
}

func TestAFrozenPathIsFrozenThroughALink(t *testing.T) {
	f := newTree(t)
	f.must(f.WriteTree(map[string]string{"/v1/x": "x"}))
	f.must(f.Symlink("v1", "/current"))
	for _, frozen := range []string{"/v1", "/current"} {
		f.Freeze(frozen)
		if _, err := f.ReadFile("/current/x"); !errors.Is(err, files.ErrIO) {
			t.Errorf("with %s frozen: got %v, want %v", frozen, err, files.ErrIO)
		}
		f.Thaw(frozen)
	}
	f.want("/current/x", "x")
}

func TestACrashLosesANewLink(t *testing.T) {
	f := newTree(t)
	f.must(f.WriteTree(map[string]string{"/v1": "1", "/v2": "2"}))
	f.must(f.Symlink("v1", "/current"))
	f.pass(30 * time.Second)
	f.must(errors.Join(f.Symlink("v2", "/next"), f.Rename("/next", "/current")))
	f.want("/current", "2")
	f.HostCrash()
	f.want("/current", "1")
	f.want("/next", "-")
}
