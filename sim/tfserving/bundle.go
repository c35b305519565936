package tfserving

import (
	"encoding/binary"
	"encoding/json"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
	tfcore "github.com/monosim/monosim/engine/proto/tensorflow/core/protobuf"
)

// Bundle is a loaded SavedModel. The simulated saved_model.pb may be any bytes:
// such a model has the serving tag and takes every request. A JSON object
// describes a model in detail:
//
//	{"tags": ["serve"],
//	 "signatures": {"serving_default": {"inputs": {"x": {"name": "x:0", "dtype": 1, "shape": [-1]}},
//	                                    "outputs": {"y": {}}, "method": "tensorflow/serving/predict"}},
//	 "variables": ["w"], "load_ms": 50, "load_error": {"code": 13, "message": "broken"}}
//
// variables are those that need a variables directory; load_ms comes on top of
// the cost model; load_error fails every load.
type Bundle struct {
	// Signatures is nil for a model that takes every request. They never change.
	Signatures map[string]*tfcore.SignatureDef
	LoadTime   time.Duration

	tags          []string
	uninitialized string // the variable that is missing on the disk
	err           *env.RPCError
	warmups       int // warm-up requests, iterations included
}

type bundleJSON struct {
	Tags       []string                 `json:"tags"`
	Signatures map[string]signatureJSON `json:"signatures"`
	Variables  []string                 `json:"variables"`
	LoadMs     int64                    `json:"load_ms"`
	LoadError  *struct {
		Code    env.Code `json:"code"`
		Message string   `json:"message"`
	} `json:"load_error"`
}

// readBundle reads an export directory as a load does (TFS-5.7, TFS-5.9).
func (s *Server) readBundle(dir string) (*Bundle, int64, *env.RPCError) {
	storage := s.host.Storage()
	file := joinPath(dir, "saved_model.pb")
	if !storage.Exists(file) {
		file = joinPath(dir, "saved_model.pbtxt")
	}
	if !storage.Exists(file) {
		return nil, 0, s.missingSavedModel(dir)
	}
	data, err := storage.ReadFile(file)
	if err != nil {
		return nil, 0, storageError(file, err)
	}
	bundle := parseBundle(data, func(name string) bool { return storage.Exists(joinPath(dir, name)) })
	if !sameTags(bundle.tags, s.options.SavedModelTags) {
		return nil, 0, statusf(env.NotFound,
			"Could not find meta graph def matching supplied tags: { %s }. To inspect available tag-sets in the SavedModel, please use the SavedModel CLI: `saved_model_cli`",
			strings.Join(s.options.SavedModelTags, " "))
	}
	bytes, err := storage.SizeBytes(dir)
	if err != nil {
		return nil, 0, storageError(dir, err)
	}
	if failed := s.readWarmups(bundle, dir); failed != nil {
		return nil, 0, failed
	}
	return bundle, bytes, nil
}

// missingSavedModel has a tail in newer TensorFlow only (TFS-21.4).
func (s *Server) missingSavedModel(dir string) *env.RPCError {
	text := "Could not find SavedModel .pb or .pbtxt at supplied export directory path: " + dir
	if s.profile == ProfileHead {
		text += ". Check that the directory exists and that you have the right permissions for accessing it."
	}
	return &env.RPCError{Code: env.NotFound, Message: text}
}

func parseBundle(data []byte, exists func(name string) bool) *Bundle {
	var described bundleJSON
	if json.Unmarshal(data, &described) != nil {
		return &Bundle{tags: []string{"serve"}}
	}
	b := &Bundle{
		Signatures: signaturesFromJSON(described.Signatures),
		LoadTime:   time.Duration(described.LoadMs) * time.Millisecond,
		tags:       described.Tags,
	}
	if b.tags == nil {
		b.tags = []string{"serve"}
	}
	if len(described.Variables) > 0 && !exists("variables") {
		b.uninitialized = described.Variables[0]
	}
	if e := described.LoadError; e != nil {
		b.err = &env.RPCError{Code: e.Code, Message: e.Message}
	}
	return b
}

func sameTags(a, b []string) bool {
	return len(without(a, b)) == 0 && len(without(b, a)) == 0
}

// maxWarmupRecords is WarmupConsts::kMaxNumRecords.
const maxWarmupRecords = 1000

// readWarmups counts the records of the warm-up file, if there is one and the
// server wants it.
func (s *Server) readWarmups(b *Bundle, dir string) *env.RPCError {
	path := joinPath(dir, "assets.extra/tf_serving_warmup_requests")
	if s.options.DisableModelWarmup || !s.host.Storage().Exists(path) {
		return nil
	}
	data, err := s.host.Storage().ReadFile(path)
	if err != nil {
		return storageError(path, err)
	}
	records, failed := countRecords(data)
	if failed != nil {
		return failed
	}
	if records > maxWarmupRecords {
		return statusf(env.InvalidArgument, "Number of warmup records exceeds the maximum (%d) at %s", maxWarmupRecords, path)
	}
	b.warmups = records * max(s.options.NumRequestIterationsForWarmup, 1)
	return nil
}

// countRecords walks a TFRecord file: an 8-byte length, its 4-byte checksum, the
// data and its 4-byte checksum per record. Checksums are not looked at.
func countRecords(data []byte) (int, *env.RPCError) {
	const header, footer = 12, 4
	records, offset := 0, uint64(0)
	for total := uint64(len(data)); offset < total; records++ {
		rest := total - offset
		if rest < header+footer {
			return 0, statusf(env.DataLoss, "truncated record at %d", offset)
		}
		length := binary.LittleEndian.Uint64(data[offset:])
		if length > rest-header-footer {
			return 0, statusf(env.DataLoss, "truncated record at %d", offset)
		}
		offset += header + length + footer
	}
	return records, nil
}
