package python

import "embed"

// Sources holds the replacements for packages that the reference imports and that cannot be
// installed: the finder, the protobuf modules with their descriptors, and stand-ins.
//
//go:embed finder.py protos.py descriptors.pb standins/*.py
var Sources embed.FS
