package serve

import (
	"cmp"
	"sync"
	"time"

	"github.com/monosim/monosim/engine/grpccore"
	"github.com/monosim/monosim/sim/tfserving"
)

// Server is one served process. mu stands for the single thread of the simulated server: reloads,
// timers and results of disk reads hold it. It is not held while a model computes, but it is held
// during calls of the log and of OnEvent. Status requests read the last published statuses without
// mu. Inference requests use the Reader's own lock.
type Server struct {
	opt      Options
	began    time.Time
	log      *logger
	statuses statusCache
	meter    *meter
	fake     bool
	faults   faults

	// threads holds a token for each request in execution; nil without a limit.
	threads chan struct{}

	readers sync.Mutex
	reader  *tfserving.Reader

	mu      sync.Mutex
	machine *tfserving.Server
	choices *choices
	timers  map[*time.Timer]bool
	ended   bool

	grpc  *grpccore.Server
	http  *httpServer
	ports Ports
	tasks sync.WaitGroup

	serving chan struct{}
	done    chan struct{}
	code    int
	stdout  string
}

// Start starts a process. The channel Serving is closed when its ports are open, which may never
// happen (TFS-9.2). The channel Done is closed when the process has ended.
func Start(opt Options) *Server {
	opt.Host = cmp.Or(opt.Host, DefaultHost)
	opt.Speed = cmp.Or(opt.Speed, 1)
	s := &Server{
		opt: opt, began: time.Now(), fake: opt.Machine.Profile == tfserving.ProfilePythonFake,
		log:     newLogger(opt),
		meter:   newMeter(opt.Machine.Profile),
		choices: newChoices(opt.Seed),
		timers:  map[*time.Timer]bool{},
		serving: make(chan struct{}), done: make(chan struct{}),
	}
	if opt.PredictThreads > 0 {
		s.threads = make(chan struct{}, opt.PredictThreads)
	}
	opt.Machine.Cost.PredictItemTime = opt.PredictItemTime
	s.machine = tfserving.New(opt.Machine, (*host)(s))
	s.reader = s.machine.Share(&s.readers, func(fn func()) { go s.enter(fn) })
	s.machine.FailPredicts(opt.PredictFault)
	s.machine.OnEvent = s.heard
	s.machine.OnWarmup = s.meter.warmedUp
	s.machine.OnBatched, s.machine.OnBatch = s.meter.batched, s.meter.ranBatch
	s.machine.Slowness = s.faults.slowness
	s.machine.OnLoad, s.machine.OnRun = s.meter.loaded, s.meter.graphRan
	s.machine.OnServing(s.open)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.machine.Start()
	return s
}

// heard handles an event of the simulated server. It publishes the new status for status requests
// before it calls OnEvent.
func (s *Server) heard(e tfserving.Event) {
	if !s.fake {
		s.logEvent(e)
		s.statuses.publish(s.machine, e.Model)
	}
	if s.opt.OnEvent != nil {
		s.opt.OnEvent(e)
	}
}

// Serving returns a channel that is closed when the ports are open.
func (s *Server) Serving() <-chan struct{} { return s.serving }

// Ports returns the open ports. Call it once Serving is closed.
func (s *Server) Ports() Ports { return s.ports }

// Done returns a channel that is closed when the process has ended.
func (s *Server) Done() <-chan struct{} { return s.done }

// Exit returns how the process ended by itself. code is the exit code, or the negated number of the
// signal that killed it. stdout is the last text that it printed. Call it once Done is closed.
// After Close it returns (0, "").
func (s *Server) Exit() (code int, stdout string) { return s.code, s.stdout }

// Close ends the process. It closes all connections; requests in progress get no answer.
func (s *Server) Close() {
	s.mu.Lock()
	s.machine.Stop()
	s.end(0, "")
	s.mu.Unlock()
	s.tasks.Wait()
}

// Drain refuses new gRPC requests, and waits up to limit for the answers to the requests in
// progress. It reports whether all of them were answered. Close must follow. Upstream has no such
// shutdown: Drain is for programs that embed this server.
func (s *Server) Drain(limit time.Duration) bool {
	s.mu.Lock()
	server := s.grpc
	s.mu.Unlock()
	if server == nil {
		return true
	}
	return server.Shutdown(limit)
}

// end ends the process; the caller holds mu. Another goroutine closes the ports, because closing
// them waits for requests in progress, and these may be waiting for mu.
func (s *Server) end(code int, stdout string) {
	if s.ended {
		return
	}
	s.ended, s.code, s.stdout = true, code, stdout
	for t := range s.timers {
		t.Stop()
	}
	close(s.done)
	s.tasks.Go(s.closePorts)
}

func (s *Server) closePorts() {
	s.mu.Lock()
	grpcServer, rest := s.grpc, s.http
	s.mu.Unlock()
	if rest != nil {
		rest.close()
	}
	if grpcServer != nil {
		grpcServer.Stop()
	}
}
