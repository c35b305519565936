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

// Command describes a program to start.
type Command struct {
	// Args is the path of the program, followed by its arguments. Nobody may change it after the
	// start.
	Args []string
	// Env is the environment as a list of key=value; nil means the caller's environment.
	Env []string
	// Dir is the working directory; "" means the caller's.
	Dir string
	// Output is the file to which stdout and stderr are written. "" discards them.
	Output string
	// Append keeps the present content of the file Output, and adds to it.
	Append bool
	// InheritOutput makes the program write to the caller's output. The file Output is still
	// opened, but stays unused.
	InheritOutput bool
}

// Processes starts programs. It also has the operations of a process on itself.
type Processes interface {
	// Start starts a program. As with Python's Popen, it returns an error if the program cannot be
	// found or started.
	Start(cmd Command) (Process, error)
	// Fork starts a copy of this process, as Python's multiprocessing does: with the same program,
	// arguments and output, and the present environment and working directory. It runs main as its
	// main thread and exits with the code that main returns. The copy has its own Env and no signal
	// handlers.
	//
	// A runner may keep both in one address space, so main must not touch what tasks of this
	// process touch. Or it may start the program anew, in the present environment and working
	// directory, and let it run up to this call. So main must only depend on what a new start finds
	// again; and until its last Fork a program must start nothing else, only write what may be
	// written twice, and make the same forks in the same order.
	Fork(main func(e *Env) int) (Process, error)
	// Pid returns the number of this process.
	Pid() int
	// Exit ends this process at once with the given exit code, as os._exit does. It does not
	// return. The exit code -9 means that the process has killed itself with SIGKILL.
	Exit(code int)
	// Notify runs handler in a new task whenever the signal arrives. Without a handler the signal
	// ends the process. SIGKILL cannot be handled.
	Notify(sig Signal, handler func())
}

// Process is a child process.
type Process interface {
	// Pid returns the number of the process.
	Pid() int
	// Poll returns whether the process has ended, and its exit code. The code is -n if signal n has
	// killed the process.
	Poll() (code int, done bool)
	// Exited returns a condition that is broadcast when the process ends.
	Exited() Cond
	// Signal sends a signal. It returns an error if the process has ended.
	Signal(sig Signal) error
}
