package serve

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/sim/tfserving"
)

// FlagsVariable names an environment variable with flags. They are parsed before the command line,
// so flags on the command line win. The variable is for servers whose command line another program
// composes.
const FlagsVariable = "MONOSIM_TFSERVING_FLAGS"

const ownPrefix = "--monosim_"

// Command is a parsed command line.
type Command struct {
	Options Options
	// EventsFile is a file that receives one line of JSON for each change of a servable's state.
	EventsFile string
	// PortsFile is a file that receives the open ports as JSON; "" for none.
	PortsFile string
	// AnswersFile is a file with a script of the models' answers; "" for none.
	AnswersFile string
	// Admin configures the admin interface for faults. Without an address there is no such
	// interface.
	Admin AdminOptions

	profile   string
	transient ownValues
}

// ParseCommand parses the flags of tensorflow_model_server and our own. It takes them from
// variable, the value of the environment variable, and from the command line. It prints upstream's
// messages to stdout and log. If end is true, the process must exit with code.
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
	c.Options.Machine.UnknownArgs = nil // ParseCommand has already logged them
	return c, 0, false
}

// exitFailed is the exit code of upstream's main when it returns -1. exitUsage is for a wrong flag
// of the simulation.
const (
	exitFailed = 255
	exitUsage  = 2
)

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

// tellBadFlags logs one line for each value that cannot be parsed, as upstream's parser does.
// --help logs nothing.
func (c *Command) tellBadFlags(err error) {
	if errors.Is(err, tfserving.ErrHelp) {
		return
	}
	log := newLogger(c.Options)
	for line := range strings.Lines(err.Error()) {
		log.logf(env.Error, "%s", strings.TrimSuffix(line, "\n"))
	}
}
