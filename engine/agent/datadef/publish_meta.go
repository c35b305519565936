package datadef

import (
	"github.com/monosim/monosim/engine/pysem"
)

// ModelNameText returns str(model_name), as it appears in paths and names of sub-models: "None"
// when it is not set (Q76).
func (m *PublishMeta) ModelNameText() string { return pysem.Str(PublishMetaClass.Get(m, "model_name")) }

// SubModelItems returns sub_models.items(): the sub-models in order, with the values of the JSON
// form. A value that is no dict, such as None, is an AttributeError.
func (m *PublishMeta) SubModelItems() ([]pysem.Item, error) {
	value := PublishMetaClass.Get(m, "sub_models")
	dict, ok := value.(*pysem.Dict)
	if !ok {
		return nil, pysem.AttributeError(value, "items")
	}
	return dict.Items, nil
}
