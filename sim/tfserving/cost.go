package tfserving

import "time"

// CostModel says how long things take and what memory they hold (TFS-18.1).
type CostModel struct {
	// StartTime goes by before the process reads its first file.
	StartTime time.Duration
	// RoundTime is what each round of a loop that polls takes beyond its interval, so
	// that polls of different intervals drift against each other.
	RoundTime time.Duration
	// LoadTime plus the bytes on disk over LoadBytesPerSecond is one load.
	LoadTime           time.Duration
	LoadBytesPerSecond int64
	// FailedLoadTime is one try that fails.
	FailedLoadTime time.Duration
	// WarmupRequestTime is one warm-up record, once per iteration.
	WarmupRequestTime time.Duration
	// UnloadTime is one unload, plus up to UnloadJitter that the host chooses, in
	// steps of 1 ms.
	UnloadTime   time.Duration
	UnloadJitter time.Duration
	// RAMPerDiskByte is the resident memory of a loaded model.
	RAMPerDiskByte float64
	// RetainedPercent of the memory of an unloaded model stays with the process,
	// for later loads to use: 70 to 80 with glibc, 0 to 10 with jemalloc.
	RetainedPercent float64
	// BaseRAMBytes is the process without any model.
	BaseRAMBytes int64
	// ControlRPCTime and the rest are for whoever serves requests. PredictLaw says
	// what PredictTime and PredictTimeHigh mean; PredictSlowdown multiplies what
	// comes of them while a load or unload goes on.
	ControlRPCTime  time.Duration
	PredictLaw      PredictLaw
	PredictTime     time.Duration
	PredictTimeHigh time.Duration
	PredictSlowdown float64
}

// DefaultCost has the numbers of TFS-18.1; a failing load took 19,917 us
// (TFS-18.2).
func DefaultCost() CostModel {
	return CostModel{
		LoadTime:           30 * time.Millisecond,
		LoadBytesPerSecond: 300e6,
		FailedLoadTime:     20 * time.Millisecond,
		WarmupRequestTime:  10 * time.Millisecond,
		UnloadTime:         5 * time.Millisecond,
		UnloadJitter:       45 * time.Millisecond,
		RAMPerDiskByte:     1.2,
		RetainedPercent:    75,
		ControlRPCTime:     200 * time.Microsecond,
		PredictTime:        time.Millisecond,
		PredictSlowdown:    10,
	}
}

// load is the time of one successful try.
func (c CostModel) load(diskBytes int64, warmups int) time.Duration {
	read := time.Duration(0)
	if c.LoadBytesPerSecond > 0 {
		read = time.Duration(float64(diskBytes) / float64(c.LoadBytesPerSecond) * float64(time.Second))
	}
	return c.LoadTime + read + time.Duration(warmups)*c.WarmupRequestTime
}

// ram is the memory of a loaded model.
func (c CostModel) ram(diskBytes int64) int64 {
	return int64(float64(diskBytes) * c.RAMPerDiskByte)
}

// unload is the time of one unload.
func (c CostModel) unload(host Host) time.Duration {
	grains := int(c.UnloadJitter/time.Millisecond) + 1
	if grains == 1 {
		return c.UnloadTime
	}
	return c.UnloadTime + time.Duration(host.Choose("tfserving.unload", grains))*time.Millisecond
}

// memory is the resident memory of the process.
type memory struct {
	live     int64 // held by models
	retained int64 // freed by models, kept by the allocator
	peak     int64 // of live and retained together
}

// take gives a model its memory, first from what the allocator kept.
func (m *memory) take(bytes int64) {
	m.live += bytes
	m.retained -= min(m.retained, bytes)
	m.peak = max(m.peak, m.live+m.retained)
}

func (m *memory) free(bytes int64, retainedPercent float64) {
	m.live -= bytes
	m.retained += int64(float64(bytes) * min(retainedPercent, 100) / 100)
}

// ResidentBytes is the resident memory of the process.
func (s *Server) ResidentBytes() int64 {
	return s.options.Cost.BaseRAMBytes + s.memory.live + s.memory.retained
}

// PeakBytes is the most that the process has had of resident memory, also that of which
// it died.
func (s *Server) PeakBytes() int64 { return s.options.Cost.BaseRAMBytes + s.memory.peak }

// takeMemory reports false when the kernel killed the process for want of it
// (TFS-5.8).
func (s *Server) takeMemory(bytes int64) bool {
	s.memory.take(bytes)
	if limit := s.options.MemoryLimitBytes; limit > 0 && s.ResidentBytes() > limit {
		s.exit(-9, "")
		return false
	}
	return true
}

func (s *Server) freeMemory(bytes int64) { s.memory.free(bytes, s.options.Cost.RetainedPercent) }
