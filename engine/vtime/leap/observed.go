package leap

// Observed stands for something that loops read in their turns, such as the znodes of a server.
// Whoever changes it must call BeforeChange first.
type Observed struct {
	version uint64   // number of changes so far
	users   []*Turns // sleeping loops that read it in their turns
}

// BeforeChange must be called just before a change of what the Observed stands for. It wakes the
// sleeping loops that read it, so that they still find the old content.
func (o *Observed) BeforeChange() {
	for len(o.users) > 0 && !o.users[0].world.Closing() {
		o.users[len(o.users)-1].sleeper.Wake()
	}
	o.version++
}

// Version returns how often the content has changed.
func (o *Observed) Version() uint64 { return o.version }

// dependency is something that a turn has read, with the version that it had at the time.
type dependency struct {
	on      *Observed
	version uint64
	place   int // index among the users of on, while the loop sleeps
}

func (d *dependency) join(t *Turns) {
	d.place = len(d.on.users)
	d.on.users = append(d.on.users, t)
}

func (d *dependency) leave() {
	o := d.on
	last := len(o.users) - 1
	moved := o.users[last]
	o.users[d.place] = moved
	o.users[last] = nil
	o.users = o.users[:last]
	if d.place == last {
		return
	}
	for i := range moved.uses {
		if m := &moved.uses[i]; m.on == o && m.place == last {
			m.place = d.place
		}
	}
}
