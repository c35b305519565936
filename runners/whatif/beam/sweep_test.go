package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"

	"github.com/monosim/monosim/runners/whatif/engines"
	"github.com/monosim/monosim/runners/whatif/judge"
	"github.com/monosim/monosim/runners/whatif/model"
	"github.com/monosim/monosim/runners/whatif/plan"
)

// The tests start this binary again as other processes. The environment variable role says
// what such a process does.
const role = "MONOSIM_BEAM_TEST_ROLE"

func TestMain(m *testing.M) {
	log.SetupLogging("error", "text") // only errors are logged, because workers that are killed on purpose log warnings
	switch os.Getenv(role) {
	case "workers":
		beam.Init()
		var port int
		fmt.Sscan(os.Getenv("PORT"), &port)
		if err := serveWorkers(context.Background(), port); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	case "prism":
		var port int
		fmt.Sscan(os.Getenv("PORT"), &port)
		if _, err := prism.CreateJobServer(context.Background(), prism.Options{Port: port}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		select {}
	default:
		flag.Parse()
		beam.Init()
		os.Exit(m.Run())
	}
}

// sweepPlan has 200 points: 8 cells with 25 replications of one window.
const sweepPlan = `apiVersion: capacity/v1
model: {size: {embeddings: 1GiB}}
budget: {min_replications: 25}
override: {num_ps: 4, num_shard: 4}
fleet:
  entry: {replicas: 8, cpu: 4, mem: 8GiB}
  ps: {replicas: 8, cpu: 4, mem: 8GiB}
service:
  entry: {cpu: 1ms}
  ps: {cpu: "exp(mean=1ms)"}
workload: {rate: 10k/s, horizon: 60s, detail: {windows: ["at 30s 200ms"]}}
slo: [mean(request) <= 10ms]
sweep: {grid: {ps.replicas: [8, 12, 16, 20], workload.rate: [5k/s, 10k/s]}}
`

const points = 200

func writePlan(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sweep.yaml")
	if err := os.WriteFile(path, []byte(sweepPlan), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// local runs the sweep of a plan with monosim's own engines, and returns the hash of the
// result.
func local(t *testing.T, path string, list ...engines.Engine) string {
	t.Helper()
	source, p, warnings, err := plan.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	g, err := engines.Open(source, p, warnings)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(g.Points()); n != points {
		t.Fatalf("found %d points, want %d", n, points)
	}
	j, dir := &judge.Judge{}, t.TempDir()
	for k, e := range list {
		samples := engines.Samples{}
		err := e.Run(t.Context(), g.Points(), func(p engines.Point) (*model.Sample, error) { return g.Simulate(t.Context(), j, p) },
			func(p engines.Point, s *model.Sample) error { samples[p] = s; return nil })
		if err == nil {
			err = g.WriteShard(dir, engines.Shard{I: k, N: len(list)}, samples)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	all, err := g.Merge(dir)
	if err != nil {
		t.Fatal(err)
	}
	r, err := g.Result(all)
	if err != nil {
		t.Fatal(err)
	}
	return r.SHA256()
}

// flags sets Beam's command line flags for one test.
func flags(t *testing.T, values map[string]string) {
	t.Helper()
	for _, name := range []string{"endpoint", "environment_type", "environment_config", "worker_binary"} {
		if err := flag.Set(name, values[name]); err != nil {
			t.Fatal(err)
		}
	}
}

func onBeam(t *testing.T, o options) string {
	t.Helper()
	o.attempts = max(o.attempts, 1)
	r, err := sweep(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r.SHA256()
}

// start starts this binary in a role and waits until it listens. It ends with the test.
func start(t *testing.T, as, address string) *exec.Cmd {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program)
	_, port, _ := net.SplitHostPort(address)
	cmd.Env = append(os.Environ(), role+"="+as, "PORT="+port)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	if err := await(ctx, address); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// freeAddress returns an address on which nothing listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return fmt.Sprintf("localhost:%d", l.Addr().(*net.TCPAddr).Port)
}

// Goal: engines only distribute the work, so all give the same result (CAP-10.5). Method:
// run one sweep of 200 points on every engine, and compare the hashes of the results.
func TestEveryEngineGivesTheSameBytes(t *testing.T) {
	path := writePlan(t)
	want := local(t, path, engines.Local{Workers: 1})
	for _, c := range []struct {
		name string
		run  func(t *testing.T) string
	}{
		{"two cores", func(t *testing.T) string { return local(t, path, engines.Local{Workers: 2}) }},
		{"four shards", func(t *testing.T) string {
			return local(t, path, engines.Shard{I: 0, N: 4}, engines.Shard{I: 1, N: 4}, engines.Shard{I: 2, N: 4}, engines.Shard{I: 3, N: 4})
		}},
		{"prism in this process", func(t *testing.T) string {
			flags(t, nil)
			return onBeam(t, options{plan: path, out: t.TempDir(), runner: "prism"})
		}},
		{"prism in another process", func(t *testing.T) string {
			address := freeAddress(t)
			start(t, "prism", address)
			flags(t, map[string]string{"endpoint": address, "environment_type": "LOOPBACK"})
			return onBeam(t, options{plan: path, out: t.TempDir(), runner: "universal"})
		}},
		{"files that are there", func(t *testing.T) string {
			flags(t, nil)
			dir := t.TempDir()
			onBeam(t, options{plan: path, out: dir, runner: "prism"})
			return onBeam(t, options{plan: path, out: dir, runner: "prism"})
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.run(t); got != want {
				t.Errorf("got %s, want %s, as one core gives", got, want)
			}
		})
	}
}

// Goal: a point that Beam delivers twice counts once.
func TestAPointThatComesTwiceCountsOnce(t *testing.T) {
	flags(t, nil)
	path := writePlan(t)
	o := options{plan: path, out: t.TempDir(), runner: "prism"}
	task, grid, err := o.task()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := beam.Run(t.Context(), "prism", pipeline(task, append(grid.Points(), grid.Points()...))); err != nil {
		t.Fatal(err)
	}
	samples, err := grid.Merge(o.out)
	if err != nil {
		t.Fatal(err)
	}
	r, err := grid.Result(samples)
	if err != nil {
		t.Fatal(err)
	}
	if want := local(t, path, engines.Local{}); r.SHA256() != want {
		t.Errorf("got %s, want %s, as of each point once", r.SHA256(), want)
	}
}

// Goal: the death of a worker does not change the result (CAP-10.5). Method: kill the worker
// process when it has simulated some of its points, and start another.
func TestAWorkerThatIsKilledChangesNothing(t *testing.T) {
	path, address, cache := writePlan(t), freeAddress(t), t.TempDir()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	first := start(t, "workers", address)
	flags(t, map[string]string{"environment_type": "EXTERNAL", "environment_config": address, "worker_binary": program})
	killed := make(chan int, 1)
	go func() {
		simulated := func() int {
			files, _ := filepath.Glob(filepath.Join(cache, "*", "*.sample"))
			return len(files)
		}
		look := time.NewTicker(time.Millisecond)
		defer look.Stop()
		for simulated() == 0 && t.Context().Err() == nil {
			<-look.C // looks again and again, because nobody tells of files that another process writes
		}
		_ = first.Process.Kill()
		_ = first.Wait()
		killed <- simulated()
		start(t, "workers", address)
	}()
	got := onBeam(t, options{plan: path, out: t.TempDir(), cache: cache, runner: "prism", attempts: 3})
	if n := <-killed; n == 0 || n == points {
		t.Errorf("%d of %d points were simulated when the worker was killed, want some", n, points)
	}
	if want := local(t, path, engines.Local{}); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Goal: a worker that reads another plan fails with an error, and its samples are not used.
func TestAWorkerWithAnotherPlanIsRefused(t *testing.T) {
	flags(t, nil)
	o := options{plan: writePlan(t), out: t.TempDir(), runner: "prism"}
	task, _, err := o.task()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(o.plan, []byte(strings.Replace(sweepPlan, "1ms", "2ms", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := task.open(); err == nil || !strings.Contains(err.Error(), "the worker sees another file") {
		t.Errorf("got %v", err)
	}
	task.Version = "0"
	if _, err := task.open(); err == nil || !strings.Contains(err.Error(), "want 0: build workers") {
		t.Errorf("got %v", err)
	}
}

// Goal: Beam on Flink gives the same result. Method: a job server from FLINK_JOB_SERVER,
// which names its jar, or a class path that Maven built for beam-runners-flink-F.
func TestFlinkGivesTheSameBytes(t *testing.T) {
	jar := os.Getenv("FLINK_JOB_SERVER")
	java, err := exec.LookPath("java")
	if err != nil || jar == "" {
		t.Skipf("Flink is not tested: FLINK_JOB_SERVER=%q, java %q: want the jar org.apache.beam:beam-runners-flink-F-job-server or the class path of beam-runners-flink-F, and Java to run it", jar, java)
	}
	address, path := freeAddress(t), writePlan(t)
	_, port, _ := net.SplitHostPort(address)
	program := []string{"-jar", jar}
	if strings.ContainsRune(jar, os.PathListSeparator) {
		program = []string{"-cp", jar, "org.apache.beam.runners.flink.FlinkJobServerDriver"}
	}
	cmd := exec.Command(java, append(program, "--flink-master=[local]", "--job-port="+port, "--artifact-port=0", "--expansion-port=0")...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	if err := await(ctx, address); err != nil {
		t.Fatal(err)
	}
	flags(t, map[string]string{"endpoint": address, "environment_type": "LOOPBACK"})
	if got, want := onBeam(t, options{plan: path, out: t.TempDir(), runner: "universal"}), local(t, path, engines.Local{}); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
