package node

import (
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/zkerrors"
	"github.com/monosim/monosim/engine/recipes/bulk"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/engine/vtime/leap"
	"github.com/monosim/monosim/sim/zookeeper"
)

// request is what a client sends, but for pings: the machine's request, and what the
// two ends of a simulated connection know of it besides.
type request struct {
	zookeeper.Request
	// reply is where the server leaves the answer; nil is anywhere.
	reply *zookeeper.Reply
	// loop is whose question it is, nil for none.
	loop *vtime.Loop
}

// ping is the request that a client sends when nothing else happens. A client uses
// one again for each of its pings.
type ping struct {
	// loop is the client's, whose steps the arrivals of ping and answer are.
	loop *vtime.Loop
}

// pingRequest is what machines see of every ping.
var pingRequest = &request{Request: zookeeper.Request{Xid: zookeeper.XidPing, Op: zookeeper.OpPing}}

// call is one request that a task waits for. The reply travels in it: the server
// writes it there when the request says so. A call that was answered is used
// again; one that failed is not, as its request may still be on its way.
type call struct {
	request request
	watch   env.Watcher
	task    *vtime.Task
	feed    *feed   // whose question it is, in place of a task
	survey  *survey // that it is of
	began   int     // of the history
	reply   zookeeper.Reply
	err     *zkerrors.Error
	refused error // by the client itself
	done    bool
	session *Session
	// answered is set when the reply has come, not a failure of the connection.
	answered bool
}

// Calls has what the clients of a world have in common: calls that were answered, to be used
// again, and what nearly all of them have read, once.
type Calls struct {
	free    []*call
	lists   map[string]*readList     // that were read last, by parent
	cut     map[string]pieces        // of the lists that were read last, by parent
	numbers map[string]*bulk.Numbers // of children, by parent
}

// Numbers numbers the children of a znode, for all clients of the world alike.
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

// maxFreeCalls bounds how many are kept; a storm needs more at a time.
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

// do sends a request and waits for the answer (client.py:529). While the
// connection is suspended it waits until it is back. A change that a turn of a loop asks for is noted
// with its answer, of which the program sees the error and a create's path.
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

// changes reports whether the call is one that a program makes to change a znode.
func (c *call) changes() bool {
	op := c.request.Op
	return op == zookeeper.OpCreate || op == zookeeper.OpSetData || op == zookeeper.OpDelete
}

// Handle sends the call once the program has taken its time, or ends it when the client
// refuses it by then. The engine calls it.
func (c *call) Handle(uint64) {
	if c.refused = c.session.life.Refuse(); c.refused != nil {
		c.task.Wake()
		return
	}
	c.session.enqueue(c)
}

// lastCall is a call of a survey after which the task goes on, see [survey.goesOn].
type lastCall call

// Handle ends the call. The engine calls it.
func (c *lastCall) Handle(uint64) {
	c.done = true
	c.task.Wake()
}

// put sends a call of the current task, or keeps it until there is a connection.
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

// failure is how a call that is over has failed; it is given back then.
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

// asks is the loop of the current task, for which the call is a question; nil for a task
// without a loop and for a call that changes something or leaves a watch.
func (s *Session) asks(c *call) *vtime.Loop {
	switch op := c.request.Op; {
	case c.request.Watch, op != zookeeper.OpGetData && op != zookeeper.OpGetChildren && op != zookeeper.OpExists:
		return nil
	}
	return leap.LoopOf(s.p)
}

// finish ends a call and lets its task go on.
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

// done gives back a call that was answered. The reply is to be read before the next
// request.
func (s *Session) done(c *call) *zookeeper.Reply {
	c.request = request{reply: &c.reply}
	c.watch, c.task, c.session, c.feed, c.survey, c.err, c.done, c.answered = nil, nil, nil, nil, nil, nil, false, false
	if of := s.calls; len(of.free) < maxFreeCalls {
		of.free = append(of.free, c)
	}
	return &c.reply
}

// callQueue is the calls that wait for their answers, in the order of sending.
type callQueue struct {
	calls []*call
	head  int
}

func (q *callQueue) push(c *call) { q.calls = append(q.calls, c) }

// insert adds a call that was sent before, at its place.
func (q *callQueue) insert(c *call) {
	q.push(c)
	for i := len(q.calls) - 1; i > q.head && q.calls[i-1].request.Xid > c.request.Xid; i-- {
		q.calls[i], q.calls[i-1] = q.calls[i-1], c
	}
}

// pop takes the call that has waited longest; there must be one.
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
