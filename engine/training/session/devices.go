package session

// devices maps the devices of a cluster to the addresses of their servers.
type devices struct {
	addrs map[string]string
	main  string
}

// addr returns the address of a variable's server: its device's, or main's when it has no
// known device.
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

// errUninitialized returns a server's error before its variables are initialised. It names
// no variable, because the request is not looked at.
func errUninitialized() error {
	return Raise("FailedPreconditionError", "Attempting to use uninitialized value")
}
