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
// Unstable: any commit may change it.
package distributionutils

import (
	"fmt"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks/jobquirks"
	"github.com/monosim/monosim/engine/training/cputraining"
	"github.com/monosim/monosim/engine/training/hvdlib"
)

// MPIRank returns the rank of the process, 0 without MPI (distribution_utils.py:316). A variable
// that is no number is a ValueError, here and in the functions below.
func MPIRank(host env.Host) (int, error) { return hvdlib.IntVariable(host, "OMPI_COMM_WORLD_RANK", 0) }

// MPILocalRank returns the rank of the process on its host, 0 without MPI.
func MPILocalRank(host env.Host) (int, error) {
	return hvdlib.IntVariable(host, "OMPI_COMM_WORLD_LOCAL_RANK", 0)
}

// MPISize returns the number of processes, 1 without MPI.
func MPISize(host env.Host) (int, error) { return hvdlib.IntVariable(host, "OMPI_COMM_WORLD_SIZE", 1) }

// MPILocalSize returns the number of processes on this host, 1 without MPI.
func MPILocalSize(host env.Host) (int, error) {
	return hvdlib.IntVariable(host, "OMPI_COMM_WORLD_LOCAL_SIZE", 1)
}

// SyncTraining holds what a process knows about synchronous training.
type SyncTraining struct {
	Env *env.Env
	// EnableBPS is the value of MONOLITH_WITH_BYTEPS when the module was imported.
	EnableBPS int
	Import    hvdlib.Importer
	// BytePSInit calls [BytePS.Init] for the process.
	BytePSInit func(uuid string) error
	// Quirks is the set of the reference's faults that are kept.
	Quirks jobquirks.Set

	inited bool
}

// Init initialises BytePS or Horovod and sets rank and size in a configuration
// (distribution_utils.py:273). With BytePS for broadcast and allreduce, the default, the process
// never counts as initialised: each call initialises again, and separate checkpoints per process
// are never set, unless Q256 is repaired. A missing library is logged and changes nothing.
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
		s.Env.Log.Logf(env.Warning, "init_sync_train_and_get_index error %v", err)
		return nil
	}
	return err
}

// library returns the library that gives rank and size. It is initialised where the reference
// initialises it.
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

// horovod initialises Horovod once. It gives each process its own checkpoints unless they are
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

// begun marks the process as initialised and gives it its own checkpoints.
func (s *SyncTraining) begun(c *cputraining.DistributedCPUTrainingConfig, lib hvdlib.Library) {
	s.inited = true
	if !c.MergeSyncTrainingCkpt {
		c.ModelDir = pysem.JoinStrings(c.ModelDir, c.UUID, fmt.Sprintf("index-%04d", lib.Rank()))
	}
}

// TryInitCUDA assigns the GPU of its local rank to the process, unless GPUs are assigned already
// (distribution_utils.py:359).
func TryInitCUDA(host env.Host) error {
	_, given := host.LookupEnv("CUDA_VISIBLE_DEVICES")
	_, mpi := host.LookupEnv("OMPI_COMM_WORLD_LOCAL_RANK")
	if given || !mpi {
		return nil
	}
	host.Setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID")
	rank, err := MPILocalRank(host)
	if err == nil {
		host.Setenv("CUDA_VISIBLE_DEVICES", pysem.Str(rank))
	}
	return err
}
