package sim_test

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/show/webpage/webpagetest"
	"github.com/monosim/monosim/runners/sim"
)

// pageOfSample returns the HTML page of a short run of the sample conf and models.
func pageOfSample(t *testing.T) string {
	t.Helper()
	cluster, err := sim.Read(sim.Options{
		Conf: "../../cmd/monosim/testdata/unified.conf", Models: "../../cmd/monosim/testdata/exported", Shards: 2, Replicas: 2,
		For: 5 * time.Minute, Seed: 1, Policy: "latest", PublishAfter: 10 * time.Second,
		ZooKeeper: "zookeeper-3.8", ModelServer: "tfs-2.4", Quirks: "python",
	})
	if err != nil {
		t.Fatal(err)
	}
	outage := runners.Fault{Kind: "zookeeper.down"}
	cluster.Script([]runners.Act{
		{At: 100 * time.Second, Text: "ZooKeeper is down for 1m", Do: func(c runners.Cluster) error {
			return errors.Join(c.BeginFault(outage), c.(runners.Scheduler).EndFaultAfter(outage, time.Minute))
		}},
		{At: 200 * time.Second, Text: "ZooKeeper is down", Do: func(c runners.Cluster) error { return c.BeginFault(outage) }},
		{At: 220 * time.Second, Text: "ZooKeeper is up again", Do: func(c runners.Cluster) error { return c.EndFault(outage) }},
		{At: 280 * time.Second, Text: "ZooKeeper is down", Do: func(c runners.Cluster) error { return c.BeginFault(outage) }},
	})
	report, err := cluster.Run(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{0, 160, 220, 0, 300} { // the first row is that the model is published
		if got := report.Acts[i].UntilSeconds; got != want {
			t.Errorf("%s at %vs: got over at %vs, want %vs", report.Acts[i].What, report.Acts[i].AtSeconds, got, want)
		}
	}
	var page bytes.Buffer
	if err := report.WriteHTML(&page); err != nil {
		t.Fatal(err)
	}
	return page.String()
}

func TestThePageOfARunAsksForNothing(t *testing.T) { webpagetest.AsksForNothing(t, pageOfSample(t)) }

// Goal: a browser draws the whole page, on a wide screen and on a phone. Each pod has a lane
// of bars, and each plot has its table.
func TestABrowserDrawsThePageOfARun(t *testing.T) {
	page := pageOfSample(t)
	for _, width := range []int{1400, 400} {
		count := webpagetest.Classes(t, page, width)
		if count["plot"] < 9 || count["line"] < 10 || count["tile"] < 7 || count["lane-start"] < 4 || count["lane-available"] < 4 || count["lasts"] < 3*4 {
			t.Errorf("width %d: want nine plots with lines, bars of four pods, and three outages in four plots at least, got %v", width, count)
		}
	}
}
