package node

import (
	"slices"

	"github.com/monosim/monosim/engine/env/zkbulk"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/sim/zookeeper"
)

// survey is the session's zkbulk.Survey: the answer to one read sends the next. Its task is
// woken when an answer is odd, and at the end, by an event of its own; all messages between
// are steps of a loop, which leaps (see surveyLeap).
type survey struct {
	s     *Session
	of    *zkbulk.Survey
	names *zkbulk.Names
	task  *vtime.Task
	loop  *vtime.Loop

	block int // that is read
	reads *blockReads
	i     int // of its paths: that is asked for
	// seen says what all contents were that were read of the block so far, unless own is
	// set: then they are in own.
	seen  *sighting
	own   []finding
	found []*zkbulk.Part

	asking bool  // a message is on its way
	woken  bool  // the task is to go on
	answer *call // that it is to look at
	over   bool
	leap   surveyLeap
}

// finding is what was read, and its value, nil for an odd one.
type finding struct {
	content content
	value   any
}

var kindSurvey = vtime.NewKind("zookeeper.survey")

// Survey makes a survey. The current task waits meanwhile.
func (s *Session) Survey(names *zkbulk.Names, of *zkbulk.Survey) (*zkbulk.Findings, error) {
	s.p.Check()
	s.p.Acts()
	v := &survey{s: s, of: of, names: names, task: s.p.Current(), loop: s.takeLoop(), block: -1}
	v.leap.init(v)
	defer v.end()
	if s.callTime != nil && v.enter() {
		s.p.Sleep(s.callTime())
	}
	for v.enter() {
		if err := v.readOn(); err != nil {
			return nil, err
		}
	}
	if v.reads != nil && v.reads.odd != nil {
		return nil, v.reads.odd
	}
	return v.findings(), nil
}

// takeLoop is a loop that no survey of the session has now.
func (s *Session) takeLoop() *vtime.Loop {
	if last := len(s.surveyLoops) - 1; last >= 0 {
		l := s.surveyLoops[last]
		s.surveyLoops = s.surveyLoops[:last]
		return l
	}
	return s.p.Node().NewLoop("zookeeper.survey")
}

// end is the end of the survey, also when its task unwinds.
func (v *survey) end() {
	v.over = true
	v.leap.end()
	if !v.asking {
		v.s.surveyLoops = append(v.s.surveyLoops, v.loop)
	}
}

// enter goes on to the block with the next path; it reports false at the end.
func (v *survey) enter() bool {
	for v.reads == nil || v.i == v.reads.n {
		if v.reads != nil {
			if v.finish(); v.reads.odd != nil {
				return false
			}
		}
		if v.block+1 >= len(v.names.Blocks()) {
			return false
		}
		v.block++
		v.open()
	}
	return true
}

// open begins with a block.
func (v *survey) open() {
	v.reads, v.i, v.own = readsOf(v.names.Blocks()[v.block], v.of), 0, nil
	v.seen = nil
	switch {
	case v.leap.sleeper.Asleep():
		v.seen = v.reads.look(v.leap.server, v.of)
	case v.s.history == nil:
		v.seen = v.reads.look(v.s.leader(), v.of)
	}
	if v.seen == nil {
		v.own = make([]finding, 0, v.reads.n)
	}
}

// leader is the server that the session asks, nil for none, or one that follows another.
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

// finish ends a block.
func (v *survey) finish() {
	if len(v.found) > v.block {
		return
	}
	var part *zkbulk.Part
	switch {
	case v.own == nil:
		part = v.seen.part
	case v.reads.now != nil && v.reads.now.has(v.own):
		part = v.reads.now.part
	default:
		part = &zkbulk.Part{Block: v.names.Blocks()[v.block], Values: make([]any, len(v.own))}
		for i := range v.own {
			part.Values[i] = v.own[i].value
		}
	}
	v.own = nil
	v.found = append(v.found, part)
}

// readOn asks for the present path, and for all behind it up to an odd answer or the end.
func (v *survey) readOn() error {
	s := v.s
	if err := s.life.Refuse(); err != nil {
		return v.tell(nil, err)
	}
	v.ask()
	for v.woken = false; !v.woken; {
		s.p.ParkOn(zookeeper.OpGetData.String(), v.reads.path(v.i))
	}
	c := v.answer
	if v.answer = nil; c == nil {
		return nil
	}
	if err := c.failure(s); err != nil {
		return v.tell(nil, err)
	}
	return v.tell(s.done(c).Data, nil)
}

// tell tells of an odd answer.
func (v *survey) tell(data []byte, err error) error {
	if err := v.of.Odd(v.names.Blocks()[v.block].Names[v.i], data, err); err != nil {
		return err
	}
	v.took(finding{content: contentOf(data)})
	return nil
}

// ask sends a request.
func (v *survey) ask() {
	s := v.s
	v.asking = true
	c := s.newRead(zookeeper.OpGetData, v.reads.path(v.i), nil)
	c.survey, c.began, c.request.loop = v, s.history.Now(), v.loop
	s.queue = append(s.queue, c)
	s.send()
}

// got takes an answer, in the event in which it comes.
func (v *survey) got(c *call) {
	v.asking = false
	switch {
	case v.over:
		if c.answered {
			v.s.done(c)
		}
		return
	case c.err == nil && v.takes(c.reply.Data):
		v.s.done(c)
		if v.goesOn() {
			return
		}
	default:
		v.answer = c
	}
	v.s.p.Schedule(v.s.host.Network().World().Now(), kindSurvey, (*surveyWake)(v), 0)
}

// surveyWake lets the task go on.
type surveyWake survey

func (w *surveyWake) Handle(uint64) {
	if !w.over {
		w.woken = true
		w.task.Wake()
	}
}

// goesOn asks for the next path; it reports false when the task is to see to it.
func (v *survey) goesOn() bool {
	if !v.enter() || v.s.life.Refuse() != nil {
		return false
	}
	if !v.leap.begin() {
		v.ask()
	}
	return true
}

// takes takes what was read; it reports false for what is odd.
func (v *survey) takes(data []byte) bool {
	k := contentOf(data)
	if v.own == nil && v.seen.contents[v.i] == k && v.seen.part.Values[v.i] != nil {
		v.i++
		return true
	}
	value, ok := v.of.Value(data)
	if ok {
		v.took(finding{k, value})
	}
	return ok
}

// took adds a finding to those of the block.
func (v *survey) took(f finding) {
	if v.own == nil && v.seen.contents[v.i] != f.content {
		v.disagree()
	}
	if v.own != nil {
		v.own = append(v.own, f)
	}
	v.i++
}

// disagree begins findings of the survey's own: those so far are as seen.
func (v *survey) disagree() {
	v.own = make([]finding, 0, v.reads.n)
	v.catchUp(v.seen)
}

// catchUp adds what was seen meanwhile to findings of the survey's own.
func (v *survey) catchUp(seen *sighting) {
	for i := len(v.own); i < v.i; i++ {
		v.own = append(v.own, finding{seen.contents[i], seen.part.Values[i]})
	}
}

// findings are all that was found, shared with others who have found the same.
func (v *survey) findings() *zkbulk.Findings {
	f := &zkbulk.Findings{Parts: v.found}
	if v.s.e.Shared == nil {
		return f
	}
	return v.s.e.Shared.Same("survey of "+v.of.Kind, f, func(last any) bool {
		return slices.Equal(last.(*zkbulk.Findings).Parts, f.Parts)
	}).(*zkbulk.Findings)
}

var _ zkbulk.Surveyor = (*Session)(nil)
