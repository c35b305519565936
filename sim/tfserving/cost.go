package tfserving

import (
	"math"
	"time"

	"github.com/monosim/monosim/engine/enum"
)

// CostModel holds the simulated times and memory sizes of a server (TFS-18.1).
type CostModel struct {
	// StartTime is the time from the start of the process until it reads its first file.
	StartTime time.Duration
	// RoundTime is added to the interval of each polling loop, so that loops of different
	// intervals shift relative to each other.
	RoundTime time.Duration
	// LoadTime plus (bytes on disk / LoadBytesPerSecond) is how long one load takes.
	LoadTime           time.Duration
	LoadBytesPerSecond int64
	// FailedLoadTime is the time of one failed attempt to load.
	FailedLoadTime time.Duration
	// WarmupRequestTime is the time of one iteration of one warm-up request.
	WarmupRequestTime time.Duration
	// UnloadTime is how long one unload takes, plus a random time of up to UnloadJitter in steps of
	// 1 ms.
	UnloadTime   time.Duration
	UnloadJitter time.Duration
	// RAMPerDiskByte is the resident memory of a loaded model for each byte on disk.
	RAMPerDiskByte float64
	// RetainedPercent is the share of an unloaded model's memory that the allocator keeps for later
	// loads: 70 to 80 with glibc, 0 to 10 with jemalloc.
	RetainedPercent float64
	// BaseRAMBytes is the memory of a process without models.
	BaseRAMBytes int64
	// PredictLaw is the distribution of request times, with the parameters PredictTime and
	// PredictTimeHigh. PredictSlowdown multiplies the drawn time while a version is being loaded or
	// unloaded.
	PredictLaw      PredictLaw
	PredictTime     time.Duration
	PredictTimeHigh time.Duration
	PredictSlowdown float64
	// PredictItemTime is added to the time of a batch for each of its rows. A time that is drawn
	// from a distribution grows in proportion.
	PredictItemTime time.Duration
}

// DefaultCost returns the times and sizes measured for TFS-18.1. A failing load took 19,917 us
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
		PredictTime:        time.Millisecond,
		PredictSlowdown:    10,
	}
}

func (c CostModel) load(diskBytes int64, warmups int) time.Duration {
	read := time.Duration(0)
	if c.LoadBytesPerSecond > 0 {
		read = time.Duration(float64(diskBytes) / float64(c.LoadBytesPerSecond) * float64(time.Second))
	}
	return c.LoadTime + read + time.Duration(warmups)*c.WarmupRequestTime
}

func (c CostModel) ram(diskBytes int64) int64 {
	return int64(float64(diskBytes) * c.RAMPerDiskByte)
}

// unload returns the time of one unload, including the host's choice of jitter.
func (c CostModel) unload(host Host) time.Duration {
	grains := int(c.UnloadJitter/time.Millisecond) + 1
	if grains == 1 {
		return c.UnloadTime
	}
	return c.UnloadTime + time.Duration(host.Choose("tfserving.unload", grains))*time.Millisecond
}

type memory struct {
	live     int64 // live is the memory of loaded models
	retained int64 // retained is memory that models have freed and the allocator keeps
	peak     int64 // peak is the highest sum of live and retained so far
}

// take allocates a model's memory in bytes, first from what the allocator has retained.
func (m *memory) take(bytes int64) {
	m.live += bytes
	m.retained -= min(m.retained, bytes)
	m.peak = max(m.peak, m.live+m.retained)
}

func (m *memory) free(bytes int64, retainedPercent float64) {
	m.live -= bytes
	m.retained += int64(float64(bytes) * min(retainedPercent, 100) / 100)
}

// ResidentBytes returns the resident memory of the process.
func (s *Server) ResidentBytes() int64 {
	return s.options.Cost.BaseRAMBytes + s.memory.live + s.memory.retained
}

// PeakBytes returns the highest resident memory of the process so far. If a load exceeded the limit
// and the kernel killed the process, the memory of that load counts too.
func (s *Server) PeakBytes() int64 { return s.options.Cost.BaseRAMBytes + s.memory.peak }

// takeMemory allocates a model's memory in bytes. If the process then exceeds its limit, the kernel
// kills it, and takeMemory returns false (TFS-5.8).
func (s *Server) takeMemory(bytes int64) bool {
	s.memory.take(bytes)
	if limit := s.options.MemoryLimitBytes; limit > 0 && s.ResidentBytes() > limit {
		s.exit(-9, "")
		return false
	}
	return true
}

func (s *Server) freeMemory(bytes int64) { s.memory.free(bytes, s.options.Cost.RetainedPercent) }

// PredictLaw is the probability distribution of the time of a PredictionService request. Every law
// except PredictConstant uses one random choice of the host for each request.
type PredictLaw uint8

// These are the distributions of a request's time.
const (
	// PredictConstant always takes PredictTime.
	PredictConstant PredictLaw = iota
	// PredictUniform is uniform between PredictTime and PredictTimeHigh.
	PredictUniform
	// PredictLogNormal has PredictTime as its median and PredictTimeHigh as its 99th percentile.
	// One request in a thousand takes longer than about PredictTime *
	// (PredictTimeHigh/PredictTime)^1.33.
	PredictLogNormal
)

var predictLawNames = []string{"constant", "uniform", "lognormal"}

func (l PredictLaw) String() string { return enum.Listed(predictLawNames, l) }

// ParsePredictLaw returns the distribution called name: constant, uniform or lognormal.
func ParsePredictLaw(name string) (PredictLaw, error) {
	return enum.Parse[PredictLaw](predictLawNames, "law of predict times", name)
}

// predictGrains is the number of quantiles from which a request's time is drawn.
const predictGrains = 1 << 12

// drawPredict draws the time of one request. It rounds to microseconds, because the last bits of
// floating-point results may differ between machines.
func (c CostModel) drawPredict(host Host) time.Duration {
	if c.PredictLaw == PredictConstant {
		return c.PredictTime
	}
	return c.predictQuantile(host.Choose("tfserving.predict", predictGrains)).Round(time.Microsecond)
}

// predictQuantile returns the request time for the host's choice of a quantile. Choice 0, the
// default, is the median.
func (c CostModel) predictQuantile(choice int) time.Duration {
	u := (float64((choice+predictGrains/2)%predictGrains) + 0.5) / predictGrains
	low, high := float64(c.PredictTime), float64(c.PredictTimeHigh)
	if c.PredictLaw == PredictUniform {
		return time.Duration(low + u*(high-low))
	}
	const z99 = 2.3263478740408408 // z99 is how many standard deviations the 99th percentile lies above the mean
	sigma := math.Log(high/low) / z99
	return time.Duration(low * math.Exp(sigma*math.Sqrt2*math.Erfinv(2*u-1)))
}
