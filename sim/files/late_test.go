package files_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/sim/files"
)

// Goal: names that become visible late are seen by the right hosts at the right time. Method: two
// hosts mount one store, and virtual time passes.

var kindShown = vtime.NewKind("files_test.shown")

// lateStore returns a store whose directory /d shows new names 10 s late. writer and reader are two
// hosts that mount the store at /s.
func lateStore(t *testing.T) (store, writer, reader *tree) {
	store = newTree(t)
	store.must(store.MkdirAll("/d"))
	writer, reader = &tree{files.NewFS(store.w), t, store.w}, &tree{files.NewFS(store.w), t, store.w}
	for _, host := range []*tree{writer, reader} {
		host.must(host.Mount("/s", store.FS))
	}
	node := store.w.Node("clock")
	store.Late("/d", 10*time.Second, func(d time.Duration, fn func()) { node.After(d, kindShown, fn) })
	return store, writer, reader
}

// lists checks that a directory holds exactly the wanted names.
func (f *tree) lists(dir string, want ...string) {
	f.t.Helper()
	names, err := f.ReadDir(dir)
	f.must(err)
	if diff := cmp.Diff(append([]string{}, want...), append([]string{}, names...)); diff != "" {
		f.t.Errorf("%s (-want +got):\n%s", dir, diff)
	}
}

func TestNamesThatBecomeVisibleLate(t *testing.T) {
	store, writer, reader := lateStore(t)
	seen := 0
	reader.Watch("/s/d/a", func() { seen++ })
	writer.write("/s/d/a", "1")
	_, before, err := reader.Names("/s/d")
	reader.must(err)
	atFirst := seen
	for _, who := range []*tree{store, writer} {
		dir := map[bool]string{true: "/d", false: "/s/d"}[who == store]
		who.want(dir+"/a", "1")
		who.lists(dir, "a")
	}
	reader.want("/s/d/a", "-")
	reader.lists("/s/d")
	reader.pass(9 * time.Second)
	reader.want("/s/d/a", "-")
	reader.pass(2 * time.Second)
	reader.want("/s/d/a", "1")
	reader.lists("/s/d", "a")
	if _, after, err := reader.Names("/s/d"); err != nil || after == before || seen == atFirst {
		t.Errorf("got version %d after %d, %d notices, error %v, want another version, and a notice of the name", after, before, seen-atFirst, err)
	}
}

func TestWhatIsBelowALateNameIsLate(t *testing.T) {
	_, writer, reader := lateStore(t)
	writer.must(writer.MkdirAll("/s/d/x/y"))
	writer.write("/s/d/x/y/a", "1")
	reader.want("/s/d/x/y/a", "-")
	if _, err := reader.Stat("/s/d/x"); err == nil {
		t.Error("found a directory that is not visible yet")
	}
	reader.pass(11 * time.Second)
	reader.want("/s/d/x/y/a", "1")
}

// Goal: a host that creates a directory which another host's hidden directory already occupies
// does not replace that directory or lose its content.
func TestWhoMakesALateDirectoryTooLosesNothing(t *testing.T) {
	_, writer, reader := lateStore(t)
	writer.must(writer.MkdirAll("/s/d/x"))
	writer.write("/s/d/x/a", "1")
	reader.must(reader.MkdirAll("/s/d/x"))
	writer.want("/s/d/x/a", "1")
	reader.pass(11 * time.Second)
	reader.want("/s/d/x/a", "1")
}

func TestAFileThatReplacesAVisibleOneIsVisibleAtOnce(t *testing.T) {
	_, writer, reader := lateStore(t)
	writer.write("/s/d/a", "1")
	reader.pass(11 * time.Second)
	writer.write("/s/d/tmp", "2")
	writer.must(writer.Rename("/s/d/tmp", "/s/d/a"))
	reader.want("/s/d/a", "2")
	reader.lists("/s/d", "a")
}

func TestARenamedNameIsLateAnew(t *testing.T) {
	_, writer, reader := lateStore(t)
	writer.write("/s/d/tmp", "1")
	reader.pass(6 * time.Second)
	writer.must(writer.Rename("/s/d/tmp", "/s/d/a"))
	reader.pass(9 * time.Second)
	reader.want("/s/d/a", "-")
	writer.want("/s/d/a", "1")
	reader.pass(2 * time.Second)
	reader.want("/s/d/a", "1")
}

func TestAFileThatReplacesALateOneIsAsLate(t *testing.T) {
	_, writer, reader := lateStore(t)
	writer.write("/s/d/a", "1")
	reader.pass(6 * time.Second)
	writer.write("/s/d/tmp", "2")
	writer.must(writer.Rename("/s/d/tmp", "/s/d/a"))
	reader.want("/s/d/a", "-")
	reader.pass(5 * time.Second)
	reader.want("/s/d/a", "2")
}

func TestNamesElsewhereAndLaterAreVisibleAtOnce(t *testing.T) {
	store, writer, reader := lateStore(t)
	writer.write("/s/a", "1")
	reader.want("/s/a", "1")
	writer.write("/s/d/b", "1")
	reader.want("/s/d/b", "-")
	store.Prompt("/d")
	reader.want("/s/d/b", "1")
	writer.write("/s/d/c", "1")
	reader.lists("/s/d", "b", "c")
	reader.pass(time.Minute)
	reader.lists("/s/d", "b", "c")
}
