package training

import "github.com/monosim/monosim/engine/pysem"

// TFConfigServiceDiscovery reads the processes from a TF_CONFIG object
// (service_discovery.py:160): {"cluster": {"ps": [addresses], "worker": [...],
// "chief": [...]}, "task": {"type", "index"}}. The chief counts as worker 0.
type TFConfigServiceDiscovery struct {
	config any
}

// NewTFConfigServiceDiscovery takes TF_CONFIG as a Python value, as
// pysem.ParseJSON makes it. Nothing of it is checked before it is used.
func NewTFConfigServiceDiscovery(config any) *TFConfigServiceDiscovery {
	return &TFConfigServiceDiscovery{config: config}
}

// Register does nothing.
func (d *TFConfigServiceDiscovery) Register(string, int, string) error { return nil }

// Deregister does nothing.
func (d *TFConfigServiceDiscovery) Deregister(string, int, string) error { return nil }

// Close does nothing.
func (d *TFConfigServiceDiscovery) Close() {}

// Query lists ps or worker; another name is a ValueError.
func (d *TFConfigServiceDiscovery) Query(name string) (Addrs, error) {
	list, err := d.addrList(name)
	if err != nil {
		return nil, err
	}
	addrs := Addrs{}
	for i, addr := range list {
		addrs = append(addrs, IndexedAddr{Index: i, Addr: pysem.Str(addr)})
	}
	return addrs, nil
}

func (d *TFConfigServiceDiscovery) addrList(name string) ([]any, error) {
	if name != "ps" && name != "worker" {
		return nil, pysem.Raise("ValueError", "name must be ps/worker")
	}
	cluster, err := subscript(d.config, "cluster")
	if err != nil {
		return nil, err
	}
	var list []any
	names := []string{name}
	if dict, ok := cluster.(*pysem.Dict); ok && name == "worker" {
		if _, ok := dict.Get("chief"); ok {
			names = []string{"chief", "worker"}
		}
	}
	for _, name := range names {
		part, err := subscript(cluster, name)
		if err != nil {
			return nil, err
		}
		addrs, ok := part.([]any)
		if !ok {
			return nil, pysem.Raise("TypeError", "'%s' object is not iterable", pysem.TypeName(part))
		}
		list = append(list, addrs...)
	}
	return list, nil
}

func (d *TFConfigServiceDiscovery) task(key string) (any, error) {
	task, err := subscript(d.config, "task")
	if err != nil {
		return nil, err
	}
	return subscript(task, key)
}

// ServerType is the type of this process, worker for the chief.
func (d *TFConfigServiceDiscovery) ServerType() (any, error) {
	typ, err := d.task("type")
	if typ == "chief" {
		return "worker", err
	}
	return typ, err
}

// Addr is the address of this process.
func (d *TFConfigServiceDiscovery) Addr() (any, error) {
	typ, err := d.task("type")
	if err != nil {
		return nil, err
	}
	cluster, err := subscript(d.config, "cluster")
	if err != nil {
		return nil, err
	}
	list, err := subscript(cluster, typ)
	if err != nil {
		return nil, err
	}
	index, err := d.task("index")
	if err != nil {
		return nil, err
	}
	return subscript(list, index)
}

// Index is the index of this process among those of its type; the chief shifts
// the workers by one.
func (d *TFConfigServiceDiscovery) Index() (any, error) {
	cluster, err := subscript(d.config, "cluster")
	if err != nil {
		return nil, err
	}
	hasChief := false
	if dict, ok := cluster.(*pysem.Dict); ok {
		_, hasChief = dict.Get("chief")
	}
	if !hasChief {
		return d.task("index")
	}
	typ, err := d.task("type")
	if err != nil {
		return nil, err
	}
	index, err := d.task("index")
	if n, ok := index.(int); ok && typ == "worker" {
		return n + 1, err
	}
	return index, err
}

// subscript is container[key] of JSON values.
func subscript(container, key any) (any, error) {
	switch c := container.(type) {
	case *pysem.Dict:
		if name, ok := key.(string); ok {
			if v, ok := c.Get(name); ok {
				return v, nil
			}
		}
		return nil, keyError(key)
	case []any:
		i, ok := key.(int)
		if !ok {
			return nil, pysem.Raise("TypeError", "list indices must be integers or slices, not %s", pysem.TypeName(key))
		}
		if i < 0 {
			i += len(c)
		}
		if i < 0 || i >= len(c) {
			return nil, pysem.Raise("IndexError", "list index out of range")
		}
		return c[i], nil
	}
	return nil, pysem.Raise("TypeError", "'%s' object is not subscriptable", pysem.TypeName(container))
}

var _ ServiceDiscovery = (*TFConfigServiceDiscovery)(nil)
