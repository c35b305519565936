package files

import (
	"slices"

	"github.com/monosim/monosim/engine/vtime"
)

// Image is what many trees begin with, as containers of one image do. They share it:
// what is written in one of them is copied before, from its root down to what changes.
type Image struct {
	root     *entry
	contents contents
}

// Image makes an image of the tree, which must not be written to from then on, nor have
// mounts. Everything in it is durable.
func (f *FS) Image() *Image {
	f.commit()
	f.root.share()
	return &Image{root: f.root}
}

func (e *entry) share() {
	e.flush()
	e.shared = true
	for _, c := range e.children {
		c.entry.share()
	}
}

// NewFSFrom makes a tree that begins as the image; nil makes an empty one.
func NewFSFrom(w *vtime.World, image *Image) *FS {
	f := NewFS(w)
	if image != nil {
		f.root, f.contents = image.root, &image.contents
		f.version = imageVersions
	}
	return f
}

// imageVersions is more than an image has changes.
const imageVersions = 1 << 32

// own makes the entry, and the directory that it is in, ones of the tree alone, which may
// be written to.
func (p *place) own() {
	if p.dir != nil && !p.dir.shared && (p.entry == nil || !p.entry.shared) {
		return
	}
	if p.fs.root.shared {
		p.fs.root = p.fs.root.copied()
	}
	at := p.fs.root
	for _, name := range parts(p.rel) {
		p.dir = at
		if at = p.dir.ownChild(name); at == nil {
			break
		}
	}
	p.entry = at
}

// ownChild is what a name in an own directory means, made own; nil for nothing.
func (e *entry) ownChild(name string) *entry {
	child := e.child(name)
	if child != nil && child.shared {
		child = child.copied()
		e.setChild(name, child)
	}
	return child
}

// copied is an own copy, of a directory with the same entries.
func (e *entry) copied() *entry {
	c := *e
	c.shared = false
	c.children = slices.Clip(slices.Clone(e.children))
	c.data = e.data[:len(e.data):len(e.data)] // to append must not reach into the image's
	return &c
}
