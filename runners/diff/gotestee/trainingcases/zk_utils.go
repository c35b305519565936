package trainingcases

import (
	"slices"
	"time"

	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/envutils"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/engine/training"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// zkUtilsOps holds those operations on zk_utils.py, env_utils.py and net_utils.py that have an
// effect or name a constant.
var zkUtilsOps = caseworld.Table{
	"zk_utils.MonolithKazooClient": monolithKazooClient,
	"zk_utils.clear_zk_path":       clearZKPath,
	"env_utils.setup_hdfs_env":     setupHDFSEnv,
	"net_utils.AddressFamily": func(*caseworld.Call) (any, error) {
		return caseworld.Object("IPV4", datadef.FamilyIPv4, "IPV6", datadef.FamilyIPv6), nil
	},
}

// setupHDFSEnv calls a function that does nothing, as in the reference. It also lists the ported
// names of env_utils.py, without setup_host_ip, which is not ported.
func setupHDFSEnv(*caseworld.Call) (any, error) {
	envutils.SetupHDFSEnv()
	return caseworld.Object("result", nil, "names", []any{"generate_psm_from_uuid", "get_zk_auth_data", "setup_hdfs_env"}), nil
}

// madeClients makes one client, and records its hosts and credentials.
type madeClients struct {
	client env.ZooKeeper
	hosts  string
	auth   [][2]string
}

func (m *madeClients) NewClient(hosts string, o env.ZooKeeperOptions) env.ZooKeeper {
	m.hosts, m.auth = hosts, o.Auth
	return m.client
}

func monolithKazooClient(c *caseworld.Call) (any, error) {
	m := &madeClients{}
	e := *c.Env
	e.ZooKeeper = m
	auth, kwargs := pysem.None[[][2]string](), c.In.ObjectOr("kwargs")
	if _, given := kwargs.Get("auth_data"); given {
		auth.Set = true
	}
	if kwargs.Value("auth_data") != nil {
		for _, row := range kwargs.Rows("auth_data", "scheme", "credential") {
			auth.V = append(auth.V, [2]string{pysem.Str(row.Value("scheme")), pysem.Str(row.Value("credential"))})
		}
	}
	training.NewMonolithKazooClient(&e, "127.0.0.1:1", auth, quirks.Set{})
	// The reference's client keeps credentials in a set, whose order is random. So they are sorted
	// here.
	sorted := slices.SortedFunc(slices.Values(m.auth), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	pairs := lists.Map(slices.Compact(sorted), func(a [2]string) any { return []any{a[0], a[1]} })
	return caseworld.Object("auth_data", pairs), nil
}

// oldNodes is a fake client with znodes below /monolith that were modified some weeks ago.
type oldNodes struct {
	*caseworld.ZooKeeper
	in   caseworld.Arguments
	log  []any
	left []any
}

func (z *oldNodes) Start(limit time.Duration) error {
	if err := z.ZooKeeper.Start(limit); err != nil {
		return err
	}
	return z.Fill(z.in)
}

func (z *oldNodes) Exists(path string) (*env.Stat, error) {
	stat, err := z.ZooKeeper.Exists(path)
	if stat == nil || err != nil {
		return stat, err
	}
	weeks := 0
	if z.in.Has("weeks_old") {
		weeks = z.in.ObjectOr("weeks_old").IntegerOr(path, 0)
	}
	old := *stat
	old.MtimeMs = (caseworld.EpochSec - int64(weeks)*7*86400) * 1000
	return &old, nil
}

func (z *oldNodes) Delete(path string, o env.DeleteOptions) error {
	if slices.Contains(z.in.Strings("failing_deletes"), path) {
		z.log = append(z.log, []any{"delete", caseworld.Object("path", path, "recursive", true)})
		return pysem.Raise("RuntimeError", "delete failed")
	}
	err := z.ZooKeeper.Delete(path, o)
	z.log = append(z.log, z.Take()...)
	return err
}

func (z *oldNodes) EnsurePath(path string) error {
	err := z.ZooKeeper.EnsurePath(path)
	z.log = append(z.log, z.Take()...)
	return err
}

func (z *oldNodes) Stop() {
	z.left = []any{}
	for _, n := range z.Znodes() {
		z.left = append(z.left, n.Path)
	}
	z.ZooKeeper.Stop()
}

func clearZKPath(c *caseworld.Call) (any, error) {
	z := &oldNodes{ZooKeeper: c.NewZK(), in: c.In, log: []any{}}
	m := &madeClients{client: z}
	l := newLab(c)
	l.e.ZooKeeper = m
	result := caseworld.Attempt(nil, training.ClearZKPath(l.e, "", c.In.Str("job_name"), c.In.Flag("force_clear_zk_path")))
	return caseworld.Object("result", result, "writes", z.log, "log", []any{[]any{"client", []any{m.hosts}}, []any{"stop"}}, "left", z.left), nil
}
