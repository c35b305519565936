package linear

// matrix is a matrix of numbers, row by row.
type matrix[T number] struct {
	rows, columns int
	list          []T
}

func zeros[T number](rows, columns int) matrix[T] {
	return matrix[T]{rows, columns, make([]T, rows*columns)}
}

func (m matrix[T]) at(i, j int) *T { return &m.list[i*m.columns+j] }

func (m matrix[T]) row(i int) []T { return m.list[i*m.columns:][:m.columns] }

func (m matrix[T]) copied() matrix[T] {
	out := zeros[T](m.rows, m.columns)
	copy(out.list, m.list)
	return out
}

// adjoint returns the transpose of the conjugates.
func (m matrix[T]) adjoint() matrix[T] {
	out := zeros[T](m.columns, m.rows)
	for i := range m.rows {
		for j, x := range m.row(i) {
			*out.at(j, i) = conj(x)
		}
	}
	return out
}

func (m matrix[T]) empty() bool { return m.rows == 0 || m.columns == 0 }

// subtract takes factor times another row from a row.
func subtract[T number](row []T, factor T, other []T) {
	for j, x := range other {
		row[j] -= factor * x
	}
}

func product[T number](a, b matrix[T]) matrix[T] {
	out := zeros[T](a.rows, b.columns)
	for i := range a.rows {
		for k, x := range a.row(i) {
			subtract(out.row(i), -x, b.row(k))
		}
	}
	return out
}
