package serve

import (
	"sync"
	"time"

	"google.golang.org/grpc"

	"github.com/monosim/monosim/sim/tfserving"
)

// Server is one served process. One lock stands for the one thread that the
// machine is called from: reloads, timers and answers of the disk take it. Nobody
// holds it while looking at models, but the log and OnEvent are told under it.
// Requests for the status of models read what was published last, and requests to
// models what readers guards.
type Server struct {
	opt      Options
	began    time.Time
	log      *logger
	statuses statusCache
	meter    *meter
	fake     bool
	faults   faults

	// threads has a token for each request that is worked on; nil with PredictThreads 0.
	threads chan struct{}

	readers sync.Mutex
	reader  *tfserving.Reader

	mu      sync.Mutex
	machine *tfserving.Server
	choices *choices
	timers  map[*timer]bool
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

// Start begins the life of a process. It is serving once Serving is closed, which may
// never happen (TFS-9.2), and has ended when Done is closed.
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
		timers:  map[*timer]bool{},
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

// heard is the machine's OnEvent. Status requests know of an event when others are
// told of it.
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

// Ports returns the open ports; ask once Serving is closed.
func (s *Server) Ports() Ports { return s.ports }

// Done returns a channel that is closed when the process has ended.
func (s *Server) Done() <-chan struct{} { return s.done }

// Exit is how the process ended by itself: code as a shell sees it (-9: killed by
// signal 9), stdout what it printed last. Ask once Done is closed; a Close is
// (0, "").
func (s *Server) Exit() (code int, stdout string) { return s.code, s.stdout }

// Close ends the process: connections are closed, and requests in flight get no
// answer.
func (s *Server) Close() {
	s.mu.Lock()
	s.machine.Stop()
	s.end(0, "")
	s.mu.Unlock()
	s.tasks.Wait()
}

// Drain has the gRPC port take no more requests, and waits until those in flight are answered, but
// no longer than limit; it reports whether they were. Close follows. Upstream knows no such end: it
// is for servers around this one.
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

// end is the end of the process; call it with mu held. The ports close behind
// its back, because requests may wait for the lock.
func (s *Server) end(code int, stdout string) {
	if s.ended {
		return
	}
	s.ended, s.code, s.stdout = true, code, stdout
	for t := range s.timers {
		t.stop()
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
