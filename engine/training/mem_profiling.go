package training

import (
	"cmp"
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks/jobquirks"
)

// EnableTCMalloc appends tcmalloc to LD_PRELOAD (mem_profiling.py:21). If LD_PRELOAD was unset or
// empty, its new value starts with an empty item, unless Q197 is repaired. This affects only
// processes started later. mainDir is the result of [FindMain].
func EnableTCMalloc(host env.Host, kept jobquirks.Set, mainDir string) {
	libs, _ := host.LookupEnv("LD_PRELOAD")
	if libs != "" || kept.Keeps(jobquirks.Q197) {
		libs += ":"
	}
	host.Setenv("LD_PRELOAD", libs+LibopsPath(mainDir, "../gperftools/libtcmalloc/lib/libtcmalloc.so"))
}

// HeapProfile holds the heap profiler's settings. The numbers are Python values (int or float64),
// because some are written to environment variables unchanged.
type HeapProfile struct {
	InuseIntervalBytes      any
	AllocationIntervalBytes any
	TimeIntervalSeconds     any
	// SampleRatio is the fraction of allocations to track.
	SampleRatio any
	MMap        any
	// Directory is where the profiles are written. Empty means the code base's own directory.
	Directory string
}

// DefaultHeapProfile returns the reference's defaults (mem_profiling.py:29). With these, the
// profiler writes a profile for each further 100 MB in use and for each further GB allocated, but
// none at fixed times. It tracks all allocations except mmap.
func DefaultHeapProfile() HeapProfile {
	return HeapProfile{
		InuseIntervalBytes: 100 << 20, AllocationIntervalBytes: 1 << 30, TimeIntervalSeconds: 0,
		SampleRatio: 1.0, MMap: false,
	}
}

// SetupHeapProfile sets the variables that turn on the heap profiler in processes that are started
// later. A setting that is no number is a ValueError or TypeError, a sample ratio of 0 a
// ZeroDivisionError. Variables that were set before the error stay set.
//
// Cost: setting up does not grow, it sets seven variables. What it turns on does: a profiled process
// writes a profile for each interval of bytes in use and allocated, and keeps the stack of each sampled
// allocation.
func SetupHeapProfile(e *env.Env, kept jobquirks.Set, mainDir string, p HeapProfile) error {
	EnableTCMalloc(e.Host, kept, mainDir)
	mlp, err := NewMLPEnv(e)
	if err != nil {
		return err
	}
	directory := cmp.Or(p.Directory, mainDir)
	e.Host.Setenv("HEAPPROFILE", pysem.JoinStrings(directory, "hprof_"+pysem.Str(mlp.Index)))
	for _, v := range []struct {
		name  string
		value any
	}{{"HEAP_PROFILE_INUSE_INTERVAL", p.InuseIntervalBytes}, {"HEAP_PROFILE_ALLOCATION_INTERVAL", p.AllocationIntervalBytes}} {
		interval, err := divide(v.value, p.SampleRatio)
		if err != nil {
			return err
		}
		e.Host.Setenv(v.name, pysem.Str(interval))
	}
	e.Host.Setenv("HEAP_PROFILE_SAMPLE_RATIO", pysem.Str(p.SampleRatio))
	e.Host.Setenv("HEAP_PROFILE_TIME_INTERVAL", pysem.Str(p.TimeIntervalSeconds))
	e.Host.Setenv("HEAP_PROFILE_MMAP", strings.ToLower(pysem.Str(p.MMap)))
	return nil
}

// divide returns int(a / b).
func divide(a, b any) (any, error) {
	x, err := quotientOperand(a, a, b)
	if err != nil {
		return nil, err
	}
	y, err := quotientOperand(b, a, b)
	if err != nil {
		return nil, err
	}
	if y == 0 {
		return nil, pysem.Raise("ZeroDivisionError", "division by zero")
	}
	return pysem.ToInt(x / y)
}

func quotientOperand(v, a, b any) (float64, error) {
	switch v.(type) {
	case string, nil:
		return 0, pysem.Raise("TypeError", "unsupported operand type(s) for /: '%s' and '%s'", pysem.TypeName(a), pysem.TypeName(b))
	}
	return pysem.ToFloat(v)
}
