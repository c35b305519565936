package zkdiff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/sim/zookeeper"
)

// Options are the settings of [Check].
type Options struct {
	Seed uint64
	// Steps is how many steps to play in all, PerScript how many a script has (0
	// means 60).
	Steps, PerScript int
	// Root begins the names of the znodes below which scripts are played; nothing else
	// may use them.
	Root string
	// MostDifferences is after how many differing scripts to stop; 0 means 3.
	MostDifferences int
	// Progress, when set, is told how many steps were played.
	Progress func(steps int)
}

// Difference is a script on which two servers differ, made small.
type Difference struct {
	Seed        uint64
	First, Then string // names of the servers
	Script      Script
	Text        string // -first +then
}

// Report is what [Check] found.
type Report struct {
	Scripts, Steps int
	// Answered is what the first server answered.
	Answered    Answered
	Differences []Difference
	// Unsteady counts scripts that differed once and not again: a server closes a
	// connection whose session another one takes in its own time.
	Unsteady int
}

// Check plays scripts on all servers and compares each with the first.
func Check(o Options, servers ...Server) (*Report, error) {
	if o.PerScript == 0 {
		o.PerScript = 60
	}
	if o.MostDifferences == 0 {
		o.MostDifferences = 3
	}
	report := &Report{Answered: Answered{}}
	c := &checker{o: o}
	for report.Steps < o.Steps && len(report.Differences) < o.MostDifferences {
		seed := o.Seed + uint64(report.Scripts)
		script := Generate(seed, o.PerScript)
		want, err := c.play(servers[0], script, report.Answered)
		if err != nil {
			return report, fmt.Errorf("seed %d: %w", seed, err)
		}
		for _, server := range servers[1:] {
			got, err := c.play(server, script, nil)
			if err != nil {
				return report, fmt.Errorf("seed %d: %w", seed, err)
			}
			if slices.Equal(want, got) {
				continue
			}
			if d, ok := c.smallest(servers[0], server, script); ok {
				d.Seed = seed
				report.Differences = append(report.Differences, d)
			} else {
				report.Unsteady++
			}
		}
		report.Scripts++
		report.Steps += len(script)
		if o.Progress != nil {
			o.Progress(report.Steps)
		}
	}
	return report, nil
}

type checker struct {
	o     Options
	plays int
}

// play uses another root each time: a real server forgets nothing.
func (c *checker) play(server Server, script Script, answered Answered) ([]string, error) {
	c.plays++
	// Equally long on all servers, so that lengths agree.
	return Play(server, fmt.Sprintf("%s-%08d", c.o.Root, c.plays), script, answered)
}

// smallest drops steps as long as the servers still differ; ok is false when they
// do not differ again.
func (c *checker) smallest(first, then Server, script Script) (d Difference, ok bool) {
	d = Difference{First: first.Name(), Then: then.Name()}
	differs := func(s Script) bool {
		a, errA := c.play(first, s, nil)
		b, errB := c.play(then, s, nil)
		if errA != nil || errB != nil {
			return false
		}
		text := difference(a, b)
		if text != "" {
			d.Script, d.Text = s, text
		}
		return text != ""
	}
	if !differs(script) {
		return d, false
	}
	for size := len(d.Script) / 2; size > 0; size /= 2 {
		for at := 0; at+size <= len(d.Script); {
			if !differs(slices.Delete(slices.Clone(d.Script), at, at+size)) {
				at += size
			}
		}
	}
	return d, true
}

// difference shows the first step that differs, with the lines of both.
func difference(want, got []string) string {
	if slices.Equal(want, got) {
		return ""
	}
	i := 0
	for i < len(want) && i < len(got) && want[i] == got[i] {
		i++
	}
	from := i
	for from > 0 && !strings.HasPrefix(want[min(from, len(want)-1)], "step ") {
		from--
	}
	const most = 12
	show := func(sign string, lines []string) string {
		var b strings.Builder
		for _, line := range lines[min(from, len(lines)):min(from+most, len(lines))] {
			b.WriteString(sign + line + "\n")
		}
		return b.String()
	}
	return show("- ", want) + show("+ ", got)
}

// What a run has to have met before it says anything: the operations that clients
// send, and the codes that a standalone server answers.
var (
	wantedOps = []zookeeper.OpCode{
		zookeeper.OpCreate, zookeeper.OpDelete, zookeeper.OpExists, zookeeper.OpGetData, zookeeper.OpSetData, zookeeper.OpGetACL, zookeeper.OpSetACL,
		zookeeper.OpGetChildren, zookeeper.OpSync, zookeeper.OpPing, zookeeper.OpGetChildren2, zookeeper.OpCheck, zookeeper.OpMulti, zookeeper.OpCreate2,
		zookeeper.OpReconfig, zookeeper.OpCheckWatches, zookeeper.OpRemoveWatches, zookeeper.OpCreateContainer, zookeeper.OpDeleteContainer, zookeeper.OpCreateTTL,
		zookeeper.OpMultiRead, zookeeper.OpAuth, zookeeper.OpSetWatches, zookeeper.OpGetEphemerals, zookeeper.OpGetAllChildrenNumber, zookeeper.OpSetWatches2,
		zookeeper.OpAddWatch, zookeeper.OpWhoAmI, zookeeper.OpCreateSession, zookeeper.OpCloseSession,
	}
	wantedCodes = []zookeeper.Code{
		zookeeper.CodeOK, env.ZKRuntimeInconsistency, env.ZKMarshallingError, env.ZKUnimplemented, env.ZKBadArguments, env.ZKNoNode, env.ZKNoAuth, env.ZKBadVersion,
		env.ZKNoChildrenForEphemeral, env.ZKNodeExists, env.ZKNotEmpty, env.ZKInvalidACL, env.ZKAuthFailed, zookeeper.CodeNoWatcher, zookeeper.CodeReconfigDisabled,
	}
)

// Missing lists the operations and codes that have not occurred.
func (a Answered) Missing() []string {
	var missing []string
	codes := map[zookeeper.Code]bool{}
	for _, of := range a {
		for code := range of {
			codes[code] = true
		}
	}
	for _, op := range wantedOps {
		if a[op] == nil {
			missing = append(missing, op.String())
		}
	}
	for _, code := range wantedCodes {
		if !codes[code] {
			missing = append(missing, zookeeper.CodeName(code))
		}
	}
	return missing
}
