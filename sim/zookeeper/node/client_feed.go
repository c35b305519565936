package node

import (
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/recipes/bulk"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/engine/vtime/leap"
	"github.com/monosim/monosim/sim/zookeeper"
)

// feed makes the reads of a bulk.Feed: those that follow when many watches fire. After each answer
// it waits for the time that the program takes, and makes the next read. An event wakes the task at
// the end, or when an answer is unusual. All reads before that are steps of a loop, which can be
// computed without events ([feedLeap]).
type feed struct {
	s    *Session
	of   *bulk.Feed
	task *vtime.Task
	loop *vtime.Loop

	path  string // path of the znode that is being read
	watch env.Watcher
	stat  env.Stat // stat of the znode that was read last
	timer vtime.Timer

	asking  bool // whether a message is on its way
	woken   bool // whether the task is to continue
	answer  *call
	refused error // error with which the client itself refused the read
	over    bool
	leap    feedLeap
}

var (
	kindFeed  = vtime.NewKind("zookeeper.feed")
	kindThink = vtime.NewKind("zookeeper.think")
)

// partThink is the part of the loop's steps at which the program's time before a read is over.
const partThink = 2

// Feed makes the reads of a bulk.Feed. The current task waits until an answer is unusual (odd), or
// until there are no more reads. ok is false if the task has to make the reads itself.
func (s *Session) Feed(of *bulk.Feed) (odd *bulk.Answer, ok bool) {
	s.p.Check()
	if leap.TurnsOf(s.p) != nil {
		return nil, false
	}
	s.p.Acts()
	v := s.takeFeed(of)
	defer v.end()
	v.look() // look must come first: a later read may no longer find the znode
	if !v.next() {
		return nil, true
	}
	v.think()
	for !v.woken {
		s.p.ParkOn(zookeeper.OpGetData.String(), v.path)
	}
	c := v.answer
	v.answer = nil
	if v.refused != nil {
		return &bulk.Answer{Err: v.refused}, true
	}
	if c == nil {
		return nil, true
	}
	if err := c.failure(s); err != nil {
		return &bulk.Answer{Err: err}, true
	}
	r := s.done(c)
	return &bulk.Answer{Data: r.Data, Stat: r.Stat}, true
}

// takeFeed returns a feed object for reuse, or a new one.
func (s *Session) takeFeed(of *bulk.Feed) *feed {
	var v *feed
	if last := len(s.feeds) - 1; last >= 0 {
		v = s.feeds[last]
		s.feeds = s.feeds[:last]
	} else {
		v = &feed{s: s, loop: s.p.Node().NewLoop("zookeeper.feed")}
		v.leap.init(v)
	}
	v.of, v.task, v.woken, v.over, v.refused = of, s.p.Current(), false, false, nil
	return v
}

// end ends the feed. It is also called when the task unwinds.
func (v *feed) end() {
	v.over = true
	v.leap.sleeper.Wake()
	v.timer.Cancel()
	if v.woken && !v.asking {
		v.of, v.task, v.watch, v.path = nil, nil, nil, ""
		v.s.feeds = append(v.s.feeds, v)
	}
}

// next advances to the next read. It returns false if there is none.
func (v *feed) next() (ok bool) {
	v.path, v.watch, ok = v.of.Next()
	return ok
}

// think waits for the time that the program takes before a call, and then sends the request.
func (v *feed) think() {
	if v.s.callTime == nil {
		v.ask()
		return
	}
	v.thinkUntil(v.now() + v.s.callTime())
}

func (v *feed) thinkUntil(at time.Duration) {
	v.timer = v.loop.ScheduleIn(v.s.p, partThink, at, kindThink, v, 0)
}

func (v *feed) now() time.Duration { return v.s.host.Network().World().Now() }

// Handle is called by the engine when the program's time before a read is over. It sends the
// request.
func (v *feed) Handle(uint64) {
	if v.over {
		return
	}
	if v.refused = v.s.life.Refuse(); v.refused != nil {
		v.wake()
		return
	}
	v.ask()
}

// ask sends a request.
func (v *feed) ask() {
	s := v.s
	v.asking = true
	c := s.newRead(zookeeper.OpGetData, v.path, v.watch)
	c.feed, c.began, c.request.loop = v, s.history.Now(), v.loop
	s.queue = append(s.queue, c)
	s.send()
}

// got handles an answer, during the event in which it arrives.
func (v *feed) got(c *call) {
	v.asking = false
	if v.over {
		if c.answered {
			v.s.done(c)
		}
		return
	}
	if c.err != nil || !v.of.Usual(v.path, c.reply.Data) || !v.of.Ready() {
		v.answer = c
		v.wake()
		return
	}
	r := v.s.done(c)
	v.stat = r.Stat
	v.s.p.Changes()
	v.of.Take(r.Data, &v.stat)
	switch {
	case !v.next():
		v.wake()
	case !v.leap.begin():
		v.think()
	}
}

// wake lets the task continue, in an event of its own.
func (v *feed) wake() { v.s.p.Schedule(v.now(), kindFeed, (*feedWake)(v), 0) }

type feedWake feed

func (w *feedWake) Handle(uint64) {
	if !w.over {
		w.woken = true
		w.task.Wake()
	}
}

// leader returns the server to which the session is connected. It returns nil if there is none, if
// the server is a follower, or if the ensemble has no leader.
func (s *Session) leader() *serverConn {
	if s.conn == nil {
		return nil
	}
	server, _ := s.conn.PeerReceiver().(*serverConn)
	if server == nil || server.follower != nil || server.s.machine == nil || server.s.leaderless {
		return nil
	}
	return server
}

// look makes the server record which of the znodes that the feed reads are unusual. It returns nil
// if the session is not connected to a leader.
func (v *feed) look() *serverConn {
	s := v.s
	at := s.leader()
	if at == nil {
		return nil
	}
	if s.usualOf != at.s.machine {
		s.usual, s.usualOf = nil, at.s.machine
	}
	for _, parent := range v.of.Parents()[len(s.usual):] {
		s.usual = append(s.usual, at.s.usualBelow(parent, v.of.Usual))
	}
	return at
}

// odd reports whether a znode has unusual data or is missing. look must have been called before.
func (v *feed) odd(path string) bool {
	for _, u := range v.s.usual {
		if _, odd := u.odd[path]; odd {
			return true
		}
	}
	return false
}

// anyOdd returns the method odd, or nil if no znode is unusual or missing.
func (v *feed) anyOdd() func(path string) bool {
	for _, u := range v.s.usual {
		if len(u.odd) > 0 {
			return v.odd
		}
	}
	return nil
}

var _ bulk.Feeder = (*Session)(nil)
