package datadef

import (
	"github.com/monosim/monosim/engine/pysem"
)

// SubModels maps names of sub-models (entry, dense_0, ps_3) to the paths of their versions, in
// insertion order. Nil stands for None.
type SubModels []SubModel

// SubModel is one sub-model and the path of the version to load.
type SubModel struct{ Name, Path string }

// Get returns the path of the sub-model with the given name. ok is false if there is none.
func (s SubModels) Get(name string) (path string, ok bool) {
	for _, m := range s {
		if m.Name == name {
			return m.Path, true
		}
	}
	return "", false
}

// With returns a copy of s in which the sub-model name has the given path. An existing name keeps
// its place in the order.
func (s SubModels) With(name, path string) SubModels {
	out := append(SubModels{}, s...)
	for i := range out {
		if out[i].Name == name {
			out[i].Path = path
			return out
		}
	}
	return append(out, SubModel{Name: name, Path: path})
}

// StorePython sets s from a dict of strings, or from None. For any other value it stores None and
// returns false.
func (s *SubModels) StorePython(value any) (exact bool) {
	*s = nil
	if value == nil {
		return true
	}
	dict, ok := value.(*pysem.Dict)
	if !ok {
		return false
	}
	models := make(SubModels, 0, len(dict.Items))
	for _, item := range dict.Items {
		path, ok := item.Value.(string)
		if !ok {
			return false
		}
		models = append(models, SubModel{Name: item.Key, Path: path})
	}
	*s = models
	return true
}

// LoadPython returns the sub-models as a dict, or None.
func (s *SubModels) LoadPython() any {
	if *s == nil {
		return nil
	}
	d := &pysem.Dict{}
	for _, m := range *s {
		d.Set(m.Name, m.Path)
	}
	return d
}

// DecodePython returns the value unchanged if it is a dict. Any other value is an AttributeError.
func (*SubModels) DecodePython(value any) (any, error) {
	if _, ok := value.(*pysem.Dict); !ok {
		return nil, pysem.AttributeError(value, "keys")
	}
	return value, nil
}
