package python

import "embed"

// Sources are what stands for packages that the reference wants and that cannot be
// installed: the finder, the protobuf modules with their descriptors, and stand-ins.
//
//go:embed finder.py protos.py descriptors.pb standins/*.py
var Sources embed.FS
