package zkfiles_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/cmd/monosim/zkfiles"
	"github.com/monosim/monosim/runners/zookeeper/files"
	"github.com/monosim/monosim/sim/zookeeper/wire"
)

// Goal: the commands print correctly what a real ZooKeeper has left on disk. Package datadir
// compares that with the server's own answers. Method: reviewed golden outputs for a recorded
// directory, and states that are exported and read again.

var update = flag.Bool("update", false, "write the goldens anew")

const recorded = "../../../runners/zookeeper/datadir/testdata/recorded"

// run runs a command, and returns what it prints.
func run(t *testing.T, args ...string) (out, errs string, err error) {
	t.Helper()
	root := &cobra.Command{Use: "zookeeper", SilenceErrors: true, SilenceUsage: true}
	root.AddCommand(zkfiles.Commands()...)
	root.SetArgs(args)
	var o, e bytes.Buffer
	root.SetOut(&o)
	root.SetErr(&e)
	err = root.Execute()
	return o.String(), e.String(), err
}

// mustRun runs a command and fails the test on an error or any text on standard error.
func mustRun(t *testing.T, args ...string) string {
	t.Helper()
	out, errs, err := run(t, args...)
	if err != nil || errs != "" {
		t.Fatalf("%q: got %v, %q, want no error", args, err, errs)
	}
	return out
}

func TestGoldens(t *testing.T) {
	for name, args := range map[string][]string{
		"show":     {"show", recorded},
		"show at":  {"show", recorded, "--at", "0x6"},
		"log":      {"log", recorded},
		"log json": {"log", filepath.Join(recorded, "version-2", "log.24"), "--json"},
	} {
		t.Run(name, func(t *testing.T) {
			got := mustRun(t, args...)
			golden := filepath.Join("testdata", strings.ReplaceAll(name, " ", "_")+".golden")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// Goal: with --json each znode has the values that the real server answered.
func TestJSON(t *testing.T) {
	var got struct {
		Znodes []struct {
			Path        string
			Data        *string
			Base64      []byte `json:"data_base64"`
			Version     int32
			Cversion    int32
			NumChildren int32 `json:"num_children"`
		}
	}
	if err := json.Unmarshal([]byte(mustRun(t, "show", recorded, "--json")), &got); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(recorded, "answers.json"))
	if err != nil {
		t.Fatal(err)
	}
	var want map[string]struct {
		Data []byte
		Stat struct{ Version, Cversion, NumChildren int32 }
	}
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	if len(got.Znodes) != len(want) {
		t.Errorf("got %d znodes, want %d", len(got.Znodes), len(want))
	}
	for _, z := range got.Znodes {
		data := z.Base64
		if z.Data != nil {
			data = []byte(*z.Data)
		}
		if w := want[z.Path]; !cmp.Equal(data, w.Data) || z.Version != w.Stat.Version || z.Cversion != w.Stat.Cversion || z.NumChildren != w.Stat.NumChildren {
			t.Errorf("got %+v, want %+v", z, w)
		}
	}
}

// Goal: an exported state shows the same as its source: a directory of Apache ZooKeeper, a
// --data-dir, or a --snapshot.
func TestExport(t *testing.T) {
	dir := t.TempDir()
	snapshot, nowMs, _, err := files.Import(recorded, "")
	if err != nil {
		t.Fatal(err)
	}
	file, data := filepath.Join(dir, "file"), filepath.Join(dir, "data")
	if err := wire.SaveSnapshot(file, nowMs, snapshot); err != nil {
		t.Fatal(err)
	}
	server, err := wire.Listen("127.0.0.1:0", wire.Options{DataDir: data, Snapshot: snapshot, SnapshotMs: nowMs})
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Close(); err != nil {
		t.Fatal(err)
	}
	_, want, _ := strings.Cut(mustRun(t, "show", recorded), "\n")
	for i, from := range []string{recorded, file, data} {
		out := filepath.Join(dir, "out"+string(rune('0'+i)))
		mustRun(t, "export", from, out)
		for _, name := range []string{from, out} {
			if _, got, _ := strings.Cut(mustRun(t, "show", name), "\n"); got != want {
				t.Errorf("%s (-want +got):\n%s", name, cmp.Diff(want, got))
			}
		}
	}
}

func TestBadInput(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("no snapshot"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"show"}, "found no DIR"},
		{[]string{"show", dir}, "want the data directory of an Apache ZooKeeper"},
		{[]string{"show", file}, "want a name like snapshot.1f"},
		{[]string{"show", recorded, "--at", "five"}, `--at: found "five", want a zxid`},
		{[]string{"show", recorded, "--at", "0x99"}, "found 0x27 as its last zxid, want 0x99"},
		{[]string{"log", file}, `found "no s" at its beginning, want "ZKLG"`},
		{[]string{"log", dir}, "want the data directory of an Apache ZooKeeper, or a log"},
		{[]string{"export", recorded}, "found 1 arguments, want FROM and DIR"},
		{[]string{"export", recorded, dir}, "found file, want an empty directory"},
	} {
		_, _, err := run(t, c.args...)
		var exit *command.ExitError
		if !errors.As(err, &exit) || exit.Code != command.ExitBadInput || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: got %v, want bad input and %q", c.args, err, c.want)
		}
	}
}
