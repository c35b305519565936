package realrun_test

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/runtimetest/modelservertest"
	"github.com/monosim/monosim/engine/walltime"
	"github.com/monosim/monosim/runners/test/realrun"
	"github.com/monosim/monosim/runners/tfserving/server"
)

// Goal: clients on real sockets get the same results as clients in virtual time, and the
// served model server answers as the simulated one. Method: the same conformance cases, in
// both profiles.
func TestModelServerConformance(t *testing.T) {
	program := server.Monosim(t)
	for _, profile := range []string{"tfs-2.4", "tfs-head"} {
		t.Run(profile, func(t *testing.T) {
			// The suite mostly waits for polls of the disk, so the server's time runs five times
			// faster.
			conformsWith(t, program, profile == "tfs-head", "--monosim_profile="+profile, "--monosim_speed=5")
		})
	}
}

// Goal: a real tensorflow_model_server passes the same conformance cases. The test is
// skipped where none is installed.
func TestModelServerConformanceOfARealOne(t *testing.T) {
	program := server.Real(t)
	conformsWith(t, program, server.After24(t, program))
}

func conformsWith(t *testing.T, program string, newer bool, args ...string) {
	modelservertest.Run(t, func(t *testing.T) modelservertest.World {
		dir := t.TempDir()
		config := filepath.Join(dir, "models.cfg")
		if err := os.WriteFile(config, []byte("model_config_list {}"), 0o644); err != nil {
			t.Fatal(err)
		}
		args := append([]string{
			"--model_config_file=" + config, "--file_system_poll_wait_seconds=1", "--max_num_load_retries=0",
		}, args...)
		return &modelsWorld{
			t: t, w: newWorld(t), server: server.New(t, server.Config{Program: program, Args: args}),
			models: filepath.Join(dir, "models"), newer: newer,
		}
	})
}

// modelsWorld holds processes and one model server with a directory of models.
type modelsWorld struct {
	t      *testing.T
	w      *walltime.World
	server *server.Server
	models string
	newer  bool
}

func (m *modelsWorld) must(err error) {
	if err != nil {
		m.t.Error(err)
	}
}

func (m *modelsWorld) NewProcess(name string) modelservertest.Process {
	p := m.w.NewProcess(name, name)
	return modelsLife{p, realrun.ModelServers{Network: realrun.NewNetwork(p, realrun.Options{})}}
}

func (m *modelsWorld) StartServer() error { return m.server.Start() }
func (m *modelsWorld) KillServer()        { m.server.Kill() }
func (m *modelsWorld) Addr() string       { return m.server.GRPCAddr() }
func (m *modelsWorld) Newer() bool        { return m.newer }

func (m *modelsWorld) BasePath(model string) string { return filepath.Join(m.models, model) }
func (m *modelsWorld) AddBase(model string)         { m.must(os.MkdirAll(m.BasePath(model), 0o755)) }

func (m *modelsWorld) AddVersion(model string, version int64) {
	m.must(server.WriteVersion(m.BasePath(model), version))
}

func (m *modelsWorld) AddEmpty(model string, version int64) {
	m.must(os.MkdirAll(filepath.Join(m.BasePath(model), strconv.FormatInt(version, 10)), 0o755))
}

func (m *modelsWorld) Wait() error { return waitFor(m.w) }

// modelsLife is a process with its clients of model servers.
type modelsLife struct {
	*walltime.Process
	models env.ModelServers
}

func (l modelsLife) Models() env.ModelServers { return l.models }
