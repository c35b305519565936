# Turns the summary of gotestsum into the closing lines of the tests: each reason
# to skip once, each failed test, and the totals as `N passed, N failed, N skipped`.
# Reports of tests that ran once more, of --rerun-fails-report, are read before it: what
# passed then is told, and no failure.

FILENAME != "-" {
  name = $0
  sub(/: [0-9]+ runs?, [0-9]+ failures?$/, "", name)
  split(substr($0, length(name) + 3), runs, /[^0-9]+/)
  if (runs[2] < runs[1]) {
    passed[name] = 1
    print "failed once, passed when it ran once more: " name
  }
  next
}
/^=== SKIP: / { took(); skipping = 1; name = $3 " " $4; next }
/^=== FAIL: / {
  took()
  if (again($3, $4)) next
  if ($4 ~ /^\(/) packages++ # failed without a test: it does not build, it exits
  print "failed: " $3 ($4 ~ /^\(/ ? "" : " " $4)
  next
}
/^=== Errors/ { took(); erring = 1; next }
/^=== /       { took(); next }
/^DONE / {
  took()
  for (i = 2; i < NF; i++) {
    if ($(i + 1) ~ /^tests?,?$/) tests = $i
    if ($(i + 1) ~ /^skipped,?$/) skipped = $i
    if ($(i + 1) ~ /^failures?,?$/) failed = $i
    if ($(i + 1) ~ /^errors?,?$/) errors = $i
  }
  next
}
skipping && NF {
  sub(/^ +/, "")
  sub(/^[A-Za-z0-9_]+\.go:[0-9]+: /, "")
  reason = reason (reason == "" ? "" : " ") $0
}
erring && NF { print "error: " $0 }

# again says whether a test passed when it ran once more; gotestsum names packages from the module on.
function again(package, test,   name) {
  for (name in passed) {
    if (length(name) > length(package test) && substr(name, length(name) - length(package test) - 1) == "/" package "." test) {
      rescued++
      return 1
    }
  }
  return 0
}

# took ends what the lines before were about.
function took() {
  if (skipping) {
    if (reason == "") reason = "no reason given"
    if (!(reason in count)) { reasons[++n] = reason; first[reason] = name }
    count[reason]++
  }
  skipping = erring = 0
  reason = ""
}

END {
  for (i = 1; i <= n; i++) {
    reason = reasons[i]
    more = count[reason] > 1 ? sprintf(" and %d more", count[reason] - 1) : ""
    printf "skipped: %s (%s%s)\n", reason, first[reason], more
  }
  failed -= rescued
  tests -= rescued
  if (!failed) failed = packages = errors
  printf "%d passed, %d failed, %d skipped\n", tests - (failed - packages) - skipped, failed, skipped
}
