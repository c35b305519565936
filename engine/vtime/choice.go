package vtime

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/monosim/monosim/engine/tasks"
)

// Source draws random numbers for one place in the code (site) on one node. Its k-th draw depends
// on seed, node name, site and k alone. So an additional draw at one site changes no draw at
// another.
type Source struct {
	node   *Node
	site   string
	number uint64 // number that FreshSource appends to the site; 0 for none
	draws  tasks.Draws
	owner  *Process // process that holds the source by OwnSource; nil for none
}

// Source returns the node's source for a site such as "network.latency".
func (n *Node) Source(site string) *Source {
	s := n.sources.find(site)
	if s == nil {
		if n.sources.bySite == nil { // the names of a server's sites occur only once, so sharing their text would save nothing
			site = n.w.text(site)
		}
		s = &Source{node: n, site: site, draws: tasks.NewDraws(n.w.cfg.Seed, n.name, site)}
		n.sources.add(s)
	}
	return s
}

// FreshSource returns the source of a site that is used once, such as one connection. It is not
// indexed, because nobody asks for it again. The site's name is the text site followed by number,
// which must be at least 1. Each pair of text and number may be used only once.
func (n *Node) FreshSource(site string, number uint64) *Source {
	f := &n.sources.fresh
	if last := len(*f) - 1; last < 0 || len((*f)[last]) == cap((*f)[last]) {
		// begins with a small block, because most nodes have few of these sources
		*f = append(*f, make([]Source, 0, min(2<<min(len(*f), 16), mostFresh)))
	}
	block := &(*f)[len(*f)-1]
	*block = append(*block, Source{node: n, site: site, number: number})
	fresh := &(*block)[len(*block)-1]
	var text [96]byte
	fresh.draws = tasks.NewDraws(n.w.cfg.Seed, n.name, fresh.appendSite(text[:0]))
	return fresh
}

func (s *Source) appendSite(text []byte) []byte {
	text = append(text, s.site...)
	if s.number > 0 {
		text = strconv.AppendUint(text, s.number, 10)
	}
	return text
}

// sources holds the sources of one node. Most nodes have some dozens, but a server has one for each
// connection.
type sources struct {
	list   []*Source          // all sources but those of FreshSource; from the index fewSources on, sorted by length and text of the site
	bySite map[string]*Source // the same sources by site; nil up to someSources of them
	fresh  [][]Source         // sources made by FreshSource, in blocks that never move
}

// mostFresh is the most sources in one block of sources made by FreshSource.
const mostFresh = 64

// A node with up to fewSources finds a source by linear search, with up to someSources by binary
// search, and beyond that in a map.
const (
	fewSources  = 24
	someSources = 128
)

func (s *sources) find(site string) *Source {
	if s.bySite != nil {
		return s.bySite[site]
	}
	for _, known := range s.list[:min(len(s.list), fewSources)] {
		if known.site == site {
			return known
		}
	}
	if at, ok := s.later(site); ok {
		return s.list[at]
	}
	return nil
}

// later returns the index of a site in the part of the list that is sorted. If the site is missing,
// ok is false and at is where it belongs.
func (s *sources) later(site string) (at int, ok bool) {
	if len(s.list) < fewSources {
		return len(s.list), false
	}
	at, ok = slices.BinarySearchFunc(s.list[fewSources:], site, func(known *Source, site string) int {
		return cmp.Or(cmp.Compare(len(known.site), len(site)), strings.Compare(known.site, site))
	})
	return fewSources + at, ok
}

func (s *sources) add(fresh *Source) {
	switch {
	case s.bySite != nil:
		s.list = append(s.list, fresh)
		s.bySite[fresh.site] = fresh
		return
	case len(s.list) < someSources:
		at, _ := s.later(fresh.site)
		s.list = slices.Insert(s.list, at, fresh)
		return
	}
	s.list = append(s.list, fresh)
	s.bySite = make(map[string]*Source, 2*len(s.list))
	for _, known := range s.list {
		s.bySite[known.site] = known
	}
}

// sorted returns all sources of the node, sorted by site.
func (s *sources) sorted() []*Source {
	all := slices.Clone(s.list)
	for _, block := range s.fresh {
		for i := range block {
			all = append(all, &block[i])
		}
	}
	return slices.SortedFunc(slices.Values(all), func(a, b *Source) int { return strings.Compare(a.Site(), b.Site()) })
}

// OwnSource returns a source for one loop. As long as the process lives, nobody else gets this
// source from OwnSource. It is the source of the site, unless a living process has already taken
// that source for a loop. Then it is the source of the site's name with a number appended.
func (p *Process) OwnSource(site string) *Source {
	for i := 1; ; i++ {
		name := site
		if i > 1 {
			name += strconv.Itoa(i)
		}
		if s := p.node.Source(name); s.owner == nil || s.owner.ended || s.owner.dead {
			s.owner = p
			return s
		}
	}
}

// Site says how many choices a site on a node has made. The choices are numbered from 0.
type Site struct {
	Node, Name string
	Times      uint64
}

// Sites lists the sites that made choices in the run so far, node by node, sorted by name.
func (w *World) Sites() []Site {
	w.CatchUp()
	var list []Site
	for _, n := range w.nodes {
		for _, s := range n.sources.sorted() {
			if times := s.draws.Count(); times > 0 {
				list = append(list, Site{Node: n.name, Name: s.Site(), Times: times})
			}
		}
	}
	return list
}

// Site returns the name of the site where the source draws.
func (s *Source) Site() string {
	if s.number == 0 {
		return s.site
	}
	return string(s.appendSite(nil))
}

// Uint64n returns a number in [0, n). It panics if n is 0. When a failing run is shrunk, choices
// become 0, so 0 should stand for the most ordinary case.
func (s *Source) Uint64n(n uint64) uint64 {
	if n == 0 {
		panic("vtime: choice among 0 outcomes at " + s.Site())
	}
	k, v := s.draws.Next(n)
	if tape := s.node.w.cfg.Tape; tape != nil {
		v = tape.choose(s, k, n, v)
	}
	return v
}

// Draws is the sequence of the numbers that a source will draw next.
type Draws = tasks.Draws

// Ahead returns the coming draws, for a caller that makes many at once and then reports their
// number to Skip. If the world has a tape, ok is false, because the tape may replace draws.
func (s *Source) Ahead() (draws Draws, ok bool) { return s.draws, s.node.w.cfg.Tape == nil }

// Skip records that the caller has made this many of the draws from Ahead.
func (s *Source) Skip(draws uint64) { s.draws.Skip(draws) }

// Unseeded returns 0, unless the tape has another value in [0, n) for this choice. It is for
// choices that the seed should not influence.
func (s *Source) Unseeded(n uint64) uint64 {
	k, _ := s.draws.Next(n)
	if tape := s.node.w.cfg.Tape; tape != nil {
		return tape.choose(s, k, n, 0)
	}
	return 0
}

// Intn returns a number in [0, n). It panics unless n is positive.
func (s *Source) Intn(n int) int {
	if n <= 0 {
		panic("vtime: choice among 0 outcomes at " + s.Site())
	}
	return int(s.Uint64n(uint64(n)))
}

// Float64 returns a number in [0, 1).
func (s *Source) Float64() float64 { return float64(s.Uint64n(1<<53)) / (1 << 53) }

// Chance returns true with probability p. A run that is shrunk gets false.
func (s *Source) Chance(p float64) bool {
	if p <= 0 {
		return false
	}
	// Without the subtraction, the draw 0, which a shrunk run gets, would mean true.
	return 1-s.Float64() <= p
}
