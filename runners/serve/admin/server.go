package admin

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/lists"
)

// Server is an admin interface that listens for HTTP requests.
type Server struct {
	ln     net.Listener
	http   *http.Server
	closed context.CancelFunc
	done   chan struct{}
	key    key
}

// Listen serves actions on a loopback address. "127.0.0.1:0" takes any free port. title names the
// administered server in the list of actions. The caller must call Close.
func Listen(addr, title string, access Access, actions []Action) (*Server, error) {
	if err := cmp.Or(checkLoopback(addr), access.Validate()); err != nil {
		return nil, err
	}
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("admin interface: %w; choose another port, or 0 for any that is free", err)
	}
	_, port, _ := net.SplitHostPort(ln.Addr().String())
	ctx, cancel := context.WithCancel(context.Background())
	s := &Server{ln: ln, closed: cancel, done: make(chan struct{})}
	if s.key, err = access.open(port); err != nil {
		cancel()
		return nil, errors.Join(err, ln.Close())
	}
	s.http = &http.Server{
		Handler:           newGuard(port, s.key, newTable("http://"+s.Addr(), title, s.key.option(), actions)),
		ReadHeaderTimeout: 10 * time.Second,
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	go func() {
		defer close(s.done)
		s.http.Serve(ln) // returns once Close is called
	}()
	return s, nil
}

// URL returns the address of the interface with its token, without a slash at the end. An example
// is http://monosim:TOKEN@127.0.0.1:4711. curl, browsers and Go's client send such a token by
// themselves.
func (s *Server) URL() string {
	u := url.URL{Scheme: "http", Host: s.Addr()}
	if s.key.token != "" {
		u.User = url.UserPassword(user, s.key.token)
	}
	return u.String()
}

// Addr returns the address of the interface in the form host:port.
func (s *Server) Addr() string { return s.ln.Addr().String() }

// Token returns the token, or [NoToken] if none is needed. For a nil Server it returns "".
func (s *Server) Token() string {
	if s == nil {
		return ""
	}
	return cmp.Or(s.key.token, NoToken)
}

// TokenFile returns the path of the file that holds the token, or "" if there is no file.
func (s *Server) TokenFile() string { return s.key.file }

// Port returns the TCP port of the interface.
func (s *Server) Port() int { return s.ln.Addr().(*net.TCPAddr).Port }

// Close closes the interface and cuts off answers in progress. It does nothing to a nil Server.
func (s *Server) Close() error {
	if s == nil {
		return nil
	}
	s.closed()
	s.key.remove()
	err := s.http.Close()
	<-s.done
	return err
}

// table finds the action of a request, and lists all actions.
type table struct {
	url, title string
	// option is the curl option that sends the token.
	option  string
	actions []Action
}

func newTable(url, title, option string, actions []Action) *table {
	return &table{url: url, title: title, option: option, actions: actions}
}

// ServeHTTP passes a request to its action. Without an action, it answers / with the list of
// actions, and any other path with an error.
func (t *table) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if a := t.action(r); a != nil {
		a.serve(w, r)
		return
	}
	others := lists.Select(t.actions, func(a Action) (string, bool) { return a.Method, a.Path == r.URL.Path })
	switch {
	case r.URL.Path == "/" && r.Method == http.MethodGet:
		answer(w, http.StatusOK, t.list())
	case len(others) > 0:
		answer(w, http.StatusMethodNotAllowed, failure{fmt.Sprintf("method %s of %s, want %s", r.Method, r.URL.Path, strings.Join(others, " or "))})
	default:
		answer(w, http.StatusNotFound, failure{fmt.Sprintf("there is no %s; GET / lists what there is", r.URL.Path)})
	}
}

// action returns the requested action, or nil if there is none. Only browsers, which ask for HTML,
// get an action at /. Other clients get the list of actions there.
func (t *table) action(r *http.Request) *Action {
	for i := range t.actions {
		a := &t.actions[i]
		if a.Path != r.URL.Path || a.Method != r.Method {
			continue
		}
		if a.Path != "/" || strings.Contains(r.Header.Get("Accept"), "text/html") {
			return a
		}
	}
	return nil
}

// listing is the list of actions that GET / returns as JSON.
type listing struct {
	Serves  string   `json:"serves"`
	Actions []listed `json:"actions"`
}

// listed is one action in the listing, with a command that requests it.
type listed struct {
	Method  string `json:"method"`
	Path    string `json:"path"`
	About   string `json:"about"`
	Body    any    `json:"body,omitempty"`
	Command string `json:"command"`
}

func (t *table) list() listing {
	list := listing{Serves: t.title}
	for _, a := range t.actions {
		list.Actions = append(list.Actions, listed{Method: a.Method, Path: a.Path, About: a.About, Body: a.Example, Command: a.command(t.option, t.url)})
	}
	return list
}

// command returns a curl command that requests the action.
func (a *Action) command(option, url string) string {
	switch {
	case a.Method == http.MethodGet:
		return "curl " + option + url + a.Path
	case a.Example == nil:
		return "curl " + option + "-X " + a.Method + " " + url + a.Path
	}
	body, err := json.Marshal(a.Example)
	if err != nil {
		panic(err) // cannot happen: an example of this package can be encoded
	}
	if string(body) == "{}" {
		return "curl " + option + "-X " + a.Method + " " + url + a.Path
	}
	return fmt.Sprintf("curl %s-d '%s' %s%s", option, body, url, a.Path)
}
