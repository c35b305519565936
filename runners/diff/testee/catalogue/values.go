package catalogue

import (
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/monosim/monosim/engine/pysem"
)

// Inputs are made of these pieces. Ports differ from the reference at edges: empty and missing
// values, digits that are not ASCII, white space that only Go or only Python recognizes,
// surrogates, and huge numbers.

// edgeChars lists characters that programming languages treat differently.
var edgeChars = []string{
	"a", "b", "0", "1", "_", "-", ".", ":", "/", " ", "\t", ",", ";", "#", "=", "{", "}", "[", "]", "(", ")", "*", "?", "+", "\\", "$", "%", "'", "\"", "@", "|", "^",
	"A", "Z", "é", "ß", "İ", "Σ", "ſ", "K", "模", "型", "😀", "\u00a0", "\u2003", "\u3000", "\u200b", "\u0085", "\x1c", "\x1f", "\x0b", "\x0c", "\r", "\n", "\x00", "\x7f",
	"٣", "９", "²", "½", "Ⅷ", "〇", "\ufeff", "\u0301", "\u0131", "ǅ",
}

// oddText returns a template that draws a text of odd characters. most limits the length of the
// text.
func oddText(most int) draw { return func(d *draws) any { return text(d, most) } }

// word draws a plain word, and seldom an odd text.
func word(d *draws) string {
	if d.flip(5) {
		return text(d, 6)
	}
	return pick(d, "m", "a", "ps_0", "entry", "dense_0", "ps_12", "ctr", "x", "", "ps", "entry_0", "n_2", "b-1", "PS_0", "模型")
}

// text returns random odd characters. most limits their number.
func text(d *draws, most int) string {
	var b strings.Builder
	for range d.length(most) {
		b.WriteString(pick(d, edgeChars...))
	}
	return b.String()
}

// surrogateText draws a text that may contain a lone surrogate.
func surrogateText(d *draws) string {
	s := text(d, 5)
	if d.flip(6) {
		return s + "\xed\xa0\xbd" // U+D83D
	}
	return s
}

// integer draws a small number, and seldom one at the edge of an integer type.
func integer(d *draws) any {
	if d.flip(5) {
		return pick[any](d, 0, -1, 1<<31-1, -1<<31, 1<<31, 1<<53, bigInt("9007199254740993"), bigInt("9223372036854775807"),
			bigInt("9223372036854775808"), bigInt("-9223372036854775809"), bigInt("123456789012345678901234567890"))
	}
	return d.n(40) - 3
}

func bigInt(digits string) object { return object{"$int", digits} }

// smallInt draws a number that fits every integer type.
func smallInt(d *draws) int { return d.n(12) - 1 }

func float(d *draws) any {
	return object{"$f64", oneOf("0.0", "1.0", "-1.0", "0.5", "1e+22", "5e-324", "-0.0", "nan", "inf", "-inf", "0.1", "1e-07", "123456789.0", "1.7976931348623157e+308")}
}

// anything draws a value of any JSON type.
func anything(d *draws) any {
	switch d.n(9) {
	case 0:
		return nil
	case 1:
		return word(d)
	case 2:
		return integer(d)
	case 3:
		return d.flip(2)
	case 4:
		return float(d)
	case 5:
		return surrogateText(d)
	case 6:
		return some(3, integer)
	case 7:
		return dict(word(d), integer(d))
	}
	return some(3, word)
}

// hexBytes makes bytes, {"$hex"}.
func hexBytes(data string) *pysem.Dict { return dict("$hex", hex.EncodeToString([]byte(data))) }

// someBytes draws a few bytes, which need not be valid UTF-8.
func someBytes(d *draws) *pysem.Dict {
	return hexBytes(pick(d, "", "1", "x", "\x00", "\xff\xfe", "{}", "模", "null", text(d, 6)))
}

// numerals lists texts that some languages read as a number and others do not.
var numerals = []string{
	"0", "1", "2", "7", "10", "-1", "+3", "007", " 4 ", "1_000", "_1", "1__0", "0x10", "1e3", "1.0", "1.5", "", " ", "abc", "٣", "９", "²", "½", "1\n", "\u00a05", "\u20035",
	"2147483647", "2147483648", "9223372036854775808", "123456789012345678901234567890", "--1", "1-", "nan", "inf", "-0", "0o7", "True", "None", "1,000",
}

func numeral(d *draws) string { return pick(d, numerals...) }

// ports sets the environment variables PORT, PORT2 … PORT10, some of them to odd values.
func ports(d *draws, env *pysem.Dict) {
	if d.flip(8) {
		return
	}
	for i := range 10 {
		name := "PORT"
		if i > 0 {
			name = fmt.Sprintf("PORT%d", i+1)
		}
		if d.flip(25) {
			env.Set(name, numeral(d))
			continue
		}
		env.Set(name, fmt.Sprint(1000+i+min(i, 1)))
	}
}

// containerEnv sets the environment variables that describe a container.
func containerEnv(d *draws, env *pysem.Dict) {
	ports(d, env)
	for _, v := range []struct {
		name   string
		values []string
	}{
		{"SHARD_ID", []string{"0", "1", "2", "3"}},
		{"MONOLITH_HOST_SHARD_N", []string{"1", "2", "3", "10"}},
		{"REPLICA_ID", []string{"0", "5", "7", "11"}},
		{"MY_POD_NAME", []string{"pod-1", "p-3", "", "模"}},
		{"DENSE_SERVICE_IDX", []string{"0", "1", "2"}},
		{"TCE_INTERNAL_IDC", []string{"lf", "LF", "hl", ""}},
		{"TCE_LOGICAL_CLUSTER", []string{"default", "Def", ""}},
		{"TCE_CLUSTER", []string{"c1", "C2", ""}},
		{"TCE_PHYSICAL_CLUSTER", []string{"p1", ""}},
		{"TCE_PSM", []string{"a.b.c", ""}},
		{"MY_HOST_IP", []string{"10.1.2.3", "127.0.0.1", "localhost", "", "fd00::1"}},
		{"MY_HOST_IPV6", []string{"fd00::9", ""}},
		{"MY_POD_IP", []string{"10.9.9.9", ""}},
		{"MY_CPU_LIMIT", []string{"4", "8", "0"}},
	} {
		switch d.n(5) {
		case 1, 2:
			env.Set(v.name, pick(d, v.values...))
		case 3:
			if d.flip(4) {
				env.Set(v.name, numeral(d))
			}
		}
	}
}

// hostEntries draws entries that override those of the fake host. Mostly there are none, and it
// returns nil.
func hostEntries(d *draws) *pysem.Dict {
	if !d.flip(4) {
		return nil
	}
	h := dict()
	if d.flip(2) {
		h.Set("gethostbyname", pick[any](d, nil, "192.0.2.7", "127.0.0.1", ""))
	}
	if d.flip(2) {
		h.Set("ipv6", pick[any](d, nil, "2001:db8::7", "::1"))
	}
	if d.flip(2) {
		h.Set("udp_ip", pick[any](d, nil, "198.51.100.1", "127.0.0.1"))
	}
	for i, item := range h.Items {
		if item.Value == "" {
			h.Items[i].Value = nil // never empty, because a resolver never answers with an empty name
		}
	}
	return h
}
