package train_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/show/webpage/webpagetest"
	"github.com/monosim/monosim/runners/train"
)

// reported returns the report of a job whose PS dies, with a sample after every period of
// the given length.
func reported(t *testing.T, every time.Duration) *train.Report {
	t.Helper()
	plan, err := train.Read("plan.yaml", []byte("for: 10m\njob: {ps: 2, workers: 2, save_every: 1m, restart_after: 20s, max_retries: 6}\n"))
	if err != nil {
		t.Fatal(err)
	}
	plan.Every = every
	report, err := plan.Run(context.Background(), []runners.Act{{At: 305 * time.Second, Until: 305 * time.Second, Text: "ps1 is killed", Do: func(c runners.Cluster) error {
		return c.BeginFault(runners.Fault{Kind: "trainer.killed", Pod: "ps1"})
	}}})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// Goal: samples are taken at the requested times, add up to the report's totals, and do not
// change the run.
func TestSamplesAddUpToTheReport(t *testing.T) {
	none, some := reported(t, 0), reported(t, 7*time.Second)
	if none.Trace != some.Trace || len(none.Samples) > 0 || len(some.Samples) != 600/7 {
		t.Errorf("got traces %s and %s, %d and %d samples, want one trace, none and %d", none.Trace, some.Trace, len(none.Samples), len(some.Samples), 600/7)
	}
	last, made, stood, left := some.Samples[len(some.Samples)-1], 0.0, 0.0, false
	before := 0.0
	for _, s := range some.Samples {
		made += s.StepsPerSecond * (s.AtSeconds - before)
		before, stood = s.AtSeconds, max(stood, s.StandsSeconds)
		left = left || s.Running == 4 && s.Waiting == 3
	}
	if d := made - float64(last.StepsMade); d < -0.01 || d > 0.01 || last.StepsLost != some.Work.StepsLost || last.StepsLost == 0 || some.Work.StepsMade-last.StepsMade > 30 {
		t.Errorf("got %g steps by their rates, a last sample %+v, and in all %+v", made, last, some.Work)
	}
	if !left || stood < 20 || last.Running != 5 || last.Waiting != 0 {
		t.Errorf("got a last sample %+v and at most %g s without a step, want 3 of 4 to wait while ps1 is gone, and all to run at the end", last, stood)
	}
	var text bytes.Buffer
	if err := some.WriteSeries(&text); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(text.String()), "\n")
	if len(lines) != 1+600/7 || !strings.HasPrefix(lines[0], "at_s,global_step,") || !strings.HasPrefix(lines[1], "7,0,0,0,0,7,5,") {
		t.Errorf("got %d lines that begin with %q", len(lines), lines[:2])
	}
}

// Goal: the row of a sweep has a value for each column.
func TestARowOfASweepFitsItsColumns(t *testing.T) {
	r := reported(t, 0)
	row := r.SweepRow()
	if len(row) != len(train.SweepColumns) || row[0] != fmt.Sprint(r.GlobalStep) || row[2] != fmt.Sprint(r.Work.StepsLost) || row[8] != "3" || row[13] != "0" {
		t.Errorf("got %v for %v, want one each, three tries, and a job that goes on", row, train.SweepColumns)
	}
}

func pageOfJob(t *testing.T) string {
	t.Helper()
	var page bytes.Buffer
	if err := reported(t, 5*time.Second).WriteHTML(&page); err != nil {
		t.Fatal(err)
	}
	return page.String()
}

func TestThePageOfAJobAsksForNothing(t *testing.T) { webpagetest.AsksForNothing(t, pageOfJob(t)) }

// Goal: a browser draws the whole page, on a wide screen and on a phone. It has a lane for
// each process, two bars for the PS that died, saves, a restore, and every plot.
func TestABrowserDrawsThePageOfAJob(t *testing.T) {
	page := pageOfJob(t)
	for _, width := range []int{1400, 400} {
		count := webpagetest.Classes(t, page, width)
		if count["plot"] < 5 || count["line"] < 7 || count["tile"] < 8 || count["lane-running"] < 6 || count["lane-saved"] < 5 || count["lane-restored"] != 1 {
			t.Errorf("width %d: want five plots, lives of five processes and one more, saves and a restore, got %v", width, count)
		}
	}
}
