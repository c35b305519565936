// Command image puts a static program into an OCI image layout, from scratch and without a daemon:
//
//	go run . -arch amd64 -version 0.1.0 ../../.build/release/monosim-linux-amd64 ../../.build/release/image
//
// Two things to read first: build makes the image, and .ci/release.sh makes the program. Tools that
// read layouts, such as `crane push` or `skopeo copy oci:DIR`, upload it to a registry or copy it
// elsewhere.
package main

import (
	"archive/tar"
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

func main() {
	arch := flag.String("arch", "amd64", "architecture of the program")
	version := flag.String("version", "0.1.0-dev", "version of the program")
	flag.Parse()
	if flag.NArg() != 2 {
		fmt.Fprintln(os.Stderr, "image: want a program and a directory for the layout")
		os.Exit(2)
	}
	if err := run(flag.Arg(0), flag.Arg(1), *arch, *version); err != nil {
		fmt.Fprintln(os.Stderr, "image: "+err.Error())
		os.Exit(2)
	}
}

// run writes the image as an OCI layout and reads it back, to check its digests and sizes.
func run(program, dir, arch, version string) error {
	image, err := build(program, arch, version)
	if err != nil {
		return err
	}
	l, err := layout.Write(dir, empty.Index)
	if err != nil {
		return err
	}
	if err := l.AppendImage(image, layout.WithPlatform(v1.Platform{OS: "linux", Architecture: arch})); err != nil {
		return err
	}
	index, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		return err
	}
	return validate.Index(index)
}

// build makes an image with the program and two empty folders. The same program always gives
// the same image, because files in it carry no modification time.
func build(program, arch, version string) (v1.Image, error) {
	text, err := os.ReadFile(program)
	if err != nil {
		return nil, err
	}
	var files bytes.Buffer
	w := tar.NewWriter(&files)
	for _, h := range []tar.Header{
		{Name: "monosim", Mode: 0o755, Size: int64(len(text)), Typeflag: tar.TypeReg},
		{Name: "tmp/", Mode: 0o1777, Typeflag: tar.TypeDir},
		{Name: "specs/", Mode: 0o755, Typeflag: tar.TypeDir}, // where scenarios are mounted
	} {
		if err := w.WriteHeader(&h); err != nil {
			return nil, err
		}
		if h.Size > 0 {
			if _, err := w.Write(text); err != nil {
				return nil, err
			}
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(files.Bytes())), nil
	}, tarball.WithMediaType(types.OCILayer))
	if err != nil {
		return nil, err
	}
	base := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	image, err := mutate.AppendLayers(base, layer)
	if err != nil {
		return nil, err
	}
	config, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture = "linux", arch
	config.Config.Entrypoint = []string{"/monosim"}
	config.Config.WorkingDir = "/specs"
	config.Config.User = "65532:65532"
	config.Config.Labels = map[string]string{"org.opencontainers.image.version": version}
	return mutate.ConfigFile(image, config)
}
