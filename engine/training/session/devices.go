package session

// devices maps the devices of a cluster to the addresses of their servers.
type devices struct {
	addrs map[string]string
	main  string
}

// addr returns the address of the server that holds a variable. A variable without a known device
// is on the main device's server.
func (d *devices) addr(v *Variable) string {
	if addr, ok := d.addrs[v.Device]; ok {
		return addr
	}
	return d.addrs[d.main]
}

// uninitialized returns TensorFlow's error for the use of a variable that has no value yet.
func uninitialized(v *Variable) error {
	return Raise("FailedPreconditionError", "Attempting to use uninitialized value %s", v.Name)
}

// errUninitialized returns the error of a server whose variables are not initialized. It names no
// variable, because the server refuses before it looks at the request.
func errUninitialized() error {
	return Raise("FailedPreconditionError", "Attempting to use uninitialized value")
}
