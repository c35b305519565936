package diff

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/env/zkerrors"
	"github.com/monosim/monosim/sim/zookeeper"
)

// Options has the settings of [Check].
type Options struct {
	Seed uint64
	// Steps is how many steps to play in total. PerScript is how many steps one script has,
	// where 0 means 60.
	Steps, PerScript int
	// Restarts, when true, restarts every server once in each script. All clients then attach
	// again.
	Restarts bool
	// Root is a name prefix of the znodes below which scripts play. Nothing else may use names
	// with this prefix.
	Root string
	// MostDifferences is the number of differing scripts after which to stop; 0 means 3.
	MostDifferences int
	// Progress, when set, is called with the number of steps played.
	Progress func(steps int)
	// Context, when set, ends the check early when it is cancelled. Check then returns its error.
	Context context.Context
}

// Difference is a script on which two servers differ, with unneeded steps removed.
type Difference struct {
	Seed        uint64
	First, Then string // names of the two servers
	Script      Script
	Text        string // difference of the answers; lines of the first server begin with -, those of the other with +
}

// Report is the result of [Check].
type Report struct {
	Scripts, Steps int
	// Answered counts the answers of the first server by operation and error code.
	Answered    Answered
	Differences []Difference
	// Unsteady counts scripts that differed once but not when repeated. One cause is a server that
	// closes a connection late after another connection has taken over its session.
	Unsteady int
}

// Check plays scripts with the seeds o.Seed, o.Seed+1 and so on, each on all servers, and compares
// every server with the first (ZK-22.5). It stops after o.Steps steps or o.MostDifferences
// differing scripts. It needs two or more servers. If a server does not work at all, Check returns
// an error that names the seed, and a report on the scripts played before.
func Check(o Options, servers ...Server) (*Report, error) {
	o.PerScript = cmp.Or(o.PerScript, 60)
	o.MostDifferences = cmp.Or(o.MostDifferences, 3)
	report := &Report{Answered: Answered{}}
	c := &checker{o: o}
	for report.Steps < o.Steps && len(report.Differences) < o.MostDifferences {
		seed := o.Seed + uint64(report.Scripts)
		script := Generate(seed, o.PerScript)
		if o.Restarts {
			script = withRestart(script, seed)
		}
		c.plays++ // use a new root: a real server keeps counters of the parents in earlier scripts
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

// play plays a script below a root whose name contains c.plays. All servers get the same
// root, because the order of a session's ephemerals depends on their paths.
func (c *checker) play(server Server, script Script, answered Answered) ([]string, error) {
	if ctx := c.o.Context; ctx != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	// All roots have names of equal length, so that lengths in answers agree between plays.
	return Play(server, fmt.Sprintf("%s-%08d", c.o.Root, c.plays), script, answered)
}

// smallest removes steps from a script as long as the servers still differ on it. Before that it
// repeats the whole script twice. ok is false unless the servers differ both times.
func (c *checker) smallest(first, then Server, script Script) (d Difference, ok bool) {
	d = Difference{First: first.Name(), Then: then.Name()}
	differs := func(s Script) bool {
		c.plays++
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
	// The script is repeated twice, because a single repeat may differ by accident. An example: a
	// play ended early because an answer came late, and its sessions still disturb the real server.
	for range 2 {
		if !differs(script) {
			return d, false
		}
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

// difference formats the first step at which the servers differ, with the lines of both. It
// returns "" if they agree.
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

// wantedCodes lists the error codes that a standalone server can return. A long run is good only if
// each of them was returned and each operation was used (see [Result.Good]).
var wantedCodes = []zookeeper.Code{
	zookeeper.CodeOK, zkerrors.RuntimeInconsistency, zkerrors.MarshallingError, zkerrors.Unimplemented, zkerrors.BadArguments, zkerrors.NoNode, zkerrors.NoAuth, zkerrors.BadVersion,
	zkerrors.NoChildrenForEphemeral, zkerrors.NodeExists, zkerrors.NotEmpty, zkerrors.InvalidACL, zkerrors.AuthFailed, zookeeper.CodeNoWatcher, zookeeper.CodeReconfigDisabled,
}

// Missing lists the operations and the wanted error codes that did not occur.
func (a Answered) Missing() []string {
	var missing []string
	codes := map[zookeeper.Code]bool{}
	for _, of := range a {
		for code := range of {
			codes[code] = true
		}
	}
	for i := range inventions {
		if v := &inventions[i]; v.wanted() && a[v.op] == nil {
			missing = append(missing, v.op.String())
		}
	}
	for _, code := range wantedCodes {
		if !codes[code] {
			missing = append(missing, zookeeper.CodeName(code))
		}
	}
	return missing
}
