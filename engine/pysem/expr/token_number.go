package expr

import (
	"math/big"
	"strings"

	"github.com/monosim/monosim/engine/pysem"
)

// numberBases holds the prefixes of ints.
var numberBases = map[byte]struct {
	name string
	base int
}{'x': {"hexadecimal", 16}, 'o': {"octal", 8}, 'b': {"binary", 2}}

// number reads a number literal.
func (l *lexer) number() error {
	if len(l.src) > 1 && l.src[0] == '0' {
		if b, ok := numberBases[l.src[1]|0x20]; ok {
			return l.prefixed(b.name, b.base)
		}
	}
	end, isFloat, ok := numberEnd(l.src)
	if !ok {
		return syntaxError("invalid decimal literal")
	}
	text := strings.ReplaceAll(l.src[:end], "_", "")
	if rest := l.src[end:]; rest != "" && (rest[0] == 'j' || rest[0] == 'J') {
		if err := l.endNumber(end+1, "imaginary"); err != nil {
			return err
		}
		l.addNumber(end+1, refusedValue{"a complex number"})
		return nil
	}
	if err := l.endNumber(end, "decimal"); err != nil {
		return err
	}
	if isFloat {
		f, err := pysem.ParseFloat(text)
		if err != nil {
			return syntaxError("invalid decimal literal")
		}
		l.addNumber(end, f)
		return nil
	}
	if len(text) > 1 && text[0] == '0' && strings.Trim(text, "0") != "" {
		return syntaxError("leading zeros in decimal integer literals are not permitted; use an 0o prefix for octal integers")
	}
	if len(text) > maxDigits {
		return syntaxError("Exceeds the limit (%d digits) for integer string conversion: value has %d digits; use sys.set_int_max_str_digits() to increase the limit - Consider hexadecimal for huge integer literals to avoid decimal conversion limits.", maxDigits, len(text))
	}
	n, _ := new(big.Int).SetString(text, 10)
	l.addNumber(end, pysem.Int(n))
	return nil
}

// refusedValue is a literal that is not evaluated here.
type refusedValue struct{ what string }

func (l *lexer) addNumber(n int, v Value) {
	l.add(tokenNumber, n)
	l.tokens[len(l.tokens)-1].value = v
}

// prefixed reads an int in another base.
func (l *lexer) prefixed(name string, base int) error {
	end := 2
	for {
		if end < len(l.src) && l.src[end] == '_' {
			end++
		}
		start := end
		for end < len(l.src) && isHexDigit(l.src[end]) && digitOf(l.src[end]) < base {
			end++
		}
		if end == start {
			if end < len(l.src) && isDigit(l.src[end]) {
				return syntaxError("invalid digit '%c' in %s literal", l.src[end], name)
			}
			return syntaxError("invalid %s literal", name)
		}
		if end == len(l.src) || l.src[end] != '_' {
			break
		}
	}
	if end < len(l.src) && isDigit(l.src[end]) {
		return syntaxError("invalid digit '%c' in %s literal", l.src[end], name)
	}
	if err := l.endNumber(end, name); err != nil {
		return err
	}
	n, _ := new(big.Int).SetString(strings.ReplaceAll(l.src[2:end], "_", ""), base)
	l.addNumber(end, pysem.Int(n))
	return nil
}

func digitOf(c byte) int {
	if isDigit(c) {
		return int(c - '0')
	}
	return int(c|0x20-'a') + 10
}

// endNumber looks at what follows a number: a few keywords may, other names may not.
func (l *lexer) endNumber(end int, name string) error {
	rest := l.src[end:]
	for _, word := range []string{"and", "else", "for", "if", "in", "is", "or", "not"} {
		if strings.HasPrefix(rest, word) {
			return nil
		}
	}
	if pysem.Identifier(rest) != "" {
		return syntaxError("invalid %s literal", name)
	}
	return nil
}

// numberEnd finds where the decimal number that src begins with ends; ok is false for an
// underscore that does not stand between digits.
func numberEnd(src string) (end int, isFloat, ok bool) {
	end, ok = digitsEnd(src, 0)
	if !ok {
		return end, false, false
	}
	if end < len(src) && src[end] == '.' {
		end, isFloat = end+1, true
		if end < len(src) && isDigit(src[end]) {
			if end, ok = digitsEnd(src, end); !ok {
				return end, true, false
			}
		}
	}
	if end == len(src) || src[end]|0x20 != 'e' {
		return end, isFloat, true
	}
	exponent := end + 1
	if exponent < len(src) && (src[exponent] == '+' || src[exponent] == '-') {
		exponent++
		if exponent == len(src) || !isDigit(src[exponent]) {
			return end, isFloat, false
		}
	}
	if exponent < len(src) && isDigit(src[exponent]) {
		end, ok = digitsEnd(src, exponent)
		return end, true, ok
	}
	return end, isFloat, true
}

func digitsEnd(src string, at int) (end int, ok bool) {
	for {
		for at < len(src) && isDigit(src[at]) {
			at++
		}
		if at == len(src) || src[at] != '_' {
			return at, true
		}
		if at++; at == len(src) || !isDigit(src[at]) {
			return at, false
		}
	}
}
