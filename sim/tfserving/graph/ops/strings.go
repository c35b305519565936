package ops

import (
	"encoding/base64"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	farm "github.com/dgryski/go-farm"
	"golang.org/x/text/cases"
	"golang.org/x/text/language"

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
	"StringToHashBucketFast": hashBucketFast, "StringToHashBucket": hashBucket, "StringFormat": stringFormat,
	"EncodeBase64": encodeBase64, "DecodeBase64": decodeBase64, "DecodeRaw": decodeRaw,
}

// eachString makes an operation that applies f to each string. encoding is the operation's
// attribute.
func eachString(f func(s, encoding string) string) Kernel {
	return func(c *Call) ([]Value, error) {
		encoding := c.Text("encoding")
		return c.strings(c.In[0].Shape(), lists.Map(c.In[0].S(), func(s string) string { return f(s, encoding) }))
	}
}

func lower(s, encoding string) string {
	if encoding == "utf-8" {
		return cases.Lower(language.Und).String(string([]rune(s)))
	}
	return asciiCase(s, 'A', 'Z', 'a'-'A')
}

func upper(s, encoding string) string {
	if encoding == "utf-8" {
		return cases.Upper(language.Und).String(string([]rune(s)))
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
			return nil, Invalidf("Input shapes do not match: %s vs. %s", value.ShapeText(shape), value.ShapeText(v.Shape()))
		}
		index[i] = value.BroadcastIndex(v.Shape(), shape)
	}
	n, err := c.Room(value.String, shape)
	if err != nil {
		return nil, err
	}
	list := make([]string, n)
	parts, separator := make([]string, len(c.In)), c.Text("separator")
	for i := range list {
		for k, v := range c.In {
			parts[k] = v.S()[index[k].At(i)]
		}
		list[i] = strings.Join(parts, separator)
	}
	return c.strings(shape, list)
}

func stringLength(c *Call) ([]Value, error) {
	characters := c.Text("unit") == "UTF8_CHAR"
	return One(value.Ints(value.Int32, c.In[0].Shape(), lists.Map(c.In[0].S(), func(s string) int64 {
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
	dtype := c.TypeOf("out_type")
	if dtype == 0 {
		dtype = value.Float32
	}
	failed := func(s string) error {
		return Invalidf("StringToNumberOp could not correctly convert string: %s", s)
	}
	if value.IsInt(dtype) {
		list := make([]int64, c.In[0].Len())
		for i, s := range c.In[0].S() {
			n, ok := ParseInt(s, 8*tensor.Size(dtype))
			if !ok {
				return nil, failed(s)
			}
			list[i] = n
		}
		return One(value.Ints(dtype, c.In[0].Shape(), list))
	}
	list := make([]float64, c.In[0].Len())
	for i, s := range c.In[0].S() {
		x, ok := ParseFloat(s, 8*tensor.Size(dtype))
		if !ok {
			return nil, failed(s)
		}
		list[i] = x
	}
	return One(value.Floats(dtype, c.In[0].Shape(), list))
}

// ParseInt parses a whole number of so many bits (lib/strings/numbers.cc). Blanks may surround it.
func ParseInt(s string, bits int) (n int64, ok bool) {
	digits := strings.Trim(s, blanks)
	n, err := strconv.ParseInt(digits, 10, bits)
	return n, err == nil && digits[0] != '+'
}

// ParseFloat parses a number as double-conversion does (lib/strings/numbers.cc). Blanks may
// surround the number; underscores are not allowed.
func ParseFloat(s string, bits int) (float64, bool) {
	if s == "" || strings.Contains(s, "_") {
		return 0, false
	}
	s = strings.ToLower(strings.Trim(s, blanks))
	number := strings.TrimPrefix(strings.TrimPrefix(s, "+"), "-")
	sign := s[:len(s)-len(number)]
	switch {
	case s == "":
		return 0, true // blanks are 0
	case len(sign) > 1 || number == "infinity" || strings.Contains(number, "p"):
		return 0, false
	case number == "nan":
		return math.NaN(), true
	case strings.HasPrefix(number, "0x") && !strings.Contains(number, "."):
		s = sign + number + "p0"
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
	if _, err := c.Room(value.String, v.Shape()); err != nil {
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
	v, width, fill := c.In[0], c.Number("width"), c.Text("fill")
	flags := fill
	if width >= 0 {
		flags += strconv.Itoa(width)
	}
	switch {
	case width > 1000 || c.Number("precision") > 1000:
		return nil, c.Unsupported("width %d", width)
	case v.S() != nil:
		return func(i int) string { return fmt.Sprintf("%"+strings.ReplaceAll(flags, "0", "")+"s", v.S()[i]) }, nil
	case v.B() != nil:
		return func(i int) string { return strconv.FormatBool(v.B()[i]) }, nil
	case v.DType() == value.UInt64:
		return func(i int) string { return fmt.Sprintf("%"+flags+"d", uint64(v.I()[i])) }, nil
	case v.I() != nil:
		return func(i int) string { return fmt.Sprintf("%"+flags+"d", v.I()[i]) }, nil
	case v.F() == nil && v.C() == nil:
		return nil, c.Unsupported("%s", tensor.DTypeName(v.DType()))
	}
	verb, precision := byte('f'), 6
	switch {
	case c.Flag("scientific"):
		verb = 'e'
	case c.Flag("shortest"):
		verb = 'g'
	}
	if p := c.Number("precision"); p >= 0 {
		precision = p
	}
	one := func(x float64) string { return padded(printed(x, verb, precision), fill, width) }
	if v.C() != nil {
		return func(i int) string { return "(" + one(real(v.C()[i])) + "," + one(imag(v.C()[i])) + ")" }, nil
	}
	return func(i int) string { return one(v.F()[i]) }, nil
}

// padded pads a printed number to a width. fill is a flag of C's printf, with the same effect here.
func padded(text, fill string, width int) string {
	finite := !strings.ContainsAny(text, "n")
	if negative := strings.HasPrefix(text, "-"); !negative && (fill == "+" || fill == " ") {
		text = fill + text
	}
	missing := max(width-len(text), 0)
	switch {
	case fill == "-":
		return text + strings.Repeat(" ", missing)
	case fill == "0" && finite:
		digits := strings.TrimPrefix(text, "-")
		return text[:len(text)-len(digits)] + strings.Repeat("0", missing) + digits
	}
	return strings.Repeat(" ", missing) + text
}

func substr(c *Call) ([]Value, error) {
	v := c.In[0]
	if a, b := c.In[1].Shape(), c.In[2].Shape(); !slices.Equal(a, b) {
		return nil, Invalidf("pos and len should have the same shape, got: %s vs. %s", value.ShapeText(a), value.ShapeText(b))
	}
	characters := c.Text("unit") == "UTF8_CHAR"
	shape, ok := value.Broadcast(v.Shape(), c.In[1].Shape())
	if !ok {
		return nil, Invalidf("Incompatible shapes: %s vs. %s", value.ShapeText(v.Shape()), value.ShapeText(c.In[1].Shape()))
	}
	n, err := c.Room(value.String, shape)
	if err != nil {
		return nil, err
	}
	text, at := value.BroadcastIndex(v.Shape(), shape), value.BroadcastIndex(c.In[1].Shape(), shape)
	list := make([]string, n)
	for i := range list {
		s, pos, length := v.S()[text.At(i)], int(c.In[1].I()[at.At(i)]), int(c.In[2].I()[at.At(i)])
		if characters {
			part, ok := partOfCharacters(s, pos, length)
			if !ok {
				return nil, Invalidf("pos %d out of range for string at index %d", pos, i)
			}
			list[i] = part
			continue
		}
		first := pos
		if pos < 0 {
			first += len(s)
		}
		if first < 0 || first > len(s) {
			return nil, Invalidf("pos %d out of range for string b'%s' at index %d", pos, s, i)
		}
		list[i] = s[first:]
		if length >= 0 && length < len(s)-first { // a negative length means the rest of the string
			list[i] = s[first : first+length]
		}
	}
	return c.strings(shape, list)
}

// partOfCharacters returns a part of s. The number of its first character in s is pos, and it has
// as many characters as length says. A negative pos counts from the end. Each byte that does not
// continue a character begins one (core/kernels/substr_op.cc).
func partOfCharacters(s string, pos, length int) (string, bool) {
	if pos >= 0 {
		from, ok := forward(s, 0, pos)
		if !ok {
			return "", false
		}
		to, _ := forward(s, from, length)
		return s[from:to], true
	}
	behind := max(-pos-length, 0)
	to, ok := back(s, len(s), behind)
	if !ok {
		return "", false
	}
	from, ok := back(s, to, -pos-behind)
	return s[from:to], ok
}

// forward returns the byte offset that is n characters after the offset at; false if there are
// fewer characters.
func forward(s string, at, n int) (int, bool) {
	for ; n > 0 && at < len(s); n-- {
		for at++; at < len(s) && !utf8.RuneStart(s[at]); at++ {
		}
	}
	return at, n == 0
}

// back returns the byte offset that is n characters before the offset at; false if there are fewer
// characters.
func back(s string, at, n int) (int, bool) {
	for ; n > 0 && at > 0; n-- {
		for at--; at > 0 && !utf8.RuneStart(s[at]); at-- {
		}
	}
	return at, n == 0
}

// splits returns a sparse tensor in which each row holds the words of one string.
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
		return nil, Invalidf("input must be a vector, got shape: %s", value.ShapeText(c.In[0].Shape()))
	}
	if shape := c.In[1].Shape(); len(shape) != 0 {
		return nil, Invalidf("delimiter must be a scalar, got shape: %s", value.ShapeText(shape))
	}
	delimiter := c.In[1].S()[0]
	skips := c.Flag("skip_empty")
	return c.splits(lists.Map(c.In[0].S(), func(s string) []string {
		var words []string
		if s == "" {
			return nil
		}
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
		return nil, Invalidf("input must be a vector, got shape: %s", value.ShapeText(c.In[0].Shape()))
	}
	if c.In[1].Rank() != 0 {
		return nil, Invalidf("sep must be a scalar, got shape: %s", value.ShapeText(c.In[1].Shape()))
	}
	separator, most := c.In[1].S()[0], c.Number("maxsplit")
	return c.splits(lists.Map(c.In[0].S(), func(s string) []string {
		if most == 0 {
			return []string{s}
		}
		if separator != "" {
			return strings.SplitN(s, separator, limitOf(most))
		}
		var words []string
		for s = strings.TrimLeft(s, blanks); s != ""; s = strings.TrimLeft(s, blanks) {
			end := strings.IndexAny(s, blanks)
			if end < 0 {
				end = len(s)
			}
			words = append(words, s[:end])
			if s = s[end:]; len(words) == most {
				return append(words, strings.TrimLeft(s, blanks)) // the last word is the rest of the text, even if that is empty
			}
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
	buckets := uint64(max(c.Number("num_buckets"), 1))
	return One(value.Ints(value.Int64, c.In[0].Shape(), lists.Map(c.In[0].S(), func(s string) int64 {
		return int64(farm.Fingerprint64([]byte(s)) % buckets)
	})))
}

func encodeBase64(c *Call) ([]Value, error) {
	encoding := base64.RawURLEncoding
	if c.Flag("pad") {
		encoding = base64.URLEncoding
	}
	return c.strings(c.In[0].Shape(), lists.Map(c.In[0].S(), func(s string) string { return encoding.EncodeToString([]byte(s)) }))
}

func decodeBase64(c *Call) ([]Value, error) {
	list := make([]string, c.In[0].Len())
	for i, s := range c.In[0].S() {
		data, err := fromBase64(s)
		if err != nil {
			return nil, err
		}
		list[i] = data
	}
	return c.strings(c.In[0].Shape(), list)
}

// fromBase64 decodes web-safe base64. Padding is allowed only in the last group of four characters
// (tsl/platform/base64.cc).
func fromBase64(s string) (string, error) {
	invalid := func(part string) bool {
		return strings.ContainsFunc(part, func(r rune) bool {
			return r > 'z' || !strings.ContainsRune("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", r)
		})
	}
	rest := len(s) % 4
	if rest == 0 && s != "" {
		rest = 4
	}
	whole, last := s[:len(s)-rest], s[len(s)-rest:]
	if rest == 4 {
		if last = strings.TrimSuffix(last, "="); len(last) == 3 {
			last = strings.TrimSuffix(last, "=")
		}
	}
	switch {
	case invalid(whole):
		return "", Invalidf("Invalid character found in base64.")
	case len(last) == 1:
		return "", Invalidf("Base64 string length cannot be 1 modulo 4.")
	case invalid(last):
		return "", Invalidf("Invalid character found in base64.")
	}
	data, err := base64.RawURLEncoding.DecodeString(whole + last)
	if err != nil {
		return "", Invalidf("Invalid character found in base64.")
	}
	return string(data), nil
}

// decodeRaw reinterprets the bytes of strings as numbers of the attribute out_type.
func decodeRaw(c *Call) ([]Value, error) {
	dtype, v := c.TypeOf("out_type"), c.In[0]
	size := tensor.Size(dtype)
	if size == 0 {
		return nil, c.Unsupported("%s", tensor.DTypeName(dtype))
	}
	width := 0
	if v.Len() > 0 {
		width = len(v.S()[0])
	}
	for i, s := range v.S() {
		if len(s) != width {
			return nil, Invalidf("DecodeRaw requires input strings to all be the same size, but element %d has size %d != %d", i, width, len(s))
		}
	}
	if width%size != 0 {
		return nil, Invalidf("Input to DecodeRaw has length %d that is not a multiple of %d, the size of %s", width, size, tensor.DTypeName(dtype))
	}
	shape := append(append([]int{}, v.Shape()...), width/size)
	if _, err := c.Room(dtype, shape); err != nil {
		return nil, err
	}
	data := strings.Join(v.S(), "")
	if !c.Flag("little_endian") {
		turned := []byte(data)
		for part := range slices.Chunk(turned, size) {
			slices.Reverse(part)
		}
		data = string(turned)
	}
	return RawTensor(c, dtype, shape, data)
}

// RawTensor makes a tensor from the raw bytes of its elements.
func RawTensor(c *Call, dtype DType, shape []int, data string) ([]Value, error) {
	sizes := lists.Map(shape, func(n int) int64 { return int64(n) })
	t, err := tensor.Parse(&framework.TensorProto{Dtype: dtype, TensorShape: tensor.ShapeProto(sizes), TensorContent: []byte(data)})
	if err != nil {
		return nil, c.Unsupported("%v", err)
	}
	return One(value.FromTensor(t))
}
