package steps

import (
	"testing"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/runners"
)

// callCluster is a fake cluster with model servers. A reload to n models ends after n seconds with
// DEADLINE_EXCEEDED. A reload without models is OK at once.
type callCluster struct {
	*fakeCluster
	runners.Caller
}

type timedCall struct {
	c     *fakeCluster
	begun time.Duration
	takes time.Duration
}

func (t timedCall) Answer() (runners.ModelAnswer, bool) {
	a := runners.ModelAnswer{Took: t.takes}
	if t.takes > 0 {
		a.Err = &env.RPCError{Code: rpcerrors.DeadlineExceeded, Message: "Deadline Exceeded"}
	}
	return a, t.c.now-t.begun >= t.takes
}

func (c callCluster) Reload(_, _ string, models []runners.ServedModel, _ time.Duration) (runners.ModelCall, error) {
	return timedCall{c: c.fakeCluster, begun: c.now, takes: time.Duration(len(models)) * time.Second}, nil
}

type callRunner struct{ fakeRunner }

func (r *callRunner) Build(spec runners.Spec) (runners.Cluster, error) {
	c, err := r.fakeRunner.Build(spec)
	return callCluster{fakeCluster: c.(*fakeCluster)}, err
}

// Goal: calls go on while time passes, and later sentences name them by their order.
func TestCallsAreLookedAtLater(t *testing.T) {
	const reloads = `
Feature: f
  Scenario: s
    Given a model server
    And model a with sub-graphs entry of 1 MB in version 1
    And model b with sub-graphs entry of 1 MB in version 1
    When the model server is asked to reload to a:entry and b:entry
    And the model server is asked to reload to no model
    Then `
	tests := []struct{ name, assertion, failure string }{
		{"the last is meant without a number", "the reload is answered with OK", ""},
		{"the first still goes on", "for 1.9s the first reload is not answered", ""},
		{"the first ends", `within 2s the first reload fails with DEADLINE_EXCEEDED "Exceeded"`, ""},
		{"no answer yet", "the first reload is answered with OK", "t+0.000s: the first reload, want OK, got no answer"},
		{"an answer too early", "for 3s the first reload is not answered", "t+2.000s: the first reload, want no answer, got DEADLINE_EXCEEDED: Deadline Exceeded after 2s (held for 2s of 3s)"},
		{"another answer", `the second reload fails with NOT_FOUND ""`, "t+0.000s: the second reload, want NOT_FOUND ......, got OK after 0s"},
		{"a call that nobody made", "the third reload is answered with OK", "t+0.000s: found 2 calls of kind \"reload\", want the third reload"},
		{"none of that kind", "the Predict is not answered", "t+0.000s: found 0 calls of kind \"Predict\", want the Predict"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			wantFailure(t, suiteOf(&callRunner{}, reloads+test.assertion+"\n"), test.failure)
		})
	}
}

// Goal: a sentence that needs calls is skipped on a runner whose clusters cannot make them.
func TestCallsNeedARunnerThatCan(t *testing.T) {
	for _, sentence := range []string{
		"the model server is asked to reload to no model",
		"the model config file /tmp/models.conf is empty",
	} {
		t.Run(sentence, func(t *testing.T) {
			report := run(t, suiteOf(&fakeRunner{}, `
Feature: f
  Scenario: s
    Given a model server
    When `+sentence+`
    Then the model server serves
`))
			if report.Skipped != 1 || report.Failed != 0 {
				t.Errorf("want 1 skipped, got %d skipped and %d failed: %v", report.Skipped, report.Failed, report.Results[0].Failure())
			}
		})
	}
}
