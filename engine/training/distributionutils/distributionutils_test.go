package distributionutils_test

import (
	"maps"
	"testing"

	"github.com/monosim/monosim/engine/env/envtest"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training/cputraining"
	"github.com/monosim/monosim/engine/training/distributionutils"
	"github.com/monosim/monosim/engine/training/hvdlib"
)

// Goal: the functions work where no recorded case of TRN-2.20 exists: with failures on the way,
// several libraries in one process, and GPUs.

func TestWithoutALibraryNothingChanges(t *testing.T) {
	for _, try := range []struct {
		err  string
		want bool // whether an error is wanted
	}{{"ImportError", false}, {"ModuleNotFoundError", false}, {"NotFoundError", false}, {"RuntimeError", true}} {
		e := envtest.New(nil, nil)
		e.Log = envtest.Quiet{}
		sync := distributionutils.SyncTraining{Env: e, Import: func(string) (hvdlib.Library, error) { return nil, pysem.Raise(try.err, "none") }}
		c := cputraining.ConfigClass.New()
		c.NumPS, c.Index = 3, 1
		if err := sync.Init(&c); (err != nil) != try.want || c.NumPS != 3 || c.Index != 1 {
			t.Errorf("%s: got %v, %d PS, index %d, want nothing changed", try.err, err, c.NumPS, c.Index)
		}
	}
}

// Horovod is initialized only once, and the directory changes only then. With BytePS for
// everything, which is the default, each call initializes again and the directory stays the same
// (Q256).
func TestWhatIsDoneOnEachCall(t *testing.T) {
	for _, try := range []struct {
		name          string
		enableBPS     int
		vars          map[string]string
		inits, begins int
		dir           string
	}{
		{"horovod", 0, nil, 1, 0, "/m/u/index-0002"},
		{"byteps", 1, nil, 0, 2, "/m"},
		{"byteps without allreduce", 1, map[string]string{"MONOLITH_WITH_BYTEPS_ALLREDUCE": "0"}, 1, 1, "/m/u/index-0002"},
	} {
		e := envtest.New(nil, try.vars)
		e.Log = envtest.Quiet{}
		lib, begins := &library{}, 0
		sync := distributionutils.SyncTraining{
			Env: e, EnableBPS: try.enableBPS, Import: func(string) (hvdlib.Library, error) { return lib, nil },
			BytePSInit: func(string) error { begins++; return nil },
		}
		c := cputraining.ConfigClass.New()
		c.ModelDir, c.UUID, c.MergeSyncTrainingCkpt = "/m", "u", false
		for range 2 {
			if err := sync.Init(&c); err != nil {
				t.Fatal(err)
			}
		}
		if lib.inits != try.inits || begins != try.begins || c.ModelDir != try.dir || c.Index != 2 || c.NumWorkers != 4 {
			t.Errorf("%s: got %d and %d beginnings, %s, %d of %d, want %d and %d, %s, 2 of 4", try.name, lib.inits, begins, c.ModelDir, c.Index, c.NumWorkers,
				try.inits, try.begins, try.dir)
		}
	}
}

func mpiVars(size string, more map[string]string) map[string]string {
	vars := map[string]string{"OMPI_COMM_WORLD_RANK": "5", "OMPI_COMM_WORLD_SIZE": size, "OMPI_COMM_WORLD_LOCAL_SIZE": "2", "UCX_NET_DEVICES": "x"}
	maps.Copy(vars, more)
	return vars
}

// Goal: BytePS stops at the first failure, whichever of the things that it needs from its host
// fails.
func TestWhatBytePSNeedsMayFail(t *testing.T) {
	boom := pysem.Raise("RuntimeError", "boom")
	for failing, name := range []string{"interface", "directory", "library"} {
		done := 0
		fails := func(at int) error {
			done = at + 1
			if at == failing {
				return boom
			}
			return nil
		}
		b := distributionutils.BytePS{
			Host:          envtest.New(nil, mpiVars("8", nil)).Host,
			InterfaceAddr: func(string) (string, error) { return "10.0.0.1", fails(0) }, MakeDirs: func(string) error { return fails(1) },
			InitLibrary: func(lazy bool) error {
				if lazy {
					t.Error("got a lazy beginning, want none")
				}
				return fails(2)
			},
		}
		if err := b.Init("u"); err == nil || err.Error() != boom.Error() || done != failing+1 {
			t.Errorf("%s: got %v after %d, want boom after %d", name, err, done, failing+1)
		}
	}
}

// With 128 or more processes the partitions are half as large (distribution_utils.py:130).
func TestThePartsOfManyProcessesAreSmaller(t *testing.T) {
	for size, want := range map[string][2]string{"127": {"4128251", "1024000"}, "128": {"4096000", "512000"}} { //lint:ordered each by itself
		e := envtest.New(nil, mpiVars(size, nil))
		socket := ""
		b := distributionutils.BytePS{
			Host: e.Host, InterfaceAddr: func(string) (string, error) { return " 10.0.0.1\n", nil },
			MakeDirs: func(p string) error { socket = p; return nil }, InitLibrary: func(bool) error { return nil },
		}
		if err := b.Init("u"); err != nil {
			t.Fatal(err)
		}
		p2p, _ := e.Host.LookupEnv("BYTEPS_P2P_PARTITION_BYTES")
		part, _ := e.Host.LookupEnv("BYTEPS_PARTITION_BYTES")
		addr, _ := e.Host.LookupEnv("DMLC_NODE_HOST")
		if p2p != want[0] || part != want[1] || addr != "10.0.0.1" || pysem.Basename(socket) != "bps_u_socket_2" {
			t.Errorf("size %s: got %s, %s, %s, %s, want %v, 10.0.0.1 and the socket of node 2", size, p2p, part, addr, socket, want)
		}
	}
}

// A process uses the GPU of its local rank, unless GPUs are already assigned or MPI sets no rank.
func TestTheGPUOfAProcess(t *testing.T) {
	for _, try := range []struct {
		name  string
		vars  map[string]string
		order string
		gpu   string
		wrong bool
	}{
		{"no mpi", nil, "", "", false},
		{"its own", map[string]string{"OMPI_COMM_WORLD_LOCAL_RANK": "3"}, "PCI_BUS_ID", "3", false},
		{"given", map[string]string{"OMPI_COMM_WORLD_LOCAL_RANK": "3", "CUDA_VISIBLE_DEVICES": "7"}, "", "7", false},
		{"no number", map[string]string{"OMPI_COMM_WORLD_LOCAL_RANK": "x"}, "PCI_BUS_ID", "", true},
	} {
		e := envtest.New(nil, try.vars)
		host, err := e.Host, distributionutils.TryInitCUDA(e)
		order, _ := host.LookupEnv("CUDA_DEVICE_ORDER")
		gpu, _ := host.LookupEnv("CUDA_VISIBLE_DEVICES")
		if (err != nil) != try.wrong || order != try.order || gpu != try.gpu {
			t.Errorf("%s: got %q %q %v, want %q %q", try.name, order, gpu, err, try.order, try.gpu)
		}
	}
}

func TestMPIVariables(t *testing.T) {
	e := envtest.New(nil, map[string]string{"OMPI_COMM_WORLD_RANK": "2", "OMPI_COMM_WORLD_LOCAL_SIZE": "x"})
	rank, err := distributionutils.MPIRank(e)
	if rank != 2 || err != nil {
		t.Errorf("rank: got %d %v, want 2", rank, err)
	}
	local, err := distributionutils.MPILocalRank(e)
	if local != 0 || err != nil {
		t.Errorf("rank on the host: got %d %v, want 0", local, err)
	}
	if _, err := distributionutils.MPILocalSize(e); pysem.TypeOf(err) != "ValueError" {
		t.Errorf("size on the host: got %v, want a ValueError", err)
	}
}
