package agent

import "github.com/monosim/monosim/engine/pysem"

// SubModels maps names of sub-models (entry, dense_0, ps_3) to the paths of their
// versions, in insertion order. Nil is None.
type SubModels []SubModel

// SubModel is one sub-model and the path of the version to load.
type SubModel struct{ Name, Path string }

// Get finds the path of a sub-model.
func (s SubModels) Get(name string) (path string, ok bool) {
	for _, m := range s {
		if m.Name == name {
			return m.Path, true
		}
	}
	return "", false
}

// With is s with name mapped to path; a known name keeps its place.
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

// newSubModels reads a dict of strings; ok is false for other values.
func newSubModels(value any) (s SubModels, ok bool) {
	if value == nil {
		return nil, true
	}
	dict, ok := value.(*pysem.Dict)
	if !ok {
		return nil, false
	}
	s = make(SubModels, 0, len(dict.Items))
	for _, item := range dict.Items {
		path, ok := item.Value.(string)
		if !ok {
			return nil, false
		}
		s = append(s, SubModel{Name: item.Key, Path: path})
	}
	return s, true
}

// dict is the Python value.
func (s SubModels) dict() any {
	if s == nil {
		return nil
	}
	d := &pysem.Dict{}
	for _, m := range s {
		d.Set(m.Name, m.Path)
	}
	return d
}
