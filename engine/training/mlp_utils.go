package training

import (
	"fmt"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training/hvdlib"
)

// OptString and OptInt are values that may be None.
type (
	OptString = pysem.Opt[string]
	OptInt    = pysem.Opt[int]
)

// MLPEnv is the environment that the MLP scheduler gives a process (mlp_utils.py:63). It consists
// of the process's role and index and the hosts and ports of all roles. Under MPI the workers of a
// host share one entry, and their ports are numbered upwards from worker 0's port.
//
// Cost: reading it grows with the number of the process's environment variables, because it looks
// at each.
type MLPEnv struct {
	Framework OptString
	SSHPort   OptString
	Role      string // upper case
	Roles     []RoleCount
	Index     int
	Port      int
	// Available reports whether the scheduler provided an environment.
	Available bool
	CPU, GPU  int
	GPUType   string
	Mem       int
	// Host is the address of this host.
	Host string

	e    *env.Env
	vars *pysem.Dict // variables in the order of the environment
	mpi  bool
}

// RoleCount holds a role in upper case and its number of processes.
type RoleCount struct {
	Role  string
	Count int
}

// NewMLPEnv reads the variables MLP_* and MPI_* and looks up the host's address with [LocalHost],
// whose errors it returns. An invalid number raises a ValueError.
func NewMLPEnv(e *env.Env) (*MLPEnv, error) {
	m := &MLPEnv{e: e, vars: &pysem.Dict{}}
	for _, entry := range e.Host.Environ() {
		key, value, _ := strings.Cut(entry, "=")
		if strings.HasPrefix(key, "MLP_") || strings.HasPrefix(key, "MPI_") {
			m.vars.Set(key, value)
		}
	}
	m.Framework, m.SSHPort = m.get("MLP_FRAMEWORK"), m.get("MLP_SSH_PORT")
	m.Role = strings.ToUpper(m.get("MLP_ROLE").Or(""))
	if err := m.readRoles(); err != nil {
		return nil, err
	}
	if err := m.readPlace(); err != nil {
		return nil, err
	}
	m.Available = len(m.vars.Items) > 0 && len(m.Roles) > 0
	for _, n := range []struct {
		key string
		to  *int
	}{{"MLP_CPU", &m.CPU}, {"MLP_GPU", &m.GPU}, {"MLP_MEM", &m.Mem}} {
		var err error
		if *n.to, err = m.number(n.key); err != nil {
			return nil, err
		}
	}
	m.GPUType = m.get("MLP_GPU_TYPE").Or("")
	var err error
	m.Host, err = LocalHost(e.Host)
	return m, err
}

// readRoles adds a role for each variable MLP_<role>_NUM.
func (m *MLPEnv) readRoles() error {
	for _, item := range m.vars.Items {
		parts := strings.Split(item.Key, "_")
		if len(parts) != 3 || parts[2] != "NUM" {
			continue
		}
		count, err := m.number(item.Key)
		if err != nil {
			return err
		}
		m.setRole(parts[1], count)
	}
	return nil
}

func (m *MLPEnv) setRole(role string, count int) {
	for i := range m.Roles {
		if m.Roles[i].Role == role {
			m.Roles[i].Count = count
			return
		}
	}
	m.Roles = append(m.Roles, RoleCount{Role: role, Count: count})
}

// readPlace sets the index and the port. It derives them from the rank for a worker under MPI.
func (m *MLPEnv) readPlace() (err error) {
	_, ranked := m.e.Host.LookupEnv(mpiRankVariable)
	if m.mpi = ranked && m.Role == "WORKER"; !m.mpi {
		if m.Index, err = m.number("MLP_ROLE_INDEX"); err != nil {
			return err
		}
		if m.Port, err = m.number("MLP_PORT"); err != nil {
			return err
		}
		m.e.Log.Logf(env.Info, "enable_mpi is False, index %d, port %d", m.Index, m.Port)
		return nil
	}
	if m.Index, err = hvdlib.MPI(m.e, "rank", 0); err != nil {
		return err
	}
	size, err := m.mpiSize()
	if err != nil {
		return err
	}
	m.setRole("WORKER", size)
	if m.Port, err = m.number("MLP_PORT"); err != nil {
		return err
	}
	m.Port = pysem.Plus(m.Port, m.Index)
	if size, err = m.mpiSize(); err == nil {
		m.e.Log.Logf(env.Info, "total process is %d, this is %d, port is %d", size, m.Index, m.Port)
	}
	return err
}

// mpiSize returns MPI's number of processes. If MPI did not set that number, it logs a warning and
// returns 1 (distribution_utils.py:334).
func (m *MLPEnv) mpiSize() (int, error) { return hvdlib.MPI(m.e, "size", 1) }

// get returns a variable without surrounding whitespace and quotes. An empty variable is None.
func (m *MLPEnv) get(key string) OptString {
	found, _ := m.vars.Get(key)
	value, _ := found.(string)
	if value == "" {
		return OptString{}
	}
	return pysem.Some(strings.Trim(strings.Trim(pysem.Strip(value), `"`), "'"))
}

// number returns a variable as an int, or 0 for None.
func (m *MLPEnv) number(key string) (int, error) {
	text := m.get(key)
	if !text.Set {
		return 0, nil
	}
	n, _, err := pysem.ParseSmallInt(text.V)
	return n, err
}

// EnableMPI reports whether this process is a worker that runs under MPI.
func (m *MLPEnv) EnableMPI() bool { return m.mpi }

// HasRole reports whether the job has processes of a role, given in upper case.
func (m *MLPEnv) HasRole(role string) bool {
	return slices.ContainsFunc(m.Roles, func(r RoleCount) bool { return r.Role == role })
}

// role returns a role in upper case; None and "" mean the process's own role.
func (m *MLPEnv) role(role OptString) string {
	if role.Or("") == "" {
		return m.Role
	}
	return strings.ToUpper(role.V)
}

// NumReplicas returns the number of processes of a role. None means the process's own role. Under
// MPI the number of workers is MPI's.
func (m *MLPEnv) NumReplicas(role OptString) (int, error) {
	name := m.role(role)
	if m.mpi && name == "WORKER" {
		return m.mpiSize()
	}
	key := "MLP_" + name + "_NUM"
	if m.e.Log.Enabled(env.Info) {
		m.e.Log.Logf(env.Info, "%s, mlp_env: %s", key, pysem.Repr(m.vars))
	}
	return m.number(key)
}

// AllHosts returns the primary hosts of a role as a comma-separated list, or None. A role of None
// means the process's own role.
func (m *MLPEnv) AllHosts(role OptString) OptString {
	return m.get("MLP_" + m.role(role) + "_ALL_PRIMARY_HOSTS")
}

// AllAddrs returns the primary addresses of a role. None means the process's own role.
func (m *MLPEnv) AllAddrs(role OptString) []string {
	addrs := m.get("MLP_" + m.role(role) + "_ALL_PRIMARY_ADDRS").Or("")
	if addrs == "" {
		return nil
	}
	return strings.Split(addrs, ",")
}

// indexOf returns the given index. For an index of None it returns the process's own index if role
// is the process's own role, otherwise 0.
func (m *MLPEnv) indexOf(role string, index OptInt) int {
	if role == m.Role {
		return index.Or(m.Index)
	}
	return index.Or(0)
}

// HostOf returns the primary host of a process if primary is set, otherwise the process's other
// host. A host that is unknown is None. A role of None means the process's own role. An index of
// None means this process in its own role and the first process in other roles.
func (m *MLPEnv) HostOf(role OptString, index OptInt, primary bool) (OptString, error) {
	name := m.role(role)
	i := m.indexOf(name, index)
	if m.mpi && name == "WORKER" {
		locals, err := hvdlib.MPI(m.e, "local_size", 1)
		if err != nil {
			return OptString{}, err
		}
		if locals == 0 {
			return OptString{}, pysem.Raise("ZeroDivisionError", "integer division or modulo by zero")
		}
		i = floorDivide(i, locals)
	}
	if primary {
		return m.get(fmt.Sprintf("MLP_%s_%d_PRIMARY_HOST", name, i)), nil
	}
	return m.get(fmt.Sprintf("MLP_%s_%d_HOST", name, i)), nil
}

func floorDivide(a, b int) int {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

// Addr returns the primary address of a process as host:port, or None if host or port is unknown.
// It interprets role and index as HostOf does.
func (m *MLPEnv) Addr(role OptString, index OptInt) (OptString, error) {
	name := m.role(role)
	i := m.indexOf(name, index)
	host, err := m.HostOf(pysem.Some(name), pysem.Some(i), true)
	if err != nil {
		return OptString{}, err
	}
	port := m.get(fmt.Sprintf("MLP_%s_%d_PORT", name, i))
	if m.mpi && name == "WORKER" {
		if port = m.get("MLP_WORKER_0_PORT"); port.Set {
			n, _, err := pysem.ParseSmallInt(port.V)
			if err != nil {
				return OptString{}, err
			}
			port.V = pysem.Str(n + i)
		}
	}
	if host.Or("") == "" || port.Or("") == "" {
		return OptString{}, nil
	}
	return pysem.Some(host.V + ":" + port.V), nil
}

// defaultPort is used if a process's port is unknown.
const defaultPort = 2222

// PortOf returns the port of a process, either a string from the environment or the int 2222. An
// index of None means 0. For a worker under MPI it raises a TypeError if worker 0's port is known.
func (m *MLPEnv) PortOf(role OptString, index OptInt) (any, error) {
	name := m.role(role)
	if m.mpi && name == "WORKER" {
		if m.get("MLP_WORKER_0_PORT").Set {
			return nil, pysem.Raise("TypeError", `can only concatenate str (not "int") to str`)
		}
		return pysem.Plus(defaultPort, index.Or(m.Index)), nil
	}
	if port := m.get(fmt.Sprintf("MLP_%s_%d_PORT", name, index.Or(0))); port.Set {
		return port.V, nil
	}
	return defaultPort, nil
}

// DispatcherAddr returns the address of the data service's dispatcher (mlp_utils.py:209). The
// default role is "dispatcher".
func (m *MLPEnv) DispatcherAddr(role OptString) (OptString, error) {
	if role.Or("") == "" {
		role = pysem.Some("dispatcher")
	}
	return m.Addr(role, OptInt{})
}

// DispatcherTarget returns the URL of the data service's dispatcher (mlp_utils.py:202). It uses the
// local host if the address is unknown.
func (m *MLPEnv) DispatcherTarget(role OptString) (string, error) {
	addr, err := m.DispatcherAddr(role)
	if err != nil {
		return "", err
	}
	return "grpc://" + addr.Or("localhost:5050"), nil
}

// QueueDevice returns the TensorFlow device of the queue between PS or workers. This is on the
// first PS if the job has PS, otherwise on the first worker, otherwise the local device.
func (m *MLPEnv) QueueDevice() string {
	switch {
	case m.HasRole("PS"):
		return "/job:ps/task:0/device:CPU:0"
	case m.HasRole("WORKER"):
		return "/job:worker/task:0/device:CPU:0"
	}
	return "/device:CPU:0"
}
