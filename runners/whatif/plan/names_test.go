package plan_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/monosim/monosim/runners/whatif/plan"
)

// Goal: a plan can only read files in its folder and in folders that the user names, not
// others by name or through a link. Method: file names in each field that takes one, and a
// secret outside the folder that no message may contain.

const secret = "the-secret-beside"

// folderOfPlans makes a folder with a link that leads to a secret outside.
func folderOfPlans(t testing.TB) (folder, outside string) {
	t.Helper()
	parent := t.TempDir()
	folder, outside = filepath.Join(parent, "plans"), filepath.Join(parent, "outside")
	if err := errors.Join(os.Mkdir(folder, 0o755), os.MkdirAll(filepath.Join(outside, "ps_0", "1"), 0o755), os.WriteFile(filepath.Join(outside, "file"), []byte(secret+"\n"), 0o644),
		os.WriteFile(filepath.Join(outside, "ps_0", "1", "saved_model.pb"), []byte(secret), 0o644), os.Symlink(outside, filepath.Join(folder, "link"))); err != nil {
		t.Fatal(err)
	}
	return folder, outside
}

// naming maps each field that names a file or folder to a plan with that field.
var naming = map[string]string{
	"model.agent_conf":         "model: {agent_conf: %s, size: {embeddings: 1GiB, dense: 1GiB}}\n",
	"model.exported":           "model: {exported: %s}\n",
	"service.profile":          "service: {profile: %s}\n",
	"workload.arrivals.file":   "workload: {arrivals: {process: trace, file: %s}}\n",
	"service.entry.cpu's hist": "service: {entry: {cpu: \"hist(%s)\"}}\n",
}

func readNaming(t testing.TB, folder, form, name string, more ...string) error {
	t.Helper()
	file := filepath.Join(folder, "plan.yaml")
	if err := os.WriteFile(file, fmt.Appendf(nil, "apiVersion: capacity/v1\n"+form, name), 0o644); err != nil {
		t.Fatal(err)
	}
	_, _, _, err := plan.Read(file, more...)
	if err == nil {
		t.Fatalf("%s: got no problem of a plan that lacks all else", form)
	}
	return err
}

func TestPlansReadNoFilesOfOtherFolders(t *testing.T) {
	folder, outside := folderOfPlans(t)
	for field, form := range naming {
		for _, name := range []string{"../outside/file", outside + "/file", "link/file", "../outside", "link", "."} {
			err := readNaming(t, folder, form, name)
			if strings.Contains(err.Error(), secret) || name != "." && !strings.Contains(err.Error(), "outside of the plan's folder") && !strings.Contains(err.Error(), "escapes") {
				t.Errorf("%s %s: got %v, want it refused unread", field, name, err)
			}
		}
		if err := readNaming(t, folder, form, outside+"/file", outside); strings.Contains(err.Error(), "outside of the plan's folder") {
			t.Errorf("%s with --files: got %v, want it read", field, err)
		}
	}
}

func FuzzNamesOfPlans(f *testing.F) {
	for _, name := range []string{"a.conf", "../a.conf", "..", "/etc", "link/file", "a/../../outside/file", `..\outside\file`} {
		f.Add(name)
	}
	folder, _ := folderOfPlans(f)
	f.Fuzz(func(t *testing.T, name string) {
		if strings.ContainsAny(name, "\"\n\r\t{}[],:#&*!|>'%@`() ") {
			t.Skip("YAML takes it for something else")
		}
		for field, form := range naming {
			if err := readNaming(t, folder, form, name); strings.Contains(err.Error(), secret) {
				t.Errorf("%s %q: got %v, which tells what is outside", field, name, err)
			}
		}
	})
}

// Goal: a setting of agent.conf that no plan can represent is refused with its line, and a
// setting without effect is accepted. Method: a plan whose agent.conf has one more line.
func TestConfsThatNoPlanCanBe(t *testing.T) {
	const text = `apiVersion: capacity/v1
model: {agent_conf: agent.conf, size: {embeddings: 1GiB, dense: 1GiB}}
fleet:
  entry: {replicas: 1, cpu: 4, mem: 8GiB}
  ps: {replicas: 1, cpu: 4, mem: 8GiB}
service: {entry: {cpu: 1ms, threads: 4}, ps: {cpu: 1ms}}
workload: {rate: 1/s, horizon: 10s}
events: [{at: 1s, publish: {version: 2}}]
`
	for _, c := range []struct{ line, want string }{
		{"", ""}, {"stand_alone_serving true", "stand_alone_serving"}, {"stand_alone_serving false", ""},
		{"server_type mixed", "server_type"}, {"deploy_type entry", ""}, {"deploy_type unified", "deploy_type"},
		{"version_policy all", "version_policy"}, {"version_policy specific", "version_policy"}, {"version_policy latest", ""},
		{"grpc_max_threads 2", "grpc_max_threads"}, {"grpc_max_threads 16", ""}, {"grpc_max_threads 0", ""},
		{"rough_sort_resource_constrained 1", "rough_sort_resource_constrained"}, {"rough_sort_resource_constrained 1\nrough_sort_model_loaded_server ps", ""},
		{"dc_aware 1", ""}, {"tensorflow_intra_op_parallelism 8", ""}, {"tfs_entry_port 8000", ""},
	} {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, "agent.conf"), []byte("bzid a\n"+c.line+"\n"+map[bool]string{true: "deploy_type entry\n"}[!strings.Contains(c.line, "_type")]), 0o644); err != nil {
			t.Fatal(err)
		}
		_, p, _, err := plan.Parse(filepath.Join(folder, "plan.yaml"), []byte(text))
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%q: got %v, want it taken", c.line, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), ":2 says "+c.want)):
			t.Errorf("%q: got %v, want it refused", c.line, err)
		case c.want == "" && p.Override.DCAware != strings.HasPrefix(c.line, "dc_aware"):
			t.Errorf("%q: got dc_aware %v", c.line, p.Override.DCAware)
		}
	}
}

// Goal: numbers of agent.conf are what the reference makes of them, expressions included, and one
// that override would not take is refused with its line. Method: plans that have num_ps, or another
// key, from agent.conf; values by Python's int(eval(text)) (utils.py:775).
func TestNumbersOfConfs(t *testing.T) {
	for _, c := range []struct {
		line string
		want int // num_ps
	}{
		{"num_ps 60 + 5", 65}, {"num_ps 10.9", 10}, {"num_ps 1e2", 100}, {"num_ps 2**3", 8}, {"num_ps (7)", 7}, {"num_ps 9 // 2", 4}, {"num_ps five", 1},
		{"num_ps 0", 0}, {"num_ps 1e9", 0}, {"num_ps 10**40", 0}, {"num_shard 0", 0}, {"num_shard -1", 0}, {"fetch_ps_timeout_ms 0", 0}, {"fetch_ps_timeout_ms 10**18", 0},
		{"fetch_ps_retry -1", 0}, {"fetch_ps_retry 11", 0}, {"aio_thread_num 0", 0}, {"fetch_ps_long_conn_num 0", 0}, {"dense_service_num 0", 0},
		{"max_num_load_retries -1", 0}, {"file_system_poll_wait_seconds -1", 0}, {"num_load_threads -2", 0}, {"update_model_status_interval 0", 0}, {"max_waiting_sec 0", 0},
	} {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, "agent.conf"), []byte("deploy_type entry\n"+c.line+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		_, p, _, err := plan.Parse(filepath.Join(folder, "plan.yaml"), []byte(`apiVersion: capacity/v1
model: {agent_conf: agent.conf, size: {embeddings: 1GiB, dense: 1GiB}}
fleet: {entry: {replicas: 1, cpu: 4, mem: 8GiB}, ps: {replicas: 1, cpu: 4, mem: 8GiB}}
service: {entry: {cpu: 1ms}, ps: {cpu: 1ms}}
workload: {rate: 1/s, horizon: 10s}
`))
		switch {
		case c.want == 0 && (err == nil || !strings.Contains(err.Error(), "agent.conf:2 says "+c.line+": override.") || !strings.HasSuffix(err.Error(), "[CAP-E05]") || strings.Contains(err.Error(), "\n")):
			t.Errorf("%q: got %v, want it refused as out of range, and nothing else", c.line, err)
		case c.want > 0 && (err != nil || p.Override.NumPS != c.want):
			t.Errorf("%q: got %v, want %d PS", c.line, err, c.want)
		}
	}
}

// Goal: without jemalloc, more memory is retained after an unload, unless the plan sets how
// much.
func TestMemoryThatGlibcKeeps(t *testing.T) {
	for _, c := range []struct {
		conf, more string
		want       plan.Fraction
	}{{"", "", 0.05}, {"preload_jemalloc false", "", 0.75}, {"preload_jemalloc 1", "", 0.05}, {"preload_jemalloc n", "retained_after_unload: 70%, ", 0.7}} {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, "agent.conf"), []byte("bzid a\ndeploy_type entry\n"+c.conf+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		_, p, _, err := plan.Parse(filepath.Join(folder, "plan.yaml"), fmt.Appendf(nil, `apiVersion: capacity/v1
model: {agent_conf: agent.conf, %ssize: {embeddings: 1GiB, dense: 1GiB}}
fleet: {entry: {replicas: 1, cpu: 4, mem: 8GiB}, ps: {replicas: 1, cpu: 4, mem: 8GiB}}
service: {entry: {cpu: 1ms}, ps: {cpu: 1ms}}
workload: {rate: 1/s, horizon: 10s}
`, c.more))
		if err != nil || math.Abs(float64(p.Model.Retained-c.want)) > 1e-9 {
			t.Errorf("%q %q: got %v, want %v to be retained", c.conf, c.more, err, c.want)
		}
	}
}

// Goal: a fleet whose entries only know their own location is thinned only if every location
// keeps its share. Method: fleets in two idcs, one of which would lose its PS if half of the
// containers were left out.
func TestThinningKeepsPlaces(t *testing.T) {
	for replicas, want := range map[int]bool{2: false, 4: true, 6: false, 8: true} { //lint:order each by itself
		_, p, _, err := plan.Parse("plan.yaml", fmt.Appendf(nil, `apiVersion: capacity/v1
model: {size: {embeddings: 1GiB, dense: 1GiB}}
override: {dc_aware: true}
fleet:
  idcs: [{name: a}, {name: b}]
  entry: {replicas: 4, cpu: 4, mem: 8GiB}
  ps: {replicas: %d, cpu: 4, mem: 8GiB}
service: {entry: {cpu: 1ms}, ps: {cpu: 1ms}}
workload: {rate: 1/s, horizon: 10s}
`, replicas))
		if err != nil {
			t.Fatal(err)
		}
		if why := p.Unthinnable(2); (why == nil) != want {
			t.Errorf("%d replicas: got %v, want it thinned: %v", replicas, why, want)
		}
	}
}
