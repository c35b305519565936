package rapidjson

import (
	"math"
	"strconv"
)

// significand accumulates the digits of a number. RapidJSON keeps the digits in 64 bits while they
// fit, and then continues in a double. The result may therefore differ from the nearest double in
// the last bit.
type significand struct {
	bits   uint64
	real   bool    // real means that the number is in value, rather than in bits
	value  float64 // value is rounded
	digits int     // digits is the number of significant digits, without the first one
	scale  int     // scale is the power of ten to multiply by
}

// number reads a number, NaN, Inf or Infinity. It rounds as RapidJSON's ParseNumber does without
// kParseFullPrecisionFlag.
func (p *parser) number() (Value, *ParseError) {
	start := p.at
	minus := p.consume('-')
	var s significand
	special, isSpecial, err := p.whole(&s, minus)
	if err != nil {
		return Value{}, err
	}
	if s.real && !p.moreDigits(&s) {
		return Value{}, &ParseError{NumberTooBig, start}
	}
	if err := p.fraction(&s); err != nil {
		return Value{}, err
	}
	exponent, err := p.exponent(&s, start)
	if err != nil {
		return Value{}, err
	}
	return s.finish(special, isSpecial, minus, exponent), nil
}

func (s *significand) finish(special float64, isSpecial, minus bool, exponent int) Value {
	switch {
	case s.real:
		value := scale(s.value, exponent+s.scale)
		if minus {
			value = -value
		}
		return realNumber(value)
	case isSpecial:
		return realNumber(special)
	case minus:
		return integer(-s.bits, true)
	}
	return integer(s.bits, false)
}

// whole reads the digits before the decimal point, or NaN, Inf or Infinity.
func (p *parser) whole(s *significand, minus bool) (special float64, isSpecial bool, err *ParseError) {
	switch b := p.peek(); {
	case b == '0':
		p.at++
	case b >= '1' && b <= '9':
		s.bits = uint64(b - '0')
		p.at++
		p.integerDigits(s, minus)
	case b == 'N' || b == 'I':
		special, err = p.special(minus)
		return special, true, err
	default:
		return 0, false, p.fail(ValueInvalid)
	}
	return 0, false, nil
}

// integerDigits reads digits as long as the number fits in 64 bits.
func (p *parser) integerDigits(s *significand, minus bool) {
	limit, last := uint64(math.MaxUint64/10), byte('5')
	if minus {
		limit, last = math.MaxInt64/10, '8'
	}
	for isDigit(p.peek()) {
		if s.bits > limit || s.bits == limit && p.peek() > last {
			s.value, s.real = float64(s.bits), true
			return
		}
		s.bits = s.bits*10 + uint64(p.take()-'0')
		s.digits++
	}
}

// moreDigits reads further digits into a double. It returns false on overflow.
func (p *parser) moreDigits(s *significand) bool {
	for isDigit(p.peek()) {
		if s.value >= 1.7976931348623157e307 {
			return false
		}
		s.value = float64(s.value*10) + float64(p.take()-'0')
	}
	return true
}

// special reads NaN, Inf or Infinity. It tries NaN first. If NaN does not match, the bytes that did
// match stay consumed before it tries Inf. So NInf and NaInf are infinities too.
func (p *parser) special(minus bool) (float64, *ParseError) {
	if p.consume('N') && p.consume('a') && p.consume('N') {
		return math.Float64frombits(0x7ff8 << 48), nil // C++'s NaN, which differs from math.NaN
	}
	if _, err := p.word("Inf", Number); err != nil {
		return 0, err
	}
	if p.peek() == 'i' {
		if _, err := p.word("inity", Number); err != nil {
			return 0, err
		}
	}
	if minus {
		return math.Inf(-1), nil
	}
	return math.Inf(1), nil
}

// fraction reads the digits after the decimal point. The result is exact up to 2^53, then rounded.
// Digits after the 17th are ignored.
func (p *parser) fraction(s *significand) *ParseError {
	if !p.consume('.') {
		return nil
	}
	if !isDigit(p.peek()) {
		return p.fail(NumberMissFraction)
	}
	if !s.real {
		p.exactFraction(s)
	}
	for isDigit(p.peek()) {
		digit := float64(p.take() - '0')
		if s.digits >= 17 {
			continue
		}
		s.value = float64(s.value*10) + digit
		s.scale--
		if s.value > 0 {
			s.digits++
		}
	}
	return nil
}

func (p *parser) exactFraction(s *significand) {
	for isDigit(p.peek()) && s.bits <= 1<<53-1 {
		s.bits = s.bits*10 + uint64(p.take()-'0')
		s.scale--
		if s.bits != 0 {
			s.digits++
		}
	}
	s.value, s.real = float64(s.bits), true
}

// exponent reads the power of ten after an e or E; 0 if there is none.
func (p *parser) exponent(s *significand, start int) (int, *ParseError) {
	if !p.consume('e') && !p.consume('E') {
		return 0, nil
	}
	if !s.real {
		s.value, s.real = float64(s.bits), true
	}
	minus := !p.consume('+') && p.consume('-')
	if !isDigit(p.peek()) {
		return 0, p.fail(NumberMissExponent)
	}
	exponent := int(p.take() - '0')
	for isDigit(p.peek()) {
		exponent = exponent*10 + int(p.take()-'0')
		if !minus && exponent > 308-s.scale {
			return 0, &ParseError{NumberTooBig, start}
		}
		if exponent >= 214748364 {
			p.skipDigits()
		}
	}
	if minus {
		return -exponent, nil
	}
	return exponent, nil
}

func (p *parser) skipDigits() {
	for isDigit(p.peek()) {
		p.at++
	}
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

// scale multiplies by a power of ten in one or two rounded steps (StrtodNormalPrecision).
func scale(value float64, power int) float64 {
	if power < -308 {
		return scaleOnce(scaleOnce(value, -308), power+308)
	}
	return scaleOnce(value, power)
}

func scaleOnce(value float64, power int) float64 {
	switch {
	case power < -308:
		return 0
	case power >= 0:
		return value * powersOfTen[power]
	}
	return value / powersOfTen[-power]
}

// powersOfTen holds the doubles nearest to 10^0 ... 10^308.
var powersOfTen = func() (table [309]float64) {
	for i := range table {
		table[i], _ = strconv.ParseFloat("1e"+strconv.Itoa(i), 64)
	}
	return table
}()
