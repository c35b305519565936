package files_test

// Goal: each operation has the right effect and error, a crash leaves what is durable, and watches
// see each change. Method: one tree in one world, with virtual time passing where write-back
// matters.

import (
	"errors"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/sim/files"
)

type tree struct {
	*files.FS
	t testing.TB
	w *vtime.World
}

func newTree(t testing.TB) *tree {
	w := vtime.New(vtime.Config{Seed: 3})
	t.Cleanup(w.Close)
	return &tree{FS: files.NewFS(w), t: t, w: w}
}

func (f *tree) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

func (f *tree) write(name, content string) { f.t.Helper(); f.must(f.WriteFile(name, []byte(content))) }

func (f *tree) pass(d time.Duration) {
	f.t.Helper()
	_, err := f.w.Run(vtime.Limits{Until: f.w.Now() + d})
	f.must(err)
}

// want compares a file's content; "-" stands for a missing file.
func (f *tree) want(name, content string) {
	f.t.Helper()
	got, err := f.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		got = []byte("-")
	} else {
		f.must(err)
	}
	if string(got) != content {
		f.t.Errorf("%s holds %q, want %q", name, got, content)
	}
}

func TestErrorsOfOperations(t *testing.T) {
	cases := []struct {
		name string
		do   func(f *tree) error
		want error
	}{
		{"read a missing file", func(f *tree) error { _, err := f.ReadFile("/no"); return err }, fs.ErrNotExist},
		{"read below a missing directory", func(f *tree) error { _, err := f.ReadFile("/no/file"); return err }, fs.ErrNotExist},
		{"read below a file", func(f *tree) error { _, err := f.ReadFile("/file/x"); return err }, files.ErrNotDir},
		{"read a directory", func(f *tree) error { _, err := f.ReadFile("/dir"); return err }, files.ErrIsDir},
		{"list a file", func(f *tree) error { _, err := f.ReadDir("/file"); return err }, files.ErrNotDir},
		{"list a missing directory", func(f *tree) error { _, err := f.ReadDir("/no"); return err }, fs.ErrNotExist},
		{"stat a missing file", func(f *tree) error { _, err := f.Stat("/no"); return err }, fs.ErrNotExist},
		{"write a directory", func(f *tree) error { return f.WriteFile("/dir", nil) }, files.ErrIsDir},
		{"write below a missing directory", func(f *tree) error { return f.WriteFile("/no/file", nil) }, fs.ErrNotExist},
		{"append to a directory", func(f *tree) error { return f.AppendFile("/dir", nil) }, files.ErrIsDir},
		{"mkdir over a file", func(f *tree) error { return f.MkdirAll("/file") }, files.ErrNotDir},
		{"mkdir below a file", func(f *tree) error { return f.MkdirAll("/file/x") }, files.ErrNotDir},
		{"remove a missing file", func(f *tree) error { return f.Remove("/no") }, fs.ErrNotExist},
		{"remove a full directory", func(f *tree) error { return f.Remove("/dir") }, files.ErrNotEmpty},
		{"remove the root", func(f *tree) error { return f.Remove("/") }, files.ErrBusy},
		{"rename a missing file", func(f *tree) error { return f.Rename("/no", "/x") }, fs.ErrNotExist},
		{"rename into itself", func(f *tree) error { return f.Rename("/dir", "/dir/x") }, files.ErrInvalid},
		{"rename a file over a directory", func(f *tree) error { return f.Rename("/file", "/dir") }, files.ErrIsDir},
		{"rename a directory over a file", func(f *tree) error { return f.Rename("/dir", "/file") }, files.ErrNotDir},
		{"rename over a full directory", func(f *tree) error { return f.Rename("/other", "/dir") }, files.ErrNotEmpty},
		{"rename out of a mount", func(f *tree) error { return f.Rename("/store/model", "/model") }, files.ErrCrossDevice},
		{"remove a mount", func(f *tree) error { return f.RemoveAll("/store") }, files.ErrBusy},
		{"sync a missing file", func(f *tree) error { return f.Sync("/no") }, fs.ErrNotExist},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			f := newTree(t)
			store := files.NewFS(f.w)
			f.must(store.WriteTree(map[string]string{"/model": "m"}))
			f.must(f.Mount("/store", store))
			f.must(f.WriteTree(map[string]string{"/file": "f", "/dir/inside": "i", "/other/": ""}))
			err := c.do(f)
			var pathError *fs.PathError
			if !errors.Is(err, c.want) || !errors.As(err, &pathError) {
				t.Errorf("got %v, want a *fs.PathError around %v", err, c.want)
			}
		})
	}
}

func TestPathsMayBeUntidy(t *testing.T) {
	f := newTree(t)
	f.must(f.WriteTree(map[string]string{"/a/b/c": "x"}))
	for _, name := range []string{"/a/b/c", "//a//b/c", "/a/./b/c", "/a/b/../b/c", "/../a/b/c"} {
		f.want(name, "x")
	}
}

func TestWhatWasReadStaysAsItWas(t *testing.T) {
	f := newTree(t)
	f.write("/a", "one")
	mine, err := f.ReadFile("/a")
	f.must(err)
	shared, version, err := f.Content("/a")
	f.must(err)
	mine[0] = 'X'
	f.must(f.AppendFile("/a", []byte(" two")))
	if string(shared) != "one" {
		t.Errorf("shared content became %q, want it unchanged", shared)
	}
	f.want("/a", "one two")
	if _, now, _ := f.Content("/a"); now == version {
		t.Errorf("version is %d before and after a change", now)
	}
}

func TestTheVersionStaysWhileNothingChanges(t *testing.T) {
	f := newTree(t)
	f.must(f.WriteTree(map[string]string{"/d/a": "x"}))
	_, file, _ := f.Content("/d/a")
	_, dir, _ := f.Names("/d")
	f.write("/d/a", "y")
	f.write("/elsewhere", "z")
	if _, now, _ := f.Names("/d"); now != dir {
		t.Errorf("version of the directory went from %d to %d, but its names are the same", dir, now)
	}
	if _, now, _ := f.Content("/d/a"); now == file {
		t.Errorf("version of the file is still %d", now)
	}
}

func TestAModelVersionHasItsSizeWithoutContent(t *testing.T) {
	f := newTree(t)
	f.must(f.AddModelVersion("/models/ps_0", 3, 1<<40))
	names, err := f.ReadDir("/models/ps_0")
	f.must(err)
	if diff := cmp.Diff([]string{"3"}, names); diff != "" {
		t.Errorf("versions (-want +got):\n%s", diff)
	}
	info, err := f.Stat("/models/ps_0/3/variables/variables.data-00000-of-00001")
	f.must(err)
	want := env.FileInfo{Name: "variables.data-00000-of-00001", SizeBytes: 1 << 40, ModTimeUnixMs: f.w.Time().UnixMilli()}
	if diff := cmp.Diff(want, info); diff != "" {
		t.Errorf("stat (-want +got):\n%s", diff)
	}
}

func TestACrashOfTheHost(t *testing.T) {
	cases := []struct {
		name string
		do   func(f *tree)
		want map[string]string
	}{
		{"loses what was just written", func(f *tree) { f.write("/old", "new"); f.write("/fresh", "x") },
			map[string]string{"/old": "durable", "/fresh": "-"}},
		{"keeps what was synced", func(f *tree) { f.write("/fresh", "x"); f.must(f.Sync("/fresh")) },
			map[string]string{"/fresh": "x"}},
		{"keeps the content that was synced, not what came after", func(f *tree) {
			f.write("/fresh", "x")
			f.must(f.Sync("/fresh"))
			f.must(f.AppendFile("/fresh", []byte("y")))
		}, map[string]string{"/fresh": "x"}},
		{"keeps what is older than 30 s", func(f *tree) { f.write("/fresh", "x"); f.pass(30 * time.Second) },
			map[string]string{"/fresh": "x"}},
		{"loses what is younger than 30 s", func(f *tree) { f.write("/fresh", "x"); f.pass(30*time.Second - 1) },
			map[string]string{"/fresh": "-"}},
		{"keeps what was there at the write-back", func(f *tree) {
			f.write("/old", "first")
			f.pass(20 * time.Second)
			f.write("/old", "second")
			f.pass(20 * time.Second)
			f.write("/old", "third")
		}, map[string]string{"/old": "second"}},
		{"empties a file whose name was made durable by another's sync", func(f *tree) {
			f.write("/unsynced", "x")
			f.write("/synced", "y")
			f.must(f.Sync("/synced"))
		}, map[string]string{"/unsynced": "", "/synced": "y"}},
		{"undoes a rename", func(f *tree) { f.write("/new", "x"); f.must(f.Rename("/new", "/old")) },
			map[string]string{"/old": "durable", "/new": "-"}},
		{"undoes a removal", func(f *tree) { f.must(f.Remove("/old")) }, map[string]string{"/old": "durable"}},
		{"undoes the removal of a tree", func(f *tree) { f.must(f.RemoveAll("/dir")) }, map[string]string{"/dir/a": "a", "/dir/b": "b"}},
		{"loses nothing of a shared store", func(f *tree) { f.write("/store/x", "x") }, map[string]string{"/store/x": "x"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			f := newTree(t)
			f.must(f.Mount("/store", files.NewFS(f.w)))
			f.must(f.WriteTree(map[string]string{"/old": "durable", "/dir/a": "a", "/dir/b": "b"}))
			c.do(f)
			f.HostCrash()
			for _, name := range slices.Sorted(maps.Keys(c.want)) {
				f.want(name, c.want[name])
			}
		})
	}
}

func TestAppendingAfterACrashLeavesOldReadersAlone(t *testing.T) {
	f := newTree(t)
	f.write("/a", "kept")
	f.must(f.Sync("/a"))
	f.must(f.AppendFile("/a", []byte("!")))
	before, _, err := f.Content("/a")
	f.must(err)
	f.HostCrash()
	f.must(f.AppendFile("/a", []byte("?")))
	if string(before) != "kept!" {
		t.Errorf("content read before the crash became %q, want %q", before, "kept!")
	}
	f.want("/a", "kept?")
}

func TestWatchesSee(t *testing.T) {
	cases := []struct {
		name string
		do   func(f *tree, store *files.FS) error
		want int
	}{
		{"a write", func(f *tree, _ *files.FS) error { return f.WriteFile("/m/1/x", nil) }, 1},
		{"the removal of a parent", func(f *tree, _ *files.FS) error { return f.RemoveAll("/m") }, 1},
		{"a rename to it", func(f *tree, _ *files.FS) error { return f.Rename("/other", "/m/1/other") }, 1},
		{"a rename away from it", func(f *tree, _ *files.FS) error { return f.Rename("/m/1", "/elsewhere") }, 1},
		{"a new directory in it", func(f *tree, _ *files.FS) error { return f.MkdirAll("/m/1/2/3") }, 1},
		{"not a sibling", func(f *tree, _ *files.FS) error { return f.WriteFile("/m/10", nil) }, 0},
		{"not a failure", func(f *tree, _ *files.FS) error { _ = f.Remove("/m/1/none"); return nil }, 0},
		{"a freeze and a thaw", func(f *tree, _ *files.FS) error { f.Freeze("/m"); f.Thaw("/m"); return nil }, 2},
		{"a mount over it", func(f *tree, store *files.FS) error { return f.Mount("/m", store) }, 1},
		{"a change of the store", func(f *tree, store *files.FS) error {
			if err := f.Mount("/m/1/s", store); err != nil {
				return err
			}
			return store.WriteFile("/x", nil)
		}, 3}, // three changes: of the directory, of the mount and of the file
		{"a crash", func(f *tree, _ *files.FS) error { f.HostCrash(); return nil }, 1},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			f := newTree(t)
			store := files.NewFS(f.w)
			f.must(f.WriteTree(map[string]string{"/m/1/": "", "/other": ""}))
			calls := 0
			cancel := f.Watch("/m/1", func() { calls++ })
			f.must(c.do(f, store))
			if calls != c.want {
				t.Errorf("called %d times, want %d", calls, c.want)
			}
			cancel()
			before := calls
			f.HostCrash()
			if calls != before {
				t.Error("called after cancel")
			}
		})
	}
}

func TestAWatchMayCancelAnother(t *testing.T) {
	f := newTree(t)
	var cancel func()
	first, second := 0, 0
	f.Watch("/a", func() { first++; cancel() })
	cancel = f.Watch("/a", func() { second++ })
	f.write("/a", "x")
	f.write("/a", "y")
	if first != 2 || second != 0 {
		t.Errorf("called %d and %d times, want 2 and 0", first, second)
	}
}

func TestAFrozenPathCannotBeRead(t *testing.T) {
	f := newTree(t)
	store := files.NewFS(f.w)
	f.must(store.WriteTree(map[string]string{"/m/x": "x"}))
	f.must(f.Mount("/store", store))
	store.Freeze("/m")
	if _, err := f.ReadFile("/store/m/x"); !errors.Is(err, files.ErrIO) {
		t.Errorf("reading: %v, want %v", err, files.ErrIO)
	}
	if _, err := f.ReadDir("/store/m"); !errors.Is(err, files.ErrIO) {
		t.Errorf("listing: %v, want %v", err, files.ErrIO)
	}
	store.Thaw("/m")
	f.want("/store/m/x", "x")
}

func TestTwoHostsShareAStore(t *testing.T) {
	a := newTree(t)
	b := &tree{FS: files.NewFS(a.w), t: t, w: a.w}
	store := files.NewFS(a.w)
	a.must(a.Mount("/data/store", store))
	a.must(b.Mount("/store", store))
	a.write("/data/store/x", "from a")
	b.want("/store/x", "from a")
}

func TestAViewResolvesRelativePaths(t *testing.T) {
	f := newTree(t)
	f.must(f.WriteTree(map[string]string{"/srv/conf/a": "x"}))
	v := files.NewView(f.w.Node("n").NewProcess("p"), f.FS, "/srv")
	if got, err := v.ReadFile("conf/a"); err != nil || string(got) != "x" {
		t.Errorf("got %q, %v", got, err)
	}
	f.must(v.Chdir("conf/."))
	if got := v.Getwd(); got != "/srv/conf" {
		t.Errorf("working directory is %q, want /srv/conf", got)
	}
	if !env.Exists(v, "a") || env.Exists(v, "") {
		t.Error("the file of the new directory must exist, the empty path must not")
	}
	_, err := v.ReadFile("none")
	if want := "open none: file does not exist"; err == nil || err.Error() != want {
		t.Errorf("error is %v, want %q", err, want)
	}
	if err := v.Chdir("a"); !errors.Is(err, files.ErrNotDir) {
		t.Errorf("chdir to a file: %v, want %v", err, files.ErrNotDir)
	}
}

func TestTemporaryNamesDifferWhateverIsChosen(t *testing.T) {
	w := vtime.New(vtime.Config{Tape: vtime.NewTape(vtime.TapeReplay)}) // a tape on which every choice is 0
	defer w.Close()
	v := files.NewView(w.Node("n").NewProcess("p"), files.NewFS(w), "")
	form := regexp.MustCompile(`^/tmp/tmp[a-z0-9_]{8}$`)
	seen := map[string]bool{}
	for range 100 {
		name := v.TempFile()
		if !form.MatchString(name) || seen[name] {
			t.Fatalf("got %q, want a new name like %s", name, form)
		}
		seen[name] = true
	}
}

func TestADeadProcessChangesNothing(t *testing.T) {
	f := newTree(t)
	p := f.w.Node("n").NewProcess("p")
	v := files.NewView(p, f.FS, "")
	p.Go("main", func() {
		defer func() { _ = v.WriteFile("/x", []byte("too late")) }()
		p.Park("ever")
	})
	f.pass(time.Second)
	p.Crash()
	f.want("/x", "-")
}

func BenchmarkContent(b *testing.B) {
	f := newTree(b)
	f.must(f.WriteTree(map[string]string{"/data/models/ps_0/config": "some content"}))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := f.Content("/data/models/ps_0/config"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReadFile(b *testing.B) {
	f := newTree(b)
	f.must(f.WriteTree(map[string]string{"/data/models/ps_0/config": "some content"}))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := f.ReadFile("/data/models/ps_0/config"); err != nil {
			b.Fatal(err)
		}
	}
}

func TestPollingAllocatesNothing(t *testing.T) {
	f := newTree(t)
	f.must(f.WriteTree(map[string]string{"/models/ps_0/config": "x"}))
	allocs := testing.AllocsPerRun(100, func() {
		_, _, err := f.Content("/models/ps_0/config")
		_, _, err2 := f.Names("/models/ps_0")
		f.must(errors.Join(err, err2))
	})
	if allocs > 0 {
		t.Errorf("a poll makes %v allocations, want none", allocs)
	}
}
