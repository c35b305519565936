// Package adminserver serves the AdminServer of ZooKeeper servers: health checks, monitors and charts
// ask it for /commands/ruok, /commands/monitor and others over HTTP, and get JSON.
//
// Two things to use first:
//
//   - [Handler] answers for one server.
//   - [Listen] serves it at an address of this machine.
//
// To change: a command and its fields are in sim/zookeeper/wire/commands.go; how they are written is in
// json.go, and what HTTP makes of them in this file.
//
// Answers are those of Apache ZooKeeper 3.8.0 and 3.9.3 with Jetty 9.4 (JettyAdminServer.java,
// Commands.java), recorded in testdata.
//
// Unstable: any commit may change it.
package adminserver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/wire"
)

// root is the URL path under which all commands are.
const root = "/commands"

// aliases are further names of commands, besides those of four-letter words (Commands.java).
var aliases = map[string]string{"config": "configuration", "env": "environment", "orst": "observer_connection_stat_reset", "snap": "snapshot", "rest": "restore"}

// Handler answers the AdminServer commands. It calls server for each request to get the
// current server. If that server is stopped it closes the connection, as an ended process
// would.
func Handler(server func() *wire.Server) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s := server()
		path := canonical(r.URL.Path)
		name, isCommand := strings.CutPrefix(path, root+"/")
		isCommand = isCommand || path == root
		if !allows(w, r, isCommand && s.Profile() == zookeeper.V39) {
			return
		}
		if primary, ok := aliases[name]; ok && (s.Profile() == zookeeper.V39 || name != "snap" && name != "rest") {
			name = primary
		}
		switch {
		case !isCommand:
			http.NotFound(w, r)
		case path == root, name == "":
			list(w, s.Profile())
		case s.Profile() == zookeeper.V39 && (name == "snapshot" && r.Method != http.MethodPost || name == "restore"):
			reply(w, http.StatusUnauthorized, wire.Fields{{Name: "command", Value: name}, {Name: "error", Value: "Auth info is missing for the command"}})
		case r.Method == http.MethodPost:
			http.Error(w, "the command answers GET only", http.StatusInternalServerError)
		default:
			answer, ok := s.Command(name, r.URL.Query().Get("traceMask"))
			if !ok {
				panic(http.ErrAbortHandler)
			}
			reply(w, status(answer, name), answer)
		}
	})
}

// canonical resolves a path as Jetty does: without the parameters behind a semicolon, and without "."
// and ".." (URIUtil.java canonicalPath).
func canonical(path string) string {
	var kept []string
	for part := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		switch part, _, _ = strings.Cut(part, ";"); part {
		case ".":
		case "..":
			kept = kept[:max(0, len(kept)-1)]
		default:
			kept = append(kept, part)
		}
	}
	return "/" + strings.Join(kept, "/")
}

// status returns the HTTP status of an answer. It is 200 even for an answer with an error.
// Only the monitor command without a server gets 500, where the real AdminServer fails with
// a null pointer.
func status(answer wire.Fields, name string) int {
	if last := answer[len(answer)-1]; (name == "monitor" || name == "mntr") && last.Name == "error" && last.Value != nil {
		return http.StatusInternalServerError
	}
	return http.StatusOK
}

// allows reports whether a method has an answer of its own. Others it answers as a servlet without them
// does (HttpServlet.java). post says that there is one for POST, as for commands from version 3.9 on.
func allows(w http.ResponseWriter, r *http.Request, post bool) bool {
	status := http.StatusNotImplemented
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		return true
	case http.MethodPost:
		if post {
			return true
		}
		http.Error(w, "HTTP method POST is not supported by this URL", http.StatusMethodNotAllowed)
		return false
	case http.MethodOptions:
		methods := "GET, HEAD, TRACE, OPTIONS"
		if post {
			methods = "GET, HEAD, POST, TRACE, OPTIONS"
		}
		w.Header().Set("Allow", methods)
		status = http.StatusOK
	case http.MethodPut, http.MethodDelete:
		status = http.StatusMethodNotAllowed
	case http.MethodTrace:
		status = http.StatusForbidden
	}
	w.WriteHeader(status)
	return false
}

// list writes an HTML link for each command, without a Content-Type header.
func list(w http.ResponseWriter, p zookeeper.Profile) {
	w.Header()["Content-Type"] = nil
	for _, name := range wire.CommandNames(p) {
		fmt.Fprintf(w, "<a href=\"%s/%s\">%s</a>\n<br/>\n", root, name, name)
	}
}

func reply(w http.ResponseWriter, status int, fields wire.Fields) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(appendJSON(nil, fields, "")) // the error is not looked at: it says that the client has gone
}

// Server is an AdminServer that listens on a TCP port.
type Server struct {
	http   *http.Server
	ln     net.Listener
	served chan error
}

// closeLimit is how long Close waits for answers under way.
const closeLimit = 2 * time.Second

// Listen serves a server's commands at a TCP address, such as "127.0.0.1:8080". Port 0 picks
// a free port.
func Listen(addr string, server func() *wire.Server) (*Server, error) {
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, err
	}
	a := &Server{http: &http.Server{Handler: Handler(server), ReadHeaderTimeout: 10 * time.Second}, ln: ln, served: make(chan error, 1)}
	go func() { a.served <- a.http.Serve(ln) }()
	return a, nil
}

// URL returns the address of the list of commands.
func (a *Server) URL() string { return "http://" + a.ln.Addr().String() + root }

// Close ends the server.
func (a *Server) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeLimit)
	defer cancel()
	err := a.http.Shutdown(ctx)
	if served := <-a.served; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}
