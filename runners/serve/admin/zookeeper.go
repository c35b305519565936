package admin

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/wire"
)

// ZooKeeper lists the admin actions of a served ZooKeeper server.
func ZooKeeper(s *wire.Server) []Action {
	z := zooKeeper{func() *wire.Server { return s }}
	return append(z.actions(),
		Do("/mode", "be serving, leaderless (refuse everybody) or read-only", modeAsked{Mode: "read-only"}, z.mode),
		exitAction())
}

// actions lists the actions that standalone servers and servers of an ensemble have in common.
func (z zooKeeper) actions() []Action {
	return []Action{
		Show("/state", "mode, zxid, counts, and the faults that wait", z.state),
		Show("/sessions", "live sessions with their clients and ephemerals", z.sessions),
		Show("/watches", "watches by path", z.watches),
		Do("/znode", "one znode with its children", znodeAsked{Path: "/"}, z.znode),
		Do("/znode/counters", "set a znode's sequence (the number of its next sequential child), version or aversion, as near their ends",
			countersAsked{Path: "/", Sequence: number(1<<31 - 2)}, z.counters),
		Do("/sessions/expire", "end a session as if its client had been silent for too long", sessionNamed{Session: "0x1"}, z.expire),
		Do("/connections/drop", "cut the connections of a session, of all without one", sessionNamed{Session: "0x1"}, z.drop),
		Do("/lag", "have all that clients send wait; 0s ends it", lagAsked{Lag: Span(250 * time.Millisecond)}, z.lag),
		Do("/requests/fail", "have the next requests answered with an error, or lose the request or the answer with the connection",
			failAsked{Next: 1, Ops: []string{"create"}, Error: "ConnectionLoss"}, z.fail),
		Do("/requests/delay", "have the next requests wait", delayAsked{Next: 3, Delay: Span(2 * time.Second)}, z.delay),
		Do("/heal", "end all faults", Nothing{}, z.heal),
	}
}

// zooKeeper holds the functions behind the actions of one server. Each request looks up the server,
// because a restart replaces it.
type zooKeeper struct{ server func() *wire.Server }

type sessionNamed struct {
	// Session is a session id in hexadecimal, such as 0x100…. "" means all sessions.
	Session string `json:"session,omitempty"`
}

func (n sessionNamed) id() (int64, error) {
	if n.Session == "" {
		return 0, nil
	}
	id, err := strconv.ParseUint(strings.TrimPrefix(n.Session, "0x"), 16, 64)
	if err != nil || id == 0 {
		return 0, fmt.Errorf("session: found %q, want an id as GET /sessions lists them, as 0x1000012ab340000", n.Session)
	}
	return int64(id), nil
}

type zooKeeperState struct {
	Mode     string         `json:"mode"`
	Zxid     string         `json:"zxid"`
	NowMs    int64          `json:"now_ms"`
	Znodes   int            `json:"znodes"`
	Sessions int            `json:"sessions"`
	Watches  int            `json:"watches"`
	Lag      Span           `json:"lag"`
	Waiting  []faultWaiting `json:"waiting_faults"`
}

type faultWaiting struct {
	Next    int      `json:"next"`
	Ops     []string `json:"ops,omitempty"`
	Session string   `json:"session,omitempty"`
	Delay   Span     `json:"delay,omitempty"`
	Error   string   `json:"error,omitempty"`
	Lose    string   `json:"lose,omitempty"`
}

func (z zooKeeper) state() (zooKeeperState, error) {
	look := z.server().Look()
	return zooKeeperState{
		Mode: look.Mode, Zxid: fmt.Sprintf("%#x", look.Zxid), NowMs: look.NowMs, Znodes: look.Znodes,
		Sessions: len(look.Sessions), Watches: len(look.Watches), Lag: Span(look.Lag), Waiting: lists.Map(look.Pending, waiting),
	}, nil
}

func waiting(f wire.RequestFault) faultWaiting {
	w := faultWaiting{Next: f.Next, Delay: Span(f.Delay), Session: sessionText(f.Session), Ops: lists.MapOrNil(f.Ops, zookeeper.OpCode.String)}
	if f.Code != 0 {
		w.Error = codeName(f.Code)
	}
	for name, lose := range loses {
		if lose == f.Lose {
			w.Lose = name
		}
	}
	return w
}

func sessionText(id int64) string {
	if id == 0 {
		return ""
	}
	return fmt.Sprintf("%#x", uint64(id))
}

type sessionShown struct {
	Session string `json:"session"`
	// TimeoutMs and ExpiresMs are nil on a follower, because the leader expires its sessions. ExpiresMs
	// is nil, too, for a session that does not expire before it is heard of again (ZK-1.6).
	TimeoutMs  *int64   `json:"timeout_ms,omitempty"`
	ExpiresMs  *int64   `json:"expires_in_ms,omitempty"`
	Client     string   `json:"client,omitempty"`
	LastOp     string   `json:"last_op,omitempty"`
	Ephemerals []string `json:"ephemerals"`
}

func (z zooKeeper) sessions() ([]sessionShown, error) {
	look := z.server().Look()
	shown := []sessionShown{}
	for _, s := range look.Sessions {
		one := sessionShown{
			Session: sessionText(s.ID), LastOp: s.LastOp, Ephemerals: append([]string{}, s.Ephemerals...),
		}
		if s.DeadlineMs != 0 {
			one.TimeoutMs = &s.TimeoutMs
			if expiresMs := s.DeadlineMs - look.NowMs; expiresMs > 0 {
				one.ExpiresMs = &expiresMs
			}
		}
		if s.Client.IsValid() {
			one.Client = s.Client.String()
		}
		shown = append(shown, one)
	}
	return shown, nil
}

type watchShown struct {
	Path    string `json:"path"`
	Of      string `json:"of"`
	Session string `json:"session"`
	Mode    string `json:"mode"`
}

func (z zooKeeper) watches() ([]watchShown, error) {
	shown := []watchShown{}
	for _, w := range z.server().Look().Watches {
		one := watchShown{Path: w.Path, Session: sessionText(w.Session), Of: "data", Mode: "one-shot"}
		if w.Child {
			one.Of = "children"
		}
		switch {
		case w.Recursive:
			one.Mode = "persistent recursive"
		case w.Persistent:
			one.Mode = "persistent"
		}
		shown = append(shown, one)
	}
	return shown, nil
}

type znodeAsked struct {
	Path string `json:"path"`
}

type znodeShown struct {
	Path     string    `json:"path"`
	Data     string    `json:"data"`
	Stat     statShown `json:"stat"`
	Children []string  `json:"children"`
}

// statShown is a zookeeper.Stat for JSON. The fields must have the same order as there.
type statShown struct {
	Czxid           int64 `json:"czxid"`
	Mzxid           int64 `json:"mzxid"`
	CtimeMs         int64 `json:"ctime_ms"`
	MtimeMs         int64 `json:"mtime_ms"`
	Version         int32 `json:"version"`
	Cversion        int32 `json:"cversion"`
	Aversion        int32 `json:"aversion"`
	EphemeralOwner  int64 `json:"ephemeral_owner"`
	DataLengthBytes int32 `json:"data_length"`
	NumChildren     int32 `json:"num_children"`
	Pzxid           int64 `json:"pzxid"`
}

func (z zooKeeper) znode(in znodeAsked) (znodeShown, error) {
	node, children, ok := z.server().Node(in.Path)
	if !ok {
		return znodeShown{}, fmt.Errorf("path: found no znode %q", in.Path)
	}
	return znodeShown{Path: node.Path, Data: string(node.Data), Stat: statShown(node.Stat), Children: append([]string{}, children...)}, nil
}

type countersAsked struct {
	Path     string `json:"path"`
	Sequence *int32 `json:"sequence,omitempty"`
	Version  *int32 `json:"version,omitempty"`
	Aversion *int32 `json:"aversion,omitempty"`
}

func number(n int32) *int32 { return &n }

func (z zooKeeper) counters(in countersAsked) (znodeShown, error) {
	if in.Sequence == nil && in.Version == nil && in.Aversion == nil {
		return znodeShown{}, errors.New("found none of sequence, version and aversion, want one at least")
	}
	if !z.server().SetCounters(in.Path, wire.Counters{Sequence: in.Sequence, Version: in.Version, Aversion: in.Aversion}) {
		return znodeShown{}, fmt.Errorf("path: found no znode %q", in.Path)
	}
	return z.znode(znodeAsked{Path: in.Path})
}

func (z zooKeeper) expire(in sessionNamed) (Nothing, error) {
	id, err := in.id()
	if err == nil && id == 0 {
		err = errors.New("session: found none, want an id as GET /sessions lists them")
	}
	if err == nil && !z.server().Expire(id) {
		err = fmt.Errorf("session: found no live session %s; GET /sessions lists them", in.Session)
	}
	return Nothing{}, err
}

type dropped struct {
	Dropped int `json:"dropped"`
}

func (z zooKeeper) drop(in sessionNamed) (dropped, error) {
	id, err := in.id()
	if err != nil {
		return dropped{}, err
	}
	return dropped{z.server().Drop(id)}, nil
}

type lagAsked struct {
	Lag Span `json:"lag"`
}

func (z zooKeeper) lag(in lagAsked) (Nothing, error) {
	if err := z.server().Lag(time.Duration(in.Lag)); err != nil {
		return Nothing{}, fmt.Errorf("lag: %w", err)
	}
	return Nothing{}, nil
}

type modeAsked struct {
	Mode string `json:"mode"`
}

func (z zooKeeper) mode(in modeAsked) (Nothing, error) {
	for _, absence := range []wire.Absence{wire.Present, wire.Leaderless, wire.ReadOnly} {
		if absence.String() == in.Mode {
			z.server().BeAbsent(absence)
			return Nothing{}, nil
		}
	}
	return Nothing{}, fmt.Errorf("mode: found %q, want serving, leaderless or read-only", in.Mode)
}

type failAsked struct {
	Next    int      `json:"next"`
	Ops     []string `json:"ops,omitempty"`
	Session string   `json:"session,omitempty"`
	// Error is the name or the number of the error code with which the request fails.
	Error string `json:"error,omitempty"`
	// Lose is "request" or "answer", whichever is lost on the network.
	Lose string `json:"lose,omitempty"`
}

var loses = map[string]wire.Lose{"request": wire.LoseRequest, "answer": wire.LoseAnswer}

func (z zooKeeper) fail(in failAsked) (Nothing, error) {
	fault, err := requestFault(in.Next, in.Ops, in.Session)
	if err != nil {
		return Nothing{}, err
	}
	if in.Lose != "" {
		if fault.Lose = loses[in.Lose]; fault.Lose == wire.LoseNothing {
			return Nothing{}, fmt.Errorf("lose: found %q, want request or answer", in.Lose)
		}
	}
	if in.Error != "" {
		if fault.Code, err = parseCode(in.Error); err != nil {
			return Nothing{}, err
		}
	}
	return Nothing{}, z.server().Befall(fault)
}

type delayAsked struct {
	Next    int      `json:"next"`
	Ops     []string `json:"ops,omitempty"`
	Session string   `json:"session,omitempty"`
	Delay   Span     `json:"delay"`
}

func (z zooKeeper) delay(in delayAsked) (Nothing, error) {
	fault, err := requestFault(in.Next, in.Ops, in.Session)
	if err != nil {
		return Nothing{}, err
	}
	fault.Delay = time.Duration(in.Delay)
	return Nothing{}, z.server().Befall(fault)
}

func requestFault(next int, names []string, session string) (f wire.RequestFault, err error) {
	f.Next = next
	if f.Session, err = (sessionNamed{session}).id(); err != nil {
		return f, err
	}
	if f.Ops, err = wire.ParseOps(names); err != nil {
		return f, fmt.Errorf("ops: %w", err)
	}
	return f, nil
}

// failing lists the error codes that may be set for a failed request.
var failing = []zookeeper.Code{-2, -4, -5, -6, -7, -8, -13, -14, -101, -102, -103, -108, -110, -111, -112, -114, -115, -119, -121, -123, -125}

// codeName returns the name of an error code without the ending "Error".
func codeName(c zookeeper.Code) string { return strings.TrimSuffix(zookeeper.CodeName(c), "Error") }

// parseCode parses the name or the number of an error code.
func parseCode(text string) (zookeeper.Code, error) {
	if number, err := strconv.ParseInt(text, 10, 32); err == nil && number < 0 {
		return zookeeper.Code(number), nil
	}
	var names []string
	for _, c := range failing {
		if codeName(c) == strings.TrimSuffix(text, "Error") {
			return c, nil
		}
		names = append(names, codeName(c))
	}
	return 0, fmt.Errorf("error: found %q, want a number below 0 or one of %s", text, strings.Join(names, ", "))
}

func (z zooKeeper) heal(Nothing) (Nothing, error) {
	z.server().Heal()
	return Nothing{}, nil
}

type exitAsked struct {
	Code int `json:"code"`
}

// exitAction makes the action that ends the process at once, as kill -9 does.
func exitAction() Action {
	return Do("/exit", "end the process at once, as kill -9 does, with an exit code", exitAsked{Code: 137}, func(in exitAsked) (Nothing, error) {
		if in.Code < 0 || in.Code > 255 {
			return Nothing{}, fmt.Errorf("code: found %d, want 0 to 255", in.Code)
		}
		os.Exit(in.Code)
		return Nothing{}, nil
	})
}
