package tfserving

import (
	"cmp"
	"math"
	"slices"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/lists"
	bundlepb "github.com/monosim/monosim/engine/proto/tensorflow_serving/servables/tensorflow"
	"github.com/monosim/monosim/sim/tfserving/batch"
	"github.com/monosim/monosim/sim/tfserving/infer"
)

// Batching holds upstream's BatchingParameters. Numbers of a file are converted as in C++
// (TFS-22.1).
type Batching struct {
	Limits batch.Limits
	// Threads is num_batch_threads if HasThreads says that the file sets it; it may be 0 or less.
	// Otherwise there is one thread for each processor.
	Threads    int32
	HasThreads bool
	// AllowedSizes is allowed_batch_sizes. Its last entry must equal MaxSize, which is
	// max_batch_size.
	AllowedSizes []int32
	MaxSize      int32
	PadInputs    bool // PadInputs is pad_variable_length_inputs
	DifferInputs bool // DifferInputs is monolith's support_diff_dim_size_inputs
	// PerModel says that each model has its own file with all parameters except the threads
	// (enable_per_model_batching_parameters, tfs-head).
	PerModel bool
}

func batchingOf(p *bundlepb.BatchingParameters, profile Profile) *Batching {
	b := &Batching{
		Limits: batch.DefaultLimits(), PadInputs: p.GetPadVariableLengthInputs(), DifferInputs: p.GetSupportDiffDimSizeInputs(),
		Threads: int32(p.GetNumBatchThreads().GetValue()), HasThreads: p.GetNumBatchThreads() != nil,
		AllowedSizes: lists.Map(p.GetAllowedBatchSizes(), func(size int64) int32 { return int32(size) }),
	}
	l := &b.Limits
	l.Head = profile == ProfileHead
	if size := p.GetMaxBatchSize(); size != nil {
		l.Input = uint64(size.GetValue())
	}
	b.MaxSize = int32(l.Input)
	l.TimeoutMicros = p.GetBatchTimeoutMicros().GetValue()
	if batches := p.GetMaxEnqueuedBatches(); batches != nil {
		l.Enqueued = uint64(batches.GetValue())
	}
	if l.Splits = p.GetEnableLargeBatchSplitting().GetValue(); l.Splits {
		l.Execution = uint64(p.GetMaxBatchSize().GetValue()) // 0 if the field is missing
		if size := p.GetMaxExecutionBatchSize(); size != nil {
			l.Execution = uint64(size.GetValue())
		}
	}
	return b
}

// threads returns the number of batch threads on a machine with the given number of processors.
func (b *Batching) threads(cpus int) int {
	if b.HasThreads {
		return int(b.Threads)
	}
	return cpus
}

// parseBatching parses a BatchingParameters file in text format. Unknown fields are errors.
func (m messages) parseBatching(data []byte) (*bundlepb.BatchingParameters, error) {
	var p bundlepb.BatchingParameters
	return &p, m.texts().Unmarshal(string(data), &p)
}

// createError returns the error of creating the scheduler, which becomes the source adapter's error
// (bundle_factory_util.cc, CreateBatchScheduler). It does not check the sizes for tfs-head, which
// checks them when a model is loaded.
func (b *Batching) createError(profile Profile) *env.RPCError {
	if profile != ProfileHead {
		if err := b.sizesError(); err != nil {
			return err
		}
	}
	if b.HasThreads && b.Threads < 1 {
		return statusf(rpcerrors.InvalidArgument, "num_batch_threads must be positive; was %d", b.Threads)
	}
	return nil
}

func (b *Batching) sizesError() *env.RPCError {
	if n := len(b.AllowedSizes); n > 0 && b.AllowedSizes[n-1] != b.MaxSize {
		return statusf(rpcerrors.InvalidArgument, "Last entry in allowed_batch_sizes must match max_batch_size; last entry was %d; expected %d",
			b.AllowedSizes[n-1], b.MaxSize)
	}
	return nil
}

// batcher groups the requests to one loaded version into batches (upstream's BatchingSession).
type batcher struct {
	server   *Server
	adapter  *Batching // adapter has the parameters of the platform, whose versions share a scheduler
	params   *Batching
	session  infer.BatchOptions
	declared []string // declared has the tensors of the signatures; nil for a model that takes every request
	// The fields below belong to the server's thread.
	scheduler *batch.Scheduler[*batched]
	queues    map[string]*batch.Queue[*batched]
}

// errNoSession means that upstream's process crashes in a load: in tfs-head BatchingSession::Create
// sets the default scheduler creator of a session that was not made, because one of its queues was
// refused (batching/batching_session.cc:300-313).
var errNoSession = statusf(rpcerrors.Aborted, "Segmentation fault")

// batchingFor returns the batcher for a loaded model, as upstream's WrapSessionForBatching does. It
// returns nil if the model's requests are not batched. dir is the directory of the version.
func (s exportReader) batchingFor(disk Storage, b *Bundle, dir string) (*batcher, *env.RPCError) {
	params := s.adapter.batching
	if params == nil {
		return nil, nil
	}
	if params.PerModel {
		file := joinPath(dir, "batching_params.pbtxt")
		if !disk.Exists(file) {
			return nil, nil
		}
		data, err := s.readTextProto(disk, file)
		if err != nil {
			return nil, err
		}
		p, failed := s.messages().parseBatching(data)
		if failed != nil {
			return nil, s.unread(file, proto.MessageName(p), failed)
		}
		params = batchingOf(p, s.profile)
	}
	if s.profile == ProfileHead {
		if err := params.sizesError(); err != nil {
			return nil, err
		}
	}
	declared := b.model.Declared()
	own := *params
	if err := own.Limits.Check(); err != nil && (b.Signatures == nil || len(declared) > 0) {
		if s.profile == ProfileHead {
			return nil, errNoSession
		}
		return nil, err
	}
	return &batcher{
		server: s.Server, adapter: s.adapter.batching, params: &own, declared: declared,
		session: infer.BatchOptions{AllowedSizes: own.AllowedSizes, PadInputs: own.PadInputs, DifferInputs: own.DifferInputs},
	}, nil
}

// open makes the queues of a version that has just loaded, one for each signature's set of tensors.
func (m *batcher) open() {
	if m == nil {
		return
	}
	s := m.server
	m.scheduler = s.schedulers[m.adapter]
	if m.scheduler == nil {
		m.scheduler = batch.New[*batched](s.timers, m.adapter.threads(s.options.CPUs))
		if s.schedulers == nil {
			s.schedulers = map[*Batching]*batch.Scheduler[*batched]{}
		}
		s.schedulers[m.adapter] = m.scheduler
	}
	m.queues = map[string]*batch.Queue[*batched]{}
	for _, tensors := range m.declared {
		m.queue(tensors)
	}
}

// queue returns the queue for a set of tensors, and makes it if it is missing. Sets that no
// signature declares have a queue only in tfs-head, from their first request on.
func (m *batcher) queue(tensors string) *batch.Queue[*batched] {
	q := m.queues[tensors]
	if q == nil {
		q = m.scheduler.AddQueue(m.params.Limits, m.process, func(t *batched) *env.RPCError { return t.call.SplitError(t.size) })
		m.queues[tensors] = q
	}
	return q
}

// close drops the queues of a version that is unloaded. They are empty, because each request keeps
// the version loaded until it is answered.
func (m *batcher) close() {
	if m == nil || m.queues == nil {
		return
	}
	for _, q := range m.queues { //lint:ordered the scheduler finds each by itself
		m.scheduler.Remove(q)
	}
	m.queues = nil
}

// batched is a request that runs in a batch, or in several batches if it is split.
type batched struct {
	batcher *batcher
	call    *infer.Call
	tensors string
	size    uint64
	// The fields below belong to the server's thread until done is called.
	came   time.Duration
	limit  time.Duration
	pieces []computed
	left   uint64
	err    *env.RPCError
	done   func()
}

// computed holds the rows of a request that one batch computed, beginning with row from.
type computed struct {
	from uint64
	rows infer.Rows
}

// request prepares a call for a batch. The error is the one with which the session refuses the call
// before batching (BatchingSession::InternalRun). It returns nil for a call that bypasses the
// batcher: in tfs-2.4 a call whose tensors match no signature. Any thread may call it.
func (m *batcher) request(call *infer.Call) (*batched, *env.RPCError) {
	if m.declared == nil && !call.Feeds() {
		return nil, nil // a stand-in answers the request, so there is nothing to batch
	}
	tensors := call.Tensors()
	if m.declared != nil && m.server.profile != ProfileHead && !slices.Contains(m.declared, tensors) {
		m.server.reader.passedBy(tensors)
		return nil, nil
	}
	size, err := call.Rows(m.params.DifferInputs)
	if err == nil {
		if told := m.server.OnBatched; told != nil {
			told(call.FirstDimensions(size))
		}
		err = m.params.Limits.TooLarge(size)
	}
	if err != nil {
		return nil, err
	}
	return &batched{batcher: m, call: call, tensors: tensors, size: size}, nil
}

// passedBy logs that a request bypasses the batcher, at most once in two minutes.
func (r *Reader) passedBy(tensors string) {
	now, due := r.server.timers.Now(), false
	r.set(func(r *Reader) {
		if due = r.warned == 0 || now-r.warned >= 2*time.Minute; due {
			r.warned = max(now, 1)
		}
	})
	if due {
		r.server.warnf("Request doesn't match any declared signature. Bypassing batcher. Request signature is: %s", tensors)
	}
}

// start puts the request into its queue. done is called when all of its batches have run.
func (t *batched) start(limit time.Duration, done func()) {
	if t.batcher.queues == nil {
		return // the server's process has ended
	}
	t.came, t.limit, t.left, t.done = t.batcher.server.timers.Now(), limit, t.size, done
	if err := t.batcher.queue(t.tensors).Schedule(t, t.size); err != nil {
		t.err = err
		done()
	}
}

// errQueueTimeout is the answer to all requests of a batch if each has waited past its deadline.
var errQueueTimeout = &env.RPCError{Code: rpcerrors.ResourceExhausted, Message: "Run() timeout exceeded while waiting in batching queue"}

// BatchTaken describes a batch that a thread takes, for metrics.
type BatchTaken struct {
	Waited []time.Duration // how long each request of the batch has waited
	Runs   bool            // false if all requests have waited beyond their deadlines
	// Size is the number of rows in the batch. Padded also counts the rows that are added to reach
	// an allowed size.
	Size, Padded int64
}

// process runs a batch on one of the scheduler's threads (BatchingSession::ProcessBatch).
func (m *batcher) process(b *batch.Batch[*batched], free func()) {
	s := m.server
	began := s.timers.Now()
	limit := timeLeft(b, began)
	if s.OnBatch != nil {
		s.OnBatch(BatchTaken{
			Waited: lists.Map(b.Tasks, func(t batch.Task[*batched]) time.Duration { return began - t.Of.came }),
			Runs:   limit >= 0, Size: int64(b.Size), Padded: m.session.Round(int64(b.Size)),
		})
	}
	if limit < 0 {
		finish(b, nil, errQueueTimeout)
		free()
		return
	}
	takes := s.reader.batchLatency(m.session.Round(int64(b.Size)))
	var rows []infer.Rows
	var failed *env.RPCError
	s.work(func() { rows, failed = m.session.Compute(piecesOf(b)) }, func() {
		if failed != nil {
			s.failBatch(b, failed, free)
			return
		}
		s.timers.Sleep(takes-(s.timers.Now()-began), func() {
			if limit > 0 && takes > limit {
				failed = ErrTimedOut
			} else {
				s.tellRun(Run{Times: 1, Took: takes})
			}
			finish(b, rows, failed)
			free()
		})
	})
}

// failBatch ends a batch that could not run. failed is the reason. If the reason is a failed CHECK
// of upstream, failBatch ends the whole process, as abort does.
func (s *Server) failBatch(b *batch.Batch[*batched], failed *env.RPCError, free func()) {
	if failed == infer.ErrCheck {
		s.exit(-6, "")
		return
	}
	finish(b, nil, failed)
	free()
}

// noTimeout is the timeout of a request without a deadline, upstream's INT_MAX microseconds.
const noTimeout = math.MaxInt32 * time.Microsecond

// timeLeft returns how long a batch may run: until the latest deadline of its requests, in whole
// milliseconds. 0 means no limit. It returns -1 if all deadlines have passed.
func timeLeft(b *batch.Batch[*batched], now time.Duration) time.Duration {
	latest := now
	for _, t := range b.Tasks {
		limit := noTimeout
		if t.Of.limit > 0 {
			limit = t.Of.limit
		}
		latest = max(latest, t.Of.came+limit)
	}
	if latest == now {
		return -1
	}
	return (latest - now).Truncate(time.Millisecond)
}

func piecesOf(b *batch.Batch[*batched]) []infer.Piece {
	return lists.Map(b.Tasks, func(t batch.Task[*batched]) infer.Piece {
		return infer.Piece{Call: t.Of.call, From: int64(t.From), To: int64(t.To), Whole: t.Whole}
	})
}

// finish gives each request of a batch its rows, or the error of the batch. A request that was
// split keeps the first error of its parts.
func finish(b *batch.Batch[*batched], rows []infer.Rows, err *env.RPCError) {
	for i, task := range b.Tasks {
		t := task.Of
		t.err = cmp.Or(t.err, err)
		if err == nil {
			t.pieces = append(t.pieces, computed{task.From, rows[i]})
		}
		if t.left -= task.To - task.From; t.left == 0 {
			t.done()
		}
	}
}

// answer makes the response from the rows of all batches in which the request ran.
func (t *batched) answer() (proto.Message, error) {
	if t.err != nil {
		return nil, t.err
	}
	slices.SortFunc(t.pieces, func(a, b computed) int { return cmp.Compare(a.from, b.from) })
	return t.call.Answer(lists.Map(t.pieces, func(c computed) infer.Rows { return c.rows }))
}

// alone computes a call in batches without other requests, as for a warm-up, and returns how long the
// call waits for the batch timeout. ok is false for a call that bypasses the batcher. Any thread may
// call it.
func (m *batcher) alone(call *infer.Call) (waits time.Duration, ok bool, err error) {
	t, failed := m.request(call)
	if t == nil {
		return 0, failed != nil, asError(failed)
	}
	ends, failed := m.params.Limits.Alone(t.size)
	if failed == nil && len(ends) > 1 {
		failed = call.SplitError(t.size)
	}
	if failed != nil {
		return 0, true, failed
	}
	from := uint64(0)
	for _, to := range ends {
		piece := infer.Piece{Call: call, From: int64(from), To: int64(to), Whole: len(ends) == 1}
		rows, failed := m.session.Compute([]infer.Piece{piece})
		if failed != nil {
			return 0, true, failed
		}
		t.pieces = append(t.pieces, computed{from, rows[0]})
		from = to
	}
	_, err = t.answer()
	return m.params.Limits.Waits(t.size), true, err
}
