package zkdiff_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/runners/realrun/zkserver"
	"github.com/monosim/monosim/runners/zkdiff"
	"github.com/monosim/monosim/sim/zookeeper"
)

var update = flag.Bool("update", false, "record the conversations of testdata with a real server 3.8")

// goldenRoot is where the recorded scripts are played, on a server of their own.
const goldenRoot = "/golden"

// goldenScripts are the seeds of the recorded scripts.
var goldenScripts = []uint64{1, 2, 3, 5, 8, 13, 21, 34}

func goldenFile(seed uint64) string {
	return filepath.Join("testdata", fmt.Sprintf("real-3.8.0-%d.txt", seed))
}

// Where there is no real server, what one has said byte by byte stands in for it:
//
//	go test ./runners/zkdiff -run Conversations -update
//
// records it again.
func TestTheMachineBehavesAsInRecordedConversations(t *testing.T) {
	for _, seed := range goldenScripts {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			script := zkdiff.Generate(seed, 60)
			if *update {
				record(t, script, goldenFile(seed))
			}
			text, err := os.ReadFile(goldenFile(seed))
			if err != nil {
				t.Fatal(err)
			}
			recorded, err := zkdiff.ParseRecording(strings.Split(strings.TrimSpace(string(text)), "\n"))
			if err != nil {
				t.Fatal(err)
			}
			want, err := zkdiff.Play(recorded, goldenRoot, script, nil)
			if err != nil {
				t.Fatal(err)
			}
			got, err := zkdiff.Play(newMachine(zookeeper.V38), goldenRoot, script, nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("the script (-real +machine):\n%s", diff)
			}
		})
	}
}

func record(t *testing.T, script zkdiff.Script, file string) {
	t.Helper()
	real := zkserver.ForTest(t, zkdiff.RealConfig())
	recorder := &zkdiff.Recorder{Server: zkdiff.TCP{Label: "real server", Addr: real.Addr()}}
	if _, err := zkdiff.Play(recorder, goldenRoot, script, nil); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(strings.Join(recorder.Lines, "\n")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestARecordingThatIsNoneIsRefused(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"1 ? 00", "line 1: found"},
		{"1 > 0", "line 1: encoding/hex"},
		{"x", "line 1: found"},
	} {
		if _, err := zkdiff.ParseRecording([]string{c.line}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: got %v, want an error with %q", c.line, err, c.want)
		}
	}
}
