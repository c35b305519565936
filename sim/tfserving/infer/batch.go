package infer

import (
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// This file computes several calls in one batch, as upstream's BatchingSession does
// (batching/batching_session.cc; TFS-22.3).

// ErrCheck means that a CHECK of upstream has failed, which aborts the process.
var ErrCheck = statusf(rpcerrors.Aborted, "Check failed")

// Declared returns the set of tensors of each signature, in the form of [Call.Tensors]. It returns
// nil for a model that accepts every request.
func (m *Model) Declared() (tensors []string) {
	for _, name := range keys(m.signatures) {
		s := m.signatures[name]
		feeds := make([]feed, len(s.inputs))
		for i, in := range s.inputs {
			feeds[i].in = in
		}
		tensors = append(tensors, tensorsOf([]part{{feeds: feeds, outputs: s.outputs}}))
	}
	return tensors
}

// Tensors returns a text that identifies the tensors which the call feeds and fetches. A batch can
// only contain calls with equal texts (TensorSignatureDebugString).
func (c *Call) Tensors() string { return tensorsOf(c.parts) }

func tensorsOf(parts []part) string {
	var in, out []string
	for _, p := range parts {
		for _, f := range p.feeds {
			in = append(in, f.in.tensor)
		}
		out = append(out, lists.Map(p.outputs, func(o *output) string { return o.tensor })...)
	}
	set := func(names []string) string {
		slices.Sort(names)
		return strings.Join(slices.Compact(names), ", ")
	}
	return fmt.Sprintf("{input_tensors: <%s>, output_tensors: <%s>}", set(in), set(out))
}

// Feeds reports whether the call has an input.
func (c *Call) Feeds() bool { return len(c.parts[0].feeds) > 0 }

// Rows returns the size that the call has in a batch. It is the first dimension, which all inputs
// must share (batching_util.h, ComputeTensorBatchSize). If differ is set, inputs with different
// first dimensions are accepted too, as in monolith's patch. The size is then the value of the
// tensor of shape [1] with batch_size in its name.
func (c *Call) Rows(differ bool) (uint64, *env.RPCError) {
	size, err := c.firstDimension()
	if err == nil || !differ {
		return size, err
	}
	for _, f := range c.parts[0].feeds {
		if strings.Contains(f.in.tensor, "batch_size") && slices.Equal(f.shape, []int64{1}) {
			if f.value.DType() != framework.DataType_DT_INT32 {
				return 0, ErrCheck
			}
			return uint64(f.value.Int(0)), nil
		}
	}
	return 0, invalidf("Batching Run() not find batch_size tensor")
}

// FirstDimensions returns the sizes that upstream counts for a call whose Rows are rows: the first
// dimension of each input, or with monolith's patch only rows if the inputs differ
// (batching_session.cc, ComputeInputSize).
func (c *Call) FirstDimensions(rows uint64) []int64 {
	if _, err := c.firstDimension(); err != nil {
		return []int64{int64(int32(rows))}
	}
	return lists.Map(c.parts[0].feeds, func(f feed) int64 { return f.shape[0] })
}

func (c *Call) firstDimension() (size uint64, err *env.RPCError) {
	feeds := c.parts[0].feeds
	if len(feeds) == 0 {
		return 0, invalidf("Batching Run() must have at least one input tensor")
	}
	for i, f := range feeds {
		switch {
		case len(f.shape) == 0:
			return 0, invalidf("Batching Run() input tensors must have at least one dimension")
		case i > 0 && uint64(f.shape[0]) != size:
			return 0, invalidf("Batching Run() input tensors must have equal 0th-dimension size")
		}
		size = uint64(f.shape[0])
	}
	return size, nil
}

// Piece is the row range [From, To) of a call. A call that is split has pieces in several batches.
type Piece struct {
	Call     *Call
	From, To int64
	// Whole is true for a call that is not split. Its inputs are then fed unchanged.
	Whole bool
}

// BatchOptions are upstream's BatchingSessionOptions.
type BatchOptions struct {
	// AllowedSizes holds the sizes to which batches are padded, in ascending order. If empty,
	// batches are not padded.
	AllowedSizes []int32
	// DifferInputs accepts calls whose inputs have different sizes (support_diff_dim_size_inputs).
	DifferInputs bool
	// PadInputs makes the inputs of a batch equally long in all dimensions but the first.
	PadInputs bool
}

// Round returns the padded size of a batch that has the given number of rows (batching_util.cc,
// RoundToLowestAllowedBatchSize).
func (o *BatchOptions) Round(rows int64) int64 {
	for _, size := range o.AllowedSizes {
		if int64(size) >= rows {
			return int64(size)
		}
	}
	return rows
}

// Rows identifies the rows of a batch's outputs that belong to one piece.
type Rows struct {
	of       *batch
	from, to int64
}

// batch holds the outputs of a batch.
type batch struct{ values map[fetched]tensor.Tensor }

// fetched names an output. Calls of one batch may use different names for the same tensor.
type fetched struct{ signature, alias string }

// Compute runs a batch. It returns the rows of each piece, or one error for all pieces
// (BatchingSession::ProcessBatch). Any thread may call it.
func (o *BatchOptions) Compute(pieces []Piece) ([]Rows, *env.RPCError) {
	var size int64
	for _, p := range pieces {
		size += p.To - p.From
	}
	padded := o.Round(size)
	merged, err := o.merge(pieces, padded-size)
	if err != nil {
		return nil, err
	}
	b := &batch{values: map[fetched]tensor.Tensor{}}
	rows, at := make([]Rows, len(pieces)), int64(0)
	for i, p := range pieces {
		for j := range p.Call.parts {
			if err := b.run(o, p.Call, &p.Call.parts[j], merged, padded); err != nil {
				return nil, err
			}
		}
		rows[i] = Rows{of: b, from: at, to: at + p.To - p.From}
		at = rows[i].to
	}
	return rows, nil
}

// run computes the outputs of a part of a call, except those that an earlier part has computed.
func (b *batch) run(o *BatchOptions, c *Call, p *part, merged map[string]tensor.Tensor, padded int64) *env.RPCError {
	missing := func(out *output) bool {
		_, known := b.values[fetched{p.signature.name, out.alias}]
		return !known
	}
	if !slices.ContainsFunc(p.outputs, missing) {
		return nil
	}
	feeds := make([]feed, len(p.feeds))
	for i, f := range p.feeds {
		value := merged[f.in.tensor]
		feeds[i] = feed{in: f.in, value: value, shape: value.Shape()}
	}
	if err := checkFed(feeds, p.outputs); err != nil {
		return err
	}
	if err := c.model.checkRun(p.signature, feeds); err != nil {
		return err
	}
	computed, failed := c.model.compute(p.signature, feeds, p.outputs)
	if failed != nil {
		return failed.(*env.RPCError)
	}
	computed.classifies = p.classifies
	if o.DifferInputs {
		computed.rows = padded // set here, because it cannot be told from the inputs, which may all have fewer rows
	}
	for _, out := range p.outputs {
		value, err := computed.value(out)
		if err != nil {
			return err.(*env.RPCError)
		}
		switch shape := value.Shape(); {
		case len(shape) == 0:
			return statusf(rpcerrors.FailedPrecondition, "Batched output tensor has 0 dimensions")
		case shape[0] != padded:
			return statusf(rpcerrors.FailedPrecondition, "Batched output tensor's 0th dimension does not equal the sum of the "+
				"0th dimension sizes of the input tensors")
		}
		b.values[fetched{p.signature.name, out.alias}] = value
	}
	return nil
}

// merge joins the inputs of a batch by tensor name. For padding it repeats the first row of the
// last piece (BatchingSession::MergeInputTensors).
func (o *BatchOptions) merge(pieces []Piece, padding int64) (map[string]tensor.Tensor, *env.RPCError) {
	parts := map[string][]tensor.Tensor{}
	var names []string
	longest := o.longest(pieces)
	for i, p := range pieces {
		for _, f := range p.Call.parts[0].feeds {
			name, value := f.in.tensor, f.value
			if !p.Whole {
				value = value.Rows(p.From, p.To)
			}
			if i == 0 {
				names = append(names, name)
			}
			if sizes, known := longest[name]; known {
				var err *env.RPCError
				if value, err = paddedInput(value, sizes); err != nil {
					return nil, err
				}
			} else if i > 0 && !equalButFirst(value.Shape(), parts[name][0].Shape()) {
				return nil, p.Call.model.errShapes(name)
			}
			parts[name] = append(parts[name], value)
			if i == len(pieces)-1 && padding > 0 {
				if shape := value.Shape(); len(shape) == 0 || shape[0] == 0 {
					return nil, ErrCheck // Tensor::Slice(0, 1)
				}
				for range padding {
					parts[name] = append(parts[name], value.Rows(0, 1))
				}
			}
		}
	}
	return concat(pieces[0].Call.model, slices.Sorted(slices.Values(names)), parts)
}

func concat(m *Model, names []string, parts map[string][]tensor.Tensor) (map[string]tensor.Tensor, *env.RPCError) {
	merged := make(map[string]tensor.Tensor, len(names))
	for _, name := range names {
		values := parts[name]
		if slices.ContainsFunc(values, func(value tensor.Tensor) bool { return len(value.Shape()) == 0 }) {
			return nil, statusf(rpcerrors.Internal, "Tensor concat operation failed: %s: Cannot concatenate a zero-dimensional tensor",
				m.invalidArgument())
		}
		for _, value := range values {
			if want, got := values[0].DType(), value.DType(); got != want {
				return nil, m.errTypes(want, got)
			}
		}
		merged[name] = tensor.Concat(values)
	}
	return merged, nil
}

// errShapes returns upstream's error for input shapes that do not match. The text has two more
// blanks in tfs-head than in 2.4.
func (m *Model) errShapes(name string) *env.RPCError {
	blank := ""
	if m.Head {
		blank = " "
	}
	return statusf(rpcerrors.FailedPrecondition, "Tensors with name '%s' from different tasks have different shapes and padding is turned off.%s"+
		"Set pad_variable_length_inputs to true, or ensure that all tensors with the same name%shave equal dimensions "+
		"starting with the first dim.", name, blank, blank)
}

// invalidArgument returns the name of the code INVALID_ARGUMENT as the release writes it inside
// messages.
func (m *Model) invalidArgument() string {
	if m.Head {
		return "INVALID_ARGUMENT"
	}
	return "Invalid argument"
}

func (m *Model) errTypes(want, got framework.DataType) *env.RPCError {
	return statusf(rpcerrors.Internal, "Tensor concat operation failed: %s: Cannot concatenate tensors that have different data types. Got %s and %s.",
		m.invalidArgument(), tensor.DTypeName(want), tensor.DTypeName(got))
}

// longest returns for each input of a batch the largest size of each dimension. Inputs are padded
// to these sizes. It returns nil if inputs are not padded. For inputs of different ranks upstream
// has no defined answer (CalculateMaxDimSizes). Here such inputs are skipped, and later refused for
// their shapes.
func (o *BatchOptions) longest(pieces []Piece) map[string][]int64 {
	if !o.PadInputs {
		return nil
	}
	longest := map[string][]int64{}
	uneven := map[string]bool{}
	for _, p := range pieces {
		for _, f := range p.Call.parts[0].feeds {
			sizes, known := longest[f.in.tensor]
			switch {
			case !known:
				longest[f.in.tensor] = slices.Clone(f.shape)
			case len(sizes) != len(f.shape):
				uneven[f.in.tensor] = true
			default:
				for i, size := range f.shape {
					sizes[i] = max(sizes[i], size)
				}
			}
		}
	}
	for name := range uneven { //lint:ordered each name is deleted by itself
		delete(longest, name)
	}
	return longest
}

// maxPaddedRank is the largest rank of a tensor that can be padded (PadTensorOfSpecificType).
const maxPaddedRank = 6

func paddedInput(value tensor.Tensor, sizes []int64) (tensor.Tensor, *env.RPCError) {
	shape := value.Shape()
	if len(shape) == 0 || len(shape) > maxPaddedRank {
		return value, invalidf("Only tensors with rank from 1 to 6 can be padded.")
	}
	if value.Len() == 0 && shape[0] > 0 && !slices.Contains(sizes, 0) {
		return value, invalidf("Got empty tensor in batch of non-empty tensors.")
	}
	return value.Padded(sizes), nil
}

func equalButFirst(a, b []int64) bool { return len(a) == len(b) && slices.Equal(a[1:], b[1:]) }

// Answer makes the response of a call from the batch rows of its pieces.
func (c *Call) Answer(rows []Rows) (proto.Message, error) {
	var r results
	for i := range c.parts {
		computed := &computation{signature: c.parts[i].signature, batched: rows}
		if i == 0 {
			r.first = computed
		} else {
			r.rest = append(r.rest, computed)
		}
	}
	return c.answer(c, r)
}

// batchedValue joins the rows of an output from all batches in which the call ran.
func (c *computation) batchedValue(out *output) tensor.Tensor {
	parts := make([]tensor.Tensor, len(c.batched))
	for i, r := range c.batched {
		parts[i] = r.of.values[fetched{c.signature.name, out.alias}].Rows(r.from, r.to)
	}
	return tensor.Concat(parts)
}

// SplitError returns the error of splitting a call. There is an error if an input has another
// number of rows than size, which happens only with monolith's patch. SplitError returns nil if the
// call can be split (batching_session.cc, SplitInputTask).
func (c *Call) SplitError(size uint64) *env.RPCError {
	for _, f := range c.parts[0].feeds {
		text := ""
		switch {
		case len(f.shape) == 0:
			text = "Cannot split a zero-dimensional tensor"
		case uint64(f.shape[0]) != size:
			text = "The values in 'sizes' do not sum to the zeroth-dimension size of 'tensor'"
		default:
			continue
		}
		return statusf(rpcerrors.Internal, "When splitting input, Tensor split operation failed: %s: %s", c.model.invalidArgument(), text)
	}
	return nil
}
