package loopback_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/realrun/loopback"
)

// Goal: no file outside a cluster's directory is read or changed, whatever names are asked
// for and whatever links exist. Files that faults take away are back once the faults are
// over. Method: clusters that have files but no processes, in a folder whose neighbours must
// not change.

var ctr = runners.Model{Name: "ctr", BasePath: "/models/ctr", SubGraphs: []runners.SubGraph{{Name: "entry", Versions: []int64{1, 2}, SizeBytes: 10}}}

// filesOnly makes a cluster without processes in a new directory of parent, named as a
// cluster's.
func filesOnly(t testing.TB, parent string) (*loopback.Cluster, string) {
	t.Helper()
	root, err := os.MkdirTemp(parent, "loopback-")
	if err != nil {
		t.Fatal(err)
	}
	c, err := loopback.FilesOnly(root, ctr)
	if err != nil {
		t.Fatal(err)
	}
	return c, root
}

// tree lists all entries below a directory, with the contents of small files and the targets
// of links.
func tree(t testing.TB, dir string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		line, _ := filepath.Rel(dir, name)
		if entry.Type().IsRegular() {
			text, err := os.ReadFile(name)
			line += fmt.Sprintf(" %.20q", text)
			return errors.Join(err, add(&list, line))
		}
		target, _ := os.Readlink(name)
		return add(&list, line+" "+entry.Type().String()+target)
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func add(list *[]string, line string) error {
	*list = append(*list, line)
	return nil
}

func FuzzNamesStayInTheCluster(f *testing.F) {
	for _, name := range []string{"/models/ctr/entry", "/models/other", "/out", "/out/kept", "..", "/..", "/a/../../b", "", "/", "/a/..", "a\x00b", `\a`, `C:\a`, "hdfs://a/b", "hdfs://..", "../x://a", "/p.txt"} {
		f.Add(name, int64(1))
	}
	f.Add("/models/ctr/entry", int64(-1))
	f.Add("/models/ctr/entry", int64(1<<62))
	f.Fuzz(func(t *testing.T, name string, version int64) {
		if len(name) > 300 {
			t.Skip("no file system takes it")
		}
		parent := t.TempDir()
		outside := filepath.Join(parent, "outside")
		if err := errors.Join(os.MkdirAll(filepath.Join(outside, "kept"), 0o755), os.WriteFile(filepath.Join(outside, "file"), []byte("secret"), 0o644)); err != nil {
			t.Fatal(err)
		}
		before := tree(t, outside)
		c, root := filesOnly(t, parent)
		if err := os.Symlink(outside, filepath.Join(root, "models", "out")); err != nil {
			t.Fatal(err)
		}
		for _, kind := range []string{"store.absent", "store.empty", "store.unreadable", "store.version-without-graph", "store.version-without-variables", "version.broken"} {
			fault := runners.Fault{Kind: kind, BasePath: name, N: version}
			if c.BeginFault(fault) == nil {
				c.EndFault(fault) // the error is not looked at: some faults have nothing to end
			}
		}
		c.ExportVersion(name, version, 10)
		c.DeleteVersion(name, version)
		c.DeleteVersion(name, 0)
		c.StoreFile(name, []byte("x"))
		c.StoreFile(name+"/file", []byte("x"))
		for _, read := range []string{name, name + "/file", root + "/" + name, root + "/models/out/file"} {
			if data, err := c.ReadFile("p", read); err == nil && string(data) == "secret" {
				t.Errorf("%q: read what is outside", read)
			}
			if data, _, err := c.StoredFile(read); err == nil && string(data) == "secret" {
				t.Errorf("%q: read a stored file that is outside", read)
			}
			if names, err := c.StoredNames(read); err == nil && slices.Contains(names, "kept") {
				t.Errorf("%q: listed what is outside", read)
			}
		}
		if diff := cmp.Diff(before, tree(t, outside)); diff != "" {
			t.Errorf("%q, version %d: outside has changed (-before +now):\n%s", name, version, diff)
		}
		if list, err := os.ReadDir(parent); err != nil || len(list) != 2 {
			t.Errorf("%q: found %v beside the cluster, %v, want nothing else", name, list, err)
		}
	})
}

func TestVersionsOfABasePath(t *testing.T) {
	c, _ := filesOnly(t, t.TempDir())
	for _, version := range []int64{10, 2} {
		if err := c.ExportVersion("/models/ctr/other", version, 1); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := c.Versions("/models/ctr/other"); err != nil || !slices.Equal(got, []int64{2, 10}) {
		t.Errorf("got %v, %v, want 2 and 10", got, err)
	}
	if got, err := c.Versions("/models/none"); err != nil || len(got) > 0 {
		t.Errorf("an absent base path: got %v, %v, want none", got, err)
	}
}

func TestErrorsOfFilesNameNoFolderOfThisHost(t *testing.T) {
	c, root := filesOnly(t, t.TempDir())
	for what, err := range map[string]error{
		"a size":  c.ExportVersion("/models/ctr/entry", 9, 1<<62),
		"a base":  c.ExportVersion("/a/../..", 9, 1),
		"a fault": c.BeginFault(runners.Fault{Kind: "store.absent", BasePath: "/models/none"}),
	} {
		if err == nil || strings.Contains(err.Error(), root) || strings.Contains(err.Error(), ".export") {
			t.Errorf("%s: got %v, want an error without %s", what, err, root)
		}
	}
}

func TestWhatFaultsTakeIsPutBack(t *testing.T) {
	faults := []runners.Fault{
		{Kind: "store.absent", BasePath: "/models/ctr/entry"}, {Kind: "store.empty", BasePath: "/models/ctr/entry"},
		{Kind: "store.unreadable", BasePath: "/models/ctr/entry"}, {Kind: "version.broken", BasePath: "/models/ctr/entry", N: 2},
	}
	for _, f := range faults {
		for _, how := range []string{"its end", "the end of the cluster", "the next start"} {
			t.Run(f.Kind+" by "+how, func(t *testing.T) {
				parent := t.TempDir()
				c, root := filesOnly(t, parent)
				models := filepath.Join(root, "models")
				before := tree(t, models)
				if err := c.BeginFault(f); err != nil {
					t.Fatal(err)
				}
				if cmp.Equal(before, tree(t, models)) {
					t.Fatal("the fault takes nothing")
				}
				switch how {
				case "its end":
					if err := c.EndFault(f); err != nil {
						t.Fatal(err)
					}
				case "the end of the cluster":
					if err := loopback.CloseFiles(c); err != nil {
						t.Fatal(err)
					}
				default:
					filesOnly(t, parent)
					if cmp.Equal(before, tree(t, models)) {
						t.Fatal("it ends while the process of the cluster lives")
					}
					if err := loopback.Disown(c); err != nil {
						t.Fatal(err)
					}
					filesOnly(t, parent)
				}
				if diff := cmp.Diff(before, tree(t, models)); diff != "" {
					t.Errorf("models (-before +now):\n%s", diff)
				}
			})
		}
	}
}

func TestVersionsOfMeanwhileStay(t *testing.T) {
	c, root := filesOnly(t, t.TempDir())
	absent := runners.Fault{Kind: "store.absent", BasePath: "/models/ctr/entry"}
	broken := runners.Fault{Kind: "version.broken", BasePath: "/models/ctr/entry", N: 1}
	if err := errors.Join(c.BeginFault(broken), c.BeginFault(absent), c.ExportVersion("/models/ctr/entry", 3, 10), loopback.CloseFiles(c)); err != nil {
		t.Fatal(err)
	}
	for _, version := range []string{"1", "2", "3"} {
		if _, err := os.Stat(filepath.Join(root, "models", "models", "ctr", "entry", version, "saved_model.pb")); err != nil {
			t.Error(err)
		}
	}
}

func TestFaultsOfACluster(t *testing.T) {
	c, _ := filesOnly(t, t.TempDir())
	listed := map[string]bool{}
	for _, k := range c.Faults() {
		listed[k.Topic()] = true
		if k.Name == "zookeeper.read-only" || k.Name == "store.late" {
			t.Errorf("%s is listed, which processes cannot have", k.Name)
		}
	}
	if diff := cmp.Diff(map[string]bool{"agent": true, "modelserver": true, "network": true, "store": true, "version": true, "zookeeper": true}, listed); diff != "" {
		t.Errorf("topics (-want +got):\n%s", diff)
	}
}

// Goal: where a base path has become a link out of the cluster's directory, whatever uses it says so.
func TestALinkOutOfTheDirectoryIsNamed(t *testing.T) {
	parent := t.TempDir()
	c, root := filesOnly(t, parent)
	const base = "/models/ctr"
	if err := c.ExportVersion(base, 1, 10); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(root, "models", "models", "ctr")
	if err := errors.Join(os.RemoveAll(dir), os.Mkdir(filepath.Join(parent, "outside"), 0o755), os.Symlink(filepath.Join(parent, "outside"), dir)); err != nil {
		t.Fatal(err)
	}
	_, versions := c.Versions(base)
	for name, err := range map[string]error{
		"export":   c.ExportVersion(base, 2, 10),
		"delete":   c.DeleteVersion(base, 1),
		"versions": versions,
		"no graph": c.BeginFault(runners.Fault{Kind: "store.version-without-graph", BasePath: base, N: 3}),
	} {
		if want := "found a link that leads out of the cluster's directory, want a directory"; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: found the error %v, want one with %q", name, err, want)
		}
	}
	if left, err := os.ReadDir(filepath.Join(parent, "outside")); err != nil || len(left) > 0 {
		t.Errorf("outside: found %v, %v, want nothing", left, err)
	}
}
