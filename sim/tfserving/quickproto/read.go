package quickproto

import (
	"bytes"
	"encoding/binary"
	"math"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
)

// These are the tags of the known fields. A tag consists of the field number and the wire type.
const (
	varint1 = 1<<3 | byte(protowire.VarintType)
	bytes1  = 1<<3 | byte(protowire.BytesType)
	bytes2  = 2<<3 | byte(protowire.BytesType)
	bytes3  = 3<<3 | byte(protowire.BytesType)
	bytes4  = 4<<3 | byte(protowire.BytesType)
	bytes5  = 5<<3 | byte(protowire.BytesType)
)

// ReadPredict decodes a request into r, which must be empty. If the request is invalid, or only the
// general protobuf library can decode it, ReadPredict returns false and leaves r empty.
func ReadPredict(b []byte, r *apis.PredictRequest) bool {
	var spec *specParts
	var inputs map[string]*framework.TensorProto
	f := fields{rest: b}
	for f.next() {
		switch {
		case f.tag == bytes1 && spec == nil:
			spec = &specParts{}
			f.check(spec.read(f.bytes))
		case f.tag == bytes2:
			if inputs == nil {
				inputs = make(map[string]*framework.TensorProto, 1)
			}
			f.check(readInput(f.bytes, inputs))
		default:
			return false
		}
	}
	if f.odd {
		return false
	}
	if spec != nil {
		r.ModelSpec = &spec.spec
	}
	r.Inputs = inputs
	return true
}

// fields iterates over the fields of a message. number holds the value of a varint field, and bytes
// the value of any other field.
type fields struct {
	rest   []byte
	tag    byte
	number uint64
	bytes  []byte
	seen   uint8 // seen has a bit for each field number read so far
	odd    bool  // odd means that only the general library can decode the message
}

// next moves to the next field. It returns false at the end, and also if it finds something
// unusual. In that case it sets odd.
func (f *fields) next() bool {
	if len(f.rest) == 0 || f.odd {
		return false
	}
	n := 0
	f.tag = f.rest[0]
	switch protowire.Type(f.tag & 7) {
	case protowire.VarintType:
		f.number, n = protowire.ConsumeVarint(f.rest[1:])
	case protowire.BytesType:
		f.bytes, n = protowire.ConsumeBytes(f.rest[1:])
	default:
		n = -1
	}
	if n < 0 || f.tag >= 1<<6 {
		f.odd = true
		return false
	}
	f.rest = f.rest[1+n:]
	return true
}

// once marks the message as odd if the current field occurs a second time. For such fields the
// general library takes the later value or merges both, which this decoder does not support.
func (f *fields) once() {
	bit := uint8(1) << (f.tag >> 3)
	f.check(f.seen&bit == 0)
	f.seen |= bit
}

// check marks the message as odd unless usual is true.
func (f *fields) check(usual bool) { f.odd = f.odd || !usual }

func (f *fields) text() string {
	f.check(utf8.Valid(f.bytes))
	return string(f.bytes)
}

// specParts holds a model_spec and its nested messages, so that they need only one allocation.
type specParts struct {
	spec    apis.ModelSpec
	version apis.ModelSpec_Version
	number  wrapperspb.Int64Value
}

func (p *specParts) read(b []byte) bool {
	f := fields{rest: b}
	for f.next() {
		f.once()
		switch f.tag {
		case bytes1:
			p.spec.Name = f.text()
		case bytes2:
			f.check(p.readVersion(f.bytes))
		case bytes3:
			p.spec.SignatureName = f.text()
		default:
			return false
		}
	}
	return !f.odd
}

func (p *specParts) readVersion(b []byte) bool {
	f := fields{rest: b}
	for f.next() {
		if f.tag != varint1 {
			return false
		}
		p.number.Value = int64(f.number)
	}
	p.version.Version, p.spec.VersionChoice = &p.number, &p.version
	return !f.odd
}

// readInput decodes one entry of the request's map of inputs.
func readInput(b []byte, inputs map[string]*framework.TensorProto) bool {
	f := fields{rest: b}
	alias := ""
	var tensor *tensorParts
	for f.next() {
		f.once()
		switch f.tag {
		case bytes1:
			alias = f.text()
		case bytes2:
			tensor = &tensorParts{}
			f.check(tensor.read(f.bytes))
		default:
			return false
		}
	}
	if _, has := inputs[alias]; has || tensor == nil || f.odd {
		return false
	}
	inputs[alias] = &tensor.tensor
	return true
}

// tensorParts holds a tensor with up to mostDims dimensions and its nested messages, so that they
// need only one allocation.
type tensorParts struct {
	tensor framework.TensorProto
	shape  framework.TensorShapeProto
	dims   [mostDims]framework.TensorShapeProto_Dim
	list   [mostDims]*framework.TensorShapeProto_Dim
}

const mostDims = 3

func (p *tensorParts) read(b []byte) bool {
	f := fields{rest: b}
	for f.next() {
		f.once()
		switch f.tag {
		case varint1:
			f.check(f.number < 1<<7)
			p.tensor.Dtype = framework.DataType(f.number)
		case bytes2:
			p.tensor.TensorShape = &p.shape
			f.check(p.readShape(f.bytes))
		case bytes4:
			p.tensor.TensorContent = bytes.Clone(f.bytes)
		case bytes5:
			f.check(len(f.bytes)%4 == 0)
			p.tensor.FloatVal = floats(f.bytes)
		default:
			return false
		}
	}
	return !f.odd
}

func (p *tensorParts) readShape(b []byte) bool {
	f := fields{rest: b}
	n := 0
	for ; f.next(); n++ {
		if f.tag != bytes2 || n == mostDims {
			return false
		}
		p.list[n] = &p.dims[n]
		f.check(readDim(f.bytes, &p.dims[n]))
	}
	if n > 0 {
		p.shape.Dim = p.list[:n:n]
	}
	return !f.odd
}

func readDim(b []byte, dim *framework.TensorShapeProto_Dim) bool {
	f := fields{rest: b}
	for f.next() {
		if f.tag != varint1 {
			return false
		}
		dim.Size = int64(f.number)
	}
	return !f.odd
}

func floats(b []byte) []float32 {
	list := make([]float32, len(b)/4)
	for i := range list {
		list[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return list
}
