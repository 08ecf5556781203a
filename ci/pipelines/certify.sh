#!/bin/sh
# Any other system: get the archive of a release, check it, certify. Change what is marked CHANGE.
set -eu
version=0.1.0
name=mcp-assay-$version-linux-$(uname -m).tar.gz
release=${MCP_ASSAY_RELEASES:?where releases are published}/v$version # CHANGE: or set the variable
curl -fsSLO "$release/$name" && curl -fsSLO "$release/SHA256SUMS"
grep -F " $name" SHA256SUMS | sha256sum -c -
tar -xzf "$name" && PATH="$PWD/${name%.tar.gz}/bin:$PATH"
mcp-assay server --quiet --report junit=junit.xml --report html=result.html -- node server.js # CHANGE: your server
