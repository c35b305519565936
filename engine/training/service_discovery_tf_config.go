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
	cluster, err := pysem.Subscript(d.config, "cluster")
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
		part, err := pysem.Subscript(cluster, name)
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
	task, err := pysem.Subscript(d.config, "task")
	if err != nil {
		return nil, err
	}
	return pysem.Subscript(task, key)
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
	cluster, err := pysem.Subscript(d.config, "cluster")
	if err != nil {
		return nil, err
	}
	list, err := pysem.Subscript(cluster, typ)
	if err != nil {
		return nil, err
	}
	index, err := d.task("index")
	if err != nil {
		return nil, err
	}
	return pysem.Subscript(list, index)
}

// Index is the index of this process among those of its type; the chief shifts
// the workers by one.
func (d *TFConfigServiceDiscovery) Index() (any, error) {
	cluster, err := pysem.Subscript(d.config, "cluster")
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

var _ ServiceDiscovery = (*TFConfigServiceDiscovery)(nil)
