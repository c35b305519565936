package timeline_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/show/timeline"
)

// Goal: a chart shows every life of a log once, on the lane that it concerns. Method: a log with a
// life of each kind, a few of which end.
func TestAChartHasTheLivesOfALog(t *testing.T) {
	const (
		service  = "/b/service/ctr/ps:0/1"
		binding  = "/gip/binding/ctr/entry:psm;lf;default:shard0-replica0"
		loading  = `{"address": "10.1.0.1:30012", "stat": 20}`
		serving  = `{"address": "10.1.0.1:30012", "stat": 30}`
		pod      = "shard0-replica0"
		infoData = `{"grpc": "10.1.0.1:30005"}`
	)
	s := func(n int) time.Duration { return time.Duration(n) * time.Second }
	log := []runners.Observation{
		{At: s(0), Pod: "scenario", Op: "remark", Note: "the cluster starts"},
		{At: s(0), Pod: pod, Op: "process.start", Path: "/bin/agent", ID: 7, Cause: 1},
		{At: s(1), Pod: pod, Op: "zookeeper.createSession", ID: 16},
		{At: s(1), Pod: pod, Op: "zookeeper.create", Path: "/gip", Note: "NodeExistsError"},
		{At: s(2), Pod: pod, Op: "zookeeper.create", Path: service, Note: "ephemeral", Data: loading},
		{At: s(3), Pod: pod, Op: "zookeeper.setData", Path: service, Note: "ephemeral", Data: loading},
		{At: s(4), Pod: pod, Op: "zookeeper.setData", Path: service, Note: "ephemeral", Data: serving},
		{At: s(4), Pod: pod, Op: "zookeeper.create", Path: binding, Note: "ephemeral"},
		{At: s(4), Pod: pod, Op: "zookeeper.create", Path: "/gip/container_service/psm;lf;default:shard0-replica0", Note: "ephemeral", Data: infoData},
		{At: s(5), Pod: pod, Op: "modelserver.state", Path: "ctr:entry/1", Note: "LOADING", ID: 8},
		{At: s(6), Pod: pod, Op: "modelserver.state", Path: "ctr:entry/1", Note: "AVAILABLE", ID: 8},
		{At: s(6), Pod: "operator", Op: "rpc", Path: "HeartBeat", Note: "OK", Peer: pod},
		{At: s(7), Pod: "scenario", Op: "remark", Note: "things go wrong"},
		{At: s(7), Pod: "operator", Op: "fault.begin", Path: "zookeeper.down"},
		{At: s(7), Pod: "operator", Op: "fault.begin", Path: "network.partition", Note: "shard0-replica0 and zookeeper"},
		{At: s(8), Pod: "operator", Op: "fault.end", Path: "zookeeper.down"},
		{At: s(9), Pod: "operator", Op: "fault.happen", Path: "agent.killed", Note: pod},
		{At: s(9), Pod: pod, Op: "process.exit", Path: "/bin/agent", Note: "code -9", ID: 7},
		{At: s(9), Pod: pod, Op: "zookeeper.delete", Path: binding, Note: "with its session", ID: 16},
	}
	chart := timeline.NewChart(log, s(10))
	bar := func(from, until int, state, label, end string) timeline.Bar {
		return timeline.Bar{FromNs: int64(s(from)), UntilNs: int64(s(until)), Open: until == 10 && state != "step", State: state, Label: label, End: end}
	}
	want := []timeline.ChartLane{
		{Name: "scenario", Rows: []timeline.ChartRow{
			{Group: "steps", Name: "steps", Bars: []timeline.Bar{bar(0, 7, "step", "the cluster starts", ""), bar(7, 10, "step", "things go wrong", "")}},
		}},
		{Name: "cluster", Rows: []timeline.ChartRow{}},
		{Name: "zookeeper", Rows: []timeline.ChartRow{
			{Group: "faults", Name: "network.partition", Bars: []timeline.Bar{bar(7, 10, "fault", "network.partition shard0-replica0 and zookeeper", "")}},
			{Group: "faults", Name: "zookeeper.down", Bars: []timeline.Bar{bar(7, 8, "fault", "zookeeper.down", "")}},
		}},
		{Name: pod, Rows: []timeline.ChartRow{
			{Group: "faults", Name: "agent.killed", Bars: []timeline.Bar{bar(9, 9, "fault", "agent.killed shard0-replica0", "")}},
			{Group: "faults", Name: "network.partition", Bars: []timeline.Bar{bar(7, 10, "fault", "network.partition shard0-replica0 and zookeeper", "")}},
			{Group: "processes", Name: "agent", Bars: []timeline.Bar{bar(0, 9, "running", "agent[7]", "code -9")}},
			{Group: "sessions", Name: "ZooKeeper", Bars: []timeline.Bar{bar(1, 10, "open", "session 0x10", "")}},
			{Group: "models", Name: "ctr:entry", Bars: []timeline.Bar{bar(5, 6, "LOADING", "ctr:entry/1 LOADING", "AVAILABLE"), bar(6, 10, "AVAILABLE", "ctr:entry/1 AVAILABLE", "")}},
			{Group: "registrations", Name: "ctr/ps:0", Bars: []timeline.Bar{bar(2, 4, "LOADING", service, "AVAILABLE"), bar(4, 10, "AVAILABLE", service, "")}},
			{Group: "registrations", Name: "ctr:entry", Bars: []timeline.Bar{bar(4, 9, "", binding, "with its session")}},
			{Group: "registrations", Name: "service info", Bars: []timeline.Bar{bar(4, 10, "", "/gip/container_service/psm;lf;default:shard0-replica0", "")}},
		}},
		{Name: "operator", Rows: []timeline.ChartRow{}},
	}
	if diff := cmp.Diff(want, chart.Lanes); diff != "" {
		t.Errorf("lanes (-want +got):\n%s", diff)
	}
	if chart.Calls != 1 || len(chart.Marks) != len(log)-3 {
		t.Errorf("want 1 call and %d marks, got %d and %d", len(log)-3, chart.Calls, len(chart.Marks))
	}
	if got, want := len(chart.Writes), 6; got != want {
		t.Fatalf("writes: want %d, the one that was refused left out, got %d", want, got)
	}
	first := timeline.ZnodeWrite{
		AtNs: int64(s(2)), Lane: 3, Op: "create", Path: service, Data: loading, Ephemeral: true,
		Key: "ctr/ps:0", Who: "1", State: "LOADING", Addr: "10.1.0.1:30012",
	}
	if diff := cmp.Diff(first, chart.Writes[0]); diff != "" {
		t.Errorf("first write (-want +got):\n%s", diff)
	}
}
