#!/bin/sh
# Builds the static, stripped program for each system into .build/release, with
# SHA256SUMS. The recorded cases are packed, and gRPC comes without its pages for
# browsers. A program over the limit fails the release and says what it is made of.
# TARGETS names other systems, GO the go command.
set -eu
GO=${GO:-go}
TARGETS=${TARGETS:-"linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64"}
LIMIT=30000000
out=.build/release

rm -rf "$out"
mkdir -p "$out"
trap 'rm -f vectors/golden/suites.zip' EXIT
trap 'exit 1' INT TERM
$GO run ./cmd/pack vectors/golden/suites.zip
over=
for target in $TARGETS; do
	os=${target%/*} arch=${target#*/}
	file=$out/monosim-$os-$arch
	[ "$os" != windows ] || file=$file.exe
	CGO_ENABLED=0 GOOS=$os GOARCH=$arch $GO build -tags release,grpcnotrace -trimpath -ldflags '-s -w' -o "$file" ./cmd/monosim
	size=$(wc -c < "$file")
	if [ "$target" = "$($GO env GOHOSTOS)/$($GO env GOHOSTARCH)" ]; then
		"$file" vectors verify > /dev/null # with the cases that are in it
	fi
	printf '%-32s %5d kB\n' "${file##*/}" $((size / 1000))
	[ "$size" -le "$LIMIT" ] || over="$over $target"
done
(cd "$out" && sha256sum monosim-* > SHA256SUMS)

# Symbols say whose code and data it is; a stripped program has none.
for target in $over; do
	echo "over $((LIMIT / 1000)) kB: $target, of which code and data in kB of"
	os=${target%/*} arch=${target#*/}
	whole=$(mktemp)
	CGO_ENABLED=0 GOOS=$os GOARCH=$arch $GO build -tags release,grpcnotrace -trimpath -o "$whole" ./cmd/monosim
	$GO tool nm -size -sort size "$whole" | awk '$3 != "b" && $3 != "B" && $3 != "U" {
		name = $4; sub(/^type:\.*/, "", name); path = name; rest = ""
		if (match(name, /.*\//)) { path = substr(name, 1, RLENGTH); rest = substr(name, RLENGTH + 1) } else { path = ""; rest = name }
		sub(/\..*/, "", rest); sum[path rest] += $2
	} END { for (p in sum) if (sum[p] > 200000) printf "  %7d %s\n", sum[p] / 1000, p }' | sort -rn
	rm -f "$whole"
done
[ -z "$over" ]
