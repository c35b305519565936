package serve

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/sim/tfserving"
)

// FlagsVariable is the environment variable whose words are read as flags before those of the
// command line, which win. It serves to set flags of a server whose command line another
// program composes.
const FlagsVariable = "MONOSIM_TFSERVING_FLAGS"

// ownPrefix begins the flags of the simulation.
const ownPrefix = "--monosim_"

// Command is a parsed command line.
type Command struct {
	Options Options
	// EventsFile gets one JSON object a line for every change of a servable's state.
	EventsFile string
	// PortsFile gets the open ports as JSON.
	PortsFile string
	// Admin is the address of the interface for faults; "" opens none.
	Admin string

	profile   string
	transient ownValues
}

// ParseCommand reads the flags of tensorflow_model_server and our own, from the environment
// variable and the command line. It writes what upstream says about them to stdout and log.
// With end the process is over already, with the exit code.
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

// Exit codes: main's -1, and our own for a senseless flag of the simulation.
const (
	exitFailed = 255
	exitUsage  = 2
)

// splitOwn separates the flags of the simulation from the others.
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

// tellBadFlags logs one line for each value that cannot be read, as upstream's parser does. A
// request for help is no mistake.
func (c *Command) tellBadFlags(err error) {
	if errors.Is(err, tfserving.ErrHelp) {
		return
	}
	log := newLogger(c.Options)
	for line := range strings.Lines(err.Error()) {
		log.logf(env.Error, "%s", strings.TrimSuffix(line, "\n"))
	}
}
