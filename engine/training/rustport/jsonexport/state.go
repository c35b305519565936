package jsonexport

// State is a checkpoint of a model (monolith-checkpoint's ModelState). The state of optimizers is
// read and checked, but not kept, because no export contains it.
type State struct {
	Version    uint32
	GlobalStep uint64
	// TimestampSec is the time of the save, in seconds since the Unix epoch.
	TimestampSec uint64
	Tables       []Table
	// DenseParams holds the weights other than embeddings, flattened, by name.
	DenseParams map[string][]float32
	Metadata    map[string]string
}

// Table is a table of embeddings. The length of its entries is not checked against Dim.
type Table struct {
	Name     string
	Dim      uint64
	Entries  map[int64][]float32
	Metadata map[string]string
}

// Restore parses a checkpoint. Each known field must occur exactly once, and unknown fields are
// skipped. An error has serde_json's text for the first mistake, with line and column in bytes,
// counted from 1. If the text is not JSON at all, the error has the text of Go's parser.
func Restore(text []byte) (*State, error) {
	d := newDecoder(text)
	s := &State{}
	err := d.object("struct ModelState", []field{
		{"version", func() (err error) { n, err := d.unsigned("u32", 32); s.Version = uint32(n); return err }},
		{"global_step", func() (err error) { s.GlobalStep, err = d.unsigned("u64", 64); return err }},
		{"timestamp", func() (err error) { s.TimestampSec, err = d.unsigned("u64", 64); return err }},
		{"hash_tables", func() error {
			return d.list(func() error {
				t, err := d.table()
				s.Tables = append(s.Tables, t)
				return err
			})
		}},
		{"optimizers", func() error { return d.list(d.optimizer) }},
		{"dense_params", func() (err error) { s.DenseParams, err = d.tensors(); return err }},
		{"metadata", func() (err error) { s.Metadata, err = d.texts(); return err }},
	})
	if err == nil {
		err = d.end()
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (d *decoder) table() (t Table, err error) {
	err = d.object("struct HashTableState", []field{
		{"name", func() (err error) { t.Name, err = d.text(); return err }},
		{"dim", func() (err error) { t.Dim, err = d.unsigned("usize", 64); return err }},
		{"entries", func() error {
			t.Entries = map[int64][]float32{}
			return d.entries(func(key string) error {
				n, err := d.key(key)
				if err == nil {
					t.Entries[n], err = d.tensor()
				}
				return err
			})
		}},
		{"metadata", func() (err error) { t.Metadata, err = d.texts(); return err }},
	})
	return t, err
}

// optimizer checks the state of an optimizer and drops it, because no export contains it.
func (d *decoder) optimizer() error {
	text := func() error { _, err := d.text(); return err }
	tensors := func() error { _, err := d.tensors(); return err }
	return d.object("struct OptimizerState", []field{
		{"optimizer_type", text},
		{"param_group", text},
		{"learning_rate", func() error { _, err := d.float("f64"); return err }},
		{"step", func() error { _, err := d.unsigned("u64", 64); return err }},
		{"first_moments", tensors},
		{"second_moments", tensors},
		{"accumulators", tensors},
		{"extra_state", func() error {
			return d.entries(func(string) error {
				return d.list(func() error { _, err := d.unsigned("u8", 8); return err })
			})
		}},
	})
}

func (d *decoder) texts() (map[string]string, error) {
	texts := map[string]string{}
	err := d.entries(func(key string) (err error) {
		texts[key], err = d.text()
		return err
	})
	return texts, err
}

func (d *decoder) tensors() (map[string][]float32, error) {
	tensors := map[string][]float32{}
	err := d.entries(func(key string) (err error) {
		tensors[key], err = d.tensor()
		return err
	})
	return tensors, err
}

func (d *decoder) tensor() ([]float32, error) {
	values := []float32{}
	err := d.list(func() error {
		v, err := d.float("f32")
		values = append(values, float32(v))
		return err
	})
	return values, err
}
