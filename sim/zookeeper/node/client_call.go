package node

import (
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/zkerrors"
	"github.com/monosim/monosim/engine/recipes/bulk"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/engine/vtime/leap"
	"github.com/monosim/monosim/sim/zookeeper"
)

// request is the message that a client sends, unless it is a ping. It holds the machine's request,
// and what the two ends of a simulated connection share.
type request struct {
	zookeeper.Request
	// reply is where the server must write the answer; if it is nil, the server chooses the place.
	reply *zookeeper.Reply
	// loop is the loop of which this request is a step; nil if it belongs to no loop.
	loop *vtime.Loop
}

// ping is the message that a client sends when nothing else happens. A client reuses the same
// object for all its pings.
type ping struct {
	// loop is the client's loop to which the ping belongs. Its steps are the arrival of the ping
	// and the arrival of the answer.
	loop *vtime.Loop
}

// pingRequest is the request that a machine receives for every ping.
var pingRequest = &request{Request: zookeeper.Request{Xid: zookeeper.XidPing, Op: zookeeper.OpPing}}

// call is a request for whose answer a task waits. If the request says so, the server writes the
// reply directly into the call. An answered call is reused. A failed one is not, because its
// request may still be on its way.
type call struct {
	request request
	watch   env.Watcher
	task    *vtime.Task
	feed    *feed   // feed that makes the call; nil if a task does
	survey  *survey // survey that makes the call; nil if a task does
	began   int     // number of entries in the history when the call was made
	reply   zookeeper.Reply
	err     *zkerrors.Error
	refused error // error with which the client itself refused the call
	done    bool
	session *Session
	// answered says whether a reply has arrived. If it has not, the connection has failed.
	answered bool
}

// Calls holds what the clients of a world share: the memory of answered calls, and a single copy of
// lists that nearly all of them have read.
type Calls struct {
	free    []*call
	lists   map[string]*readList     // list that was read last below each parent
	cut     map[string]pieces        // the lists in lists, cut into pieces, by parent
	numbers map[string]*bulk.Numbers // numbers of the children, by parent
}

// Numbers returns the numbering of a znode's children, which is the same for all clients of the
// world.
func (s *Session) Numbers(parent string) *bulk.Numbers {
	n := s.calls.numbers[parent]
	if n == nil {
		if s.calls.numbers == nil {
			s.calls.numbers = map[string]*bulk.Numbers{}
		}
		n = bulk.NewNumbers(parent)
		s.calls.numbers[parent] = n
	}
	return n
}

// maxFreeCalls limits how many calls are kept for reuse. Only bursts of requests need more at once.
const maxFreeCalls = 64

func (s *Session) newCall(op zookeeper.OpCode, path string) *call {
	var c *call
	if free := s.calls.free; len(free) > 0 {
		c = free[len(free)-1]
		s.calls.free = free[:len(free)-1]
	} else {
		c = &call{}
		c.request.reply = &c.reply
	}
	c.request.Op, c.request.Path = op, path
	return c
}

func (s *Session) newRead(op zookeeper.OpCode, path string, watch env.Watcher) *call {
	c := s.newCall(op, path)
	c.request.Watch, c.watch = watch != nil, watch
	return c
}

// do sends a request and waits for the answer (client.py:529). While the session is suspended, it
// first waits until there is a connection again. If a turn of a loop makes a change, do records the
// request and what the program sees of the answer: the error, and the path of a create.
func (s *Session) do(c *call) error {
	s.p.Check()
	if c.request.loop = s.asks(c); c.request.loop != nil {
		return s.ask(leap.TurnsOf(s.p), c)
	}
	turns := leap.TurnsOf(s.p)
	noted := turns != nil && c.changes()
	if noted {
		r := &c.request
		turns.Write(leap.Note{Kind: int(r.Op), Path: r.Path, Data: r.Data, Args: [2]int32{r.Version, r.Flags}})
	} else {
		s.p.Acts()
	}
	switch {
	case s.callTime == nil:
	case turns != nil:
		s.p.Pause(s.callTime())
	default:
		c.task, c.session = s.p.Current(), s
		s.p.ParkAfter(s.callTime(), c, c.request.Op.String(), c.request.Path)
		if c.refused != nil {
			return c.refused
		}
		s.await(c)
		return c.failure(s)
	}
	if err := s.life.Refuse(); err != nil {
		s.p.Acts()
		return err
	}
	s.put(c)
	s.await(c)
	if noted && c.answered {
		turns.Write(leap.Note{Kind: int(c.reply.Err), Path: c.reply.Path})
	} else {
		s.p.Acts()
	}
	return c.failure(s)
}

// changes reports whether the call creates, changes or deletes a znode.
func (c *call) changes() bool {
	op := c.request.Op
	return op == zookeeper.OpCreate || op == zookeeper.OpSetData || op == zookeeper.OpDelete
}

// Handle is called by the engine when the program's time before the call is over. It sends the
// call. If the client refuses calls by then, it ends the call instead.
func (c *call) Handle(uint64) {
	if c.refused = c.session.life.Refuse(); c.refused != nil {
		c.task.Wake()
		return
	}
	c.session.enqueue(c)
}

// lastCall is a call of a survey whose answer the task itself has to handle ([survey.goesOn]).
type lastCall call

// Handle is called by the engine. It ends the call and wakes the task.
func (c *lastCall) Handle(uint64) {
	c.done = true
	c.task.Wake()
}

// put sends a call of the current task. Without a connection it keeps the call until there is one.
func (s *Session) put(c *call) {
	c.task = s.p.Current()
	s.enqueue(c)
}

func (s *Session) enqueue(c *call) {
	c.began = s.history.Now()
	s.queue = append(s.queue, c)
	s.send()
}

func (s *Session) await(c *call) {
	for !c.done {
		s.p.ParkOn(c.request.Op.String(), c.request.Path)
	}
}

// failure returns the error of a finished call, nil if it succeeded. If a reply has arrived, the
// memory of a failed call may be reused.
func (c *call) failure(s *Session) error {
	if c.err == nil {
		return nil
	}
	err := c.err
	if c.answered {
		s.done(c)
	}
	return err
}

// asks returns the loop of the current task if the call is a read that may be skipped in later
// turns. It returns nil if the task has no loop, and for a call that changes something or sets a
// watch.
func (s *Session) asks(c *call) *vtime.Loop {
	switch op := c.request.Op; {
	case c.request.Watch, op != zookeeper.OpGetData && op != zookeeper.OpGetChildren && op != zookeeper.OpExists:
		return nil
	}
	return leap.LoopOf(s.p)
}

// finish ends a call with a result code and lets its task continue.
func (c *call) finish(code zookeeper.Code) {
	if code != zookeeper.CodeOK {
		c.err = &zkerrors.Error{Code: code, Path: c.request.Path}
	}
	if c.survey != nil && !c.survey.goesOn(c) {
		s := c.survey.s
		s.p.Schedule(s.host.Network().World().Now(), kindSurvey, (*lastCall)(c), 0)
		return
	}
	c.done = true
	switch {
	case c.feed != nil:
		c.feed.got(c)
	case c.task != nil:
		c.task.Wake()
	}
}

// done returns the reply of an answered call, and makes the call's memory available for reuse. The
// reply is valid until the next request.
func (s *Session) done(c *call) *zookeeper.Reply {
	c.request = request{reply: &c.reply}
	c.watch, c.task, c.session, c.feed, c.survey, c.err, c.done, c.answered = nil, nil, nil, nil, nil, nil, false, false
	if of := s.calls; len(of.free) < maxFreeCalls {
		of.free = append(of.free, c)
	}
	return &c.reply
}

// callQueue holds the calls that wait for their answers, in the order of sending.
type callQueue struct {
	calls []*call
	head  int
}

func (q *callQueue) push(c *call) { q.calls = append(q.calls, c) }

// insert adds a call that was sent earlier, at its place in the order of sending.
func (q *callQueue) insert(c *call) {
	q.push(c)
	for i := len(q.calls) - 1; i > q.head && q.calls[i-1].request.Xid > c.request.Xid; i-- {
		q.calls[i], q.calls[i-1] = q.calls[i-1], c
	}
}

// pop removes and returns the call that has waited longest. The queue must not be empty.
func (q *callQueue) pop() *call {
	c := q.calls[q.head]
	q.calls[q.head] = nil
	q.head++
	if q.head == len(q.calls) {
		q.calls, q.head = q.calls[:0], 0
	}
	return c
}

// takeAll empties the queue.
func (q *callQueue) takeAll() []*call {
	calls := q.calls[q.head:]
	*q = callQueue{}
	return calls
}
