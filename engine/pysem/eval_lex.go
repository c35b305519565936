package pysem

import (
	"math/big"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

type tokenKind uint8

const (
	tokenEnd tokenKind = iota
	tokenValue
	tokenName
	tokenOperator
)

type token struct {
	kind  tokenKind
	text  string // a name or an operator; keywords are operators
	value any
}

// operators lists the longer ones first.
var operators = []string{
	"**", "//", "<<", ">>", "<=", ">=", "==", "!=",
	"+", "-", "*", "/", "%", "&", "|", "^", "~", "<", ">", "(", ")", "[", "]", ",",
}

var keywords = []string{"and", "or", "not", "in", "is", "if", "else"}

// otherKeywords are Python's words that begin or join what is not supported here.
var otherKeywords = []string{
	"False", "None", "True", "as", "assert", "async", "await", "break", "class", "continue", "def", "del",
	"elif", "except", "finally", "for", "from", "global", "import", "lambda", "nonlocal", "pass", "raise",
	"return", "try", "while", "with", "yield",
}

// lex splits src, whose leading blanks and tabs eval drops. A line end is an
// error inside the expression unless brackets are open.
func lex(src string) ([]token, error) {
	src = strings.TrimLeft(src, " \t")
	var tokens []token
	depth := 0
	for src != "" {
		t, rest, err := nextToken(src, depth)
		if err != nil {
			return nil, err
		}
		src = rest
		if t.kind == tokenEnd {
			continue
		}
		switch t.text {
		case "(", "[":
			depth++
		case ")", "]":
			depth--
		}
		tokens = append(tokens, t)
	}
	return tokens, nil
}

// nextToken reads one token; a token of kind tokenEnd is white space.
func nextToken(src string, depth int) (t token, rest string, err error) {
	c := src[0]
	switch {
	case c == ' ' || c == '\t' || c == '\f':
		return token{}, src[1:], nil
	case c == '\n' || c == '\r':
		if depth == 0 && Strip(src) != "" && Strip(src)[0] != '#' {
			return token{}, "", syntaxError()
		}
		return token{}, src[1:], nil
	case c == '#':
		if i := strings.IndexByte(src, '\n'); i >= 0 {
			return token{}, src[i:], nil
		}
		return token{}, "", nil
	case c >= '0' && c <= '9' || c == '.' && len(src) > 1 && src[1] >= '0' && src[1] <= '9':
		return lexNumber(src)
	case c == '"' || c == '\'':
		return lexString(src)
	}
	if word := identifier(src); word != "" {
		return wordToken(word), src[len(word):], nil
	}
	for _, op := range operators {
		if strings.HasPrefix(src, op) {
			return token{kind: tokenOperator, text: op}, src[len(op):], nil
		}
	}
	if c == '@' || c == '{' || c == '.' && identifier(Strip(src[1:])) != "" {
		return token{}, "", unsupported("the operator " + string(c))
	}
	return token{}, "", syntaxError()
}

func wordToken(word string) token {
	switch word {
	case "True":
		return token{kind: tokenValue, value: true}
	case "False":
		return token{kind: tokenValue, value: false}
	case "None":
		return token{kind: tokenValue}
	}
	if slices.Contains(keywords, word) {
		return token{kind: tokenOperator, text: word}
	}
	return token{kind: tokenName, text: word}
}

// identifier is the name that src begins with, or "".
func identifier(src string) string {
	end := 0
	for end < len(src) {
		r, size := utf8.DecodeRuneInString(src[end:])
		letter := r == '_' || unicode.IsLetter(r) || unicode.In(r, unicode.Nl, unicode.Other_ID_Start)
		if !letter && (end == 0 || !unicode.In(r, unicode.Nd, unicode.Mn, unicode.Mc, unicode.Pc, unicode.Other_ID_Continue)) {
			break
		}
		end += size
	}
	return src[:end]
}

// IsIdentifier is str.isidentifier.
func IsIdentifier(text string) bool { return text != "" && identifier(text) == text }

func lexNumber(src string) (token, string, error) {
	end, isFloat := numberEnd(src)
	text, rest := src[:end], src[end:]
	if rest != "" && (rest[0] == 'j' || rest[0] == 'J') {
		return token{}, "", unsupported("a complex number")
	}
	if identifier(rest) != "" && !slices.Contains(keywords, identifier(rest)) || strings.HasPrefix(rest, "_") {
		return token{}, "", syntaxError()
	}
	if isFloat {
		f, err := ParseFloat(text)
		if err != nil {
			return token{}, "", syntaxError()
		}
		return token{kind: tokenValue, value: f}, rest, nil
	}
	n, ok := parseIntLiteral(text)
	if !ok {
		return token{}, "", syntaxError()
	}
	return token{kind: tokenValue, value: Int(n)}, rest, nil
}

// numberEnd finds where the number that src begins with ends.
func numberEnd(src string) (end int, isFloat bool) {
	if len(src) > 1 && src[0] == '0' && strings.ContainsRune("xXoObB", rune(src[1])) {
		end = 2
		hex := src[1] == 'x' || src[1] == 'X'
		for end < len(src) && (isDigit(src[end]) || src[end] == '_' || hex && isHexDigit(src[end])) {
			end++
		}
		return end, false
	}
	digits := func() {
		for end < len(src) && (isDigit(src[end]) || src[end] == '_') {
			end++
		}
	}
	digits()
	if end < len(src) && src[end] == '.' {
		end, isFloat = end+1, true
		digits()
	}
	if end < len(src) && (src[end] == 'e' || src[end] == 'E') {
		exponent := end + 1
		if exponent < len(src) && (src[exponent] == '+' || src[exponent] == '-') {
			exponent++
		}
		if exponent < len(src) && isDigit(src[exponent]) {
			end, isFloat = exponent, true
			digits()
		}
	}
	return end, isFloat
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isHexDigit(c byte) bool { return isDigit(c) || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' }

// parseIntLiteral reads an int as source code has it. Leading zeros are allowed
// on zero only.
func parseIntLiteral(text string) (*big.Int, bool) {
	if strings.HasSuffix(text, "_") || strings.Contains(text, "__") {
		return nil, false
	}
	plain := strings.ReplaceAll(text, "_", "")
	if len(plain) > 1 && plain[0] == '0' && isDigit(plain[1]) {
		if strings.Trim(plain, "0") != "" {
			return nil, false
		}
		return new(big.Int), true
	}
	// Base 0 takes the same prefixes as Python.
	return new(big.Int).SetString(plain, 0)
}

// lexString reads a string with the simple escapes.
func lexString(src string) (token, string, error) {
	quote := src[0]
	if strings.HasPrefix(src[1:], string([]byte{quote, quote})) {
		return token{}, "", unsupported("a triple-quoted string")
	}
	var b []byte
	for i := 1; i < len(src); i++ {
		switch c := src[i]; c {
		case quote:
			return token{kind: tokenValue, value: string(b)}, src[i+1:], nil
		case '\n':
			return token{}, "", syntaxError()
		case '\\':
			i++
			if i == len(src) {
				return token{}, "", syntaxError()
			}
			j := strings.IndexByte(`\'"nrt`, src[i])
			if j < 0 {
				return token{}, "", unsupported("the escape \\" + string(rune(src[i])))
			}
			b = append(b, "\\'\"\n\r\t"[j])
		default:
			b = append(b, c)
		}
	}
	return token{}, "", syntaxError()
}
