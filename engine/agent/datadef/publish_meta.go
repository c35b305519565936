package datadef

import (
	"github.com/monosim/monosim/engine/pysem"
)

// ModelNameText returns Python's str(model_name), as paths and names of sub-models contain it. It
// is "None" if the name is not set (Q76).
func (m *PublishMeta) ModelNameText() string { return pysem.Str(PublishMetaClass.Get(m, "model_name")) }

// SubModelItems returns Python's sub_models.items(): the sub-models in order, with values in their
// JSON form. If sub_models is not a dict, for example if it is None, it is an AttributeError.
func (m *PublishMeta) SubModelItems() ([]pysem.Item, error) {
	value := PublishMetaClass.Get(m, "sub_models")
	dict, ok := value.(*pysem.Dict)
	if !ok {
		return nil, pysem.AttributeError(value, "items")
	}
	return dict.Items, nil
}
