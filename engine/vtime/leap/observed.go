package leap

// Observed is something that turns of loops look at, such as the znodes of a server: it stays as it is
// until BeforeChange is called.
type Observed struct {
	version uint64
	users   []*Turns // that are asleep
}

// BeforeChange is called right before it is different. Loops that sleep and look at it are woken,
// and see what is there still.
func (o *Observed) BeforeChange() {
	for len(o.users) > 0 && !o.users[0].world.Closing() {
		o.users[len(o.users)-1].sleeper.Wake()
	}
	o.version++
}

// Version returns how often it has changed.
func (o *Observed) Version() uint64 { return o.version }

// dependency is what a turn has looked at.
type dependency struct {
	on      *Observed
	version uint64
	place   int // among its users, while the loop is asleep
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
