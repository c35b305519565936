package diff_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/runners/zookeeper/diff"
	"github.com/monosim/monosim/runners/zookeeper/server"
	"github.com/monosim/monosim/sim/zookeeper"
)

var update = flag.Bool("update", false, "record the conversations of testdata with a real server 3.8")

// goldenRoot is the root path of the recorded scripts. Each is played on a fresh server.
const goldenRoot = "/golden"

// goldenScripts are the seeds of the recorded scripts.
var goldenScripts = []uint64{1, 2, 3, 5, 8, 13, 21, 34}

func goldenFile(seed uint64) string {
	return filepath.Join("testdata", fmt.Sprintf("real-3.8.0-%d.txt", seed))
}

// scriptFile returns the file that holds the recorded script of a seed. The script is saved
// because later versions of Generate may make another one from that seed.
func scriptFile(seed uint64) string {
	return filepath.Join("testdata", fmt.Sprintf("%d.script", seed))
}

// Goal: the state machine answers as a real server did. Method: compare it byte by byte with
// recorded conversations, so that no real server is needed.
//
//	go test ./runners/zookeeper/diff -run Conversations -update
//
// records the conversations again.
func TestTheMachineBehavesAsInRecordedConversations(t *testing.T) {
	for _, seed := range goldenScripts {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			if *update {
				record(t, diff.Generate(seed, 60), seed)
			}
			script, err := diff.ParseScript(read(t, scriptFile(seed)))
			if err != nil {
				t.Fatal(err)
			}
			text := read(t, goldenFile(seed))
			recorded, err := diff.ParseRecording(strings.Split(strings.TrimSpace(string(text)), "\n"))
			if err != nil {
				t.Fatal(err)
			}
			want, err := diff.Play(recorded, goldenRoot, script, nil)
			if err != nil {
				t.Fatal(err)
			}
			got, err := diff.Play(newMachine(zookeeper.V38), goldenRoot, script, nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("the script (-real +machine):\n%s", diff)
			}
		})
	}
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func record(t *testing.T, script diff.Script, seed uint64) {
	t.Helper()
	real := server.ForTest(t, diff.RealConfig())
	recorder := &diff.Recorder{Server: diff.TCP{Label: "real server", Addr: real.Addr()}}
	if _, err := diff.Play(recorder, goldenRoot, script, nil); err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string]string{
		scriptFile(seed): script.String(), goldenFile(seed): strings.Join(recorder.Lines, "\n") + "\n",
	} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestARecordingThatIsNoneIsRefused(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"1 ? 00", "line 1: found"},
		{"1 > 0", "line 1: encoding/hex"},
		{"x", "line 1: found"},
	} {
		if _, err := diff.ParseRecording([]string{c.line}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: got %v, want an error with %q", c.line, err, c.want)
		}
	}
}
