package quickproto

import (
	"math"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
)

// AppendPredict encodes a response that this process made, which therefore has no unknown fields.
// It returns nil and false if only the general protobuf library can encode the response.
func AppendPredict(b []byte, r *apis.PredictResponse) ([]byte, bool) {
	for alias, tensor := range r.GetOutputs() { //lint:ordered entries of a map may come in any order, as from the general library
		if !utf8.ValidString(alias) || !usual(tensor) {
			return nil, false
		}
		var entry int
		b, entry = begin(b, bytes1)
		b = appendText(b, bytes1, alias, true)
		b = end(appendTensor(b, tensor), entry)
	}
	spec := r.GetModelSpec()
	if spec == nil {
		return b, true
	}
	version, ok := spec.GetVersionChoice().(*apis.ModelSpec_Version)
	if !ok || version.Version == nil || !utf8.ValidString(spec.GetName()) || !utf8.ValidString(spec.GetSignatureName()) {
		return nil, false
	}
	b, message := begin(b, bytes2)
	b = appendText(b, bytes1, spec.GetName(), false)
	b, number := begin(b, bytes2)
	b = end(appendNumber(b, version.Version.GetValue()), number)
	b = appendText(b, bytes3, spec.GetSignatureName(), false)
	return end(b, message), true
}

// usual reports whether a tensor holds floats in one of the two fields for floats, and sets no
// unusual field.
func usual(t *framework.TensorProto) bool {
	if t == nil || t.Dtype != framework.DataType_DT_FLOAT || t.VersionNumber != 0 || t.TensorShape.GetUnknownRank() {
		return false
	}
	for _, dim := range t.TensorShape.GetDim() {
		if dim == nil || dim.Name != "" {
			return false
		}
	}
	return len(t.DoubleVal)+len(t.IntVal)+len(t.StringVal)+len(t.ScomplexVal)+len(t.Int64Val)+len(t.BoolVal)+len(t.DcomplexVal)+
		len(t.HalfVal)+len(t.ResourceHandleVal)+len(t.VariantVal)+len(t.Uint32Val)+len(t.Uint64Val)+len(t.Float8Val) == 0
}

func appendTensor(b []byte, t *framework.TensorProto) []byte {
	b, message := begin(b, bytes2)
	b = appendNumber(b, int64(t.Dtype))
	if t.TensorShape != nil {
		var shape, dim int
		b, shape = begin(b, bytes2)
		for _, d := range t.TensorShape.Dim {
			b, dim = begin(b, bytes2)
			b = end(appendNumber(b, d.Size), dim)
		}
		b = end(b, shape)
	}
	if len(t.TensorContent) > 0 {
		b = protowire.AppendBytes(append(b, bytes4), t.TensorContent)
	}
	if len(t.FloatVal) > 0 {
		b = protowire.AppendVarint(append(b, bytes5), uint64(4*len(t.FloatVal)))
		for _, v := range t.FloatVal {
			b = protowire.AppendFixed32(b, math.Float32bits(v))
		}
	}
	return end(b, message)
}

// appendNumber appends field 1 as a varint, unless it is 0.
func appendNumber(b []byte, v int64) []byte {
	if v == 0 {
		return b
	}
	return protowire.AppendVarint(append(b, varint1), uint64(v))
}

// appendText appends a text field. An empty text is omitted unless always is set, because map
// entries always contain the field.
func appendText(b []byte, tag byte, text string, always bool) []byte {
	if text == "" && !always {
		return b
	}
	return protowire.AppendString(append(b, tag), text)
}

// begin appends the tag of a nested message. It returns the index at which the message's content
// starts. The caller must call end after the content.
func begin(b []byte, tag byte) (_ []byte, at int) {
	b = append(b, tag, 0)
	return b, len(b)
}

// end writes the length of the nested message whose content starts at index at.
func end(b []byte, at int) []byte {
	n := len(b) - at
	if n < 1<<7 {
		b[at-1] = byte(n)
		return b
	}
	more := protowire.SizeVarint(uint64(n)) - 1
	b = append(b, make([]byte, more)...)
	copy(b[at+more:], b[at:at+n])
	protowire.AppendVarint(b[:at-1], uint64(n))
	return b
}
