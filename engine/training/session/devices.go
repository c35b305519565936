package session

// devices are the addresses of a cluster's devices.
type devices struct {
	addrs map[string]string
	main  string
}

// addr returns where a variable lives: at its device, or without one that is there at main's.
func (d *devices) addr(v *Variable) string {
	if addr, ok := d.addrs[v.Device]; ok {
		return addr
	}
	return d.addrs[d.main]
}

// uninitialized is TensorFlow's error of a variable that is used before it has a value.
func uninitialized(v *Variable) error {
	return Raise("FailedPreconditionError", "Attempting to use uninitialized value %s", v.Name)
}

// errUninitialized is that of a server, which is not told which variable would be used.
func errUninitialized() error {
	return Raise("FailedPreconditionError", "Attempting to use uninitialized value")
}
