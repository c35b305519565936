package main

import (
	"cmp"
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// rewrite collects the edits of one file. Edits insert text and keep the line numbers, so that
// compiler errors name the right lines.
type rewrite struct {
	file   *token.File
	source []byte
	edits  []edit
}

// Edits at the same position are applied in this order: text that closes a node comes before text
// that opens the next one.
const (
	closing = iota
	replacing
	opening
)

// edit replaces source[from:to] by text. For an insertion from and to are equal.
type edit struct {
	from, to int
	text     string
	order    int
	seq      int
	id       int // number of the mutant that the edit belongs to, or 0
}

// wrap puts text before and after a node. If a node is wrapped several times, the first wrapping is
// the outermost.
func (r *rewrite) wrap(id int, n ast.Node, before, after string) {
	from, to := r.file.Offset(n.Pos()), r.file.Offset(n.End())
	r.add(edit{from: from, to: from, text: before, order: opening, id: id})
	r.add(edit{from: to, to: to, text: after, order: closing, id: id})
}

// replace replaces the text between two positions.
func (r *rewrite) replace(id int, from, to token.Pos, text string) {
	r.add(edit{from: r.file.Offset(from), to: r.file.Offset(to), text: text, order: replacing, id: id})
}

func (r *rewrite) add(e edit) {
	e.seq = len(r.edits)
	r.edits = append(r.edits, e)
}

// text returns the source of a node.
func (r *rewrite) text(n ast.Node) string {
	return string(r.source[r.file.Offset(n.Pos()):r.file.Offset(n.End())])
}

// span is the part of the instrumented text that belongs to a mutant, as offsets in bytes.
type span struct{ id, from, to int }

// apply returns the instrumented text without the refused mutants, and the spans of all other
// mutants.
func (r *rewrite) apply(refused map[int]bool) (string, []span) {
	slices.SortFunc(r.edits, func(a, b edit) int {
		inside := cmp.Compare(a.seq, b.seq)
		if a.order == closing {
			inside = -inside
		}
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.order, b.order), inside)
	})
	var out strings.Builder
	begun := map[int]int{}
	var spans []span
	at := 0
	for _, e := range r.edits {
		if refused[e.id] {
			continue
		}
		out.Write(r.source[at:e.from])
		if e.order == opening {
			begun[e.id] = out.Len()
		}
		out.WriteString(e.text)
		if e.order == closing {
			spans = append(spans, span{e.id, begun[e.id], out.Len()})
		}
		at = e.to
	}
	out.Write(r.source[at:])
	return out.String(), spans
}
