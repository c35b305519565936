package serve

import (
	"bufio"
	"context"
	"errors"
	"net"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/config"
	"github.com/monosim/monosim/sim/tfserving"
	"github.com/monosim/monosim/sim/tfserving/rest"
)

// httpServer serves the port of --rest_api_port as libevent's HTTP server does. net/http is not
// used, because it writes other status lines and headers.
type httpServer struct {
	server *Server
	ln     net.Listener
	api    *rest.Handler

	mu     sync.Mutex
	conns  map[net.Conn]bool
	closed bool
}

// openREST opens the port of --rest_api_port; the caller holds mu. If the port is taken, it logs
// that and continues without REST (model_servers/server.cc:376-399).
func (s *Server) openREST(metricsPath string) {
	port := s.opt.Machine.RESTAPIPort
	switch {
	case port == 0 || s.fake: // the fake model server has no REST API (TFS-17.1 item 23)
		return
	case port == s.opt.Machine.Port:
		s.log.logf(env.Error, "server_options.http_port cannot be same as grpc_port. "+
			"Please use a different port for HTTP/REST API. Skipped exporting HTTP/REST API.")
		return
	}
	signal.Ignore(syscall.SIGPIPE) // ignored in the whole process, as evhttp_server.cc does
	ln, err := s.listenTCP(port, false)
	if err != nil {
		s.log.netf(223, 236, "Couldn't bind to port %d", port)
		s.log.netf(63, 66, "Server has not been terminated. Force termination now.")
		s.log.netf(258, 279, "Server is not running ...")
		s.log.logf(env.Error, "Failed to start HTTP Server at localhost:%d", port)
		return
	}
	s.ports.REST = portOf(ln)
	s.http = &httpServer{server: s, ln: ln, api: s.newREST(metricsPath), conns: map[net.Conn]bool{}}
	s.log.netf(238, 261, "Entering the event loop ...")
	s.tasks.Go(s.http.accept)
	host := "localhost"
	if s.opt.Host != DefaultHost {
		host = s.opt.Host
	}
	s.log.logf(env.Info, "Exporting HTTP/REST API at:%s ...", s.addressToTell(host, port, s.ports.REST))
}

// newREST makes the handler of the REST API, with a metrics page unless metricsPath is "".
func (s *Server) newREST(metricsPath string) *rest.Handler {
	options := rest.Options{
		Profile: s.opt.Machine.Profile, CORS: s.opt.Machine.RESTAPIEnableCORS,
		Timeout:     time.Duration(s.opt.Machine.RESTAPITimeoutInMs) * time.Millisecond,
		MetricsPath: metricsPath,
	}
	if metricsPath != "" {
		options.Metrics = s.meter.page
	}
	return rest.New(restBackend{s}, options)
}

// metricsPath returns the path of the metrics page in --monitoring_config_file; "" means that
// there is no page.
func metricsPath(monitoring *config.MonitoringConfig) string {
	prometheus := monitoring.GetPrometheusConfig()
	switch {
	case !prometheus.GetEnable():
		return ""
	case prometheus.GetPath() == "":
		return defaultMetricsPath
	}
	return prometheus.GetPath()
}

const defaultMetricsPath = "/monitoring/prometheus/metrics"

func (h *httpServer) accept() {
	for {
		conn, err := h.ln.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			// Most likely the process has run out of file descriptors. Connections that end will
			// free some.
			_ = h.server.rest(100 * time.Millisecond)
			continue
		}
		if h.add(conn) {
			h.server.tasks.Go(func() { h.serve(conn) })
		}
	}
}

func (h *httpServer) add(conn net.Conn) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		conn.Close()
		return false
	}
	h.conns[conn] = true
	return true
}

func (h *httpServer) remove(conn net.Conn) {
	conn.Close()
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.conns, conn)
}

func (h *httpServer) close() {
	h.ln.Close()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for conn := range h.conns {
		conn.Close()
	}
}

// serve answers the requests of a connection one after the other.
func (h *httpServer) serve(conn net.Conn) {
	defer h.remove(conn)
	in := requestReader{in: bufio.NewReader(conn), out: conn, old: h.server.opt.Machine.Profile != tfserving.ProfileHead}
	for {
		r, err := in.read()
		var answer rest.Response
		var refused refusal
		switch {
		case err == nil:
			answer = h.answer(r)
		case errors.As(err, &refused):
			answer = rest.ErrorPage(int(refused))
		default:
			return
		}
		if stays, err := writeAnswer(conn, r, &answer, time.Now()); err != nil || !stays {
			return
		}
	}
}

func (h *httpServer) answer(r *httpRequest) rest.Response {
	began := time.Now()
	answer := h.api.Serve(context.Background(), rest.Request{
		Method: r.method, Target: r.apiTarget(), Body: r.body,
		ContentEncoding: r.headers.get("Content-Encoding"), Origin: r.headers.get("Origin"),
	})
	if isAPI(r.target) && !isPage(&answer) {
		h.server.meter.requestOver(answer.Model, answer.API, "REST", began, answer.Code)
	}
	return answer
}

// isAPI reports whether the target belongs to the REST API. Upstream counts all such requests in
// its metrics, even malformed ones.
func isAPI(target string) bool {
	const prefix = "/v1/"
	return len(target) >= len(prefix) && strings.EqualFold(target[:len(prefix)], prefix)
}
