package node

import (
	"slices"

	"github.com/monosim/monosim/engine/recipes/bulk"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/engine/vtime/leap"
	"github.com/monosim/monosim/sim/zookeeper"
)

// survey reads the children of a znode for a task, one after the other (bulk.EachGetter). Its
// messages are steps of a loop. In a turn that only reads, the whole survey is one question, and
// later turns may skip it. Otherwise its reads are computed without events ([surveyLeap]).
type survey struct {
	s      *Session
	parent string // path of the parent, without a slash at its end
	blocks []*bulk.Children
	to     bulk.Taker
	block  int // index of the block that is being read
	i      int // index in the block of the child that is being read
	loop   *vtime.Loop
	task   *vtime.Task
	ahead  *surveyLeap
	// list holds what a survey in a turn of a loop has found so far. It is nil for other surveys.
	list *readList
	odd  bool // whether there was an error
}

var kindSurvey = vtime.NewKind("zookeeper.survey")

// GetEach reads the children in blocks, and passes their data to the Taker. The current task waits
// until that is done.
func (s *Session) GetEach(parent string, blocks []*bulk.Children, to bulk.Taker) error {
	s.p.Check()
	v := &survey{s: s, parent: parent, blocks: blocks, to: to, task: s.p.Current()}
	if len(blocks) == 1 && len(blocks[0].Names) > pieceNames {
		v.blocks, v.to = s.calls.pieces(parent, blocks[0]), pieceTaker{to}
	}
	if t := leap.TurnsOf(s.p); t != nil {
		v.loop = &t.Loop
		return v.inTurn(t, inOne(blocks))
	}
	s.p.Acts()
	if last := len(s.surveys) - 1; last >= 0 {
		v.loop, s.surveys = s.surveys[last], s.surveys[:last]
	} else {
		v.loop = s.p.Node().NewLoop("zookeeper.survey")
	}
	if s.callTime != nil && len(blocks) > 0 {
		s.p.Sleep(s.callTime())
	}
	err := v.readOn()
	s.surveys = append(s.surveys, v.loop)
	return err
}

// inTurn makes the reads of a survey in a turn of a loop.
func (v *survey) inTurn(t *leap.Turns, children []string) error {
	s := v.s
	if len(children) == 0 {
		return nil
	}
	v.list = &readList{parent: v.parent, children: children, found: s.room[:0]}
	s.room = nil // taken away, because another task may make a survey in the meantime
	defer func() { s.room = v.list.found }()
	leap.Think(s.p)
	a, waiting := t.Recall()
	q, _ := a.(*question)
	if a != nil && (q == nil || !v.is(q.list)) {
		panic("zookeeper: a turn reads below " + v.list.parent + ", and did not before")
	}
	writes := s.writes()
	if q != nil {
		known := q.list.found
		if waiting {
			known = known[:q.i]
		}
		for _, data := range known {
			if err := v.next(data, nil); err != nil {
				panic("zookeeper: what was read below " + v.list.parent + " is an error now: " + err.Error())
			}
		}
		if !waiting {
			return nil
		}
		c := q.call
		q.call = nil
		if err := v.got(c); err != nil {
			s.p.Acts()
			return err
		}
	}
	err := v.readOn()
	if err != nil || v.odd || writes == 0 || writes != s.writes() || !s.write(t, zookeeper.OpGetData, "", v.list, &zookeeper.Reply{Zxid: s.leader().s.machine.Zxid()}) {
		s.p.Acts()
	}
	return err
}

// is reports whether l has the same children of the same parent as the survey.
func (v *survey) is(l *readList) bool {
	return l != nil && l.parent == v.list.parent && (oneList(l.children, v.list.children) || slices.Equal(l.children, v.list.children))
}

// writes returns how many writes the server has made, plus 1. It returns 0 if the session is not
// connected to a leader.
func (s *Session) writes() (n uint64) {
	at := s.leader()
	if at == nil {
		return 0
	}
	return at.s.writes.Version() + 1
}

// inOne returns the names of all blocks in a single list.
func inOne(blocks []*bulk.Children) (names []string) {
	if len(blocks) == 1 {
		return blocks[0].Names
	}
	for _, b := range blocks {
		names = append(names, b.Names...)
	}
	return names
}

// pieceNames is the number of names in a piece of a list. After a change only the piece that
// contains it has to be checked again.
const pieceNames = 64

// pieces holds a list of children, and the pieces into which it was cut.
type pieces struct {
	of     *bulk.Children
	pieces []*bulk.Children
}

// pieces cuts a list into pieces. All clients share the pieces of the list that was last read below
// the parent.
func (c *Calls) pieces(parent string, list *bulk.Children) []*bulk.Children {
	if last, ok := c.cut[parent]; ok && last.of.Kind == list.Kind && oneList(last.of.Names, list.Names) {
		return last.pieces
	}
	p := pieces{of: list}
	for names := range slices.Chunk(list.Names, pieceNames) {
		p.pieces = append(p.pieces, &bulk.Children{Names: names})
	}
	if c.cut == nil {
		c.cut = map[string]pieces{}
	}
	c.cut[parent] = p
	return p.pieces
}

// pieceTaker is the Taker of a survey that reads a list in pieces. It passes the results on to the
// Taker in of, as if the list were one block.
type pieceTaker struct{ of bulk.Taker }

func (t pieceTaker) Take(piece, i int, data []byte, err error) error {
	return t.of.Take(0, piece*pieceNames+i, data, err)
}

func (t pieceTaker) Usual(piece, i int, data []byte) bool {
	return t.of.Usual(0, piece*pieceNames+i, data)
}

func (t pieceTaker) TakeUsual(piece, from, to int, data [][]byte) {
	for i := from; i < to; i++ {
		if err := t.Take(piece, i, data[i], nil); err != nil {
			panic("zookeeper: what was usual is an error: " + err.Error())
		}
	}
}

// path returns the path of the znode that is being read.
func (v *survey) path() string { return v.parent + "/" + v.blocks[v.block].Names[v.i] }

// readOn makes the reads that are left.
func (v *survey) readOn() error {
	for v.block < len(v.blocks) {
		c := v.leapOn()
		if c == nil {
			if refused := v.s.life.Refuse(); refused != nil {
				if err := v.next(nil, refused); err != nil {
					return err
				}
				continue
			}
			c = v.s.newRead(zookeeper.OpGetData, v.path(), nil)
			c.request.loop, c.survey = v.loop, v
			v.s.put(c)
		}
		if err := v.got(c); err != nil {
			return err
		}
	}
	return nil
}

// goesOn reports whether the task does nothing with an answer but read the next znode. If it does
// more, it continues in an event of its own, after everything else that arrives at the instant.
func (v *survey) goesOn(c *call) bool {
	last := v.block == len(v.blocks)-1 && v.i == len(v.blocks[v.block].Names)-1
	usual := c.err == nil && len(c.reply.Data) > 0 && v.to.Usual(v.block, v.i, c.reply.Data)
	return v.list != nil || usual && !last && v.s.life.Refuse() == nil
}

// got waits for the answer to a call, and handles it.
func (v *survey) got(c *call) error {
	v.s.await(c)
	if err := c.failure(v.s); err != nil {
		return v.next(nil, err)
	}
	return v.next(v.s.done(c).Data, nil)
}

// next passes an answer on to the Taker, and goes on to the next child.
func (v *survey) next(data []byte, failed error) error {
	v.odd = v.odd || failed != nil
	err := v.to.Take(v.block, v.i, data, failed)
	if v.list != nil {
		v.list.found = append(v.list.found, data)
	}
	v.past(1)
	return err
}

// past goes on by n children of the block. After the last child of a block it goes on to the next
// block.
func (v *survey) past(n int) {
	if v.i += n; v.i == len(v.blocks[v.block].Names) {
		v.block, v.i = v.block+1, 0
	}
}

var (
	_ bulk.EachGetter = (*Session)(nil)
	_ bulk.Numberer   = (*Session)(nil)
)
