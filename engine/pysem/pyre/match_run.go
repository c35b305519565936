package pyre

import "github.com/monosim/monosim/engine/pysem"

// run executes the instructions from pc on, on the text from ptr on (SRE(match)). If it succeeds,
// s.at is where the match ended.
func (s *state) run(pc, ptr int) (bool, error) {
	for {
		if s.steps++; s.steps > MaxSteps {
			return false, pysem.Refuse(pysem.TooLarge, "a match of so many steps")
		}
		i := &s.code[pc]
		switch i.code {
		case codeUnit:
			if ptr >= len(s.text) || !i.unit.matches(s.text[ptr]) {
				return false, nil
			}
			ptr++
			pc++
		case codeMark:
			s.setMark(i.mark, ptr)
			pc++
		case codeSuccess:
			s.at = ptr
			return true, nil
		case codeAt:
			if !s.isAt(i.at, ptr, i.ascii) {
				return false, nil
			}
			pc++
		case codeJump:
			pc = i.to
		case codeGroupRef:
			end, ok := s.sameAsGroup(i, ptr)
			if !ok {
				return false, nil
			}
			ptr = end
			pc++
		case codeGroupExists:
			if _, _, ok := s.group(i.mark); ok {
				pc++
			} else {
				pc = i.to
			}
		case codeAssert, codeAssertNot, codeAtomic, codePossessiveOne, codePossessive:
			end, ok, err := s.enclosed(pc, ptr)
			if !ok || err != nil {
				return false, err
			}
			ptr, pc = end, i.to
		default:
			return s.choose(pc, ptr)
		}
	}
}

// choose executes an instruction that can continue in more than one way.
func (s *state) choose(pc, ptr int) (bool, error) {
	switch s.code[pc].code {
	case codeBranch:
		return s.branch(pc, ptr)
	case codeRepeatOne:
		return s.repeatOne(pc, ptr)
	case codeMinRepeatOne:
		return s.minRepeatOne(pc, ptr)
	case codeRepeat:
		s.repeat = &repeat{pc: pc, count: -1, lastAt: -1, outer: s.repeat}
		own := s.repeat
		found, err := s.run(s.code[pc].to, ptr)
		s.repeat = own.outer
		return found, err
	case codeMaxUntil:
		return s.maxUntil(pc, ptr)
	}
	return s.minUntil(pc, ptr)
}

// sameAsGroup reports whether the text continues with what a group captured, and where that ends.
func (s *state) sameAsGroup(i *instruction, ptr int) (end int, ok bool) {
	begin, stop, ok := s.group(i.mark)
	if !ok {
		return 0, false
	}
	for ; begin < stop; begin++ {
		if ptr >= len(s.text) {
			return 0, false
		}
		a, b := s.text[begin], s.text[ptr]
		if i.fold {
			a, b = lower(a, i.ascii), lower(b, i.ascii)
		}
		if a != b {
			return 0, false
		}
		ptr++
	}
	return ptr, true
}

// enclosed executes an assertion, an atomic group or a possessive repeat. Once the part of the
// pattern inside of it has matched, that part is not tried again in another way. The rest of the
// pattern has to match from the position in end on.
func (s *state) enclosed(pc, ptr int) (end int, ok bool, err error) {
	i := &s.code[pc]
	switch i.code {
	case codePossessiveOne:
		n := s.count(i, ptr, i.max)
		return ptr + n, n >= i.min, nil
	case codePossessive:
		return s.possessive(pc, ptr)
	case codeAtomic:
		ok, err = s.run(pc+1, ptr)
		return s.at, ok, err
	case codeAssert:
		if ptr < i.back {
			return 0, false, nil
		}
		ok, err = s.run(pc+1, ptr-i.back)
		return ptr, ok, err
	}
	if ptr < i.back {
		return ptr, true, nil
	}
	kept := s.save(s.repeat != nil)
	found, err := s.run(pc+1, ptr-i.back)
	if found || err != nil {
		return 0, false, err
	}
	s.restore(kept)
	return ptr, true, nil
}

// possessive repeats as often as possible, and never takes back a repetition.
func (s *state) possessive(pc, ptr int) (end int, ok bool, err error) {
	i := &s.code[pc]
	count := 0
	for ; count < i.min; count++ {
		found, err := s.run(pc+1, ptr)
		if !found || err != nil {
			return 0, false, err
		}
		ptr = s.at
	}
	for last := -1; (count < i.max || i.max == maxRepeat) && ptr != last; count++ {
		kept := s.save(true)
		last = ptr
		found, err := s.run(pc+1, ptr)
		if err != nil {
			return 0, false, err
		}
		if !found {
			s.restore(kept)
			break
		}
		ptr = s.at
	}
	return ptr, true, nil
}

func (s *state) branch(pc, ptr int) (bool, error) {
	kept := s.save(s.repeat != nil)
	for {
		found, err := s.run(pc+1, ptr)
		if found || err != nil {
			return found, err
		}
		s.restore(kept)
		if pc = s.code[pc].to; pc == 0 {
			return false, nil
		}
	}
}

// count returns how many characters from ptr on pass the test of an instruction, up to the limit
// most.
func (s *state) count(i *instruction, ptr, most int) int {
	end := len(s.text)
	if most < end-ptr {
		end = ptr + most
	}
	at := ptr
	for at < end && i.unit.matches(s.text[at]) {
		at++
	}
	s.steps += (at - ptr) / 8
	return at - ptr
}

// repeatOne matches as many characters as possible, and takes them back one by one until the rest
// of the pattern matches.
func (s *state) repeatOne(pc, ptr int) (bool, error) {
	i := &s.code[pc]
	count := s.count(i, ptr, i.max)
	kept := s.save(s.repeat != nil)
	for ; count >= i.min; count-- {
		if next := &s.code[i.to]; next.code == codeUnit && (ptr+count >= len(s.text) || !next.unit.matches(s.text[ptr+count])) {
			s.steps++
			continue
		}
		found, err := s.run(i.to, ptr+count)
		if found || err != nil {
			return found, err
		}
		s.restore(kept)
	}
	return false, nil
}

// minRepeatOne matches as few characters as possible, and adds one by one until the rest of the
// pattern matches.
func (s *state) minRepeatOne(pc, ptr int) (bool, error) {
	i := &s.code[pc]
	count := s.count(i, ptr, i.min)
	if count < i.min {
		return false, nil
	}
	kept := s.save(s.repeat != nil)
	for i.max == maxRepeat || count <= i.max {
		found, err := s.run(i.to, ptr+count)
		if found || err != nil {
			return found, err
		}
		s.restore(kept)
		if s.count(i, ptr+count, 1) == 0 {
			break
		}
		count++
	}
	return false, nil
}

// maxUntil is executed at the end of each repetition, in a repeat that repeats as often as
// possible.
func (s *state) maxUntil(pc, ptr int) (bool, error) {
	r := s.repeat
	body := &s.code[r.pc]
	count := r.count + 1
	if count < body.min {
		r.count = count
		found, err := s.run(r.pc+1, ptr)
		if !found {
			r.count = count - 1
		}
		return found, err
	}
	if (count < body.max || body.max == maxRepeat) && ptr != r.lastAt {
		r.count = count
		kept, last := s.save(true), r.lastAt
		r.lastAt = ptr
		found, err := s.run(r.pc+1, ptr)
		r.lastAt = last
		if found || err != nil {
			return found, err
		}
		s.restore(kept)
		r.count = count - 1
	}
	s.repeat = r.outer
	found, err := s.run(pc+1, ptr)
	s.repeat = r
	return found, err
}

// minUntil is executed before the first repetition and after each one, in a repeat that repeats as
// seldom as possible.
func (s *state) minUntil(pc, ptr int) (bool, error) {
	r := s.repeat
	body := &s.code[r.pc]
	count := r.count + 1
	if count >= body.min {
		s.repeat = r.outer
		kept := s.save(s.repeat != nil)
		found, err := s.run(pc+1, ptr)
		s.repeat = r
		if found || err != nil {
			return found, err
		}
		s.restore(kept)
		if count >= body.max && body.max != maxRepeat || ptr == r.lastAt {
			return false, nil
		}
	}
	last := r.lastAt
	if count >= body.min {
		r.lastAt = ptr
	}
	r.count = count
	found, err := s.run(r.pc+1, ptr)
	r.lastAt = last
	if !found {
		r.count = count - 1
	}
	return found, err
}
