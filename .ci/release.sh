#!/bin/sh
# Builds the static, stripped program for each system into .build/release, an archive of each
# with man pages and completions, and SHA256SUMS. The version is that of the git tag. The recorded
# cases are packed, gRPC comes without its pages for browsers and net/http without HTTP/2, which
# gRPC has by itself; monosim parity, which only a clone has a use for, is left out; and in what is
# cold, functions are not put into those that call them. A program that is larger than .ci/sizes allows fails the release and says
# what it is made of. TARGETS names other systems, GO the go command.
set -eu
GO=${GO:-go}
TARGETS=${TARGETS:-"linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64"}
tags=release,grpcnotrace,nethttpomithttp2
out=.build/release beside=.build/beside
# No clock of a run, no scenario and no answer of a server waits for these.
cold=
for packages in crypto/... vendor/... net/... encoding/asn1 encoding/xml mime/... math/big golang.org/x/... gopkg.in/... \
	github.com/spf13/... github.com/cucumber/... github.com/schollz/... \
	google.golang.org/protobuf/encoding/... google.golang.org/grpc/balancer/... google.golang.org/grpc/internal/resolver/... \
	./features/... ./engine/pysem/expr \
	./cmd/... ./vectors/... ./runners/diff/... ./runners/serve/... ./runners/show/... ./runners/train \
	./runners/test/realrun/... ./runners/whatif/plan ./runners/whatif/report ./runners/zookeeper/...; do
	cold="$cold -gcflags=$packages=-l"
done
version=$(git describe --tags --match 'v[0-9]*' 2>/dev/null || true)

rm -rf "$out" "$beside"
mkdir -p "$out" "$beside"
trap 'rm -rf vectors/golden/suites.zip "$beside"' EXIT
trap 'exit 1' INT TERM
$GO run ./cmd/pack vectors/golden/suites.zip
$GO run -tags manual,release ./cmd/monosim manual "$beside"
cp LICENSE README.md CHANGELOG.md "$beside"

build() { # TARGET FILE FLAGS
	# shellcheck disable=SC2086 # the words of cold are flags
	CGO_ENABLED=0 GOOS=${1%/*} GOARCH=${1#*/} $GO build -tags "$tags" -trimpath $cold -ldflags "$3 -X main.release=$version" -o "$2" ./cmd/monosim
}

over=
for target in $TARGETS; do
	name=monosim-${target%/*}-${target#*/}
	file=$out/$name
	[ "${target%/*}" != windows ] || file=$file.exe
	build "$target" "$file" "-s -w"
	if [ "$target" = "$($GO env GOHOSTOS)/$($GO env GOHOSTARCH)" ]; then
		"$file" vectors verify > /dev/null # with the cases that are in it
	fi
	.ci/size release "$file" || over="$over $target"
	program=${file##*/}
	tar -czf "$out/$name.tar.gz" -C "$out" "$program" -C "$PWD/$beside" .
done
(cd "$out" && sha256sum monosim-* > SHA256SUMS)

# Symbols say whose code and data it is; a stripped program has none. Zeroes are not in the file
# (b, and the sections of that kind), and neither names nor tables of lines have symbols.
for target in $over; do
	echo "$target is too large, of which code and data in kB of"
	whole=$(mktemp)
	build "$target" "$whole" ""
	$GO tool nm -size -sort size "$whole" | awk '$3 ~ /^[TtRr]$/ || ($3 ~ /^[Dd]$/ && $4 ~ /gobytes/) {
		name = $4; sub(/^type:\.*/, "", name); sub(/[\[({].*/, "", name); path = ""; rest = name
		if (match(name, /.*\//)) { path = substr(name, 1, RLENGTH); rest = substr(name, RLENGTH + 1) }
		sub(/\..*/, "", rest); sum[path rest] += $2
	} END { for (p in sum) if (sum[p] > 200000) printf "  %7d %s\n", sum[p] / 1000, p }' | sort -rn
	rm -f "$whole"
done
[ -z "$over" ]
