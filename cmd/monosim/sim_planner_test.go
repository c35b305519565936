package main

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/runners/show/webpage"
	"github.com/monosim/monosim/runners/sim"
)

// simSample runs `monosim sim` with the sample conf of an agent of version 3.
func simSample(args ...string) (code int, stdout, message string) {
	return monosim(append([]string{"sim", "--conf", "testdata/unified.conf", "--models", "testdata/exported"}, args...)...)
}

func simReport(t *testing.T, args ...string) (*sim.Report, int, string) {
	t.Helper()
	code, stdout, message := simSample(append(args, "--json")...)
	var r sim.Report
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatalf("exit %d, %s: %v", code, message, err)
	}
	return &r, code, message
}

// Goal: faults and acts during a run show in its results. Method: make an outage of ZooKeeper and
// an export, and look for both in the report and in the time series.
func TestSimActsAtItsTimesAndSaysWhatCameOfIt(t *testing.T) {
	dir := t.TempDir()
	series, page, script := filepath.Join(dir, "s.csv"), filepath.Join(dir, "s.html"), filepath.Join(dir, "x.script")
	if err := os.WriteFile(script, []byte("# an export\n5m: version 2 of predict_ctr:entry is exported with 300 MB\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	args := []string{
		"--replicas", "2", "--for", "30m", "--at", "10m: ZooKeeper goes down for 5m", "--script", script, "--load-speed", "100MiB/s",
		"--every", "1m", "--series", series, "--html", page,
	}
	r, code, message := simReport(t, args...)
	if code != 0 || len(r.Acts) != 3 || r.Acts[1].AtSeconds != 300 || r.Acts[2].What != "ZooKeeper goes down for 5m" {
		t.Fatalf("exit %d, %s, acts %+v", code, message, r.Acts)
	}
	last := r.Rollouts[len(r.Rollouts)-1]
	if last.Model != "predict_ctr:entry/2" || last.Since != 300 || last.Took < 2.8 || last.Took > 10 || last.Pods != 2 || last.Of != 2 {
		t.Errorf("roll-out of 300 MB at 100 MiB a second: got %+v, want it to begin at 300 s and take 3 s and a little", last)
	}
	for _, m := range r.Load.Memory {
		if m.PeakBytes < 360e6 || m.Steps[len(m.Steps)-1].Bytes < 360e6 {
			t.Errorf("memory of %s: got %+v, want 1.2 times 300 MB", m.Pod, m)
		}
	}
	if l := r.Load; l.Watches.Most == 0 || l.Connections.Most != 2 || l.Operator.Requests == 0 || l.Peak == 0 || l.Requests == 0 {
		t.Errorf("load: got %+v", l)
	}
	checkSeries(t, series)
	html, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if lines, err := webpage.Data(string(html)); err != nil || len(lines) != 3 {
		t.Errorf("page: got %d lines of data, %v, want the report, the samples and the bars", len(lines), err)
	}
	if code, _, message := simSample(args...); code != 0 {
		t.Fatalf("exit %d: %s", code, message)
	}
	if again, err := os.ReadFile(page); err != nil || string(again) != string(html) {
		t.Errorf("two pages of equal runs differ (%v)", err)
	}
}

// checkSeries checks that a file has a row for each minute, and that ZooKeeper is down in the rows
// of its outage.
func checkSeries(t *testing.T, name string) {
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil || len(rows) != 31 || rows[0][0] != "at_s" || rows[0][1] != "zookeeper_up" {
		t.Fatalf("series: got %d rows, %v, want a head and 30", len(rows), err)
	}
	for _, row := range rows[1:] {
		at, err := strconv.ParseFloat(row[0], 64)
		if down := at > 600 && at < 900; err != nil || (row[1] == "0") != down {
			t.Errorf("at %s: zookeeper_up %s, want it down after 600 and before 900 only", row[0], row[1])
		}
	}
}

func TestSimFailsForWhatIsMissing(t *testing.T) {
	const kill = "--at=4m: the agent of shard0-replica1 is killed"
	for _, c := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"all there", []string{"--fail-unless-available"}, 0, ""},
		{"a pod that stays away", []string{"--fail-unless-available", kill, "--restart-after=0"}, command.ExitFailed, "as shard0-replica1 does not run"},
		{"bindings that do not come back", []string{"--fail-unless-available", "--at=4m: ZooKeeper goes down for 30s", "--for=15m"}, command.ExitFailed, "found 22 models of pods that are served, but not in the service map of shard0-replica0, as predict_ctr:entry on shard0-replica0"},
		{"bindings that stay", []string{"--fail-unless-available", "--at=4m: ZooKeeper goes down for 5s", "--for=15m"}, 0, ""},
		{"an act that fails", []string{"--at=4m: shard0-replica1 has ended"}, command.ExitFailed, "1 of 2 acts failed"},
		{"too little memory", []string{"--fail-unless-available", "--memory-limit=1KiB"}, command.ExitFailed, "--fail-unless-available: found "},
		{"no time", []string{"--max-wall=1ns"}, command.ExitUndecided, "--max-wall is over after 0s of 5m0s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, code, message := simReport(t, append([]string{"--replicas=2", "--for=5m"}, c.args...)...)
			if code != c.code || !strings.Contains(message, c.want) {
				t.Errorf("got exit %d and %q, want %d and %q", code, message, c.code, c.want)
			}
		})
	}
}

// Goal: a sweep counts the pods that clients cannot find in the service map. Method: an outage
// shorter than the session timeout, and a longer one.
func TestSimSweepCountsWhatIsNotInTheServiceMap(t *testing.T) {
	for outage, want := range map[string]string{"5s": "0", "30s": "11"} {
		code, stdout, message := simSample("--for=15m", "--sweep=replicas=1", "--at=4m: ZooKeeper goes down for "+outage)
		rows, err := csv.NewReader(strings.NewReader(stdout)).ReadAll()
		if code != 0 || err != nil || len(rows) != 2 {
			t.Fatalf("%s: exit %d, %s: got %d rows, %v, want a head and one", outage, code, message, len(rows), err)
		}
		column := slices.Index(rows[0], "unlisted")
		if column < 0 || rows[1][column] != want {
			t.Errorf("%s: got %s, want %s in the column unlisted of %s", outage, rows[1], want, rows[0])
		}
	}
}

func TestSimSweepPrintsARowForEachValue(t *testing.T) {
	code, stdout, message := simSample("--for", "3m", "--sweep", "replicas=1,3", "--sweep", "quirks=python,fixed")
	rows, err := csv.NewReader(strings.NewReader(stdout)).ReadAll()
	if code != 0 || err != nil || len(rows) != 5 {
		t.Fatalf("exit %d, %s: got %d rows, %v, want a head and four", code, message, len(rows), err)
	}
	if got := strings.Join(rows[0][:4], " "); got != "replicas quirks pods watches" {
		t.Errorf("head: got %s", got)
	}
	for i, want := range []string{"1 python 1", "1 fixed 1", "3 python 3", "3 fixed 3"} {
		if got := strings.Join(rows[i+1][:3], " "); got != want {
			t.Errorf("row %d: got %s, want %s", i+1, got, want)
		}
	}
}

func TestWhatSimIsToDoMakesSense(t *testing.T) {
	for _, c := range []struct{ arg, want string }{
		{"--at=1h: ZooKeeper is down", "--at: found 1h0m0s, want a time before the end of the run at 5m0s"},
		{"--at=1m: ZooKeeper falls over", "no sentence says"},
		{"--at=1m: the agent of shard9-replica0 is killed", "want one of the cluster"},
		{"--script=testdata/nope.script", "no such file"},
		{"--memory-limit=much", `--memory-limit: found "much"`},
		{"--load-speed=-1GiB", `--load-speed: found "-1GiB"`},
		{"--max-wall=-1s", "--max-wall: found -1s"},
		{"--sweep=replicas", `--sweep: found "replicas", want a flag and its values`},
		{"--sweep=conf=a,b", `--sweep: found "conf", want one of for, load-speed`},
		{"--sweep=replicas=1,many", `--sweep: invalid argument "many"`},
		{"--sweep=replicas=1,0", "--replicas: found 0, want 1 or more"},
		{"--html=testdata/nope/x.html", "no such file or directory"},
	} {
		if code, _, message := simSample("--for", "5m", c.arg); code != command.ExitBadInput || !strings.Contains(message, c.want) {
			t.Errorf("%s: got exit %d and %q, want %d and %q", c.arg, code, message, command.ExitBadInput, c.want)
		}
	}
	if code, _, message := simSample("--sweep=replicas=1,2", "--json"); code != command.ExitBadInput || !strings.Contains(message, "found it with --json") {
		t.Errorf("--sweep with --json: got exit %d and %q", code, message)
	}
}
