// Package distributionutils sets up processes that train synchronously: the port of
// native_training/distribution_utils.py, without its benchmarks.
//
// Two things to use first:
//
//   - [SyncTraining.Init] initialises the library that the environment asks for, and sets rank and
//     size in the configuration.
//   - [MPIRank] and the functions after it read what MPI says about a process.
//
// To change the variables of BytePS: byteps.go.
//
// Cost: it does not grow with the processes: each reads variables of its environment and initialises
// one library.
//
// Unstable: any commit may change it.
package distributionutils

import (
	"fmt"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pylog"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks/jobquirks"
	"github.com/monosim/monosim/engine/training/cputraining"
	"github.com/monosim/monosim/engine/training/hvdlib"
)

// MPIRank returns the process's rank, or 0 without MPI (distribution_utils.py:316). A variable that
// is not a number raises a ValueError, and one that is not set is logged, here and in the functions
// below.
func MPIRank(e *env.Env) (int, error) { return hvdlib.MPI(e, "rank", 0) }

// MPILocalRank returns the process's rank on its host, or 0 without MPI.
func MPILocalRank(e *env.Env) (int, error) { return hvdlib.MPI(e, "local_rank", 0) }

// MPISize returns the number of processes, or 1 without MPI.
func MPISize(e *env.Env) (int, error) { return hvdlib.MPI(e, "size", 1) }

// MPILocalSize returns the number of processes on this host, or 1 without MPI.
func MPILocalSize(e *env.Env) (int, error) { return hvdlib.MPI(e, "local_size", 1) }

// SyncTraining holds a process's state of synchronous training.
type SyncTraining struct {
	Env *env.Env
	// EnableBPS is the value that MONOLITH_WITH_BYTEPS had when the module was imported.
	EnableBPS int
	Import    hvdlib.Importer
	// BytePSInit calls [BytePS.Init] for the process.
	BytePSInit func(uuid string) error
	// Quirks is the set of the reference's bugs to keep.
	Quirks jobquirks.Set

	inited bool
}

// Init initializes BytePS or Horovod and sets rank and size in a configuration
// (distribution_utils.py:273). If BytePS does broadcast and allreduce, which is the default, the
// process never counts as initialized. Each call then initializes again, and the processes never
// get separate checkpoints, unless Q256 is repaired. A missing library is logged and changes
// nothing.
func (s *SyncTraining) Init(c *cputraining.DistributedCPUTrainingConfig) error {
	s.Env.Log.Logf(env.Info, "Entering synchronous training.")
	lib, err := s.library(c)
	if err == nil {
		c.NumPS, c.ReorderFidsInDataPipeline = 0, true
		c.Index, c.NumWorkers = lib.Rank(), lib.Size()
		c.EnableVariablePartition = false
		return nil
	}
	switch pysem.TypeOf(err) {
	case "ImportError", "ModuleNotFoundError", "NotFoundError":
		s.Env.Log.Logf(env.Warning, "init_sync_train_and_get_index error %s", pylog.Text(err))
		return nil
	}
	return err
}

// library returns the library that provides rank and size. It initializes the library at the same
// points as the reference.
func (s *SyncTraining) library(c *cputraining.DistributedCPUTrainingConfig) (hvdlib.Library, error) {
	if s.EnableBPS == 0 {
		return s.horovod(c)
	}
	if !s.inited {
		if err := s.BytePSInit(c.UUID); err != nil {
			return nil, err
		}
	}
	lib, err := s.Import(hvdlib.BytePS)
	if err != nil {
		return nil, err
	}
	broadcast, err := hvdlib.IntVariable(s.Env.Host, "MONOLITH_WITH_BYTEPS_BCAST", 1)
	if err != nil {
		return nil, err
	}
	allreduce, err := hvdlib.IntVariable(s.Env.Host, "MONOLITH_WITH_BYTEPS_ALLREDUCE", 1)
	if err != nil {
		return nil, err
	}
	if broadcast == 0 || allreduce == 0 {
		return s.horovod(c)
	}
	if !s.inited && !s.Quirks.Keeps(jobquirks.Q256) {
		s.begun(c, lib)
	}
	return lib, nil
}

// horovod initializes Horovod once. It gives each process separate checkpoints unless they are
// merged.
func (s *SyncTraining) horovod(c *cputraining.DistributedCPUTrainingConfig) (hvdlib.Library, error) {
	lib, err := s.Import(hvdlib.Horovod)
	if err != nil || s.inited {
		return lib, err
	}
	if err := lib.Init(); err != nil {
		return nil, err
	}
	s.begun(c, lib)
	return lib, nil
}

// begun marks the process as initialized and gives it separate checkpoints unless they are merged.
func (s *SyncTraining) begun(c *cputraining.DistributedCPUTrainingConfig, lib hvdlib.Library) {
	s.inited = true
	if !c.MergeSyncTrainingCkpt {
		c.ModelDir = pysem.JoinStrings(c.ModelDir, c.UUID, fmt.Sprintf("index-%04d", lib.Rank()))
	}
}

// TryInitCUDA assigns to a process the GPU whose number is the local rank of the process, unless
// GPUs are already assigned (distribution_utils.py:359).
func TryInitCUDA(e *env.Env) error {
	host := e.Host
	_, given := host.LookupEnv("CUDA_VISIBLE_DEVICES")
	_, mpi := host.LookupEnv("OMPI_COMM_WORLD_LOCAL_RANK")
	if given || !mpi {
		return nil
	}
	host.Setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID")
	rank, err := MPILocalRank(e)
	if err == nil {
		host.Setenv("CUDA_VISIBLE_DEVICES", pysem.Str(rank))
	}
	return err
}
