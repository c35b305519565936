package cputraining_test

import (
	"slices"
	"testing"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/engine/training"
	"github.com/monosim/monosim/engine/training/clustermanager"
	"github.com/monosim/monosim/engine/training/cputraining"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// once is a discovery that has one PS, and fails when it is asked again.
type once struct{ asked int }

func (o *once) Query(string) (training.Addrs, error) {
	if o.asked++; o.asked > 1 {
		return nil, pysem.Raise("OSError", "discovery is away")
	}
	return training.Addrs{{Index: 0, Addr: "10.0.0.7:1"}}, nil
}

func (*once) Register(string, int, string) error   { return nil }
func (*once) Deregister(string, int, string) error { return nil }
func (*once) Close()                               {}

// noting is work whose training fails because a PS is away, and that notes how the application
// ends.
type noting struct{ log []string }

func (*noting) StartServer(string) (string, error) { return "grpc://10.0.0.1:2", nil }
func (*noting) PrepareServer() error               { return nil }
func (*noting) WorkerTrain(cputraining.Cluster) error {
	return pysem.Raise(cputraining.NodeAliveError, "10.0.0.7:1 is unreachable")
}
func (*noting) WorkerFeatureEngineering(cputraining.Cluster) error { return nil }
func (*noting) PSBenchmark(c cputraining.Cluster, _ int) (clustermanager.Cluster, error) {
	return c.Cluster, nil
}
func (*noting) ShutdownPS(cputraining.Cluster, int) error { return nil }
func (*noting) JoinPS(int) error                          { return nil }
func (*noting) StartHeartbeat()                           {}
func (*noting) StopHeartbeat()                            {}
func (n *noting) FinishApplication()                      { n.log = append(n.log, "finished") }
func (n *noting) KillApplication(reason string)           { n.log = append(n.log, "killed: "+reason) }

// The chief's error while it looks for the cluster again is told to the application's master as
// success, and as the error that it is with Q257 repaired.
func TestQ257_AnErrorWhileLookingForTheClusterCountsAsSuccess(t *testing.T) {
	for _, c := range []struct {
		quirks quirks.Set
		want   string
	}{
		{quirks.Python, "finished"},
		{quirks.Python.Repair(quirks.Q257), "killed: discovery is away"},
	} {
		worldtest.Run(t, nil, func(w *worldtest.Case) {
			config := cputraining.ConfigClass.New()
			config.ModelDir, config.ServerType, config.Index, config.NumPS, config.NumWorkers = "/m", "worker", 0, 1, 1
			work := &noting{}
			run := &cputraining.Run{Env: w.Env, Config: &config, Discovery: &once{}, Work: work, Quirks: c.quirks}
			if err := run.Train(); pysem.TypeOf(err) != "OSError" {
				t.Errorf("got %v, want the OSError of discovery", err)
			}
			if !slices.Equal(work.log, []string{c.want}) {
				t.Errorf("the application's master was told %v, want %v", work.log, c.want)
			}
		})
	}
}
