package consul

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/threading"
	"github.com/monosim/monosim/engine/quirks/jobquirks"
	"github.com/monosim/monosim/engine/training"
)

// These are the client's periods and timeouts (consul.py:62, :72, :112, :124).
const (
	agentTimeout      = 15 * time.Second
	defaultLookup     = 3  // seconds
	firstCachedLookup = 30 // seconds
	heartbeatPeriod   = 30 * time.Second
	heartbeatRetry    = 2 * time.Second
)

// Client is a client of one Consul agent (consul.py:47).
type Client struct {
	// HeartbeatEnded, if set, is called with a service's id after an error ended its heartbeat.
	HeartbeatEnded func(id string, err error)

	e      *env.Env
	addr   training.ConsulAddress
	quirks jobquirks.Set
	lock   *threading.Lock
	cache  map[string]cached
	// beating holds the services that are registered and not yet deregistered, by id.
	beating map[string]*beating
}

// cached is the result of an earlier lookup.
type cached struct {
	value any
	at    time.Time
}

// New returns a client for the agent that [training.FindConsul] finds. A port that is not a number
// raises a ValueError.
func New(e *env.Env, q jobquirks.Set) (*Client, error) {
	addr, err := training.FindConsul(e, q)
	return &Client{e: e, addr: addr, quirks: q, lock: threading.NewLock(e.Tasks, "consul client"), cache: map[string]cached{}, beating: map[string]*beating{}}, err
}

// dial prepares a connection to the agent, or to another host's agent. Only lookups use a Unix
// socket. Other requests treat its path as a host name, unless Q304 is repaired. A host with
// whitespace or a control character raises an InvalidURL.
func (c *Client) dial(host string, lookup bool, timeout time.Duration) (*connection, error) {
	host = cmp.Or(host, c.addr.Host)
	if strings.HasPrefix(host, "/") && (lookup || !c.quirks.Keeps(jobquirks.Q304)) {
		return newConnection(c.e, host, 0), nil
	}
	if err := checkURL(host); err != nil {
		return nil, err
	}
	return newConnection(c.e, hostPort(host, c.addr.Port), timeout), nil
}

// hostPort returns host:port, with an IPv6 address in brackets.
func hostPort(host string, port int) string {
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return host + ":" + strconv.Itoa(port)
}

// Lookup returns the elements of a service, with a timeout in seconds. It does what
// [Client.LookupValue] does, for answers that are lists.
func (c *Client) Lookup(service string, timeoutSeconds int) ([]any, error) {
	value, err := c.LookupValue(service, timeoutSeconds, 0)
	if err != nil {
		return nil, err
	}
	return pysem.Items(value)
}

// LookupValue returns the agent's answer for a service, any JSON value (consul.py:62). A status
// other than 200 is logged and gives an empty list; with Q302 repaired it is a ConsulException with
// the body. An answer that is not JSON is a JSONDecodeError. A timeoutSeconds of 0 means the
// default, 3.
//
// If cacheSeconds is above 0, an answer that is not older is returned again. If there is none, the
// call never returns, because it waits for a lock that it holds, unless Q301 is repaired.
func (c *Client) LookupValue(service string, timeoutSeconds, cacheSeconds int) (any, error) {
	timeoutSeconds = cmp.Or(timeoutSeconds, defaultLookup)
	now := c.e.Clock.Now()
	if cacheSeconds > 0 {
		last, ok := c.cache[service]
		if ok && now.Sub(last.at).Seconds() <= float64(cacheSeconds) {
			return last.value, nil
		}
		if !ok {
			timeoutSeconds = firstCachedLookup
		}
		c.lock.Lock()
		defer c.lock.Unlock()
	}
	value, err := c.lookup(service, time.Duration(timeoutSeconds)*time.Second)
	if err != nil {
		return nil, err
	}
	if cacheSeconds <= 0 || c.quirks.Keeps(jobquirks.Q301) {
		c.lock.Lock()
		defer c.lock.Unlock()
	}
	c.cache[service] = cached{value, now}
	return value, nil
}

func (c *Client) lookup(service string, timeout time.Duration) (any, error) {
	conn, err := c.dial("", true, timeout)
	if err != nil {
		return nil, err
	}
	defer conn.close()
	status, body, err := conn.exchange("GET", "/v1/lookup/name?name="+service+"&addr-family=dual-stack", nil)
	if err != nil {
		return nil, err
	}
	text, err := pysem.DecodeUTF8(body)
	if err != nil {
		return nil, err
	}
	if status != 200 {
		c.e.Log.Logf(env.Error, "consul: %d %s", status, text)
		if !c.quirks.Keeps(jobquirks.Q302) {
			return nil, pysem.Raise("ConsulException", "%s", text)
		}
		return []any{}, nil
	}
	return pysem.ParseJSON(text)
}

// Registration holds the arguments of a registration.
type Registration struct {
	Name string
	Port int
	// Tags holds key-value pairs in order. nil registers no tags.
	Tags [][2]string
	// CheckScript, if set, is run by the agent every 30 s and replaces the heartbeats.
	CheckScript string
	// Host is the agent's host, or "" for the client's own agent.
	Host string
}

// Register registers a port of this host with a process's tags.
func (c *Client) Register(service string, port int, tags training.ConsulTags) error {
	return c.RegisterService(Registration{
		Name: service, Port: port,
		Tags: [][2]string{{"index", strconv.Itoa(tags.Index)}, {"name", tags.Name}, {"ip", tags.IP}},
	})
}

// RegisterService registers a service with a TTL of 60 s and starts its heartbeat. The heartbeat
// does not end when the service is deregistered (consul.py:98), and it does not register the
// service again if the agent has lost it. With Q303 repaired it does both. A status other than 200
// raises a ConsulException with the body.
func (c *Client) RegisterService(r Registration) error {
	id := r.Name + "-" + strconv.Itoa(r.Port)
	body := &pysem.Dict{}
	body.Set("id", id)
	body.Set("name", r.Name)
	body.Set("port", r.Port)
	check := &pysem.Dict{}
	check.Set("ttl", "60s")
	if r.CheckScript != "" {
		check = &pysem.Dict{}
		check.Set("interval", "30s")
		check.Set("script", r.CheckScript)
	}
	body.Set("check", check)
	if r.Tags != nil {
		tags := lists.Map(r.Tags, func(tag [2]string) any { return tag[0] + ":" + tag[1] })
		body.Set("tags", tags)
	}
	conn, err := c.dial(r.Host, false, agentTimeout)
	if err != nil {
		return err
	}
	b := &beating{id: id, body: pysem.AppendJSON(nil, body)}
	if err := c.change(conn, registerTarget, b.body); err != nil {
		conn.close()
		return err
	}
	if old := c.beating[id]; old != nil && !c.quirks.Keeps(jobquirks.Q303) {
		old.over = true
	}
	c.beating[id] = b
	threading.Start(c.e.Tasks, "ConsulHealthCheck-"+id, func() { c.heartbeat(conn, b) })
	return nil
}

const registerTarget = "/v1/agent/service/register"

// beating is a service that has a heartbeat.
type beating struct {
	id   string
	body []byte // body of the request that registered it
	over bool   // whether the heartbeat has ended
}

// change sends a PUT request. A status other than 200 is an error.
func (c *Client) change(conn *connection, target string, body []byte) error {
	status, answer, err := conn.exchange("PUT", target, body)
	if err != nil || status == 200 {
		return err
	}
	text, err := pysem.DecodeUTF8(answer)
	if err != nil {
		return err
	}
	return pysem.Raise("ConsulException", "%s", text)
}

// heartbeat marks the check of the service as passing every 30 s. After a socket error it tries
// again in 2 s (consul.py:123). It ignores the agent's answer unless Q303 is repaired. Any other
// error ends it. The second attempt after a failed connection or a timeout also ends it, because
// the connection was not closed and refuses another request (Q300).
func (c *Client) heartbeat(conn *connection, b *beating) {
	for !b.over {
		now := c.e.Clock.Now()
		status, err := conn.pass(b.id)
		if err == nil && status != 200 && !b.over && !c.quirks.Keeps(jobquirks.Q303) {
			if _, _, err = conn.exchange("PUT", registerTarget, b.body); err == nil {
				_, err = conn.pass(b.id)
			}
		}
		if err != nil {
			c.e.Log.Logf(env.Warning, "heartbeat of %s: %s: %v", b.id, pysem.TypeOf(err), err)
			if !c.quirks.Keeps(jobquirks.Q300) {
				conn.close()
			} else if !training.IsSocketError(err) {
				conn.close()
				if c.HeartbeatEnded != nil {
					c.HeartbeatEnded(b.id, err)
				}
				return
			}
			c.e.Tasks.Sleep(heartbeatRetry)
			now = now.Add(-heartbeatPeriod) // makes the next attempt at once
		}
		c.e.Tasks.Sleep(max(now.Add(heartbeatPeriod).Sub(c.e.Clock.Now()), 0))
	}
	conn.close()
}

// pass marks the check of a service as passing.
func (c *connection) pass(id string) (status int, err error) {
	status, _, err = c.exchange("GET", "/v1/agent/check/pass/service:"+id, nil)
	return status, err
}

// Deregister removes the service at a port of this host.
func (c *Client) Deregister(service string, port int) error { return c.DeregisterAt(service, port, "") }

// DeregisterAt removes the service from another host's agent (consul.py:140). A status other than
// 200 raises a ConsulException with the body.
func (c *Client) DeregisterAt(service string, port int, host string) error {
	conn, err := c.dial(host, false, agentTimeout)
	if err != nil {
		return err
	}
	defer conn.close()
	id := service + "-" + strconv.Itoa(port)
	if err := c.change(conn, "/v1/agent/service/deregister/"+id, nil); err != nil {
		return err
	}
	if b := c.beating[id]; b != nil && !c.quirks.Keeps(jobquirks.Q303) {
		b.over = true
	}
	delete(c.beating, id)
	return nil
}

var _ training.ConsulClient = (*Client)(nil)
