package files

import (
	"slices"

	"github.com/monosim/monosim/engine/vtime"
)

// Image is the initial content of many trees, like a container image. The trees share its entries.
// A tree copies an entry and all its parents before it changes the entry.
type Image struct {
	root     *entry
	contents contents
}

// Image makes an image of the tree. The tree must not be written to afterwards, and must not have
// mounts. Everything in the image is durable.
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

// NewFSFrom makes a tree whose initial content is the image; nil makes an empty tree.
func NewFSFrom(w *vtime.World, image *Image) *FS {
	f := NewFS(w)
	if image != nil {
		f.root, f.contents = image.root, &image.contents
		f.version = imageVersions
	}
	return f
}

// imageVersions is the first version number of trees made from an image. It is higher than any
// version inside an image, so versions stay unique.
const imageVersions = 1 << 32

// own copies the entry and its directory if they belong to a shared image, so that they may be
// changed.
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

// ownChild returns the entry of a name in a directory that the tree owns. It first copies the entry
// if an image shares it. It returns nil if there is no such name.
func (e *entry) ownChild(name string) *entry {
	child := e.child(name)
	if child != nil && child.shared {
		child = child.copied()
		e.setChild(name, child)
	}
	return child
}

// copied returns a copy of the entry. The children of a directory stay shared.
func (e *entry) copied() *entry {
	c := *e
	c.shared = false
	c.children = slices.Clip(slices.Clone(e.children))
	c.data = e.data[:len(e.data):len(e.data)] // appending must not write into the image's array
	return &c
}
