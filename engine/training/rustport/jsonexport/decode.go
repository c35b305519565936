package jsonexport

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"
)

// decoder decodes JSON as serde decodes it into Rust's types: null is refused, every field is
// required, and names must match exactly.
type decoder struct {
	data []byte
	in   *json.Decoder
	// token is the token that was read last. It ends at byte in.InputOffset of data.
	token json.Token
}

func newDecoder(text []byte) *decoder {
	in := json.NewDecoder(bytes.NewReader(text))
	in.UseNumber()
	return &decoder{data: text, in: in}
}

// field is a field of an object, and the function that reads its value.
type field struct {
	name string
	read func() error
}

// at returns the line and column of a byte offset, in the words of serde_json's errors.
func (d *decoder) at(offset int64) string {
	before := d.data[:min(offset, int64(len(d.data)))]
	return fmt.Sprintf(" at line %d column %d", 1+bytes.Count(before, []byte("\n")), len(before)-1-bytes.LastIndexByte(before, '\n'))
}

// failf returns an error with the position at the end of the last token read.
func (d *decoder) failf(format string, args ...any) error {
	return errors.New(fmt.Sprintf(format, args...) + d.at(d.in.InputOffset()))
}

func (d *decoder) next() error {
	if d.in.InputOffset() == 0 && !utf8.Valid(d.data) {
		return errors.New("stream did not contain valid UTF-8")
	}
	token, err := d.in.Token()
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("EOF while parsing a value" + d.at(int64(len(d.data))))
	case errors.As(err, &syntax):
		return errors.New(syntax.Error() + d.at(max(syntax.Offset, d.in.InputOffset())))
	case err != nil:
		return err
	}
	d.token = token
	return nil
}

// wrong returns the error for a token that is not of the wanted type. The position in the error is
// the token's end, or its beginning for an object or a list.
func (d *decoder) wrong(want string) error {
	var found string
	switch t := d.token.(type) {
	case nil:
		found = "null"
	case bool:
		found = fmt.Sprintf("boolean `%t`", t)
	case string:
		found = "string " + quoted(t)
	case json.Number:
		return d.failf("%s", d.wrongNumber(t.String(), want))
	case json.Delim:
		found = map[json.Delim]string{'{': "map", '[': "sequence"}[t]
		return errors.New("invalid type: " + found + ", expected " + want + d.at(d.in.InputOffset()-1))
	}
	return d.failf("invalid type: %s, expected %s", found, want)
}

// wrongNumber returns the error for a number of the wrong type. Numbers beyond 64 bits count as
// floats.
func (d *decoder) wrongNumber(number, want string) string {
	if whole(number) {
		kind := "value"
		if !strings.ContainsAny(want[:1], "ui") {
			kind = "type"
		}
		return fmt.Sprintf("invalid %s: integer `%s`, expected %s", kind, number, want)
	}
	v, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return outOfRange
	}
	return fmt.Sprintf("invalid type: floating point `%s`, expected %s", appendFloat(nil, v, 64), want)
}

const outOfRange = "number out of range"

// whole reports whether a number fits into an int64 or a uint64.
func whole(number string) bool {
	n, ok := new(big.Int).SetString(number, 10)
	return ok && number != "-0" && (n.IsInt64() || n.IsUint64())
}

func (d *decoder) unsigned(want string, bits int) (uint64, error) {
	if err := d.next(); err != nil {
		return 0, err
	}
	number, ok := d.token.(json.Number)
	if !ok {
		return 0, d.wrong(want)
	}
	n, err := strconv.ParseUint(number.String(), 10, bits)
	if err != nil {
		return 0, d.wrong(want)
	}
	return n, nil
}

func (d *decoder) float(want string) (float64, error) {
	if err := d.next(); err != nil {
		return 0, err
	}
	number, ok := d.token.(json.Number)
	if !ok {
		return 0, d.wrong(want)
	}
	v, err := number.Float64()
	if err != nil && math.IsInf(v, 0) {
		return 0, d.failf("%s", outOfRange)
	}
	return v, nil
}

func (d *decoder) text() (string, error) {
	if err := d.next(); err != nil {
		return "", err
	}
	text, ok := d.token.(string)
	if !ok {
		return "", d.wrong("a string")
	}
	return text, nil
}

// key parses an object's key as the key of an embedding table, which is an int64 in quotes.
func (d *decoder) key(key string) (int64, error) {
	n, err := strconv.ParseInt(key, 10, 64)
	switch {
	case err == nil && !strings.HasPrefix(key, "+"):
		return n, nil
	case !json.Valid([]byte(key)) || strings.TrimLeft(key, "-0123456789") == key:
		return 0, errors.New("invalid value: expected key to be a number in quotes" + d.at(d.in.InputOffset()-int64(len(key)+len(`"`))))
	}
	return 0, errors.New(d.wrongNumber(key, "i64") + d.at(d.in.InputOffset()-int64(len(`"`))))
}

// begin reads the opening bracket of a list or an object.
func (d *decoder) begin(delim json.Delim, want string) error {
	if err := d.next(); err != nil {
		return err
	}
	if d.token != delim {
		return d.wrong(want)
	}
	return nil
}

func (d *decoder) list(read func() error) error {
	if err := d.begin('[', "a sequence"); err != nil {
		return err
	}
	for d.in.More() {
		if err := read(); err != nil {
			return err
		}
	}
	return d.next()
}

// entries reads an object as a map, and calls read for each key. If a key occurs twice, read is
// called twice, so that the last entry counts.
func (d *decoder) entries(read func(key string) error) error {
	if err := d.begin('{', "a map"); err != nil {
		return err
	}
	return d.pairs(read)
}

func (d *decoder) pairs(read func(key string) error) error {
	for d.in.More() {
		key, err := d.text()
		if err == nil {
			err = read(key)
		}
		if err != nil {
			return err
		}
	}
	return d.next()
}

// object reads an object in which each of fields must occur exactly once. It skips other fields.
// serde also accepts a list of the fields' values, which object refuses.
func (d *decoder) object(want string, fields []field) error {
	if err := d.begin('{', want); err != nil {
		return err
	}
	seen := map[string]bool{}
	err := d.pairs(func(key string) error {
		if seen[key] {
			return d.failf("duplicate field `%s`", key)
		}
		for _, f := range fields {
			if f.name == key {
				seen[key] = true
				return f.read()
			}
		}
		return d.skip()
	})
	if err != nil {
		return err
	}
	for _, f := range fields {
		if !seen[f.name] {
			return d.failf("missing field `%s`", f.name)
		}
	}
	return nil
}

func (d *decoder) skip() error {
	for depth := 0; ; {
		if err := d.next(); err != nil {
			return err
		}
		switch d.token {
		case json.Delim('['), json.Delim('{'):
			depth++
		case json.Delim(']'), json.Delim('}'):
			depth--
		}
		if depth == 0 {
			return nil
		}
	}
}

// end returns an error if the text continues after the value.
func (d *decoder) end() error {
	rest := d.data[d.in.InputOffset():]
	if extra := bytes.TrimLeft(rest, " \t\r\n"); len(extra) > 0 {
		return errors.New("trailing characters" + d.at(int64(len(d.data)-len(extra)+1)))
	}
	return nil
}
