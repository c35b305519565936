package formats

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strings"

	farm "github.com/dgryski/go-farm"

	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/sim/tfserving/graph/ops"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// decodePadded reads the bytes of numbers from texts, each of which is cut off, or filled with zeros, to
// one length (core/kernels/decode_padded_raw_op.cc).
func decodePadded(c *ops.Call) ([]ops.Value, error) {
	length, err := c.Scalar(1, "k must be scalar, got shape ")
	if err != nil {
		return nil, err
	}
	dtype := c.TypeOf("out_type")
	size := tensor.Size(dtype)
	if length <= 0 {
		return nil, ops.Invalidf("fixed_length (%d) must be greater than zero.", length)
	}
	if length%size != 0 {
		return nil, ops.Invalidf("fixed_length (%d) must be a multiple of the size of out_type (%d)", length, size)
	}
	shape := append(slices.Clone(c.In[0].Shape()), length/size)
	n, err := c.Room(dtype, shape)
	if err != nil {
		return nil, err
	}
	data := make([]byte, n*size)
	for i, text := range c.In[0].S() {
		copy(data[i*length:][:length], text)
	}
	if !c.Flag("little_endian") {
		for part := range slices.Chunk(data, size) {
			slices.Reverse(part)
		}
	}
	return ops.RawTensor(c, dtype, shape, string(data))
}

// decodeCompressed unpacks texts (core/kernels/decode_compressed_op.cc). What is cut off gives what came
// before.
func decodeCompressed(c *ops.Call) ([]ops.Value, error) {
	out := slices.Clone(c.In[0].S())
	for i, text := range out {
		if c.Text("compression_type") == "" || text == "" {
			continue
		}
		unpacked, err := unpack(c, text)
		if err != nil {
			return nil, err
		}
		out[i] = unpacked
	}
	return ops.One(value.Strings(c.In[0].Shape(), out))
}

// maxUnpacked limits what one text is unpacked to.
const maxUnpacked = 1 << 26

func unpack(c *ops.Call, text string) (string, error) {
	var reader io.Reader
	var err error
	if c.Text("compression_type") == "GZIP" {
		if !strings.HasPrefix(text, "\x1f\x8b") {
			return "", ops.Statusf(rpcerrors.DataLoss, "inflate() failed with error -3: incorrect header check")
		}
		reader, err = gzip.NewReader(strings.NewReader(text))
	} else {
		reader, err = zlib.NewReader(strings.NewReader(text))
	}
	var out bytes.Buffer
	if err == nil {
		_, err = io.Copy(&out, io.LimitReader(reader, maxUnpacked))
	}
	var corrupt flate.CorruptInputError
	switch {
	case err == nil || errors.Is(err, io.ErrUnexpectedEOF):
	case errors.Is(err, gzip.ErrHeader) || errors.Is(err, zlib.ErrHeader) || errors.Is(err, io.EOF):
		return "", ops.Statusf(rpcerrors.DataLoss, "inflate() failed with error -3: incorrect header check")
	case errors.Is(err, gzip.ErrChecksum) || errors.Is(err, zlib.ErrChecksum):
		return "", ops.Statusf(rpcerrors.DataLoss, "inflate() failed with error -3: incorrect data check")
	case errors.As(err, &corrupt):
		return "", c.Unsupported("what is broken at byte %d", int64(corrupt))
	default:
		return "", c.Unsupported("%v", err)
	}
	if out.Len() == maxUnpacked || !c.Env.Take(out.Len(), out.Len()) {
		return "", c.Unsupported("a text of more than %d bytes", maxUnpacked)
	}
	return out.String(), nil
}

// fingerprint returns the hash of each row, as bytes (core/kernels/fingerprint_op.cc). Texts are hashed
// by themselves before, and a single one of a row only so.
func fingerprint(c *ops.Call) ([]ops.Value, error) {
	data, method := c.In[0], c.In[1]
	switch {
	case method.Rank() != 0:
		return nil, ops.Invalidf("`method` should be a scalar string: %s", value.ShapeText(method.Shape()))
	case method.S()[0] != "farmhash64":
		return nil, ops.Invalidf("Unsupported fingerprint method: %s", method.S()[0])
	case data.Rank() == 0:
		return nil, ops.Invalidf("`data` should have at least one dimension: []")
	}
	rows := data.Shape()[0]
	if _, err := c.Room(value.UInt8, []int{rows, 8}); err != nil {
		return nil, err
	}
	raw, err := rawBytes(c, data)
	if err != nil {
		return nil, err
	}
	list := make([]int64, 0, rows*8)
	for i := range rows {
		row := raw[i*len(raw)/rows : (i+1)*len(raw)/rows]
		if data.S() == nil || len(row) != 8 {
			row = hashed(row)
		}
		for _, b := range row {
			list = append(list, int64(b))
		}
	}
	return ops.One(value.Ints(value.UInt8, []int{rows, 8}, list))
}

// rawBytes returns the bytes of numbers, or the hashes of texts.
func rawBytes(c *ops.Call, data ops.Value) (raw []byte, err error) {
	if data.S() == nil {
		t, err := data.Tensor()
		if err != nil {
			return nil, c.Unsupported("%v", err)
		}
		return t.Raw(), nil
	}
	for _, text := range data.S() {
		raw = append(raw, hashed([]byte(text))...)
	}
	return raw, nil
}

func hashed(data []byte) []byte {
	return binary.LittleEndian.AppendUint64(nil, farm.Fingerprint64(data))
}
