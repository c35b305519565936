package replicamanager

import (
	"errors"
	"io/fs"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/agent/tfs"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	modelexport "github.com/monosim/monosim/engine/proto/monolith/native_training/model_export"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/textformat"
	"github.com/monosim/monosim/engine/quirks"
)

// An updater stores these metrics once a minute (replica_manager.py:625-640).
const (
	// MetricLatestVersion is the highest version of a model that its server knows (Q333).
	MetricLatestVersion = "serving_model.latest_version"
	// MetricUpdateTs is the Unix time in seconds at which that version was first seen.
	MetricUpdateTs = "serving_model.update_ts"
	// MetricSinceLastUpdate is how many seconds have passed since MetricUpdateTs. It goes to the
	// metrics client that all models share.
	MetricSinceLastUpdate = "serving_model.since_last_update"
)

// globalMetricsPrefix is the prefix of the metrics client that all models share
// (replica_manager.py:427).
const globalMetricsPrefix = "data.monolith_serving.global"

// Metrics makes clients of a metrics service.
type Metrics interface {
	// Client makes a client that puts the prefix before the name of each value.
	Client(prefix string) MetricsClient
}

// MetricsClient sends values to the metrics service. Their names begin with its prefix.
type MetricsClient interface {
	// EmitStore records the present value of a metric.
	EmitStore(key string, value int64, tags []MetricTag)
	// Flush sends the recorded values.
	Flush()
}

// MetricTag is one tag of a value.
type MetricTag struct{ Key, Value string }

// noMetrics drops all values, as the clients of the open-source build do (Q129).
type noMetrics struct{}

func (noMetrics) Client(string) MetricsClient { return noMetricsClient{} }

type noMetricsClient struct{}

func (noMetricsClient) EmitStore(string, int64, []MetricTag) {}
func (noMetricsClient) Flush()                               {}

// VersionMetrics reports to a metrics service which versions a container's model servers have, and
// since when (replica_manager.py:606).
type VersionMetrics struct {
	prefix      string
	e           *env.Env
	conf        *agentconfig.AgentConfig
	status      StatusFunc
	own, global MetricsClient
	highest     map[string]int64 // version by model
	updatedSec  map[string]int64 // when each model was updated last, as Unix time
}

// NewVersionMetrics makes the metrics clients. It asks the function status for versions. The prefix
// is MONOLITH_METRIC_PREFIX or else TCE_PSM. If neither is set, it is made from the base_name. If
// there is no base_name either, NewVersionMetrics returns a TypeError, after which the reference
// continues without metrics.
func NewVersionMetrics(e *env.Env, conf *agentconfig.AgentConfig, metrics Metrics, status StatusFunc) (*VersionMetrics, error) {
	prefix, ok := e.Host.LookupEnv("MONOLITH_METRIC_PREFIX")
	if !ok {
		prefix, ok = e.Host.LookupEnv("TCE_PSM")
	}
	if !ok {
		if !conf.BaseName.Set {
			return nil, pysem.Raise("TypeError", `can only concatenate str (not "NoneType") to str`)
		}
		prefix = "data.monolith_serving." + conf.BaseName.V
	}
	return &VersionMetrics{
		prefix: prefix, e: e, conf: conf, status: status, own: metrics.Client(prefix), global: metrics.Client(globalMetricsPrefix),
		highest: map[string]int64{}, updatedSec: map[string]int64{},
	}, nil
}

// Check stores the metrics of all models once. It stops at the first error. A model server never
// forgets a version (TFS-7.2), so the highest may be one that failed and has been deleted (Q333).
func (v *VersionMetrics) Check(models []string) error {
	for _, model := range models {
		versions, err := v.status(model)
		if err != nil {
			return err
		}
		if len(versions) == 0 {
			continue
		}
		latest := highestVersion(versions)
		if !v.conf.Quirks.Keeps(quirks.Q333) {
			latest = tfs.BestVersion(versions, false)
		}
		if err := v.store(model, latest); err != nil {
			return err
		}
	}
	return nil
}

func (v *VersionMetrics) store(model string, latest env.ModelVersionStatus) error {
	now := func() int64 { return v.e.Clock.Now().Unix() }
	if latest.Status.Code != rpcerrors.OK {
		return pysem.Raise("Exception", "%s", latest.Status.Message)
	}
	shard, err := v.conf.ShardID()
	if err != nil {
		return err
	}
	tags := []MetricTag{
		{"model_name", model},
		{"idc", v.conf.IDC().String() + ":" + v.conf.Cluster().String()},
		{"replica_id", v.conf.ReplicaID.String()},
		{"shard_id", pysem.Str(shard)},
		{"base_name", v.conf.BaseName.String()},
	}
	v.own.EmitStore(MetricLatestVersion, latest.Version, tags)
	if updatedSec, ok := v.updatedSec[model]; ok && v.global != (noMetricsClient{}) {
		v.global.EmitStore(MetricSinceLastUpdate, now()-updatedSec, tags)
	}
	if highest, ok := v.highest[model]; !ok || highest < latest.Version {
		nowSec := now()
		v.own.EmitStore(MetricUpdateTs, nowSec, tags)
		v.highest[model], v.updatedSec[model] = latest.Version, nowSec
	}
	v.own.Flush()
	return nil
}

// exportStateFile is a file in which a training job lists the versions that it has exported
// (export_state_utils.py:22).
const exportStateFile = "ExportSaverListenerState"

// LatestVersionInFS returns the directory of the version of a model that the trainer exported last,
// None if the export state lists none (replica_manager.py:597). If that file is not a valid text
// proto, it is a ParseError.
func (u *ReplicaUpdater) LatestVersionInFS(model string) (pysem.OptString, error) {
	base, err := pysem.Join(u.conf.BasePath, pysem.Some(model))
	if err != nil {
		return pysem.OptString{}, err
	}
	data, err := u.e.Files.ReadFile(pysem.JoinStrings(base, exportStateFile))
	if errors.Is(err, fs.ErrNotExist) {
		return pysem.OptString{}, nil
	}
	if err != nil {
		return pysem.OptString{}, err
	}
	var state modelexport.ServingModelState
	text, err := pysem.DecodeUTF8(data)
	if err != nil {
		return pysem.OptString{}, err
	}
	if err := textformat.Merge(text, &state); err != nil {
		return pysem.OptString{}, err
	}
	entries := state.GetEntries()
	if len(entries) == 0 {
		return pysem.OptString{}, nil
	}
	return pysem.Some(entries[len(entries)-1].GetExportDir()), nil
}
