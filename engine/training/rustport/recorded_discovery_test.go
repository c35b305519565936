package rustport_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/training"
	"github.com/monosim/monosim/engine/training/runnerutils"
	"github.com/monosim/monosim/engine/training/rustport"
	"github.com/monosim/monosim/engine/training/rustport/psservice"
	"github.com/monosim/monosim/engine/training/rustport/runner"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// These functions run the cases of testdata/rust.json about discoveries, services and processes.

func shownError(err error) any {
	if err == nil {
		return nil
	}
	return err.Error()
}

func discoveryOf(c *worldtest.Case, in input) any {
	vars, _ := in.of["env"].(map[string]any)
	for name, v := range vars { //lint:ordered each is a variable of its own
		c.Env.Host.Setenv(name, v.(string))
	}
	conf := in.runner("runner")
	if in.of["run"] != nil {
		conf = in.run().ToRunnerConfig(conf)
	}
	guard, err := rustport.MonolithDiscovery(c.Env, conf, in.optText("psm"), runnerutils.RealDiscoveries{Env: c.Env})
	if err != nil {
		return map[string]any{"error": err.Error()}
	}
	defer guard.Close()
	calls := []any{}
	for _, call := range in.list("calls") {
		calls = append(calls, discoveryCall(guard, call.([]any)))
	}
	out := map[string]any{"kind": guard.Kind().Any(), "zk": nil, "calls": calls}
	if d := guard.Discovery(); d != nil {
		if zk, ok := d.ZKConfig(); ok {
			out["zk"] = []string{zk.DeepInsightName, zk.ZKServer}
		}
	}
	return out
}

func discoveryCall(guard *rustport.Guard, call []any) any {
	var err error
	var found any
	switch name := call[1].(string); call[0] {
	case "register":
		err = guard.Register(name, int(number(call[2]).V), call[3].(string))
	case "deregister":
		err = guard.Deregister(name, int(number(call[2]).V), call[3].(string))
	default:
		var addrs training.Addrs
		addrs, err = guard.Query(name)
		byIndex := map[string]string{}
		for _, a := range addrs {
			byIndex[fmt.Sprint(a.Index)] = a.Addr
		}
		found = byIndex
	}
	if err != nil {
		return map[string]any{"e": err.Error()}
	}
	return map[string]any{"r": found}
}

func getDiscoveryOf(c *worldtest.Case, in input) any {
	d, err := rustport.GetDiscovery(c.Env, in.runner("runner"), in.optText("psm"), runnerutils.RealDiscoveries{Env: c.Env})
	switch {
	case err != nil:
		return map[string]any{"error": err.Error()}
	case d == nil:
		return map[string]any{"kind": nil}
	}
	return map[string]any{"kind": d.Kind()}
}

// serviceOf returns the service that a case's JSON describes.
func serviceOf(v any) runner.Service {
	m := v.(map[string]any)
	s := runner.Service{ID: m["id"].(string), Name: m["id"].(string), Type: m["type"].(string), Host: "h", Port: int(number(m["port"]).V), Metadata: map[string]string{}}
	metadata, _ := m["metadata"].(map[string]any)
	for k, v := range metadata { //lint:ordered each key has an entry of its own
		s.Metadata[k] = v.(string)
	}
	return s
}

var healths = map[runner.Health]string{runner.HealthUnknown: "Unknown", runner.Healthy: "Healthy"}

func memoryOf(_ *worldtest.Case, in input) any {
	m := runner.NewMemory()
	watcher, steps := m.Watch("ps"), []any{}
	for _, s := range in.list("steps") {
		step := s.([]any)
		var err error
		var found any
		switch step[0] {
		case "register":
			err = m.Register(serviceOf(step[1]))
		case "deregister":
			err = m.Deregister(step[1].(string))
		case "health":
			err = m.UpdateHealth(step[1].(string), runner.Healthy)
		case "clear":
			m.Clear()
		default:
			var services []runner.Service
			services, err = m.Discover(step[1].(string))
			list := []any{}
			for _, s := range services {
				list = append(list, []any{s.ID, s.Address(), healths[s.Health]})
			}
			found = list
		}
		out := map[string]any{"events": shownEvents(watcher)}
		if err != nil {
			out["e"] = err.Error()
		} else {
			out["r"] = found
		}
		steps = append(steps, out)
	}
	left := 0
	for _, typ := range []string{"ps", "worker"} {
		services, _ := m.Discover(typ)
		left += len(services)
	}
	return map[string]any{"steps": steps, "empty": left == 0}
}

// shownEvents returns the events since the last step, sorted by their text. The sorting is needed
// because the Rust port clears services in random order.
func shownEvents(w *runner.Watcher) []any {
	events, _ := w.Take()
	list := []any{}
	for _, e := range events {
		switch e.Change {
		case runner.Added:
			list = append(list, []any{"Added", e.Service.ID, e.Service.Address()})
		case runner.Updated:
			list = append(list, []any{"Updated", e.Service.ID, e.Service.Address()})
		case runner.Removed:
			list = append(list, []any{"Removed", e.Service.ID})
		}
	}
	slices.SortFunc(list, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	return list
}

// scripted is a registry of services in memory. It logs each call, and fails the calls named in
// fail.
type scripted struct {
	*runner.Memory
	fail []any
	log  []any
}

func (s *scripted) note(name string, about any) error {
	s.log = append(s.log, []any{name, about})
	if slices.Contains(s.fail, any(name)) {
		return errors.New("Internal error: boom")
	}
	return nil
}

func (s *scripted) Connect() error    { return s.note("connect", nil) }
func (s *scripted) Disconnect() error { return s.note("disconnect", nil) }

func (s *scripted) Register(service runner.Service) error {
	about := map[string]any{"id": service.ID, "name": service.Name, "type": service.Type, "addr": service.Address(), "metadata": service.Metadata}
	if err := s.note("register", about); err != nil {
		return err
	}
	return s.Memory.Register(service)
}

func (s *scripted) Discover(typ string) ([]runner.Service, error) {
	if err := s.note("discover", typ); err != nil {
		return nil, err
	}
	return s.Memory.Discover(typ)
}

func (s *scripted) Deregister(id string) error {
	if err := s.note("deregister", id); err != nil {
		return err
	}
	return s.Memory.Deregister(id)
}

func runnerOf(c *worldtest.Case, in input) any {
	by := &scripted{Memory: runner.NewMemory(), fail: in.list("fail"), log: []any{}}
	for _, s := range in.list("services") {
		c.Must(by.Memory.Register(serviceOf(s)))
	}
	role := rustport.Worker
	if in.text("role", "worker") == "ps" {
		role = rustport.PS
	}
	conf := in.runner("runner")
	run := runner.ConfigOf(conf, role, "127.0.0.1:7001")
	run.Variant = rustport.AsPort
	var err error
	if in.of["restore"] == true {
		err = runner.RunFromRunnerConfig(c.Env, by, conf, run)
	} else {
		err = runner.Run(c.Env, by, run)
	}
	return map[string]any{"error": shownError(err), "log": by.log}
}

// jobOf runs the PS and workers of a job as tasks of one process, and returns each worker's error.
func jobOf(c *worldtest.Case, in input) any {
	by := runner.NewMemory()
	numPS, numWorkers := int(in.optNumber("num_ps").V), int(in.optNumber("num_workers").V)
	conf := func(index int) rustport.RunnerConfig {
		r := rustport.NewRunnerConfig()
		r.Index, r.NumPS, r.NumWorkers = index, numPS, numWorkers
		return r
	}
	for i := range numPS {
		c.Env.Tasks.Go("ps", func() {
			c.Must(runner.RunFromRunnerConfig(c.Env, by, conf(i), runner.ConfigOf(conf(i), rustport.PS, "127.0.0.1:0")))
		})
	}
	c.Env.Tasks.Sleep(time.Second)
	results := make([]any, numWorkers)
	for i := range numWorkers {
		defer c.Env.Tasks.Go("worker", func() {
			results[i] = shownError(runner.RunFromRunnerConfig(c.Env, by, conf(i), runner.ConfigOf(conf(i), rustport.Worker, fmt.Sprintf("127.0.0.1:%d", 7001+i))))
		}).Join()
	}
	c.Env.Tasks.Sleep(time.Second)
	servers, err := by.Discover("ps")
	c.Must(err)
	workers, err := by.Discover("worker")
	c.Must(err)
	addrs := []string{}
	for _, s := range servers {
		addrs = append(addrs, s.Address())
	}
	slices.Sort(addrs)
	client := psservice.NewClient(c.Env, addrs)
	defer client.Close()
	ids := []int64{}
	for i := range numWorkers {
		ids = append(ids, int64(i))
	}
	ids = append(ids, 42, 1000)
	rows, err := client.Lookup("emb", ids, 64, false)
	c.Must(err)
	first := []float64{}
	for _, row := range rows {
		first = append(first, float64(row[0]))
	}
	return map[string]any{"workers": results, "ps_left": len(servers), "workers_left": len(workers), "ids": ids, "first": first}
}

func defaultsOf(_ *worldtest.Case, _ input) any {
	c := runner.NewConfig()
	roles := map[rustport.Role]string{rustport.Worker: "Worker", rustport.PS: "Ps"}
	return map[string]any{
		"role": roles[c.Role], "index": c.Index, "num_ps": c.NumPS, "num_workers": c.NumWorkers, "bind_addr": c.BindAddr, "ps_type": c.PSType,
		"worker_type": c.WorkerType, "table": c.Table, "dim": c.Dim, "connect_retries": c.ConnectRetries, "retry_backoff_ms": c.RetryBackoff.Milliseconds(),
		"heartbeat_ms": c.HeartbeatInterval.Milliseconds(), "run": shownRun(rustport.NewRunConfig()), "runner": shownRunner(rustport.NewRunnerConfig()),
	}
}
