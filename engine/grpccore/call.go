package grpccore

import (
	"encoding/base64"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc/codes"
)

// limits holds the limits of a request in bytes. The size of metadata is the length of names and
// values, plus 32 for each field. A request whose metadata reaches the hard limit is always
// refused. Between the soft and the hard limit C-core refuses at random, more likely the larger the
// request is (random_early_detection.cc), and so do we.
type limits struct {
	message, soft, hard int
	noStreams           bool // every call is refused
	strikes             strikes
	compression         compression
}

// call holds the header of a request, as C-core reads it.
type call struct {
	fields []hpack.HeaderField
	size   int

	// These are the fields that have a meaning, nil if missing. If a field occurs twice, the last
	// is kept.
	method, scheme, path, authority, host, te, contentType, timeout, encoding, accepts *hpack.HeaderField

	limit  int      // a call with headers of this size or more is refused
	soft   int      // a call with headers above this size is refused by chance
	refuse *refusal // says why the call is refused; nil if it is not
	failed int      // number of fields that were read before the refusal
	odd    bool     // whether grpc-go would answer otherwise than C-core, so that it is given another header to read
	named  bool     // whether an ordinary field has been read, after which pseudo headers are an error
}

// refusal is an answer that the server gives without calling a handler.
type refusal struct {
	code  codes.Code
	text  string
	reset bool          // whether the stream is reset, without sending code and text
	why   http2.ErrCode // error code of a reset; 0 means INTERNAL_ERROR
}

func (c *call) reset(soft, limit int) {
	clear(c.fields)
	*c = call{fields: c.fields[:0], soft: soft, limit: limit}
}

// take reads one header field. The HPACK decoder calls it.
func (c *call) take(f hpack.HeaderField) {
	if c.refuse != nil && c.size >= c.limit {
		return
	}
	c.size += int(f.Size())
	c.fields = append(c.fields, f)
	if why := c.look(&c.fields[len(c.fields)-1]); why != "" {
		c.fail(codes.Internal, why)
	}
	if c.size >= c.limit {
		c.fail(codes.ResourceExhausted, c.tooLarge("hard", c.limit))
	}
}

func (c *call) fail(code codes.Code, text string) {
	if c.refuse == nil {
		c.refuse, c.failed = &refusal{code: code, text: text}, len(c.fields)-1
	}
}

// look records a header field. It returns the reason if C-core cannot read the field
// (hpack_parser.cc, metadata_batch.cc).
func (c *call) look(f *hpack.HeaderField) (failure string) {
	switch f.Name {
	case ":path":
		c.once(&c.path, f)
		c.odd = c.odd || !wellFormed(f.Value)
	case ":authority":
		if c.authority != nil {
			return "Duplicate ':authority' header received"
		}
		c.once(&c.authority, f)
	case ":method":
		c.once(&c.method, f)
		return c.oneOf(f, "POST", "GET", "PUT")
	case ":scheme":
		c.once(&c.scheme, f)
		return c.oneOf(f, "http", "https")
	case "te":
		c.once(&c.te, f)
		return c.oneOf(f, "trailers")
	case "content-type":
		c.once(&c.contentType, f)
		c.odd = c.odd || f.Value != contentType
	case "grpc-timeout":
		c.once(&c.timeout, f)
		if _, ok := parseTimeout(f.Value); !ok {
			return unreadable(f)
		}
		c.odd = c.odd || !usualTimeout(f.Value)
	case "grpc-encoding":
		c.once(&c.encoding, f)
		return c.oneOf(f, "identity", "gzip", "deflate")
	case "grpc-accept-encoding":
		c.accepts = f
	case "user-agent":
	case "host":
		if c.host != nil {
			return "Duplicate 'host' header received"
		}
		c.host, c.odd = f, true
	case "connection", ":status", "x-envoy-peer-metadata": // C-core keeps the last for itself
		c.odd = true
	default:
		return c.lookAtOther(f)
	}
	if c.named = c.named || f.Name[0] != ':'; c.named && f.Name[0] == ':' {
		c.odd = true
	}
	return ""
}

// once records a field that usually occurs once. A repetition makes the call odd.
func (c *call) once(at **hpack.HeaderField, f *hpack.HeaderField) {
	c.odd = c.odd || *at != nil
	*at = f
}

func (c *call) oneOf(f *hpack.HeaderField, values ...string) (failure string) {
	for _, v := range values {
		if f.Value == v {
			return ""
		}
	}
	return unreadable(f)
}

func (c *call) lookAtOther(f *hpack.HeaderField) (failure string) {
	c.named = true
	switch {
	case f.Name == "":
		return "Metadata keys cannot be zero length"
	case !legalName(f.Name):
		return "Illegal header key: " + f.Name
	case strings.HasSuffix(f.Name, "-bin"):
		return c.lookAtBinary(f)
	case f.Name == "grpc-status" || f.Name == "grpc-previous-rpc-attempts" || f.Name == "grpc-retry-pushback-ms":
		if _, err := strconv.ParseInt(strings.TrimSpace(f.Value), 10, 64); err != nil {
			return unreadable(f)
		}
	}
	return ""
}

// lookAtBinary records a binary field, and returns the reason if C-core cannot read it. A value that begins
// with a byte 0 is not encoded.
func (c *call) lookAtBinary(f *hpack.HeaderField) (failure string) {
	decoded := ""
	switch value := strings.TrimRight(f.Value, "="); {
	case strings.HasPrefix(f.Value, "\x00"):
		decoded = f.Value[1:]
	case !base64ed(f.Value):
		return unreadable(f) + ": illegal base64 encoding"
	default:
		b, err := base64.RawStdEncoding.DecodeString(value)
		if err != nil {
			return unreadable(f) + ": illegal base64 encoding"
		}
		decoded = string(b)
	}
	if f.Name == "lb-cost-bin" && len(decoded) < lbCostBytes {
		return unreadable(f)
	}
	switch again := base64.StdEncoding.EncodeToString([]byte(decoded)); f.Value {
	case again, strings.TrimRight(again, "="):
	default: // grpc-go does not read this encoding
		f.Value, c.odd = again, true
	}
	return ""
}

// lbCostBytes is the length of the number with which the value of lb-cost-bin begins.
const lbCostBytes = 8

func unreadable(f *hpack.HeaderField) string { return "Error parsing '" + f.Name + "' metadata" }

func legalName(name string) bool {
	for i := range len(name) {
		if c := name[i]; !('a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '_' || c == '.') {
			return false
		}
	}
	return true
}

// base64ed reports whether C-core can decode a base64 value. It accepts any number of = at the end,
// but no leftover bits.
func base64ed(value string) bool {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	value = strings.TrimRight(value, "=")
	if value == "" || strings.Trim(value, letters) != "" {
		return value == ""
	}
	left := strings.IndexByte(letters, value[len(value)-1])
	switch len(value) % 4 {
	case 1:
		return false
	case 2:
		return left&0xf == 0
	case 3:
		return left&3 == 0
	}
	return true
}

// tooLong refuses a call because of a field that is so long that C-core does not even read its
// text.
func (c *call) tooLong(at int, what string, length int) {
	if c.refuse != nil && c.failed >= at {
		c.refuse.text = fmt.Sprintf("received metadata size exceeds hard limit (%s length %d vs. %d)", what, length, c.limit)
		c.refuse.code = codes.ResourceExhausted
	}
}

// judge decides whether to refuse a call, after all of its fields were read.
func (c *call) judge() {
	if c.refuse != nil {
		return
	}
	if c.size > c.soft && rand.IntN(c.limit-c.soft) < c.size-c.soft {
		c.fail(codes.ResourceExhausted, c.tooLarge("soft", c.soft))
		return
	}
	posted := c.method != nil && c.method.Value == "POST"
	if !posted || c.te == nil || c.scheme == nil || c.path == nil || c.authority == nil && c.host == nil {
		c.refuse = &refusal{reset: true}
		return
	}
	if c.path.Value == "" {
		c.fail(codes.Canceled, "CANCELLED")
	}
	if c.timeout != nil {
		if d, _ := parseTimeout(c.timeout.Value); d <= 0 {
			c.fail(codes.DeadlineExceeded, deadlineExceeded)
		}
	}
	c.odd = c.odd || c.contentType == nil
}

// knownOrder is the order in which C-core lists the fields that it knows. Other fields follow in
// the order of their arrival (grpc_metadata_batch_base).
var knownOrder = []string{":path", ":authority", ":method", ":status", ":scheme", "content-type", "te", "grpc-encoding", "grpc-accept-encoding",
	"grpc-status", "grpc-timeout", "grpc-previous-rpc-attempts", "grpc-retry-pushback-ms", "user-agent", "grpc-message", "host"}

// tooLarge returns the error text for a call with too much metadata (hpack_parse_result.cc).
func (c *call) tooLarge(which string, limit int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "received metadata size exceeds %s limit (%d vs. %d); ", which, c.size, limit)
	known := map[string]bool{}
	for _, name := range knownOrder {
		known[name] = true
		for i := len(c.fields) - 1; i >= 0; i-- { // if a field occurs several times, the last one counts
			if f := c.fields[i]; f.Name == name {
				fmt.Fprintf(&b, " %s:%dB", name, f.Size())
				break
			}
		}
	}
	for _, f := range c.fields {
		if !known[f.Name] {
			size := f.Size()
			if strings.HasSuffix(f.Name, "-bin") {
				size -= uint32(len(f.Value) - len(strings.TrimRight(f.Value, "="))*3/4) // counted in decoded bytes
			}
			fmt.Fprintf(&b, " %s:%dB", f.Name, size)
		}
	}
	return b.String()
}

// instead returns another header for an odd call. With that header grpc-go answers as C-core
// answers the original.
func (c *call) instead() []hpack.HeaderField {
	path, authority := c.path.Value, c.authority
	if authority == nil {
		authority = c.host
	}
	if !wellFormed(path) {
		path = "/" + path + "/" // a path that belongs to no service
	}
	fields := []hpack.HeaderField{
		{Name: ":method", Value: "POST"}, {Name: ":scheme", Value: "http"}, {Name: ":path", Value: path}, {Name: ":authority", Value: authority.Value},
		{Name: "te", Value: "trailers"}, {Name: "content-type", Value: contentType},
	}
	if c.timeout != nil {
		if d, _ := parseTimeout(c.timeout.Value); d < math.MaxInt64 {
			fields = append(fields, hpack.HeaderField{Name: "grpc-timeout", Value: timeoutText(d)})
		}
	}
	for _, f := range c.fields {
		switch f.Name {
		case ":method", ":scheme", ":path", ":authority", ":status", "te", "content-type", "grpc-timeout", "host", "connection", "grpc-status", "grpc-message", "x-envoy-peer-metadata":
		default:
			fields = append(fields, f)
		}
	}
	return fields
}

// wellFormed reports whether grpc-go finds a service and a method in a path.
func wellFormed(path string) bool {
	return len(path) > 1 && path[0] == '/' && strings.IndexByte(path[1:], '/') >= 0
}

// parseTimeout parses a grpc-timeout as C-core does (timeout_encoding.cc), in whole milliseconds.
// For a timeout that C-core treats as infinite it returns math.MaxInt64.
func parseTimeout(text string) (d time.Duration, ok bool) {
	const largest = 1000 * 1000 * 1000
	text = strings.TrimLeft(text, " ")
	digits := 0
	x := int64(0)
	for digits < len(text) && '0' <= text[digits] && text[digits] <= '9' {
		x = x*10 + int64(text[digits]-'0')
		if digits++; x > largest {
			return math.MaxInt64, true
		}
	}
	unit := strings.TrimLeft(text[digits:], " ")
	if digits == 0 || unit == "" || strings.TrimLeft(unit[1:], " ") != "" {
		return 0, false
	}
	up := func(n int64) time.Duration { return time.Duration((x+n-1)/n) * time.Millisecond }
	switch unit[0] {
	case 'n':
		return up(1e6), true
	case 'u':
		return up(1e3), true
	case 'm':
		return up(1), true
	case 'S':
		return time.Duration(x) * time.Second, true
	case 'M':
		return longest(x, time.Minute), true
	case 'H':
		return longest(x, time.Hour), true
	}
	return 0, false
}

func longest(n int64, unit time.Duration) time.Duration {
	if n > math.MaxInt64/int64(unit) {
		return math.MaxInt64
	}
	return time.Duration(n) * unit
}

// usualTimeout reports whether grpc-go reads a timeout as C-core does. Both agree on digits with a
// unit that make more than a millisecond; C-core rounds shorter timeouts up to one.
func usualTimeout(text string) bool {
	if len(text) < 2 || len(text) > 9 || text[0] == ' ' || text[len(text)-2] == ' ' || text[len(text)-1] == ' ' {
		return false
	}
	d, _ := parseTimeout(text)
	return d > time.Millisecond
}

// timeoutText formats a timeout with fewer than nine digits, as grpc-go requires.
func timeoutText(d time.Duration) string {
	for _, u := range []struct {
		name string
		unit time.Duration
	}{{"m", time.Millisecond}, {"S", time.Second}, {"M", time.Minute}} {
		if n := int64(d / u.unit); n < 1e8 {
			return strconv.FormatInt(n, 10) + u.name
		}
	}
	return strconv.FormatInt(min(int64(d/time.Hour), 1e8-1), 10) + "H"
}

const (
	contentType      = "application/grpc"
	deadlineExceeded = "Deadline Exceeded"
)
