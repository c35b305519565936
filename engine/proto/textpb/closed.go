package textpb

import (
	"fmt"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// unknownEnum is an error for a number that a closed enum has no value of, as those of
// proto2 are: Python's parser refuses it, Go's takes it.
func unknownEnum(m protoreflect.Message) error {
	if m.Descriptor().ParentFile().Syntax() != protoreflect.Proto2 {
		return nil
	}
	var err error
	m.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		switch {
		case field.IsMap():
		case field.IsList():
			for i := 0; i < value.List().Len() && err == nil; i++ {
				err = unknownValue(field, value.List().Get(i))
			}
		default:
			err = unknownValue(field, value)
		}
		return err == nil
	})
	return err
}

func unknownValue(field protoreflect.FieldDescriptor, value protoreflect.Value) error {
	switch {
	case field.Message() != nil:
		return unknownEnum(value.Message())
	case field.Enum() != nil && field.Enum().IsClosed() && field.Enum().Values().ByNumber(value.Enum()) == nil:
		return fmt.Errorf("%s: found the number %d, want one of enum %s", field.FullName(), value.Enum(), field.Enum().FullName())
	}
	return nil
}
