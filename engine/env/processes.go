package env

import "fmt"

// Signal is a Unix signal number.
type Signal int

// The signals in use.
const (
	SIGINT  Signal = 2
	SIGKILL Signal = 9
	SIGTERM Signal = 15
)

func (s Signal) String() string {
	switch s {
	case SIGINT:
		return "SIGINT"
	case SIGKILL:
		return "SIGKILL"
	case SIGTERM:
		return "SIGTERM"
	}
	return fmt.Sprintf("signal %d", int(s))
}

// Command is a program to start.
type Command struct {
	// Args is the program and its arguments, already split; Args[0] is looked up
	// as a path. Whoever starts it does not change them afterwards.
	Args []string
	// Env is the environment as key=value; nil means that of the starter.
	Env []string
	// Dir is the working directory; empty means that of the starter.
	Dir string
	// Output is the file that takes stdout and stderr; empty discards them.
	Output string
	// Append keeps what Output already holds.
	Append bool
	// InheritOutput leaves the program the output of the starter; Output is opened
	// and not used.
	InheritOutput bool
}

// Processes starts programs and speaks for the process itself.
type Processes interface {
	// Start starts a program. A program that cannot be found or started is an
	// error, as in Python's Popen.
	Start(cmd Command) (Process, error)
	// Fork starts a copy of this process that runs main as its main thread: same
	// program, arguments and output, and the environment and working directory of
	// now, as Python's multiprocessing does. What main returns is the exit code. The
	// copy has an Env of its own and no signal handlers; main must touch nothing that
	// tasks of this process touch, for a runner may keep both in one address space. Nor
	// may it depend on more than what the program finds again when it is begun anew, for
	// a runner may begin the program anew, with the environment and working directory of
	// now, and let it run up to this call: until it forks for the last time a program
	// starts nothing else, writes only what may be written again, and asks for the same
	// forks in the same order.
	Fork(main func(e *Env) int) (Process, error)
	// Pid is the number of this process.
	Pid() int
	// Exit ends this process at once with the code, as os._exit does; it does not
	// return. A process that kills itself with SIGKILL exits with -9.
	Exit(code int)
	// Notify runs handler in a task of its own whenever sig arrives, in place of
	// the default action, which ends the process. SIGKILL cannot be handled.
	Notify(sig Signal, handler func())
}

// Process is a child that was started.
type Process interface {
	// Pid is the number of the process.
	Pid() int
	// Poll returns the exit code once the process has ended; -n means killed by
	// signal n.
	Poll() (code int, done bool)
	// Exited is broadcast when the process ends.
	Exited() Cond
	// Signal sends a signal; it is an error when the process has ended.
	Signal(sig Signal) error
}
