# Sourced by the scripts beside it: the repository's root, and what more than one of them needs.
# shellcheck shell=bash
# shellcheck disable=SC2034
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)

say() { printf '%s\n' "$*" >&2; }
die() { say "${0##*/}: $*"; exit 1; }

# Parallel compilers: one per core, but no more than memory carries (the heaviest source takes about 1.2 GB).
jobs_here() {
  local cores memory_kb n
  cores=$(nproc 2>/dev/null || echo 2)
  memory_kb=$(awk '/^MemAvailable:/ {print $2}' /proc/meminfo 2>/dev/null || true)
  n=$(( ${memory_kb:-4000000} / 1200000 ))
  if (( n < 1 )); then n=1; fi
  if (( n > cores )); then n=$cores; fi
  echo "$n"
}

# The sum over the 'N passed, N failed[, N skipped]' lines of standard input, as such a line.
sum_of_counts() {
  awk '/^[0-9]+ passed, [0-9]+ failed/ { passed += $1; failed += $3; if ($6 == "skipped") skipped += $5 }
       END { printf "%d passed, %d failed%s\n", passed, failed, skipped ? ", " skipped " skipped" : "" }'
}

# counts_of RESULTS STATUS: the line 'N passed, N failed[, N skipped]' of a ctest run from its JUnit file and exit status.
# A status that no failed test explains counts as a failure, and so does a run of no tests.
counts_of() {
  local results=$1 status=$2 head total failed skipped
  head=$(awk '/<testsuite[ \t]*$/ || /<testsuite / {on = 1} on {printf "%s ", $0} on && />/ {exit}' "$results" 2>/dev/null | tr '\t' ' ') || true
  attribute() {
    local value
    value=$(sed -n "s/.* $1=\"\([0-9]\{1,\}\)\".*/\1/p" <<<"$head")
    echo "${value:-0}"
  }
  total=$(attribute tests) failed=$(attribute failures)
  skipped=$(( $(attribute skipped) + $(attribute disabled) ))
  local passed=$(( total - failed - skipped ))
  if (( failed == 0 && (status != 0 || total == 0) )); then failed=1; fi
  printf '%d passed, %d failed' "$passed" "$failed"
  if (( skipped > 0 )); then printf ', %d skipped' "$skipped"; fi
  printf '\n'
}

# failures_of RESULTS: the tests that failed in a JUnit file of ctest, each as a line 'FAILED  NAME' with the end of what it said.
failures_of() {
  awk '/<testcase / { on = / status="fail"/; n = 0; name = $0; sub(/.* name="/, "", name); sub(/" classname=.*/, "", name) }
       on { said[n++] = $0 }
       on && /<\/testcase>/ {
         print "FAILED  " name
         for (i = (n > 40 ? n - 40 : 1); i < n - 1; ++i) print said[i]
         on = 0
       }' "$1" 2>/dev/null | sed 's/&lt;/</g; s/&gt;/>/g; s/&quot;/"/g; s/&apos;/'"'"'/g; s/&amp;/\&/g' || true
}
