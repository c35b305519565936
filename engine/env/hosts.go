package env

// Host is the container that the process runs in: its environment variables,
// names, addresses and ports.
type Host interface {
	// LookupEnv returns the value of an environment variable; ok is false when it is
	// not set.
	LookupEnv(key string) (value string, ok bool)
	// Setenv changes the environment of this process and of children it starts
	// later.
	Setenv(key, value string)
	// Unsetenv takes a variable away, if it is there, for this process and those children.
	Unsetenv(key string)
	// Environ lists the environment as key=value, sorted.
	Environ() []string
	// Hostname is the host's own name.
	Hostname() string
	// LookupIP resolves the host's own name to an IPv4 address, as
	// socket.gethostbyname(socket.gethostname()) does.
	LookupIP() (string, error)
	// LookupIPv6 is the first IPv6 address of the host's own name.
	LookupIPv6() (string, error)
	// RouteIP is the address that a UDP socket towards the outside gets.
	RouteIP() (string, error)
	// FreePort finds a TCP port on localhost that nobody listens on. As in the
	// reference (utils.py:155) the port is not reserved.
	FreePort() int
}
