package whatif

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/runners/show/jsonschema"
	"github.com/monosim/monosim/runners/whatif/result"
	"github.com/spf13/cobra"
)

const smallPlan = `apiVersion: capacity/v1
precision: {mean: 10%, p99: 20%}
budget: {max_replications: 40}
model: {size: {embeddings: 1GiB}}
override: {num_ps: 2, num_shard: 2}
fleet:
  entry: {replicas: 2, cpu: 4, mem: 8GiB, cost: 1/h}
  ps: {replicas: 2, cpu: 4, mem: 8GiB, cost: 2/h}
service:
  entry: {cpu: 1ms}
  ps: {cpu: "exp(mean=1ms)"}
workload: {rate: 1k/s, horizon: 10s, detail: {windows: ["at 5s 200ms"]}}
slo: [p99(request) <= 20ms]
solve: {over: {ps.replicas: 1..3}}
sweep: {load: {workload.rate: [500/s, 1k/s]}}
`

// whatif runs `monosim whatif` with the given arguments inside the test process.
func whatif(args ...string) (code int, stdout, message string) {
	var out, errs bytes.Buffer
	cmd := &cobra.Command{Use: "monosim"}
	cmd.AddCommand(New(nil))
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(append([]string{"whatif"}, args...))
	cmd.SetOut(&out)
	cmd.SetErr(&errs)
	err := cmd.Execute()
	if err != nil {
		message = err.Error()
	}
	return command.ExitCode(err), out.String(), errs.String() + message
}

// planFile writes the small plan into a file, with the text old replaced by new.
func planFile(t *testing.T, old, new string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "plan.yaml")
	if err := os.WriteFile(path, []byte(strings.Replace(smallPlan, old, new, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestWhatifExitCodesSayWhetherObjectivesAreMet(t *testing.T) {
	if testing.Short() {
		t.Skip("takes minutes under the race detector; the whole tests have it")
	}
	for _, c := range []struct {
		name, old, new string
		command        string
		code           int
	}{
		{"met", "", "", "run", 0},
		{"missed", "20ms]", "3ms]", "run", 1},
		{"nonsense", "rate: 1k/s", "rate: -1/s", "run", 2},
		{"unknown key", "replicas: 2", "replica: 2", "solve", 2},
		{"nothing to search", "solve:", "# solve:", "solve", 2},
		{"solved", "", "", "solve", 0},
		{"no cell passes", "20ms]", "1ms]", "solve", 1},
		{"swept", "", "", "sweep", 0},
		{"a cell misses", "{workload.rate: [500/s, 1k/s]}", "{service.entry.cpu: [1ms, 7ms]}", "sweep", 1},
		{"a cell does not fit", "load: {workload.rate: [500/s, 1k/s]}", "size: {model.size.embeddings: [1GiB, 100GiB]}", "sweep", 1},
		{"a cell is undecided", "p99(request) <= 20ms", "mean(ps) <= 1ms", "sweep", 3},
		{"a cell is undecided, another misses", "p99(request) <= 20ms", "mean(ps) <= 1ms, p99(request) <= 2ms", "sweep", 1},
		{"a cell is nonsense", "[500/s, 1k/s]}", "[500/s, -1/s]}", "sweep", 2},
		{"a cell to search is nonsense", "ps.replicas: 1..3", "ps.replicas: [1, 2, many]", "solve", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, stdout, message := whatif(c.command, planFile(t, c.old, c.new), "--json")
			if code != c.code {
				t.Fatalf("exit %d, want %d: %s", code, c.code, message)
			}
			if c.code == 2 && strings.HasPrefix(c.name, "nothing") {
				return
			}
			r, err := result.Read(strings.NewReader(stdout))
			if err != nil {
				t.Fatal(err)
			}
			if r.Exit != c.code {
				t.Errorf("the result says exit %d", r.Exit)
			}
		})
	}
}

// Goal: a swept value that is wrong in every cell is refused with its place, like any other
// mistake. A value that is only wrong together with some values of another path is not refused.
func TestNonsenseInSweepsIsRefused(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"[500/s, 1k/s]", "[500/s, -1/s, 7, 1k/s]", ":15:39: workload.rate -1/s: workload.rate must be >0, got -1/s [CAP-E05]\n" +
			":15:45: workload.rate 7: \"rate: 7\" needs a rate unit, for example 7/s [CAP-E03]\n"},
		{"sweep: {load: {", "sweep: {load: {override.num_ps: [2, 8], ps.num_shard: [2, 4, 16], ", ":15:62: ps.num_shard 16: num_ps must be >= num_shard 16, got 2 (fleet.ps.num_shard at 8:7) [CAP-E05]\n"},
	} {
		file := planFile(t, c.old, c.new)
		for _, args := range [][]string{{"sweep", file}, {"sweep", file, "--engine", "shard=0/2", "--out", t.TempDir()}, {"manifest", file, "--image", "monosim:1"}} {
			code, stdout, message := whatif(args...)
			if got := strings.ReplaceAll(message, file, ""); code != command.ExitBadInput || got != c.want || stdout != "" {
				t.Errorf("%v: exit %d, got\n%swant\n%s", args, code, got, c.want)
			}
		}
	}
}

func TestWhatifGivesTheSameBytesForAnyNumberOfJobs(t *testing.T) {
	path := planFile(t, "", "")
	_, one, _ := whatif("run", path, "--json", "--jobs", "1")
	_, two, _ := whatif("run", path, "--json", "--jobs", "2")
	if one != two || len(one) == 0 {
		t.Errorf("1 and 2 jobs give different results of %d and %d bytes", len(one), len(two))
	}
}

// Goal: the cache never changes a byte of a result. This includes the certificate's count of
// requests, and where a budget of requests ends a search. Method: searches without a cache, with an
// empty one, and with a cache that has all points.
func TestACacheChangesNoByte(t *testing.T) {
	if testing.Short() {
		t.Skip("it simulates for seconds, with goroutines that others have, too")
	}
	for _, budget := range []string{"20k", "1M"} {
		path, cache := planFile(t, "budget: {", "budget: {requests: "+budget+", "), filepath.Join(t.TempDir(), "cache")
		_, want, message := whatif("solve", path, "--json")
		if len(want) == 0 {
			t.Fatal(message)
		}
		for _, what := range []string{"an empty cache", "a full one"} {
			if _, got, _ := whatif("solve", path, "--json", "--cache", cache); got != want {
				t.Errorf("budget %s: %s gives another result (-without +with):\n%s", budget, what, cmp.Diff(want, got))
			}
		}
	}
}

// Goal: an interrupted sweep continues from its cache, and a merge names the shards that are
// missing.
func TestWhatifSweepsInShards(t *testing.T) {
	path, dir := planFile(t, "", ""), t.TempDir()
	broken := t.TempDir()
	for text, want := range map[string]string{"garbage\n": "found no whole file of a shard", "{\"scenario_hash\": \"1\"}\n": "it is of another plan"} {
		if err := os.WriteFile(filepath.Join(broken, "shard-00000-of-00002.jsonl"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if code, _, message := whatif("merge", broken, "--plan", path); code != command.ExitBadInput || !strings.Contains(message, want) {
			t.Errorf("a file with %q: exit %d, %s, want %s", text, code, message, want)
		}
	}
	_, whole, _ := whatif("sweep", path, "--json", "--cache", filepath.Join(dir, "cache"))
	if code, out, message := whatif("sweep", path, "--engine", "shard=0/2", "--out", dir); code != 0 || !strings.HasSuffix(out, "shard-00000-of-00002.jsonl: 20 points of 40\n") {
		t.Fatalf("exit %d, %s: %s", code, out, message)
	}
	if code, _, message := whatif("merge", dir, "--plan", path); code != 2 || !strings.Contains(message, "20 points are missing: cell 0, replication 1, window 0") {
		t.Errorf("exit %d: %s", code, message)
	}
	if code, _, message := whatif("sweep", path, "--engine", "shard=1/2", "--out", dir); code != 0 {
		t.Fatal(message)
	}
	code, merged, _ := whatif("merge", dir, "--plan", path, "--json")
	if code != 0 {
		t.Errorf("merge: exit %d", code)
	}
	_, cached, _ := whatif("sweep", path, "--json", "--cache", filepath.Join(dir, "cache"))
	if whole != merged || whole != cached {
		t.Error("one process, two shards and the cache give different results")
	}
}

func TestTheManifestHasThePlan(t *testing.T) {
	code, out, message := whatif("manifest", planFile(t, "", ""), "--image", "monosim:1", "--shards", "4")
	if code != 0 || !strings.Contains(out, "completions: 4") || !strings.Contains(out, "apiVersion: capacity/v1") {
		t.Errorf("exit %d, %s: %s", code, message, out)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--shards", "4"}, `image: found ""`},
		{[]string{"--image", "monosim:1", "--shards", "0"}, "found 0 shards"},
	} {
		if code, _, message := whatif(append([]string{"manifest", planFile(t, "", "")}, c.args...)...); code != command.ExitBadInput || !strings.Contains(message, c.want) {
			t.Errorf("%v: exit %d, %s", c.args, code, message)
		}
	}
}

// Goal: the pods of a manifest get every file that the plan reads, in YAML and in JSON.
func TestTheManifestHasWhatThePlanReads(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("agent.conf", strings.NewReplacer("num_ps 20", "num_ps 2", "num_shard 20", "num_shard 2", "dense_alone true\n", "").Replace(read(t, "../../../runners/whatif/plan/testdata/agent.conf")))
	write("arrivals.txt", "0ms\n1ms\n2ms\n")
	write("work.hist", "1ms 3\n2ms 1\n")
	text := strings.NewReplacer("model: {", "model: {agent_conf: agent.conf, ", "override: {num_ps: 2, num_shard: 2}\n", "", "entry: {cpu: 1ms}", `entry: {cpu: "hist(work.hist)"}`,
		"rate: 1k/s", "arrivals: {process: trace, file: arrivals.txt}", "workload.rate: [500/s, 1k/s]", "seed: [1, 2]").Replace(smallPlan)
	write("plan.yaml", text)
	code, out, message := whatif("manifest", filepath.Join(dir, "plan.yaml"), "--image", "monosim:1", "--json")
	if code != 0 {
		t.Fatalf("exit %d: %s", code, message)
	}
	var list struct {
		Kind  string
		Items []struct {
			Kind string
			Data map[string]string
		}
	}
	if err := json.Unmarshal([]byte(out), &list); err != nil || list.Kind != "List" || len(list.Items) != 2 || list.Items[1].Kind != "Job" {
		t.Fatalf("%v: %+v", err, list)
	}
	pod := t.TempDir() // the folder is laid out like a mounted config map
	for name, text := range list.Items[0].Data {
		if err := os.WriteFile(filepath.Join(pod, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if code, _, message := whatif("theory", filepath.Join(pod, "plan.yaml")); code != 0 {
		t.Errorf("the plan in the pod: exit %d, %s", code, message)
	}
	write("plan.yaml", strings.Replace(text, "hist(work.hist)", "hist(sub/work.hist)", 1))
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	write("sub/work.hist", "1ms 3\n2ms 1\n")
	if code, _, message := whatif("manifest", filepath.Join(dir, "plan.yaml"), "--image", "monosim:1"); code != command.ExitBadInput || !strings.Contains(message, "work.hist, want that beside the plan") {
		t.Errorf("exit %d: %s", code, message)
	}
	code, out, _ = whatif("manifest", planFile(t, "replicas: 2", "replica: 2"), "--image", "monosim:1", "--json")
	if r, err := result.Read(strings.NewReader(out)); code != command.ExitBadInput || err != nil || len(r.Problems) == 0 {
		t.Errorf("problems of the plan: exit %d, %v, %s", code, err, out)
	}
}

// Goal: if monosim-beam is not installed, the command prints one clear line and simulates nothing.
func TestTheProgramForBeamIsAskedFor(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--engine", "beam"}, "found no program monosim-beam"},
		{[]string{"--beam", "-attempts=1"}, "without --engine beam"},
		{[]string{"--engine", "bean"}, `found "bean", want local, shard=i/N or beam`},
	} {
		if code, _, message := whatif(append([]string{"sweep", planFile(t, "", "")}, c.args...)...); code != command.ExitBadInput || !strings.Contains(message, c.want) {
			t.Errorf("%v: exit %d, %s", c.args, code, message)
		}
	}
}

// Goal: --report makes a folder with the files that the report section of the plan asks for.
func TestReportIsWhatThePlanAsksFor(t *testing.T) {
	text := read(t, filepath.Join(plansDir, "flash.yaml"))
	for _, c := range []struct{ report, want string }{
		{"", "report.html report.json report.txt"},
		{"\nreport: {html: false, csv: true}\n", "report.csv report.json report.txt"},
	} {
		dir := t.TempDir()
		file := filepath.Join(dir, "flash.yaml")
		if err := os.WriteFile(file, []byte(text+c.report), 0o666); err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(dir, "new", "folder")
		code, stdout, message := whatif("theory", file, "--report", out)
		if code == command.ExitBadInput {
			t.Fatalf("exit %d: %s", code, message)
		}
		entries, err := os.ReadDir(out)
		var names []string
		for _, e := range entries {
			names = append(names, e.Name())
		}
		if got := strings.Join(names, " "); err != nil || got != c.want {
			t.Fatalf("%v: got %s, want %s", err, got, c.want)
		}
		if read(t, filepath.Join(out, "report.txt")) != stdout || !json.Valid([]byte(read(t, filepath.Join(out, "report.json")))) {
			t.Errorf("report.txt differs from what was printed, or report.json is no JSON")
		}
	}
	dir := t.TempDir()
	file := planFile(t, "slo:", "events: [{at: 5s, slow: {ps: {count: 1, factor: 2x}}, for: 100ms}]\nreport: {html: false, json: false, trace: [slowest 3, incident 1]}\nslo: [p99(request) <= 2s]\n#")
	for _, command := range []string{"theory", "sweep", "run", "solve"} {
		out := filepath.Join(dir, command)
		whatif(command, file, "--report", out)
		for _, name := range []string{"trace-slowest-3.json", "trace-incident-1.json"} {
			text, err := os.ReadFile(filepath.Join(out, name))
			if simulated := command == "run" || command == "solve"; simulated != json.Valid(text) {
				t.Errorf("%s: %s has %d bytes (%v)", command, name, len(text), err)
			}
		}
	}
	taken := filepath.Join(t.TempDir(), "taken")
	if err := os.WriteFile(taken, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if code, _, message := whatif("theory", filepath.Join(plansDir, "flash.yaml"), "--report", taken); code != command.ExitBadInput || !strings.Contains(message, "--report") {
		t.Errorf("a file in the folder's place: exit %d, %q", code, message)
	}
}

// Goal: programs can read the explanation of a metric as JSON, and estimates as a CSV table.
func TestTextsForPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("it simulates for seconds, with goroutines that others have, too")
	}
	code, stdout, message := whatif("explain", "p99(request)", "--json")
	var metric struct {
		Metric, Unit string
		Scopes       []string
	}
	if err := json.Unmarshal([]byte(stdout), &metric); code != 0 || err != nil || metric.Metric != "p99" || metric.Unit != "ns" || len(metric.Scopes) != 5 {
		t.Errorf("exit %d, %s, %v: got %s", code, message, err, stdout)
	}
	table := filepath.Join(t.TempDir(), "table.csv")
	if code, _, message := whatif("run", filepath.Join(plansDir, "flash.yaml"), "--csv", table); code == command.ExitBadInput {
		t.Fatalf("exit %d: %s", code, message)
	}
	rows, err := csv.NewReader(strings.NewReader(read(t, table))).ReadAll()
	if err != nil || len(rows) < 20 || rows[0][1] != "metric" {
		t.Errorf("%v: got %d rows", err, len(rows))
	}
	if code, _, _ := whatif("theory", filepath.Join(plansDir, "flash.yaml"), "--csv", "nowhere/x.csv"); code != command.ExitBadInput {
		t.Errorf("a file that cannot be: exit %d, want %d", code, command.ExitBadInput)
	}
}

// Goal: explain says of every key of a plan what it is, not only its name. Method: all paths of the
// schema; and of a key of agent.conf with a range, that it has these.
func TestExplainSaysSomethingOfEveryKey(t *testing.T) {
	var walk func(of *jsonschema.Schema, path string)
	seen := 0
	walk = func(of *jsonschema.Schema, path string) {
		for key, one := range of.Properties { //lint:order each key is judged by itself
			at := strings.TrimPrefix(path+"."+key, ".")
			seen++
			text := keyNamed(at)
			if first, _, _ := strings.Cut(text, "\n"); len(first) < len(at)+len(": of x") {
				t.Errorf("%s: got %q, want what it is", at, text)
			}
			walk(one, at)
		}
		if of.Items != nil {
			walk(of.Items, path)
		}
		for _, form := range of.AnyOf {
			walk(form, path)
		}
	}
	walk(planSchema(), "")
	if seen < 300 {
		t.Errorf("walked %d keys, want all of a plan", seen)
	}
	const want = "override.fetch_ps_retry: further attempts of a call whose attempt failed; 0..10; fetch_ps_retry of agent.conf\ndefault 2\n"
	if got := keyNamed("override.fetch_ps_retry"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Goal: explain accepts every metric that objectives accept. For another one it suggests a similar
// metric. Method: metrics with a scope, without one, and with an unknown one.
func TestExplainTakesWhatObjectivesTake(t *testing.T) {
	for _, c := range []struct {
		metric string
		code   int
		want   string
	}{
		{"p99(request)", 0, "99th percentile"},
		{"p99", 0, "99th percentile"},
		{"recovery(my event)", 0, "from an event"},
		{"mem.ps.peak", 0, "greatest memory"},
		{"p99(reqest)", command.ExitBadInput, `did you mean "p99(request)"?`},
		{"goodput(ps)", command.ExitBadInput, "unknown metric"},
		{"recovry", command.ExitBadInput, "unknown metric"},
	} {
		if code, out, message := whatif("explain", c.metric); code != c.code || !strings.Contains(out+message, c.want) {
			t.Errorf("%s: got exit %d, %s%s, want %d and %q", c.metric, code, out, message, c.code, c.want)
		}
	}
}
