package distributionutils

import (
	"fmt"
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks/jobquirks"
	"github.com/monosim/monosim/engine/training/hvdlib"
)

// BytePS prepares a process's environment for BytePS.
type BytePS struct {
	Host env.Host
	// InterfaceAddr runs a shell command that prints a network interface's address, and returns
	// its output.
	InterfaceAddr func(command string) (string, error)
	// MakeDirs creates the directory for a socket.
	MakeDirs func(path string) error
	// InitLibrary calls bps.init.
	InitLibrary func(lazy bool) error
	// Quirks is the set of the reference's bugs to keep.
	Quirks jobquirks.Set
}

// posixTemporary is the temporary directory that the reference hard-codes.
const posixTemporary = "/tmp"

// gpusPerNIC is the number of GPUs that share a network interface (distribution_utils.py:57).
const gpusPerNIC = 2

// Init sets the variables of BytePS and initializes it (distribution_utils.py:27). A missing MPI
// variable raises a TypeError, one that is not a number a ValueError, and a size of 0 a
// ZeroDivisionError. If GPUs are not bound to interfaces, a missing UCX_NET_DEVICES raises a
// KeyError, unless Q255 is repaired. Variables that were set before an error stay set.
func (b BytePS) Init(uuid string) error {
	b.set("BYTEPS_ALLTOALL_SESSION_SIZE", b.or("BYTEPS_ALLTOALL_SESSION_SIZE", "3"))
	places, err := b.places()
	if err != nil {
		return err
	}
	interfaceName, err := b.chooseInterface(places.LocalRank)
	if err != nil {
		return err
	}
	addr, err := b.InterfaceAddr("ip addr show " + interfaceName)
	if err != nil {
		return err
	}
	addr = pysem.Strip(addr)
	b.set("UCX_RDMA_CM_SOURCE_ADDRESS", addr)
	b.set("PSLITE_UCX_TLS", b.or("PSLITE_UCX_TLS", "rc_x,tcp,self,cuda"))
	if err := b.required("UCX_NET_DEVICES"); err != nil && b.Quirks.Keeps(jobquirks.Q255) {
		return err
	}
	b.set("DMLC_NODE_HOST", addr)
	b.set("DMLC_ROLE", "joint")
	b.set("DMLC_ENABLE_UCX", b.or("DMLC_ENABLE_UCX", "1"))
	socket := fmt.Sprintf("%s/bps_%s_socket_%d", posixTemporary, uuid, places.node)
	if err := b.MakeDirs(socket); err != nil {
		return err
	}
	b.export(uuid, socket, places)
	if err := b.partitions(places.Size); err != nil {
		return err
	}
	return b.InitLibrary(false)
}

// places holds a process's position among all processes.
type places struct {
	hvdlib.Ranks
	node int
}

func (b BytePS) places() (p places, err error) {
	if _, ok := b.Host.LookupEnv("BYTEPS_LOCAL_SIZE"); !ok {
		size, ok := b.Host.LookupEnv("OMPI_COMM_WORLD_LOCAL_SIZE")
		if !ok {
			return p, pysem.Raise("TypeError", "str expected, not NoneType")
		}
		b.set("BYTEPS_LOCAL_SIZE", size)
	}
	for _, v := range []struct {
		name string
		to   *int
	}{{"BYTEPS_LOCAL_SIZE", &p.LocalSize}, {"OMPI_COMM_WORLD_RANK", &p.Rank}, {"OMPI_COMM_WORLD_SIZE", &p.Size}} {
		if _, ok := b.Host.LookupEnv(v.name); !ok {
			return p, pysem.Raise("TypeError", "int() argument must be a string, a bytes-like object or a number, not 'NoneType'")
		}
		if *v.to, err = hvdlib.IntVariable(b.Host, v.name, 0); err != nil {
			return p, err
		}
	}
	if p.LocalSize == 0 {
		return p, pysem.Raise("ZeroDivisionError", "integer division or modulo by zero")
	}
	p.LocalRank, p.node = floorMod(p.Rank, p.LocalSize), p.Rank/p.LocalSize
	return p, nil
}

func floorMod(a, b int) int {
	m := a % b
	if m != 0 && (m < 0) != (b < 0) {
		m += b
	}
	return m
}

// chooseInterface returns the common interface, or the one nearest to the process's GPU.
func (b BytePS) chooseInterface(localRank int) (string, error) {
	binding, err := hvdlib.IntVariable(b.Host, "BYTEPS_GPU_NIC_BINDING_MODE", 0)
	if err != nil {
		return "", err
	}
	if binding == 0 {
		return b.or("DMLC_INTERFACE", "eth0"), nil
	}
	if b.or("MONOLITH_WITH_BYTEPS_FWD_GDR", "0") == "1" || b.or("MONOLITH_WITH_BYTEPS_BWD_GDR", "0") == "1" {
		b.set("CUDA_VISIBLE_DEVICES", pysem.Str(localRank))
		if err := b.required("BYTEPS_NUMA_ID"); err != nil {
			return "", err
		}
		b.set("BYTEPS_PIN_MEMORY", "1")
		b.set("BYTEPS_PIN_MEMORY_CPU", b.or("BYTEPS_PIN_MEMORY_CPU", "1"))
		b.set("DMLC_NUM_CPU_DEV", "0")
		b.set("DMLC_NUM_GPU_DEV", "1")
	}
	b.set("BYTEPS_USE_GDR_ALLREDUCE", b.or("BYTEPS_USE_GDR_ALLREDUCE", "1"))
	nic := pysem.Str((localRank - floorMod(localRank, gpusPerNIC)) / gpusPerNIC)
	devices := "mlx5_" + nic + ":1"
	if b.or("BYTEPS_WITH_ALL_NICS", "0") == "1" {
		devices = "mlx5_0:1,mlx5_1:1,mlx5_2:1,mlx5_3:1,eth0,eth1,eth2,eth3"
	}
	b.set("UCX_NET_DEVICES", devices)
	return "eth" + nic, nil
}

// export sets the variables that follow from the places. It sets the other variables to their
// defaults if they are unset.
func (b BytePS) export(uuid, socket string, p places) {
	size := pysem.Str(p.Size)
	for _, v := range [][2]string{
		{"DMLC_WORKER_ID", pysem.Str(p.Rank)}, {"DMLC_NUM_WORKER", size}, {"DMLC_NUM_SERVER", size}, {"BYTEPS_UUID", uuid},
		{"BYTEPS_LOCAL_RANK", pysem.Str(p.LocalRank)}, {"BYTEPS_SOCKET_PATH", socket}, {"BYTEPS_FORCE_DISTRIBUTED", "1"}, {"BYTEPS_UCX_FORCE_REQ_ORDER", "1"},
	} {
		b.set(v[0], v[1])
	}
	for _, v := range [][2]string{
		{"BYTEPS_OMP_THREAD_PER_GPU", "1"}, {"BYTEPS_TELEMETRY_ON", "0"}, {"BYTEPS_LOG_LEVEL", "info"}, {"BYTEPS_SERVER_DIRECT_RESPONSE", "2"},
		{"BYTEPS_KEY_HASH_FN", "djb2-colocate"}, {"BYTEPS_UCX_SHORT_THRESH", "0"}, {"PSLITE_UCX_RNDV_THRESH", "8192"}, {"BYTEPS_WORKER_LOCAL_ROOT", "-1"},
	} {
		b.set(v[0], b.or(v[0], v[1]))
	}
}

// alltoallBytes is the buffer size for one all-to-all exchange (distribution_utils.py:132).
const alltoallBytes = 2048000 * 128 * 2

// With manyProcesses or more, partitions have smallPart bytes instead of largePart.
const (
	manyProcesses = 128
	largePart     = "1024000"
	smallPart     = "512000"
)

// partitions sets those partition sizes that are not set yet.
func (b BytePS) partitions(size int) error {
	if _, ok := b.Host.LookupEnv("BYTEPS_P2P_PARTITION_BYTES"); !ok {
		if size == 0 {
			return pysem.Raise("ZeroDivisionError", "division by zero")
		}
		b.set("BYTEPS_P2P_PARTITION_BYTES", pysem.Str(alltoallBytes/size))
	}
	part := largePart
	if size >= manyProcesses {
		part = smallPart
	}
	b.set("BYTEPS_PARTITION_BYTES", b.or("BYTEPS_PARTITION_BYTES", part))
	return nil
}

func (b BytePS) set(name, value string) { b.Host.Setenv(name, value) }

func (b BytePS) or(name, otherwise string) string {
	if text, ok := b.Host.LookupEnv(name); ok {
		return text
	}
	return otherwise
}

// required returns a KeyError if a variable of the environment is missing.
func (b BytePS) required(name string) error {
	if _, ok := b.Host.LookupEnv(name); !ok {
		return pysem.Raise("KeyError", "'%s'", strings.ReplaceAll(name, "'", `\'`))
	}
	return nil
}
