package vtime

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/monosim/monosim/engine/tasks"
)

// Source draws the random numbers of one site on one node. The k-th draw is a function of (seed,
// node name, site, k) alone, so that one more draw at a site changes no draw of another.
type Source struct {
	node   *Node
	site   string
	number uint64 // the number appended to the site by FreshSource; 0 for none
	draws  tasks.Draws
	owner  *Process // the process that holds the source by OwnSource; nil for none
}

// Source returns the node's source for a site such as "network.latency".
func (n *Node) Source(site string) *Source {
	s := n.sources.find(site)
	if s == nil {
		if n.sources.bySite == nil { // the site names of a server are its own, so sharing their text would save nothing
			site = n.w.text(site)
		}
		s = &Source{node: n, site: site, draws: tasks.NewDraws(n.w.cfg.Seed, n.name, site)}
		n.sources.add(s)
	}
	return s
}

// FreshSource returns the source of a site that is used once, such as a connection. Nobody
// asks for it again, so it is not indexed. The site is a text and a number of 1 or more;
// the pair must be unique.
func (n *Node) FreshSource(site string, number uint64) *Source {
	f := &n.sources.fresh
	if last := len(*f) - 1; last < 0 || len((*f)[last]) == cap((*f)[last]) {
		*f = append(*f, make([]Source, 0, min(2<<min(len(*f), 16), mostFresh))) // small at first: most nodes have few
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

// sources holds the sources of one node. Most nodes have some dozens; a server has one for
// each connection.
type sources struct {
	list   []*Source          // those after the first fewSources are sorted by length and site
	bySite map[string]*Source // nil while there are some dozens
	fresh  [][]Source         // made by FreshSource, in blocks that never move
}

// mostFresh limits the sources in one block of fresh sources.
const mostFresh = 64

// Up to fewSources a linear search finds a source, up to someSources a binary search, above that a
// map.
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

// later returns the index of a site in the sorted part of the list.
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

// sorted returns the sources by site.
func (s *sources) sorted() []*Source {
	all := slices.Clone(s.list)
	for _, block := range s.fresh {
		for i := range block {
			all = append(all, &block[i])
		}
	}
	return slices.SortedFunc(slices.Values(all), func(a, b *Source) int { return strings.Compare(a.Site(), b.Site()) })
}

// OwnSource returns a source for one loop of the process alone: the source of the site. While
// another living process holds that one for a loop, it is the source of the site with a number
// appended.
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

// Site tells that a site on a node made Times choices, numbered from K = 0.
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

// Site returns the site of the choices.
func (s *Source) Site() string {
	if s.number == 0 {
		return s.site
	}
	return string(s.appendSite(nil))
}

// Uint64n returns a number in [0, n). It panics when n is 0. Outcome 0 is the default, which a
// shrunk run prefers: let it stand for the plain case.
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

// Draws is the sequence of numbers that a source has not drawn yet.
type Draws = tasks.Draws

// Ahead returns the coming draws, for a caller that makes many at a time and reports their
// number by Skip. ok is false when the world has a tape, which may replace draws.
func (s *Source) Ahead() (draws Draws, ok bool) { return s.draws, s.node.w.cfg.Tape == nil }

// Skip counts draws as made. The caller has taken them from Ahead.
func (s *Source) Skip(draws uint64) { s.draws.Skip(draws) }

// Unseeded returns 0, the default, unless the tape holds another value in [0, n) for the
// choice. It is for choices that no seed should explore.
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

// Chance returns true with probability p; false is the default.
func (s *Source) Chance(p float64) bool {
	if p <= 0 {
		return false
	}
	// The draw is inverted so that its default, 0, means false.
	return 1-s.Float64() <= p
}
