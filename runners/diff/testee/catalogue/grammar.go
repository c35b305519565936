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

// Grammar returns the text of the grammar that expressions, regular expressions, layout filters,
// numbers of configurations and protobuf texts are drawn from. The head of the text says how it is
// read.
func Grammar() string { return grammarText + "\n" + textProtos }

// alternative is one way to derive a symbol of the grammar.
type alternative struct {
	weight int
	// parts holds texts and symbols in turns; the first is a text.
	parts []string
}

// symbol is a symbol of the grammar, with all ways to derive it.
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

// parseGrammar reads a grammar in the form that its head describes.
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

// splitRule splits "a <b> c" into texts and symbols in turns. An angle bracket without a
// name behind it is text.
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

// symbolAt returns the symbol at the begin of a rule. The name of a group in a regular
// expression stays text.
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

// derivation writes one text that a symbol derives.
type derivation struct {
	*draws
	b    strings.Builder
	left int // how many more symbols may choose an alternative
}

// mostSymbols bounds the length of one derivation.
const mostSymbols = 24

// derive draws a text of a symbol.
func derive(d *draws, name string) string {
	w := &derivation{draws: d, left: mostSymbols}
	w.symbol(name, 7)
	return w.b.String()
}

// symbol writes a text that a symbol derives, nesting at most depth deep.
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

// choose returns the alternative at a place among the added weights.
func (s *symbol) choose(at int) alternative {
	for _, a := range s.alternatives {
		if at -= a.weight; at < 0 {
			return a
		}
	}
	return s.alternatives[0]
}

// spoil seldom changes a character of a text, so that it is no longer well-formed.
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
