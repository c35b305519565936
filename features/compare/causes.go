package compare

import (
	"regexp"

	"github.com/monosim/monosim/runners/test/deeds"
)

// parts says which part of an agent a track of the log is about, by the track's name, and which
// lines of the reference implement that part. The first pattern that matches counts.
var parts = []struct {
	track       *regexp.Regexp
	part, lines string
}{
	{regexp.MustCompile(`^session `), "the session", "zk_utils.py:55-60, backends.py:226-232"},
	{regexp.MustCompile(`^znode /[^/]+/container_service`), "service info", "agent_v3.py:183, backends.py:339-345"},
	{regexp.MustCompile(`^znode /[^/]+/binding`), "a binding", "agent_v3.py:118-126, backends.py:237-261"},
	{regexp.MustCompile(`^znode .*/layouts?(/|$)`), "the layout", "backends.py:299-301"},
	{regexp.MustCompile(`^znode .*/service(/|$)`), "a registration", "replica_manager.py:464-606"},
	{regexp.MustCompile(`^znode `), "a znode", ""},
	{regexp.MustCompile(`^(process|child) \S+ tensorflow_model_server`), "the model server's process", "tfs_wrapper.py:53-110, utils.py:586-668"},
	{regexp.MustCompile(`^(process|child) `), "the agent's process", "agent_v3.py:178-210, agent_v1.py:278-299"},
	{regexp.MustCompile(`^file \S+ model config`), "the model config", "agent_v3.py:128-158, utils.py:683-756"},
	{regexp.MustCompile(`^model `), "what the model server loads", "agent_v3.py:128-158"},
	{regexp.MustCompile(`^round \S+ probe`), "the probe of the model servers' ports", "agent_v1.py:199-213"},
	{regexp.MustCompile(`^round `), "what model servers are asked", "tfs_wrapper.py:137-169, tfs_monitor.py:158-204, replica_manager.py:528-669"},
	{regexp.MustCompile(`^reads \S+ .*/layouts?(/|$)`), "reading the layout", "backends.py:299-301"},
	{regexp.MustCompile(`^reads \S+ .*/binding(/|$)`), "reading the bindings", "backends.py:288-295, 322-337"},
	{regexp.MustCompile(`^reads \S+ .*/service(/|$)`), "reading the registrations", "replica_manager.py:82-271"},
	{regexp.MustCompile(`^reads \S+ .*/container_service(/|$)`), "reading service info", "backends.py:322-337"},
	{regexp.MustCompile(`^reads \S+ .*/saved_models(/|$)`), "reading deploy configs", "backends.py:277-285"},
	{regexp.MustCompile(`^reads `), "reading ZooKeeper", ""},
	{regexp.MustCompile(`^answer \S+ HeartBeat`), "HeartBeat", "agent_service.py:76-103, backends.py:322-337"},
	{regexp.MustCompile(`^answer \S+ GetReplicas`), "GetReplicas", "agent_service.py:60-74"},
	{regexp.MustCompile(`^answer \S+ GetResource`), "GetResource", "agent_service.py:105-117"},
}

// causeOf names the part of the agent that a difference is about, and how it differs. It also
// returns the lines of the reference for that part.
func causeOf(d *deeds.Difference) (cause, lines string) {
	cause = "something"
	for _, p := range parts {
		if p.track.MatchString(d.Track) {
			cause, lines = p.part, p.lines
			break
		}
	}
	switch {
	case d.Kind == deeds.ByTime:
		return cause + ": at another time", lines
	case d.Kind == deeds.ByOrder:
		return cause + ": in another order", lines
	case d.Kind == deeds.ByPeriod:
		return cause + ": at another period", lines
	case d.Kind == deeds.ByBetween:
		return cause + ": now and then missing", lines
	case d.At >= len(d.Got):
		return cause + ": missing", lines
	case d.At >= len(d.Want) && d.Got[d.At].Ends():
		return cause + ": ended", lines
	case d.At >= len(d.Want):
		return cause + ": too much", lines
	case d.Kind == deeds.ByCount && d.TooOften():
		return cause + ": too often", lines
	case d.Kind == deeds.ByCount:
		return cause + ": too seldom", lines
	}
	return cause + ": another", lines
}
