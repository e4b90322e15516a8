#!/bin/bash
# Every shipped example passes the parser that ADD uses.
set -u
cd "$(dirname "$0")/.." || exit 1
# shellcheck source=tests/tap.sh
. tests/tap.sh
BIN=${BIN:-$PWD/build/bin}

for profile in examples/profile*.json; do
	run_ok "$profile is a node profile" "$BIN/rocectl" validate --offline "$profile"
done
for network in examples/nad* examples/*.conflist; do
	run_ok "$network: every network in it" "$BIN/rocectl" validate --offline \
		--profile examples/profile.json "$network"
done
for pod in examples/pod*.yaml; do
	run_ok "$pod asks for a network" python3 -c 'import sys, yaml
for pod in yaml.safe_load_all(open(sys.argv[1])):
    assert pod["metadata"]["annotations"]["k8s.v1.cni.cncf.io/networks"].startswith("rail")' "$pod"
done
run_ok 'examples/device-plugin.yaml hands out the device files of RDMA' python3 -c 'import json, yaml
config = json.loads(yaml.safe_load(open("examples/device-plugin.yaml"))["data"]["config.json"])
assert all(r["selectors"][0]["isRdma"] is True for r in config["resourceList"])'
run_ok 'examples/exclusive-mode.sh is a script' sh -n examples/exclusive-mode.sh
done_testing || exit 1
