package catalogue

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
)

var (
	//go:embed expressions.grammar
	grammarText string
	//go:embed textprotos.grammar
	textProtos string
)

// Grammar returns the grammar from which texts are drawn: expressions, regular expressions, layout
// filters, numbers in configurations, and protobuf texts. Its first lines describe its own form.
func Grammar() string { return grammarText + "\n" + textProtos }

// alternative is one of the right-hand sides of a grammar symbol.
type alternative struct {
	weight int
	// parts holds texts and names of symbols by turns, beginning with a text.
	parts []string
}

// symbol is a symbol of the grammar, with all its alternatives.
type symbol struct {
	alternatives []alternative
	total        int // of the weights
}

var symbols = mustGrammar(Grammar())

func mustGrammar(text string) map[string]*symbol {
	parsed, err := parseGrammar(text)
	if err != nil {
		panic(err)
	}
	return parsed
}

// parseGrammar parses a grammar. The grammar's first lines describe the form.
func parseGrammar(text string) (map[string]*symbol, error) {
	parsed := map[string]*symbol{}
	var last *symbol
	for i, line := range strings.Split(text, "\n") {
		switch {
		case line == "" || line[0] == '#':
		case line[0] != ' ':
			last = &symbol{}
			parsed[line] = last
		default:
			weight, rule, _ := strings.Cut(line[2:], " ")
			n, err := strconv.Atoi(weight)
			if err != nil || last == nil {
				return nil, fmt.Errorf("grammar, line %d: found %q, want a weight and text under a symbol", i+1, line)
			}
			last.alternatives = append(last.alternatives, alternative{weight: n, parts: splitRule(rule)})
			last.total += n
		}
	}
	for name, s := range parsed {
		if err := s.check(name, parsed); err != nil {
			return nil, err
		}
	}
	return parsed, nil
}

// splitRule splits "a <b> c" into texts and names of symbols by turns. An angle bracket that is not
// followed by a name is text.
func splitRule(rule string) []string {
	parts := []string{""}
	for rule != "" {
		if name, rest, ok := symbolAt(rule); ok {
			parts = append(parts, name, "")
			rule = rest
			continue
		}
		parts[len(parts)-1] += rule[:1]
		rule = rule[1:]
	}
	return parts
}

// symbolAt returns the symbol with which a rule begins, and the rest. A group name in a regular
// expression, such as (?P<name>, is text.
func symbolAt(rule string) (name, rest string, ok bool) {
	if rule[0] != '<' {
		return "", "", false
	}
	name, rest, ok = strings.Cut(rule[1:], ">")
	if !ok || len(name) < 2 || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz_2") != "" {
		return "", "", false
	}
	return name, rest, true
}

func (s *symbol) check(name string, all map[string]*symbol) error {
	if s.total == 0 {
		return fmt.Errorf("grammar: found no alternative of %s, want one at least", name)
	}
	for _, a := range s.alternatives {
		for i := 1; i < len(a.parts); i += 2 {
			if all[a.parts[i]] == nil {
				return fmt.Errorf("grammar: found <%s> in %s, want a symbol of the grammar", a.parts[i], name)
			}
		}
	}
	return nil
}

// derivation writes one random text that can be derived from a symbol.
type derivation struct {
	*draws
	b    strings.Builder
	left int // number of symbols that may still choose an alternative
}

// mostSymbols is how many symbols of one derivation may choose freely. After that the text becomes
// as short as possible.
const mostSymbols = 24

// derive returns a random text that can be derived from a symbol.
func derive(d *draws, name string) string {
	w := &derivation{draws: d, left: mostSymbols}
	w.symbol(name, 7)
	return w.b.String()
}

// symbol writes a random text of a symbol. depth limits how deep symbols nest.
func (w *derivation) symbol(name string, depth int) {
	s := symbols[name]
	w.left--
	chosen := s.alternatives[0]
	if depth > 0 && w.left > 0 {
		chosen = s.choose(w.n(s.total))
	}
	for i, part := range chosen.parts {
		if i%2 == 0 {
			w.b.WriteString(part)
		} else {
			w.symbol(part, depth-1)
		}
	}
}

// choose returns the alternative at a position. Each alternative takes as many positions as its
// weight.
func (s *symbol) choose(at int) alternative {
	for _, a := range s.alternatives {
		if at -= a.weight; at < 0 {
			return a
		}
	}
	return s.alternatives[0]
}

// spoil seldom changes one character of a text, which may make it malformed.
func spoil(d *draws, text string) string {
	if !d.flip(14) || text == "" {
		return text
	}
	chars := []rune(text)
	at := d.n(len(chars))
	switch d.n(3) {
	case 0:
		return string(chars[:at]) + string(chars[at+1:])
	case 1:
		return string(chars[:at]) + pick(d, edgeChars...) + string(chars[at:])
	}
	return string(chars[:at]) + string(chars[at]) + string(chars[at:])
}
