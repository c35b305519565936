// Package tfservingtest starts the simulated tensorflow_model_server inside a Go test, with gRPC
// and REST on free ports of 127.0.0.1. Any client of the real server can use it.
//
// Two things to use first:
//
//   - [Start] serves models until the end of the test: directories ([Model]), or models that the
//     test makes ([Small], [Exported]).
//   - [Server.GRPC] and [Server.REST] are its addresses, and [Server.Conn] is a connection.
//
// The server runs in wall time, which [Speed] can make faster. For whole clusters in virtual time
// see runners/test/simtest. To change how the server behaves: package serve and sim/tfserving.
package tfservingtest

import (
	"bytes"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/sim/tfserving"
	"github.com/monosim/monosim/sim/tfserving/modelconfig"
	"github.com/monosim/monosim/sim/tfserving/savedmodel"
	"github.com/monosim/monosim/sim/tfserving/serve"
	"github.com/monosim/monosim/sim/tfserving/serve/export"
)

// Server is a model server for one test. Only the test's own goroutine may call its methods.
// Clients of the server may run on any goroutine.
type Server struct {
	tb       testing.TB
	dir      string
	options  serve.Options
	patience time.Duration
	server   *serve.Server

	mu     sync.Mutex
	log    bytes.Buffer
	events []tfserving.Event
	news   chan struct{} // news is closed and replaced at every event
}

// Option changes how a server is started.
type Option func(*Server)

// With returns an option that changes the options of package serve. If two options set the same
// field, the later one wins.
func With(change func(o *serve.Options)) Option { return func(s *Server) { change(&s.options) } }

// Speed makes the server's time run faster than the wall clock, by the factor times. This affects
// its polls, loads and retries, but not the deadlines of clients.
func Speed(times float64) Option { return With(func(o *serve.Options) { o.Speed = times }) }

// Profile selects the server's release: tfserving.Profile24, the default, or ProfileHead.
func Profile(p tfserving.Profile) Option {
	return With(func(o *serve.Options) { o.Machine.Profile = p })
}

// Model serves the versions below a base path. The test may change the files: the server polls
// them once a second.
func Model(name, basePath string) Option {
	return With(func(o *serve.Options) {
		config := o.Machine.InitialConfig
		config.Models = append(config.Models, modelconfig.ModelConfig{Name: name, BasePath: basePath, Platform: "tensorflow"})
	})
}

// Small serves versions of a ready-made model. It has one signature, serving_default, with floats
// x of any length as input and floats y as output.
func Small(name string, versions ...int64) Option {
	return func(s *Server) {
		data, err := savedmodel.Small{Input: "x", Output: "y", Type: framework.DataType_DT_FLOAT}.Marshal()
		if err != nil {
			s.tb.Fatalf("model server: %v", err)
		}
		Exported(name, data, versions...)(s)
	}
}

// Exported serves versions of a model from the content of saved_model.pb: a real SavedModel, or a
// description in JSON (sim/tfserving/bundle_json.go).
func Exported(name string, model []byte, versions ...int64) Option {
	return func(s *Server) {
		for _, v := range versions {
			s.Export(name, v, model)
		}
		Model(name, s.basePath(name))(s)
	}
}

// Patience limits how long Start and Await wait, in wall time; the default is 30 s. Only failing
// tests wait that long.
func Patience(d time.Duration) Option { return func(s *Server) { s.patience = d } }

// Start serves until the end of the test. It returns when the models are loaded and the ports are
// open. It applies the options in order, on top of the default flags of tensorflow_model_server. If
// the server ends early or does not serve in time (Patience), the test fails and shows the log.
func Start(tb testing.TB, options ...Option) *Server {
	tb.Helper()
	s := &Server{tb: tb, dir: tb.TempDir(), patience: 30 * time.Second, news: make(chan struct{})}
	s.options = serve.Options{Machine: tfserving.DefaultOptions(tfserving.Profile24), AnyPort: true, Log: (*sink)(s), OnEvent: s.heard}
	s.options.Machine.RESTAPIPort = 8501 // upstream's default; AnyPort replaces it by a free port
	s.options.Machine.InitialConfig = &modelconfig.ServerConfig{Kind: modelconfig.ModelList}
	s.options.Machine.StrictBundles = true
	for _, option := range options {
		option(s)
	}
	s.server = serve.Start(s.options)
	tb.Cleanup(s.server.Close)
	select {
	case <-s.server.Serving():
	case <-s.server.Done():
		code, stdout := s.server.Exit()
		tb.Fatalf("model server: ended with %d before it served: %s\n%s", code, stdout, s.logged())
	case <-time.After(s.patience):
		tb.Fatalf("model server: does not serve after %v\n%s", s.patience, s.logged())
	}
	return s
}

// GRPC returns the gRPC address, such as "127.0.0.1:41234".
func (s *Server) GRPC() string { return address(s.server.Ports().GRPC) }

// REST returns the URL of the REST API, such as "http://127.0.0.1:41235".
func (s *Server) REST() string { return "http://" + address(s.server.Ports().REST) }

func address(port int) string { return net.JoinHostPort(serve.DefaultHost, strconv.Itoa(port)) }

// Conn returns a connection to the gRPC port, for the stubs of engine/proto or a user's own. It is
// closed at the end of the test.
func (s *Server) Conn() *grpc.ClientConn {
	s.tb.Helper()
	conn, err := grpc.NewClient(s.GRPC(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		s.tb.Fatalf("model server: %v", err)
	}
	s.tb.Cleanup(func() { conn.Close() })
	return conn
}

// Export adds or replaces a version of a model in one step. The model must come from Small or
// Exported. The server loads the version at its next poll.
func (s *Server) Export(name string, version int64, model []byte) {
	s.tb.Helper()
	if err := export.Version(s.basePath(name), version, model); err != nil {
		s.tb.Fatalf("model server: export %s:%d: %v", name, version, err)
	}
}

func (s *Server) basePath(name string) string { return filepath.Join(s.dir, name) }

// Await waits until a version is in a state. It returns at once if the version was in that state
// before. The test fails if the version does not reach the state in time (Patience).
func (s *Server) Await(model string, version int64, state env.ModelState) {
	s.tb.Helper()
	is := func(e tfserving.Event) bool { return e.Model == model && e.Version == version && e.State == state }
	deadline := time.After(s.patience)
	for {
		s.mu.Lock()
		found, news := slices.ContainsFunc(s.events, is), s.news
		s.mu.Unlock()
		if found {
			return
		}
		select {
		case <-news:
		case <-s.server.Done():
			code, stdout := s.server.Exit()
			s.tb.Fatalf("model server: %s:%d, want %s, got its end with %d: %s\n%s", model, version, state, code, stdout, s.logged())
		case <-deadline:
			s.tb.Fatalf("model server: %s:%d, want %s within %v, got %s\n%s", model, version, state, s.patience, s.story(), s.logged())
		}
	}
}

func (s *Server) heard(e tfserving.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, e)
	close(s.news)
	s.news = make(chan struct{})
}

func (s *Server) story() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := lists.MapOrNil(s.events, func(e tfserving.Event) string { return fmt.Sprintf("%s:%d %s", e.Model, e.Version, e.State) })
	return list
}

// sink is the io.Writer that receives the server's log.
type sink Server

func (s *sink) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.Write(p)
}

func (s *Server) logged() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.String()
}
