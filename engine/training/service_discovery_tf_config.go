package training

import (
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/pysem"
)

// TFConfigServiceDiscovery reads the processes from a TF_CONFIG object
// (service_discovery.py:160): {"cluster": {"ps": [addresses], "worker": [...],
// "chief": [...]}, "task": {"type", "index"}}. The chief counts as worker 0.
type TFConfigServiceDiscovery struct {
	config any
}

// NewTFConfigServiceDiscovery takes TF_CONFIG as a Python value, as pysem.ParseJSON returns it. A
// wrong value is an error only at the first use.
func NewTFConfigServiceDiscovery(config any) *TFConfigServiceDiscovery {
	return &TFConfigServiceDiscovery{config: config}
}

// Register does nothing, because TF_CONFIG lists the processes.
func (d *TFConfigServiceDiscovery) Register(string, int, string) error { return nil }

// Deregister does nothing, because TF_CONFIG lists the processes.
func (d *TFConfigServiceDiscovery) Deregister(string, int, string) error { return nil }

// Close does nothing.
func (d *TFConfigServiceDiscovery) Close() {}

// Query lists the processes of ps or worker; another name is a ValueError.
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
	hasChief := false
	if name == "worker" {
		if hasChief, err = contains(cluster, "chief"); err != nil {
			return nil, err
		}
	}
	list, err := pysem.Subscript(cluster, name)
	if err != nil {
		return nil, err
	}
	if hasChief {
		chief, err := pysem.Subscript(cluster, "chief")
		if err != nil {
			return nil, err
		}
		if list, err = pysem.Add(chief, list); err != nil {
			return nil, err
		}
	}
	return pysem.Items(list)
}

// contains returns Python's "name in v" for a value of JSON.
func contains(v any, name string) (bool, error) {
	switch v := v.(type) {
	case *pysem.Dict:
		_, ok := v.Get(name)
		return ok, nil
	case []any:
		return slices.ContainsFunc(v, func(item any) bool { return pysem.Equal(item, name) }), nil
	case string:
		return strings.Contains(v, name), nil
	}
	return false, pysem.Raise("TypeError", "argument of type '%s' is not iterable", pysem.TypeName(v))
}

func (d *TFConfigServiceDiscovery) task(key string) (any, error) {
	task, err := pysem.Subscript(d.config, "task")
	if err != nil {
		return nil, err
	}
	return pysem.Subscript(task, key)
}

// ServerType returns the type of this process, as a Python value. For the chief it is "worker". If
// TF_CONFIG lacks a part, it is a KeyError or TypeError.
func (d *TFConfigServiceDiscovery) ServerType() (any, error) {
	typ, err := d.task("type")
	if typ == "chief" {
		return "worker", err
	}
	return typ, err
}

// Addr returns the address of this process, as a Python value. Errors are those of ServerType, or
// an IndexError.
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

// Index returns the index of this process among those of its type, as a Python value. A chief is
// worker 0, and then the index of each worker is one higher. Errors are those of ServerType.
func (d *TFConfigServiceDiscovery) Index() (any, error) {
	cluster, err := pysem.Subscript(d.config, "cluster")
	if err != nil {
		return nil, err
	}
	hasChief, err := contains(cluster, "chief")
	if err != nil {
		return nil, err
	}
	if !hasChief {
		return d.task("index")
	}
	typ, err := d.task("type")
	if err != nil {
		return nil, err
	}
	index, err := d.task("index")
	if err != nil || typ != "worker" {
		return index, err
	}
	return pysem.Add(index, 1)
}

var _ ServiceDiscovery = (*TFConfigServiceDiscovery)(nil)
