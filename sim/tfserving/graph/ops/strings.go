package ops

import (
	"encoding/base64"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	farm "github.com/dgryski/go-farm"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// stringOps holds the operations on strings, except those with regular expressions.
var stringOps = map[string]Kernel{
	"StringJoin": stringJoin, "StringLength": stringLength, "StringToNumber": stringToNumber, "AsString": asString,
	"StringLower": eachString(lower), "StringUpper": eachString(upper), "StringStrip": eachString(strip),
	"Substr": substr, "StringSplit": stringSplit, "StringSplitV2": stringSplitV2,
	"StringToHashBucketFast": hashBucketFast,
	"EncodeBase64":           encodeBase64, "DecodeBase64": decodeBase64, "DecodeRaw": decodeRaw,
}

// eachString makes an operation that applies f to each string. encoding is the operation's
// attribute.
func eachString(f func(s, encoding string) string) Kernel {
	return func(c *Call) ([]Value, error) {
		encoding := c.text("encoding")
		return c.strings(c.In[0].Shape(), lists.Map(c.In[0].S(), func(s string) string { return f(s, encoding) }))
	}
}

func lower(s, encoding string) string {
	if encoding == "utf-8" {
		return strings.ToLower(s)
	}
	return asciiCase(s, 'A', 'Z', 'a'-'A')
}

func upper(s, encoding string) string {
	if encoding == "utf-8" {
		return strings.ToUpper(s)
	}
	return asciiCase(s, 'a', 'z', 'a'-'A')
}

func asciiCase(s string, from, to byte, flip byte) string {
	b := []byte(s)
	for i, x := range b {
		if x >= from && x <= to {
			b[i] = x ^ flip
		}
	}
	return string(b)
}

const blanks = " \t\n\v\f\r"

func strip(s, _ string) string { return strings.Trim(s, blanks) }

func stringJoin(c *Call) ([]Value, error) {
	shape := []int{}
	for _, v := range c.In {
		if v.Rank() > 0 {
			shape = v.Shape()
			break
		}
	}
	index := make([]value.Index, len(c.In))
	for i, v := range c.In {
		if v.Rank() > 0 && value.ShapeText(v.Shape()) != value.ShapeText(shape) {
			return nil, invalidf("Input shapes do not match: %s vs. %s", value.ShapeText(shape), value.ShapeText(v.Shape()))
		}
		index[i] = value.BroadcastIndex(v.Shape(), shape)
	}
	n, err := c.room(value.String, shape)
	if err != nil {
		return nil, err
	}
	list := make([]string, n)
	parts, separator := make([]string, len(c.In)), c.text("separator")
	for i := range list {
		for k, v := range c.In {
			parts[k] = v.S()[index[k].At(i)]
		}
		list[i] = strings.Join(parts, separator)
	}
	return c.strings(shape, list)
}

func stringLength(c *Call) ([]Value, error) {
	characters := c.text("unit") == "UTF8_CHAR"
	return one(value.Ints(value.Int32, c.In[0].Shape(), lists.Map(c.In[0].S(), func(s string) int64 {
		if characters {
			return int64(leadingBytes(s))
		}
		return int64(len(s))
	})))
}

// leadingBytes counts UTF-8 characters by counting their first bytes (core/kernels/string_util.cc,
// UTF8StrLen).
func leadingBytes(s string) (n int) {
	for i := range len(s) {
		if utf8.RuneStart(s[i]) {
			n++
		}
	}
	return n
}

func stringToNumber(c *Call) ([]Value, error) {
	dtype := c.typeOf("out_type")
	if dtype == 0 {
		dtype = value.Float32
	}
	failed := func(s string) error {
		return invalidf("StringToNumberOp could not correctly convert string: %s", s)
	}
	if value.IsInt(dtype) {
		list := make([]int64, c.In[0].Len())
		for i, s := range c.In[0].S() {
			n, err := strconv.ParseInt(strings.TrimPrefix(strings.Trim(s, blanks), "+"), 10, 8*tensor.Size(dtype))
			if err != nil {
				return nil, failed(s)
			}
			list[i] = n
		}
		return one(value.Ints(dtype, c.In[0].Shape(), list))
	}
	list := make([]float64, c.In[0].Len())
	for i, s := range c.In[0].S() {
		x, ok := parseFloat(s, 8*tensor.Size(dtype))
		if !ok {
			return nil, failed(s)
		}
		list[i] = x
	}
	return one(value.Floats(dtype, c.In[0].Shape(), list))
}

// parseFloat parses a number as double-conversion does (lib/strings/numbers.cc). Blanks may
// surround the number; underscores are not allowed.
func parseFloat(s string, bits int) (float64, bool) {
	s = strings.Trim(s, blanks)
	if s == "" || strings.ContainsAny(s, "_pP") {
		return 0, false
	}
	x, err := strconv.ParseFloat(s, bits)
	return x, err == nil || math.IsInf(x, 0)
}

func asString(c *Call) ([]Value, error) {
	v := c.In[0]
	print, err := c.printer()
	if err != nil {
		return nil, err
	}
	if _, err := c.room(value.String, v.Shape()); err != nil {
		return nil, err
	}
	list := make([]string, v.Len())
	for i := range list {
		list[i] = print(i)
	}
	return c.strings(v.Shape(), list)
}

// printer returns a function that formats the element at an index (core/kernels/as_string_op.cc).
func (c *Call) printer() (func(int) string, error) {
	v, width, fill := c.In[0], c.number("width"), c.text("fill")
	flags := fill
	if width >= 0 {
		flags += strconv.Itoa(width)
	}
	switch {
	case width > 1000 || c.number("precision") > 1000:
		return nil, c.unsupported("width %d", width)
	case v.S() != nil:
		return func(i int) string { return fmt.Sprintf("%"+strings.ReplaceAll(flags, "0", "")+"s", v.S()[i]) }, nil
	case v.B() != nil:
		return func(i int) string {
			return fmt.Sprintf("%"+strings.TrimPrefix(flags, "0")+"s", strconv.FormatBool(v.B()[i]))
		}, nil
	case v.DType() == value.UInt64:
		return func(i int) string { return fmt.Sprintf("%"+flags+"d", uint64(v.I()[i])) }, nil
	case v.I() != nil:
		return func(i int) string { return fmt.Sprintf("%"+flags+"d", v.I()[i]) }, nil
	case v.F() == nil:
		return nil, c.unsupported("%s", tensor.DTypeName(v.DType()))
	}
	verb, precision := byte('f'), 6
	switch {
	case c.flag("scientific"):
		verb = 'e'
	case c.flag("shortest"):
		verb = 'g'
	}
	if p := c.number("precision"); p >= 0 {
		precision = p
	}
	if flags != "" && width >= 0 {
		return nil, c.unsupported("a width of floats")
	}
	return func(i int) string { return printed(v.F()[i], verb, precision) }, nil
}

func substr(c *Call) ([]Value, error) {
	v := c.In[0]
	if c.text("unit") == "UTF8_CHAR" {
		return nil, c.unsupported("characters")
	}
	shape, ok := value.Broadcast(v.Shape(), c.In[1].Shape())
	if !ok {
		return nil, invalidf("Incompatible shapes: %s vs. %s", value.ShapeText(v.Shape()), value.ShapeText(c.In[1].Shape()))
	}
	n, err := c.room(value.String, shape)
	if err != nil {
		return nil, err
	}
	text, at := value.BroadcastIndex(v.Shape(), shape), value.BroadcastIndex(c.In[1].Shape(), shape)
	list := make([]string, n)
	for i := range list {
		s, pos, length := v.S()[text.At(i)], int(c.In[1].I()[at.At(i)]), int(c.In[2].I()[at.At(i)])
		if pos < 0 {
			pos += len(s)
			if pos < 0 {
				return nil, invalidf("pos %d out of range for string b'%s' at index %d", pos-len(s), s, i)
			}
		}
		if pos > len(s) {
			return nil, invalidf("pos %d out of range for string b'%s' at index %d", pos, s, i)
		}
		list[i] = s[pos:min(len(s), pos+max(length, 0))]
	}
	return c.strings(shape, list)
}

// splits returns a sparse tensor with one row for the words of each string.
func (c *Call) splits(words [][]string) ([]Value, error) {
	indices, list, widest := []int64{}, []string{}, 0
	for row, some := range words {
		for column, word := range some {
			indices, list = append(indices, int64(row), int64(column)), append(list, word)
		}
		widest = max(widest, len(some))
	}
	all, err := c.strings([]int{len(list)}, list)
	if err != nil {
		return nil, err
	}
	return []Value{value.Ints(value.Int64, []int{len(list), 2}, indices), all[0], value.Sizes(value.Int64, []int{len(words), widest})}, nil
}

// stringSplit splits strings at any character of the delimiter.
func stringSplit(c *Call) ([]Value, error) {
	if c.In[0].Rank() != 1 {
		return nil, invalidf("input must be a vector, got shape: %s", value.ShapeText(c.In[0].Shape()))
	}
	delimiter := c.In[1].S()[0]
	skips := c.flag("skip_empty")
	return c.splits(lists.Map(c.In[0].S(), func(s string) []string {
		var words []string
		if delimiter == "" {
			for i := range len(s) {
				words = append(words, s[i:i+1])
			}
			return words
		}
		start := 0
		for i := 0; i <= len(s); i++ {
			if i < len(s) && strings.IndexByte(delimiter, s[i]) < 0 {
				continue
			}
			if !skips || i > start {
				words = append(words, s[start:i])
			}
			start = i + 1
		}
		return words
	}))
}

// stringSplitV2 splits strings at a separator. An empty separator splits at blanks, as in Python.
func stringSplitV2(c *Call) ([]Value, error) {
	if c.In[0].Rank() != 1 {
		return nil, invalidf("input must be a vector, got shape: %s", value.ShapeText(c.In[0].Shape()))
	}
	if c.In[1].Len() != 1 {
		return nil, invalidf("sep must be a scalar, got shape: %s", value.ShapeText(c.In[1].Shape()))
	}
	separator, most := c.In[1].S()[0], c.number("maxsplit")
	return c.splits(lists.Map(c.In[0].S(), func(s string) []string {
		if separator != "" {
			return strings.SplitN(s, separator, limitOf(most))
		}
		var words []string
		for s = strings.TrimLeft(s, blanks); s != ""; s = strings.TrimLeft(s, blanks) {
			end := strings.IndexAny(s, blanks)
			if end < 0 || most >= 0 && len(words) == most {
				return append(words, strings.TrimRight(s, blanks))
			}
			words = append(words, s[:end])
			s = s[end:]
		}
		return words
	}))
}

func limitOf(maxsplit int) int {
	if maxsplit < 0 {
		return -1
	}
	return maxsplit + 1
}

func hashBucketFast(c *Call) ([]Value, error) {
	buckets := uint64(max(c.number("num_buckets"), 1))
	return one(value.Ints(value.Int64, c.In[0].Shape(), lists.Map(c.In[0].S(), func(s string) int64 {
		return int64(farm.Fingerprint64([]byte(s)) % buckets)
	})))
}

func encodeBase64(c *Call) ([]Value, error) {
	encoding := base64.RawURLEncoding
	if c.flag("pad") {
		encoding = base64.URLEncoding
	}
	return c.strings(c.In[0].Shape(), lists.Map(c.In[0].S(), func(s string) string { return encoding.EncodeToString([]byte(s)) }))
}

func decodeBase64(c *Call) ([]Value, error) {
	list := make([]string, c.In[0].Len())
	for i, s := range c.In[0].S() {
		data, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(s, "="))
		if err != nil || strings.ContainsAny(s, "\r\n") {
			return nil, invalidf("Invalid character found in base64.")
		}
		list[i] = string(data)
	}
	return c.strings(c.In[0].Shape(), list)
}

// decodeRaw reinterprets the bytes of strings as numbers of the attribute out_type.
func decodeRaw(c *Call) ([]Value, error) {
	dtype, v := c.typeOf("out_type"), c.In[0]
	size := tensor.Size(dtype)
	if size == 0 || !c.flag("little_endian") && size > 1 {
		return nil, c.unsupported("%s", tensor.DTypeName(dtype))
	}
	width := 0
	if v.Len() > 0 {
		width = len(v.S()[0])
	}
	for i, s := range v.S() {
		if len(s) != width {
			return nil, invalidf("DecodeRaw requires input strings to all be the same size, but element %d has size %d != %d", i, width, len(s))
		}
	}
	if width%size != 0 {
		return nil, invalidf("Input to DecodeRaw has length %d that is not a multiple of %d, the size of %s", width, size, tensor.DTypeName(dtype))
	}
	shape := append(append([]int{}, v.Shape()...), width/size)
	if _, err := c.room(dtype, shape); err != nil {
		return nil, err
	}
	return rawTensor(c, dtype, shape, strings.Join(v.S(), ""))
}

// rawTensor makes a tensor from the raw bytes of its elements.
func rawTensor(c *Call, dtype DType, shape []int, data string) ([]Value, error) {
	sizes := lists.Map(shape, func(n int) int64 { return int64(n) })
	t, err := tensor.Parse(&framework.TensorProto{Dtype: dtype, TensorShape: tensor.ShapeProto(sizes), TensorContent: []byte(data)})
	if err != nil {
		return nil, c.unsupported("%v", err)
	}
	return one(value.FromTensor(t))
}
