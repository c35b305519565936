package tfserving

import (
	"errors"
	"io"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/sim/tfserving/tfrecord"
)

// maxWarmupRecords limits the records of one warm-up (upstream's WarmupConsts::kMaxNumRecords).
const maxWarmupRecords = 1000

// Warmup describes one complete warm-up, for the metrics model_warmup_latency and, in tfs-head,
// model_warmup_records_read (TFS-14.1). If a record fails, the warm-up ends there and is not
// counted.
type Warmup struct {
	// Path is the export directory. Status is a label of the metrics: "OK", or for a damaged file
	// the code and text of the error.
	Path, Status string
	Records      int
	Latency      time.Duration
}

// warmUp runs the records of the warm-up file, if warm-up is enabled and the file exists (TFS-5.9;
// servables/tensorflow/saved_model_warmup_util.cc). It runs each record once, but adds the time of
// all configured iterations to the load.
func (s exportReader) warmUp(disk Storage, b *Bundle, dir string) *env.RPCError {
	path := joinPath(dir, "assets.extra/tf_serving_warmup_requests")
	if !s.adapter.warmup || !disk.Exists(path) {
		return nil
	}
	data, err := disk.ReadFile(path)
	if err != nil {
		return storageError(path, err)
	}
	records, damage, failed := s.runWarmups(b, data, path)
	if failed != nil {
		return failed
	}
	b.warmups = records * max(s.adapter.iterations, 1)
	b.warmupWait *= time.Duration(max(s.adapter.iterations, 1))
	status := "OK"
	if damage != nil {
		status = s.profile.StatusString(damage)
	}
	if s.OnWarmup != nil {
		s.OnWarmup(Warmup{
			Path: dir, Status: status, Records: records,
			Latency: time.Duration(b.warmups) * s.options.Cost.WarmupRequestTime,
		})
	}
	if damage != nil {
		return statusf(damage.Code, "%s. Please verify your warmup data is in TFRecord format.", damage.Message)
	}
	return nil
}

// runWarmups runs all records. damage is an error in the format of the file. failed is the error of
// a record's request.
func (s exportReader) runWarmups(b *Bundle, data []byte, path string) (records int, damage, failed *env.RPCError) {
	reader := tfrecord.NewReader(data)
	reader.Newer = s.profile == ProfileHead
	for {
		record, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return records, nil, nil
		}
		if err != nil {
			return records, statusf(rpcerrors.DataLoss, "%v", err), nil
		}
		log := &apis.PredictionLog{}
		if proto.Unmarshal(record, log) != nil {
			return records, nil, statusf(rpcerrors.InvalidArgument, "Failed to parse warmup record: %s from %s", record, path)
		}
		request, err := s.runWarmup(b, log)
		if err != nil {
			return records, nil, err.(*env.RPCError)
		}
		if request != nil {
			s.tellRun(Run{Times: max(s.adapter.iterations, 1), Took: s.options.Cost.WarmupRequestTime, Warmup: request})
		}
		if records++; records > maxWarmupRecords {
			return records, nil, s.tooManyWarmups(path)
		}
	}
}

// tooManyWarmups returns the error for too many records, with the misspelling of 2.4.0.
func (s *Server) tooManyWarmups(path string) *env.RPCError {
	verb := "exceeeds"
	if s.profile == ProfileHead {
		verb = "exceeds"
	}
	return statusf(rpcerrors.InvalidArgument, "Number of warmup records %s the maximum (%d) at %s", verb, maxWarmupRecords, path)
}

// runWarmup runs the request of one record and returns it, as upstream's RunWarmupRequest does
// (servables/tensorflow/saved_model_warmup.cc). An empty record succeeds and has no request. In
// tfs-2.4 a record of an unknown kind succeeds in the same way.
func (s *Server) runWarmup(b *Bundle, log *apis.PredictionLog) (request proto.Message, err error) {
	switch log.GetLogType().(type) {
	case *apis.PredictionLog_RegressLog:
		request = log.GetRegressLog().GetRequest()
	case *apis.PredictionLog_ClassifyLog:
		request = log.GetClassifyLog().GetRequest()
	case *apis.PredictionLog_PredictLog:
		request = log.GetPredictLog().GetRequest()
	case *apis.PredictionLog_MultiInferenceLog:
		request = log.GetMultiInferenceLog().GetRequest()
	case *apis.PredictionLog_SessionRunLog:
		return nil, statusf(rpcerrors.Unimplemented, "Unsupported log_type for warmup: 5")
	case *apis.PredictionLog_PredictStreamedLog:
		if s.profile == ProfileHead {
			return nil, statusf(rpcerrors.Unimplemented, "Unsupported log_type for warmup: 7")
		}
	}
	if request == nil {
		return nil, nil
	}
	return request, b.run(request)
}

// run executes a request on this model, whatever model and version its model_spec names.
func (b *Bundle) run(request proto.Message) error {
	call, err := b.model.Prepare(request)
	if err != nil {
		return err
	}
	if b.batcher != nil {
		if waits, ok, err := b.batcher.alone(call); ok {
			b.warmupWait += waits
			return err
		}
	}
	if err := call.Check(); err != nil {
		return err
	}
	_, err = call.Run()
	return err
}
