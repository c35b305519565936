package serve

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/sim/tfserving"
)

// FlagsVariable is the environment variable whose words are read as flags before
// those of the command line, which win. It reaches a server whose command line
// another program composes.
const FlagsVariable = "MONOSIM_TFSERVING_FLAGS"

// ownPrefix is how the flags of the simulation begin.
const ownPrefix = "--monosim_"

// Command is a parsed command line.
type Command struct {
	Options Options
	// EventsFile gets a JSON object a line for every change of a servable's state.
	EventsFile string
	// PortsFile gets the true ports as JSON once they are open.
	PortsFile string
	// Admin is the address of the interface for faults, empty for none.
	Admin string

	profile   string
	transient ownValues
}

// ParseCommand reads what tensorflow_model_server would, and our own flags
// before it, from the environment variable and the command line. What upstream
// says about it goes to stdout and log. With end the process is over already,
// with the code.
func ParseCommand(program string, args []string, variable string, stdout, log io.Writer) (c *Command, code int, end bool) {
	c = &Command{}
	own, rest := splitOwn(append(strings.Fields(variable), args...))
	profile, err := c.parseProfile(own)
	if err != nil {
		fmt.Fprintf(log, "%s: %v\n", program, err)
		return nil, exitUsage, true
	}
	machine, unknown, badFlags := tfserving.ParseFlags(profile, rest)
	c.Options = Options{Machine: machine, Host: DefaultHost, Log: log, Speed: 1}
	if err := c.parseOwn(own); err != nil {
		fmt.Fprintf(log, "%s: %v\n", program, err)
		return nil, exitUsage, true
	}
	switch {
	case badFlags != nil:
		c.tellBadFlags(badFlags)
		io.WriteString(stdout, usage(program, profile))
		return nil, exitFailed, true
	case len(unknown) > 0 && !machine.DisplayVersion:
		fmt.Fprintf(stdout, "unknown argument: %s\n%s", unknown[0], usage(program, profile))
	}
	c.Options.Machine.UnknownArgs = nil // said already
	return c, 0, false
}

// Exit codes: main's -1, and ours for a flag of the simulation that makes no
// sense.
const (
	exitFailed = 255
	exitUsage  = 2
)

// splitOwn takes the flags of the simulation out.
func splitOwn(args []string) (own, rest []string) {
	for _, arg := range args {
		if strings.HasPrefix(arg, ownPrefix) {
			own = append(own, arg)
		} else {
			rest = append(rest, arg)
		}
	}
	return own, rest
}

// tellBadFlags logs one line for each value that cannot be read, as the parser
// does; to ask for help is no mistake.
func (c *Command) tellBadFlags(err error) {
	if errors.Is(err, tfserving.ErrHelp) {
		return
	}
	log := newLogger(c.Options)
	for line := range strings.Lines(err.Error()) {
		log.logf(env.Error, "%s", strings.TrimSuffix(line, "\n"))
	}
}
