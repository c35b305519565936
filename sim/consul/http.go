package consul

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// Request is an HTTP request to the agent.
type Request struct {
	// Method is a method such as "GET". Target is the path with its query, as sent.
	Method, Target string
	Body           []byte
	// From is the name of the sending host.
	From string
}

// Answer is the agent's response to a request.
type Answer struct {
	Status int
	Body   []byte
	// Cut says to send only the first half of the body, and then to close the connection.
	Cut bool
	// After is the time from the request to the answer.
	After time.Duration
}

// Sent returns the part of the body to send: all of it, or the first half if Cut is set.
func (a Answer) Sent() []byte {
	if a.Cut {
		return a.Body[:len(a.Body)/2]
	}
	return a.Body
}

// These are the paths of the HTTP interface (CNS-1).
const (
	pathLookup     = "/v1/lookup/name"
	pathServices   = "/v1/agent/services"
	pathRegister   = "/v1/agent/service/register"
	pathDeregister = "/v1/agent/service/deregister/"
	pathCheck      = "/v1/agent/check/"
)

// Handle executes a request and returns its answer, with the present faults applied.
func (a *Agent) Handle(now time.Duration, r Request) Answer {
	status, body := a.faults.Status, a.faults.Text
	if status == 0 {
		status, body = a.answer(now, r)
		if a.faults.Text != "" {
			body = a.faults.Text
		}
	}
	return Answer{Status: status, Body: []byte(body), Cut: a.faults.Cut, After: a.faults.Delay}
}

// answer executes a request without faults.
func (a *Agent) answer(now time.Duration, r Request) (status int, body string) {
	target, err := url.ParseRequestURI(r.Target)
	if err != nil {
		return 400, "Bad request: " + err.Error()
	}
	path := target.Path
	switch {
	case path == pathLookup:
		return only("GET", r, func() (int, string) { return a.lookup(now, target.Query().Get("name")) })
	case path == pathServices:
		return only("GET", r, func() (int, string) { return 200, encoded(a.Services(now)) })
	case path == pathRegister:
		return only("PUT", r, func() (int, string) { return a.handleRegister(now, r) })
	case strings.HasPrefix(path, pathDeregister):
		// An unknown id is not an error (CNS-2.5).
		return only("PUT", r, func() (int, string) { a.deregister(r.From, path[len(pathDeregister):]); return 200, "" })
	case strings.HasPrefix(path, pathCheck):
		return a.handleCheck(now, r, path[len(pathCheck):])
	}
	return 404, "404 page not found\n"
}

// only calls fn if the request has the method, and answers 405 otherwise.
func only(method string, r Request, fn func() (int, string)) (int, string) {
	if r.Method != method {
		return 405, "method " + r.Method + " not allowed"
	}
	return fn()
}

// handleCheck sets a TTL check to pass, warn or fail, by GET or PUT (CNS-2.4).
func (a *Agent) handleCheck(now time.Duration, r Request, rest string) (int, string) {
	verb, check, _ := strings.Cut(rest, "/")
	if verb != "pass" && verb != "warn" && verb != "fail" {
		return 404, "404 page not found\n"
	}
	if r.Method != "GET" && r.Method != "PUT" {
		return 405, "method " + r.Method + " not allowed"
	}
	if !a.update(now, r.From, check, verb == "pass") {
		return 500, fmt.Sprintf("CheckID %q does not have associated TTL", check)
	}
	return 200, ""
}

// registration is the JSON body of a register request.
type registration struct {
	ID    string   `json:"id"`
	Name  string   `json:"name"`
	Port  int      `json:"port"`
	Tags  []string `json:"tags"`
	Check *struct {
		TTL      string `json:"ttl"`
		Interval string `json:"interval"`
		Script   string `json:"script"`
	} `json:"check"`
}

func (a *Agent) handleRegister(now time.Duration, r Request) (int, string) {
	var in registration
	if err := json.Unmarshal(r.Body, &in); err != nil {
		return 400, "Request decode failed: " + err.Error()
	}
	if in.Name == "" {
		return 400, "Missing service name"
	}
	s := service{id: in.ID, name: in.Name, port: in.Port, tags: in.Tags, host: r.From}
	s.id = cmp.Or(s.id, s.name)
	switch c := in.Check; {
	case c == nil, c.TTL == "" && c.Script != "" && c.Interval != "":
		s.passing = true // always passes, because scripts are not run here (CNS-2.2)
	case c.TTL != "":
		ttl, err := time.ParseDuration(c.TTL)
		if err != nil {
			return 400, "Request decode failed: " + err.Error()
		}
		if s.ttl = ttl; ttl <= 0 {
			return 400, invalidCheck
		}
	default:
		return 400, invalidCheck
	}
	a.register(now, s)
	return 200, ""
}

const invalidCheck = "Must provide TTL or Script/DockerContainerID/HTTP/TCP and Interval"

type found struct {
	Host string            `json:"Host"`
	Port int               `json:"Port"`
	Tags map[string]string `json:"Tags"`
}

// lookup lists the services that have the given name and that look-ups can see now (see lists).
func (a *Agent) lookup(now time.Duration, name string) (int, string) {
	list := []found{}
	for _, s := range a.services {
		if s.name != name || !a.lists(now, s) {
			continue
		}
		tags := map[string]string{}
		for _, tag := range s.tags {
			key, value, _ := strings.Cut(tag, ":")
			tags[key] = value
		}
		list = append(list, found{Host: s.host, Port: s.port, Tags: tags})
	}
	return 200, encoded(list)
}

func encoded(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // cannot happen: the types consist of strings and numbers
	}
	return string(data)
}
