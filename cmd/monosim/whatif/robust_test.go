package whatif

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/runners/show/webpage/webpagetest"
	"github.com/monosim/monosim/runners/whatif/result"
)

// Goal: a plan that needs more memory than there is gets refused before it is simulated. The error
// names the line of the value that makes it large. The same holds for a cell of a sweep or search.
// Method: values of each kind that exceed a small bound, most of which no machine could hold.
func TestPlansThatAreTooLargeAreRefused(t *testing.T) {
	for _, c := range []struct{ command, old, new, want string }{
		{"run", "ps: {replicas: 2", "ps: {replicas: 100000000", `:8:18: found 200000000 containers of ps that would take about `},
		{"run", "entry: {replicas: 2", "entry: {replicas: 2000000000", `:7:21: found 2000000000 containers of entry that would take about `},
		{"run", "fleet:\n", "fleet:\n  multiplier: 1e7\n", `:9:18: found 40000000 containers of ps`},
		{"solve", "ps.replicas: 1..3", "ps.replicas: [2, 100000000]", `ps.replicas 100000000: found 200000000 containers of ps`},
		{"sweep", "workload.rate: [500/s, 1k/s]", "ps.replicas: [2, 100000000]", `ps.replicas 100000000: found 200000000 containers of ps`},
		{"run", "rate: 1k/s, horizon: 10s, detail: {windows: [\"at 5s 200ms\"]}", "rate: 100M/s, horizon: 1h", `requests under way at once, as 1e+08/s comes and the fleet can do 8e+03/s, that would take about`},
		{"run", "rate: 1k/s,", "loop: \"closed(clients=2000000000)\",", `found 2000000000 clients that would take about`},
		{"run", "slo:", "random_failures: {ps: {mtbf: 2ns, mttr: 1ns}}\nslo:", `failures of ps that would take about`},
		{"run", "slo:", "autoscale: {entry: {min: 1, max: 1000000000}}\nslo:", `containers of entry that would take about`},
		{"run", "slo:", "autoscale: {entry: {min: 1, max: 4, interval: 1ns}}\nslo:", `looks of the autoscaler that would take about`},
		{"run", "max_replications: 40", "min_replications: 1000000000, max_replications: 2000000000", `found 1000000000 samples`},
	} {
		code, stdout, message := whatif(c.command, planFile(t, c.old, c.new), "--max-memory", "1GiB")
		if code != command.ExitBadInput || stdout != "" || !strings.Contains(message, c.want) || !strings.Contains(message, "want at most 1 GiB (--max-memory) [CAP-E18]") {
			t.Errorf("%s: exit %d, got %q, want %q", c.new, code, message, c.want)
		}
	}
	if code, _, message := whatif("run", planFile(t, "", ""), "--max-memory", "much"); code != command.ExitBadInput || !strings.Contains(message, `--max-memory: found "much"`) {
		t.Errorf("exit %d, %q", code, message)
	}
	if code, _, message := whatif("sweep", planFile(t, "", ""), "--max-memory", "1MiB"); code != command.ExitBadInput || !strings.Contains(message, "[CAP-E18]") {
		t.Errorf("exit %d, %q", code, message)
	}
	for _, name := range []string{"run", "solve", "sweep"} { // a plan that fits into memory is not refused
		if code, _, message := whatif(name, planFile(t, "", ""), "--max-memory", "1GiB"); code != 0 {
			t.Errorf("%s: exit %d, %q", name, code, message)
		}
	}
}

// Goal: a simulation ends when its queue outgrows memory, even if nothing foretold the overload.
// Method: containers fail under a load that all together could bear, until the queue exceeds a
// bound.
func TestAQueueThatOutgrowsMemoryEndsTheRun(t *testing.T) {
	file := planFile(t, "horizon: 10s, detail: {windows: [\"at 5s 200ms\"]}}", "horizon: 60s}\nevents: [{at: 1s, slow: {ps: {count: 4, factor: 5000x}}}]\noverride: {num_ps: 2, num_shard: 2, fetch_ps_timeout: 1000s}")
	text := strings.Replace(read(t, file), "override: {num_ps: 2, num_shard: 2}\n", "", 1)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	code, stdout, message := whatif("run", file, "--max-memory", "16MiB", "--jobs", "1")
	if code != command.ExitBadInput || stdout != "" || !regexp.MustCompile(`:11:18: found \d+ requests with \d+ calls were under way at once, which took .* of memory, want at most 16 MiB \(--max-memory\)`).MatchString(message) {
		t.Errorf("exit %d, %q", code, message)
	}
}

// Goal: a file of the cache or of a shard is rejected when a single digit in it has changed.
// Method: change one digit in each file, and compare the results of the same commands.
func TestAlteredSamplesAreFound(t *testing.T) {
	path, dir := planFile(t, "", ""), t.TempDir()
	cache := filepath.Join(dir, "cache")
	_, want, _ := whatif("sweep", path, "--json", "--cache", cache)
	files, err := filepath.Glob(filepath.Join(cache, "*", "*.sample"))
	if err != nil || len(files) != 40 {
		t.Fatalf("%v: %d files, want one for each point", err, len(files))
	}
	alter(t, files[7], `"completed":`)
	code, got, message := whatif("sweep", path, "--json", "--cache", cache)
	if code != 0 || got != want || strings.Count(message, "was altered, want its checksum: it is simulated again") != 1 || !strings.Contains(message, files[7]) {
		t.Errorf("exit %d, the same result %v, %q", code, got == want, message)
	}
	if _, again, message := whatif("sweep", path, "--json", "--cache", cache); again != want || message != "" {
		t.Errorf("it stays altered: %q", message)
	}
	text := read(t, files[3]) // of another point
	if err := os.WriteFile(files[5], []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, got, message := whatif("sweep", path, "--json", "--cache", cache); got != want || !strings.Contains(message, files[5]) {
		t.Errorf("the sample of another point: the same result %v, %q", got == want, message)
	}
	if code, _, message := whatif("sweep", path, "--engine", "shard=0/1", "--out", dir); code != 0 {
		t.Fatal(message)
	}
	shard := filepath.Join(dir, "shard-00000-of-00001.jsonl")
	if _, merged, _ := whatif("merge", dir, "--plan", path, "--json"); merged != want {
		t.Error("the shard gives another result")
	}
	alter(t, shard, `"completed":`)
	if code, _, message := whatif("merge", dir, "--plan", path); code != command.ExitBadInput || !strings.Contains(message, "cell 0, replication 0, window 0 was altered, want its checksum") {
		t.Errorf("exit %d, %q", code, message)
	}
}

// alter changes the first digit that follows the given word in a file.
func alter(t *testing.T, path, word string) {
	t.Helper()
	before, after, ok := strings.Cut(read(t, path), word)
	if !ok {
		t.Fatalf("%s has no %s", path, word)
	}
	digit := byte('1')
	if after[0] == '1' {
		digit = '2'
	}
	if err := os.WriteFile(path, []byte(before+word+string(digit)+after[1:]), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Goal: a key without effect gives a warning, and with --strict an error. Method: run with and
// without --strict.
func TestStrictRefusesKeysWithoutEffect(t *testing.T) {
	file := planFile(t, "workload: {", "workload: {arrivals: {cv: 2}, ")
	const want = "workload.arrivals.cv changes nothing: it is of process gamma [CAP-E19]"
	code, stdout, message := whatif("theory", file)
	if code != 0 || !strings.Contains(message, "warning: "+file+":12:23: "+want) || !strings.Contains(stdout, "WARNINGS     plan.yaml:12:23: "+want) {
		t.Errorf("exit %d, %q, %s", code, message, stdout)
	}
	if code, stdout, message := whatif("theory", file, "--strict"); code != command.ExitBadInput || message != file+":12:23: "+want+"\n" || stdout != "" {
		t.Errorf("--strict: exit %d, %q, %s", code, message, stdout)
	}
	if code, _, message := whatif("theory", planFile(t, "workload: {", "workload: {arrivals: {cv: 1}, "), "--strict"); code != 0 || message != "" {
		t.Errorf("a default that is spelt out: exit %d, %q", code, message)
	}
}

// Goal: a sweep can vary settings that are words: the load balancer, and whether to give up calls.
// Method: a sweep over both, whose cells are distinct in the text and on the page.
func TestASweepOverWords(t *testing.T) {
	file := planFile(t, "sweep: {load: {workload.rate: [500/s, 1k/s]}}", "sweep: {words: {client.balance: [random, p2c], client.abandon: [continue, cancel]}}")
	page := filepath.Join(t.TempDir(), "page.html")
	code, stdout, message := whatif("sweep", file, "--html", page)
	if code != 0 {
		t.Fatalf("exit %d: %s", code, message)
	}
	for _, cell := range []string{"client.abandon continue, client.balance random: PASS", "client.abandon cancel, client.balance p2c: PASS"} {
		if !strings.Contains(stdout, cell) {
			t.Errorf("found no %q in\n%s", cell, stdout)
		}
	}
}

// Goal: if most requests fail, the report says so first, and says which requests its latencies
// include. Method: three times the load that a core can take, with a timeout; in the text and on
// the page.
func TestAReportOfFailuresBeginsWithThem(t *testing.T) {
	file := planFile(t, "override: {num_ps: 2, num_shard: 2}", "override: {num_ps: 2, num_shard: 2, fetch_ps_timeout: 50ms, fetch_ps_retry: 0}\nclient: {abandon: cancel}")
	text := strings.NewReplacer("rate: 1k/s", "rate: 300/s", "[500/s, 1k/s]", "[20/s, 300/s]", "ps: {replicas: 2, cpu: 4", "ps: {replicas: 1, cpu: 1", "exp(mean=1ms)", "exp(mean=10ms)", "at 5s 200ms", "at 5s 1s").Replace(read(t, file))
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	page := filepath.Join(t.TempDir(), "page.html")
	_, stdout, message := whatif("run", file, "--html", page)
	_, block, _ := strings.Cut(stdout, "LATENCY")
	block, _, _ = strings.Cut(block, "VERDICTS")
	order := -1
	for _, part := range []string{"errors  ", "answered  ", "goodput  ", "of requests that are answered:", "mean(request)"} {
		at := strings.Index(block, part)
		if at <= order {
			t.Fatalf("%q is not where it is wanted (%s):\n%s", part, message, block)
		}
		order = at
	}
	if _, stdout, _ := whatif("sweep", file); !regexp.MustCompile(`workload.rate 300/s: FAIL.*, errors .*, p99 of the rest `).MatchString(stdout) || strings.Contains(stdout, "workload.rate 20/s: PASS, errors") {
		t.Errorf("a cell in which most fail begins with its p99:\n%s", stdout)
	}
}

// Goal: theory prints the wait of calls and the queue length, by the formula of the queue. Method:
// M/M/1, M/M/c and shared cores, compared with closed forms worked out by hand.
func TestTheoryPrintsWaits(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{`entry: {cpu: 1ms}`, `entry: {cpu: "exp(mean=1ms)", threads: 1}`, "W_q of entry (M/G/1, c = 1) 1 ms (CAP-7.1)\n             P(wait) of entry 50 %"},
		{`entry: {cpu: 1ms}`, `entry: {cpu: 1ms, threads: 1}`, "W_q of entry (M/G/1, c = 1) 500 us (CAP-7.1)\n             P(wait) of entry 50 %"},
		{`entry: {cpu: 1ms}`, `entry: {cpu: "exp(mean=6.4ms)"}`, "W_q of entry (M/M/c, c = 4) 4.77 ms (CAP-7.1)\n             P(wait) of entry 59.6 %"},
		{`entry: {cpu: 1ms}`, `entry: {cpu: 6.4ms, threads: 1000}`, "W_q of entry (M/G/c, cores shared, c = 4) 4.77 ms"},
		{`entry: {cpu: 1ms}`, `entry: {cpu: 6.4ms}`, "W_q of entry (Allen-Cunneen, an estimate, c = 4) 2.39 ms"},
		{"", "", "W_q of ps (M/M/c, c = 4)"},
		{"num_ps: 2", "num_ps: 4", "W_q of ps (M/M/c, an estimate, c = 4)"},
	} {
		if _, stdout, message := whatif("theory", planFile(t, c.old, c.new)); !strings.Contains(stdout, c.want) {
			t.Errorf("%s: found no %q (%s):\n%s", c.new, c.want, message, stdout)
		}
	}
}

// Goal: the effect of an event can be seen second by second, in JSON, as a table and on the page.
// Method: a run with an event, which must give the same rows in each form.
func TestTheTimeAxisOfAnIncident(t *testing.T) {
	file := planFile(t, "slo:", "events: [{at: 5s, slow: {ps: {count: 1, factor: 20x}}, for: 1s, name: slow}]\nslo:")
	text := strings.Replace(read(t, file), `"at 5s 200ms"`, `"each incident -1s..+2s"`, 1)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	page, table := filepath.Join(dir, "page.html"), filepath.Join(dir, "series.csv")
	code, stdout, message := whatif("run", file, "--json", "--html", page, "--series", table)
	if code == command.ExitBadInput {
		t.Fatal(message)
	}
	r, err := result.Read(strings.NewReader(stdout))
	if err != nil || len(r.Series) != 1 || len(r.Series[0].Points) != 12 {
		t.Fatalf("%v: got %d series, want one of 3 s in quarters", err, len(r.Series))
	}
	rows, err := csv.NewReader(strings.NewReader(read(t, table))).ReadAll()
	if err != nil || len(rows) != 13 || rows[0][0] != "window" || rows[5][1] != "5000000000" || rows[5][len(rows[5])-1] != "slow" {
		t.Fatalf("%v: got %v", err, rows)
	}
	at := slices.Index(rows[0], "p99")
	for k, m := range r.Series[0].Points {
		if rows[k+1][at] != strconv.FormatFloat(m.P99.Value, 'g', -1, 64) {
			t.Errorf("row %d: p99 %s, the JSON has %v", k+1, rows[k+1][at], m.P99.Value)
		}
	}
	if before, after := r.Series[0].Points[2].P99.Value, r.Series[0].Points[6].P99.Value; after < 2*before {
		t.Errorf("p99 is %g before and %g while a container is slow", before, after)
	}
	webpagetest.AsksForNothing(t, read(t, page))
	if count := webpagetest.Classes(t, read(t, page), 1400); count["plot"] < 14 || count["band"] < 6 {
		t.Errorf("the page has %v, want plots over time with bands", count)
	}
}
