package env

// Host is the container that the process runs in: its environment variables,
// names, addresses and ports.
type Host interface {
	// LookupEnv returns the value of an environment variable. ok reports whether it is set.
	LookupEnv(key string) (value string, ok bool)
	// Setenv sets a variable for this process and for children that it starts later.
	Setenv(key, value string)
	// Unsetenv removes a variable for this process and for children that it starts later. It is no
	// error if the variable is not set.
	Unsetenv(key string)
	// Environ returns the variables as key=value, sorted.
	Environ() []string
	// Hostname returns the host's own name.
	Hostname() string
	// LookupIP resolves the host's own name to an IPv4 address, as
	// socket.gethostbyname(socket.gethostname()) does.
	LookupIP() (string, error)
	// LookupIPv6 returns the first IPv6 address of the host's own name.
	LookupIPv6() (string, error)
	// RouteIP returns the local address of a UDP socket that is connected to an address outside of
	// the host.
	RouteIP() (string, error)
	// FreePort returns a TCP port of localhost on which nobody listens. As in the reference
	// (utils.py:155) the port is not reserved, so another process may take it.
	FreePort() int
}
