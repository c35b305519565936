package runner

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/training/rustport"
	"github.com/monosim/monosim/engine/training/rustport/psservice"
)

// Config configures a process (TRN-4.5).
type Config struct {
	Role  rustport.Role
	Index int
	// NumPS and NumWorkers are the numbers of processes of each role.
	NumPS, NumWorkers int
	// BindAddr is the host:port on which the process listens. With port 0 a PS takes a free port.
	BindAddr string
	// PSType and WorkerType are the types under which PS and workers register.
	PSType, WorkerType string
	Table              string
	Dim                int32
	// ConnectRetries is how often a worker looks again if it does not find all PS. RetryBackoff is
	// the pause before each retry.
	ConnectRetries int
	RetryBackoff   time.Duration
	// HeartbeatInterval is the time between two heartbeats of a PS; 0 means none.
	HeartbeatInterval time.Duration
	// AwaitEnd blocks until a PS has to end. If it is nil, the PS serves until its process ends.
	AwaitEnd func()
	// Variant is AsPort to keep a fault of the Rust port: a worker that cannot register does not
	// clean up.
	Variant rustport.Variant
}

// NewConfig returns the Rust port's default: worker 0 of 1, with one PS.
func NewConfig() Config {
	return Config{
		NumPS: 1, NumWorkers: 1, BindAddr: "127.0.0.1:0", PSType: "ps", WorkerType: "worker", Table: "emb", Dim: 64,
		ConnectRetries: 6, RetryBackoff: 500 * time.Millisecond, HeartbeatInterval: 10 * time.Second,
	}
}

// ConfigOf derives the configuration of a process from the configuration of its training. It counts
// at least one PS and one worker.
func ConfigOf(c rustport.RunnerConfig, role rustport.Role, bindAddr string) Config {
	to := NewConfig()
	to.Role, to.Index, to.BindAddr = role, c.Index, bindAddr
	to.NumPS, to.NumWorkers = max(1, c.NumPS), max(1, c.NumWorkers)
	return to
}

func (c Config) id() string { return fmt.Sprintf("%s-%d", c.Role, c.Index) }

func (c Config) service(host string, port int) Service {
	typ := c.WorkerType
	if c.Role == rustport.PS {
		typ = c.PSType
	}
	return Service{ID: c.id(), Name: c.id(), Type: typ, Host: host, Port: port, Metadata: map[string]string{
		KeyAddr: fmt.Sprintf("%s:%d", host, port), KeyIndex: strconv.Itoa(c.Index),
	}}
}

// These lines are logged when cleaning up after an error also fails.
const (
	deregisterFailed = "Failed to deregister service after role error"
	disconnectFailed = "Failed to disconnect discovery after role error"
)

// Run runs a process until its work is done (row D15), then deregisters and disconnects. It returns
// the first error of these three steps. If it cannot connect to the discovery, it returns at once.
func Run(e *env.Env, by Services, c Config) error {
	host, port, err := splitBind(c.BindAddr)
	if err != nil {
		return err
	}
	if err := by.Connect(); err != nil {
		return err
	}
	var roleErr error
	if c.Role == rustport.PS {
		roleErr = runPS(e, by, c, host, port)
	} else {
		if err := by.Register(c.service(host, port)); err != nil {
			return c.leave(e, by, err)
		}
		roleErr = runWorker(e, by, c)
	}
	deregistered, disconnected := by.Deregister(c.id()), by.Disconnect()
	if roleErr == nil {
		return firstOf(deregistered, disconnected)
	}
	warn(e, deregisterFailed, deregistered)
	warn(e, disconnectFailed, disconnected)
	return roleErr
}

// leave cleans up after a worker that could not register. If another process has registered the
// same id, it leaves that registration alone.
func (c Config) leave(e *env.Env, by Services, registering error) error {
	if c.Variant == rustport.AsPort {
		return registering
	}
	if _, others := errors.AsType[*AlreadyRegisteredError](registering); !others {
		warn(e, deregisterFailed, by.Deregister(c.id()))
	}
	warn(e, disconnectFailed, by.Disconnect())
	return registering
}

// splitBind splits host:port; an IPv6 host keeps its brackets.
func splitBind(addr string) (host string, port int, err error) {
	i := strings.LastIndexByte(addr, ':')
	if i >= 0 {
		port, err = strconv.Atoi(addr[i+1:])
	}
	if i < 0 || err != nil {
		return "", 0, fmt.Errorf("address to bind: got %q, want host:port", addr)
	}
	return addr[:i], port, nil
}

func firstOf(errs ...error) error {
	return lists.Find(errs, func(err error) bool { return err != nil })
}

func warn(e *env.Env, what string, err error) {
	if err != nil {
		e.Log.Logf(env.Warning, "%s: %v", what, err)
	}
}

// runPS starts the server of a PS, and registers it with the port on which it listens.
func runPS(e *env.Env, by Services, c Config, host string, port int) error {
	ps := psservice.New(e, psservice.Options{ShardID: int32(c.Index), Dim: c.Dim})
	server, err := e.Network.Serve(port, 0, ps.Handle)
	if err != nil {
		return err
	}
	defer server.Stop()
	service := c.service(host, server.Port())
	service.Metadata[KeyAllowUpdate] = "true"
	if err := by.Register(service); err != nil {
		return err
	}
	ended := false
	if c.HeartbeatInterval > 0 {
		e.Tasks.Go("heartbeat", func() {
			for !ended {
				warn(e, "Discovery heartbeat failed", by.Heartbeat(c.id()))
				e.Tasks.Sleep(c.HeartbeatInterval)
			}
		})
	}
	await := c.AwaitEnd
	if await == nil {
		await = e.Tasks.NewCond("the end of a PS").Wait
	}
	await()
	ended = true
	return nil
}

// RunFromRunnerConfig calls rustport.InitializeRestore and then runs a process (row D13).
func RunFromRunnerConfig(e *env.Env, by Services, c rustport.RunnerConfig, run Config) error {
	if _, err := rustport.InitializeRestore(e, c, run.Role, run.Variant, c.Timing()); err != nil {
		return err
	}
	return Run(e, by, run)
}

// RunFromRunConfig calls RunFromRunnerConfig with the user's settings applied to base (row D29).
func RunFromRunConfig(e *env.Env, by Services, c rustport.RunConfig, base rustport.RunnerConfig, role rustport.Role, bindAddr string) error {
	conf := c.ToRunnerConfig(base)
	return RunFromRunnerConfig(e, by, conf, ConfigOf(conf, role, bindAddr))
}
