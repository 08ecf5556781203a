#!/bin/sh
# Any other system: get the archive of a release, check it, certify. Change what is marked CHANGE.
set -eu
release=${MCP_ASSAY_RELEASE:?where the files of a release are} # CHANGE: or set the variable
platform=linux-$(uname -m)
name=mcp-assay-0.1.0-$platform
curl -fsSLO "$release/$name.tar.gz"
curl -fsSLO "$release/SHA256SUMS-$platform"
sha256sum --ignore-missing -c "SHA256SUMS-$platform"
tar -xzf "$name.tar.gz"
"$name/bin/mcp-assay" server --quiet --report junit=junit.xml --report html=result.html -- node server.js # CHANGE: your server
