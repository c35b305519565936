package expr

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/pysem"
)

type tokenKind uint8

const (
	tokenEnd tokenKind = iota
	tokenNumber
	tokenString
	tokenName
	tokenOperator // keywords too
	tokenNewline  // text is "\n", or "\n " before an indented line
)

type token struct {
	kind  tokenKind
	text  string // text of the token, as it is written in the source
	value Value  // of a number
}

// operators lists the operators. A longer operator comes before its prefixes, because the lexer
// takes the first match.
var operators = []string{
	"**=", "//=", ">>=", "<<=", "...",
	"**", "//", "<<", ">>", "<=", ">=", "==", "!=", ":=", "->", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "@=",
	"+", "-", "*", "/", "%", "@", "&", "|", "^", "~", "<", ">", "(", ")", "[", "]", "{", "}", ",", ":", ".", ";", "=",
}

// keywords lists the words that cannot be used as names.
var keywords = map[string]bool{
	"and": true, "or": true, "not": true, "in": true, "is": true, "if": true, "else": true, "for": true, "lambda": true,
	"True": true, "False": true, "None": true,
	"as": true, "assert": true, "async": true, "await": true, "break": true, "class": true, "continue": true, "def": true,
	"del": true, "elif": true, "except": true, "finally": true, "from": true, "global": true, "import": true,
	"nonlocal": true, "pass": true, "raise": true, "return": true, "try": true, "while": true, "with": true, "yield": true,
}

// lexer splits a source into tokens.
type lexer struct {
	src    string
	tokens []token
	open   []byte // brackets that are open, outermost first
}

var closings = map[byte]byte{'(': ')', '[': ']', '{': '}'}

// lex splits src into tokens. It skips leading blanks and tabs, as eval does. The end of a line
// ends the expression, unless a bracket is open. If it returns an error, it also returns the tokens
// before the error.
func lex(src string) ([]token, error) {
	if strings.Contains(src, "\x00") {
		return nil, raise("SyntaxError", "source code string cannot contain null bytes")
	}
	if strings.Contains(src, "\r") {
		src = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(src)
	}
	if _, err := pysem.DecodeUTF8([]byte(src)); err != nil {
		return nil, raise("UnicodeEncodeError", "'utf-8' codec can't encode character '\\u%04x' in position %d: surrogates not allowed", firstSurrogate(src), 0)
	}
	l := &lexer{src: strings.TrimLeft(src, " \t")}
	for l.src != "" {
		before := len(src) - len(l.src)
		if err := l.next(); err != nil {
			return l.tokens, inLine(err, 1+strings.Count(src[:max(0, before)], "\n"))
		}
	}
	if n := len(l.open); n > 0 {
		return l.tokens, syntaxError("'%c' was never closed", l.open[n-1])
	}
	return l.tokens, nil
}

func firstSurrogate(src string) rune {
	return lists.Find(pysem.Runes(src), func(r rune) bool { return r >= 0xd800 && r <= 0xdfff })
}

// inLine changes the text of a SyntaxError so that it names the given line in place of line 1.
func inLine(err error, line int) error {
	message, ok := strings.CutSuffix(strings.TrimPrefix(err.Error(), pysem.TypeOf(err)+": "), "(<string>, line 1)")
	if !ok || line == 1 {
		return err
	}
	return raise(pysem.TypeOf(err), "%s(<string>, line %d)", message, line)
}

// syntaxError returns a SyntaxError. Its text is Python's str() of an error in line 1.
func syntaxError(format string, args ...any) error {
	return raise("SyntaxError", format+" (<string>, line 1)", args...)
}

func invalidSyntax() error { return syntaxError("invalid syntax") }

// add makes a token from the next n bytes of the source.
func (l *lexer) add(kind tokenKind, n int) {
	l.tokens = append(l.tokens, token{kind: kind, text: l.src[:n]})
	l.src = l.src[n:]
}

// next reads one token, or skips space or a comment between tokens.
func (l *lexer) next() error {
	c := l.src[0]
	switch {
	case c == ' ' || c == '\t' || c == '\f':
		l.src = l.src[1:]
		return nil
	case c == '\n':
		return l.lineEnd()
	case c == '#':
		l.src = l.src[max(0, strings.IndexByte(l.src+"\n", '\n')):]
		return nil
	case c == '\\':
		return l.continuation()
	case isDigit(c) || c == '.' && len(l.src) > 1 && isDigit(l.src[1]):
		return l.number()
	}
	if n := stringPrefix(l.src); n >= 0 {
		return l.text(n)
	}
	if word := pysem.Identifier(l.src); word != "" {
		return l.word(word)
	}
	for _, op := range operators {
		if strings.HasPrefix(l.src, op) {
			return l.operator(op)
		}
	}
	return l.unknown()
}

func (l *lexer) lineEnd() error {
	l.src = l.src[1:]
	if len(l.open) > 0 {
		return nil
	}
	rest := strings.TrimLeft(l.src, " \t\f\n")
	if rest == "" || rest[0] == '#' {
		return nil
	}
	line := l.src[strings.LastIndexByte(l.src[:len(l.src)-len(rest)], '\n')+1:]
	indented := strings.TrimLeft(line, " \t") != line
	switch {
	case len(l.tokens) > 0:
		l.tokens = append(l.tokens, token{kind: tokenNewline, text: pick(indented, "\n ", "\n")})
	case indented:
		return unexpectedIndent()
	}
	return nil
}

func unexpectedIndent() error {
	return raise("IndentationError", "unexpected indent (<string>, line 2)")
}

func (l *lexer) continuation() error {
	if !strings.HasPrefix(l.src, "\\\n") {
		return syntaxError("unexpected character after line continuation character")
	}
	l.src = l.src[2:]
	if l.src == "" {
		return syntaxError("unexpected EOF while parsing")
	}
	return nil
}

func (l *lexer) word(word string) error {
	if r, bad := notXID(word); bad {
		return syntaxError("invalid character '%c' (U+%04X)", r, r)
	}
	kind := tokenName
	if keywords[word] {
		kind = tokenOperator
	}
	l.add(kind, len(word))
	if !isASCII(word) {
		l.tokens[len(l.tokens)-1].text = pysem.NFKC(word)
	}
	return nil
}

// notXID returns a character of word that a name may contain by its category, but not after NFKC
// normalization.
func notXID(word string) (rune, bool) {
	for _, r := range word {
		if r == 0x37a || r == 0xe33 || r == 0xeb3 {
			return r, true
		}
	}
	return 0, false
}

func (l *lexer) operator(op string) error {
	switch c := op[0]; c {
	case '(', '[', '{':
		if len(l.open) == Limits.Brackets {
			return syntaxError("too many nested parentheses")
		}
		l.open = append(l.open, c)
	case ')', ']', '}':
		n := len(l.open)
		if n == 0 {
			return syntaxError("unmatched '%c'", c)
		}
		if closings[l.open[n-1]] != c {
			return syntaxError("closing parenthesis '%c' does not match opening parenthesis '%c'", c, l.open[n-1])
		}
		l.open = l.open[:n-1]
	}
	l.add(tokenOperator, len(op))
	return nil
}

func (l *lexer) unknown() error {
	r, _ := utf8.DecodeRuneInString(l.src)
	switch {
	case r < 0x80:
		return invalidSyntax()
	case !unicode.IsPrint(r):
		return syntaxError("invalid non-printable character U+%04X", r)
	}
	return syntaxError("invalid character '%c' (U+%04X)", r, r)
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isHexDigit(c byte) bool { return isDigit(c) || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' }
