package value

// Pick makes a tensor of the given shape. places holds for each element its position in v. For a
// negative position the element is 0, false or the empty string.
func (v Value) Pick(shape, places []int) Value {
	out := Value{dtype: v.dtype, shape: shape}
	switch list := v.data.(type) {
	case []float64:
		out.data = pick(list, places)
	case []int64:
		out.data = pick(list, places)
	case []bool:
		out.data = pick(list, places)
	case []string:
		out.data = pick(list, places)
	case []complex128:
		out.data = pick(list, places)
	case []any:
		out.data = pick(list, places)
	}
	return out
}

func pick[T any](list []T, places []int) []T {
	out := make([]T, len(places))
	for i, place := range places {
		if place >= 0 {
			out[i] = list[place]
		}
	}
	return out
}

// PickOr does what Pick does, but takes the first element of other for negative positions. other
// has the same dtype.
func (v Value) PickOr(shape, places []int, other Value) Value {
	all := Join(v, other)
	n := v.Len()
	at := make([]int, len(places))
	for i, place := range places {
		at[i] = place
		if place < 0 {
			at[i] = n
		}
	}
	return all.Pick(shape, at)
}

// Join concatenates the elements of tensors of one dtype into a vector.
func Join(values ...Value) Value {
	n := 0
	for _, v := range values {
		n += v.Len()
	}
	out := Value{shape: []int{n}}
	if len(values) > 0 {
		out.dtype = values[0].dtype
	}
	switch laneOf(out.dtype) {
	case floatLane:
		out.data = join(n, values, Value.F)
	case intLane:
		out.data = join(n, values, Value.I)
	case boolLane:
		out.data = join(n, values, Value.B)
	case stringLane:
		out.data = join(n, values, Value.S)
	case complexLane:
		out.data = join(n, values, Value.C)
	case handleLane:
		out.data = join(n, values, Value.H)
	}
	return out
}

func join[T any](n int, values []Value, list func(Value) []T) []T {
	out := make([]T, 0, n)
	for _, v := range values {
		out = append(out, list(v)...)
	}
	return out
}

// Rows returns the rows [from, to) of the first dimension.
func (v Value) Rows(from, to int) Value {
	shape := append([]int{to - from}, v.shape[1:]...)
	each, _ := Count(v.shape[1:])
	out := Value{dtype: v.dtype, shape: shape}
	from, to = from*each, to*each
	switch list := v.data.(type) {
	case []float64:
		out.data = list[from:to:to]
	case []int64:
		out.data = list[from:to:to]
	case []bool:
		out.data = list[from:to:to]
	case []string:
		out.data = list[from:to:to]
	case []complex128:
		out.data = list[from:to:to]
	case []any:
		out.data = list[from:to:to]
	}
	return out
}
