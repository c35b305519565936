package serve

import (
	"sync"
	"time"

	"google.golang.org/grpc"

	"github.com/monosim/monosim/sim/tfserving"
)

// Server is one served process. Holding mu stands for being on the one thread from which the
// machine is called: reloads, timers and answers of the disk take it. Nobody holds it while
// looking at models, but the log and OnEvent are called under it. Requests for the status of
// models read what was published last, and requests to models read what readers guards.
type Server struct {
	opt      Options
	began    time.Time
	log      *logger
	statuses statusCache
	meter    *meter
	fake     bool
	faults   faults

	// threads has a token for each request that is worked on; nil without a limit.
	threads chan struct{}

	readers sync.Mutex
	reader  *tfserving.Reader

	mu      sync.Mutex
	machine *tfserving.Server
	choices *choices
	timers  map[*time.Timer]bool
	ended   bool

	grpc  *grpc.Server
	http  *httpServer
	ports Ports
	tasks sync.WaitGroup

	serving chan struct{}
	done    chan struct{}
	code    int
	stdout  string
}

// Start starts a process. Serving is closed once it serves, which may never happen (TFS-9.2).
// Done is closed when the process has ended.
func Start(opt Options) *Server {
	if opt.Host == "" {
		opt.Host = DefaultHost
	}
	if opt.Speed == 0 {
		opt.Speed = 1
	}
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
	s.machine = tfserving.New(opt.Machine, (*host)(s))
	s.reader = s.machine.Share(&s.readers, func(fn func()) { go s.enter(fn) })
	s.machine.FailPredicts(opt.PredictFault)
	s.machine.OnEvent = s.heard
	s.machine.OnWarmup = s.meter.warmedUp
	s.machine.OnServing(s.open)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.machine.Start()
	return s
}

// heard is the machine's OnEvent. It publishes an event for status requests before it tells
// others.
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

// Exit returns how the process ended by itself: code as a shell sees it (-9 is a death by signal
// 9), and stdout, its last output. Call it once Done is closed. After Close it is (0, "").
func (s *Server) Exit() (code int, stdout string) { return s.code, s.stdout }

// Close ends the process. Connections are closed, and requests in flight get no answer.
func (s *Server) Close() {
	s.mu.Lock()
	s.machine.Stop()
	s.end(0, "")
	s.mu.Unlock()
	s.tasks.Wait()
}

// Drain stops the gRPC port from taking requests, and waits until those in flight are answered,
// but no longer than limit. It reports whether they were. Close follows. Upstream has no such
// end: it is for programs that embed this server.
func (s *Server) Drain(limit time.Duration) bool {
	s.mu.Lock()
	server := s.grpc
	s.mu.Unlock()
	if server == nil {
		return true
	}
	drained := make(chan struct{})
	s.tasks.Go(func() {
		server.GracefulStop()
		close(drained)
	})
	select {
	case <-drained:
		return true
	case <-time.After(limit):
		return false
	}
}

// end ends the process; the caller holds mu. The ports close on a goroutine of their own, because
// requests may wait for the lock.
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
