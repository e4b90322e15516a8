#!/bin/bash
# Every shipped example passes the parser that ADD uses.
set -u
cd "$(dirname "$0")/.." || exit 1
# shellcheck source=tests/tap.sh
. tests/tap.sh
BIN=${BIN:-$PWD/build/bin}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A YAML file with several documents into one JSON file each.
split_yaml() {
	python3 -c 'import json, sys, yaml
for i, doc in enumerate(yaml.safe_load_all(open(sys.argv[1]))):
    json.dump(doc, open("%s/%d.json" % (sys.argv[2], i), "w"))' "$1" "$2"
}

for profile in examples/profile*.json; do
	run_ok "$profile is a node profile" \
		"$BIN/rocectl" validate --offline --profile "$profile" examples/nad-netdev.json
done
for network in examples/nad*.json examples/*.conflist; do
	run_ok "$network is a network" \
		"$BIN/rocectl" validate --offline --profile examples/profile.json "$network"
done
for yaml in examples/*.yaml; do
	mkdir "$work/docs"
	run_ok "$yaml is YAML" split_yaml "$yaml" "$work/docs"
	for document in "$work"/docs/*.json; do
		case $(jq -r .kind "$document") in
		NetworkAttachmentDefinition)
			run_ok "$yaml: the network in it" "$BIN/rocectl" validate --offline \
				--profile examples/profile.json "$document"
			;;
		Pod)
			like "$(jq -r '.metadata.annotations["k8s.v1.cni.cncf.io/networks"]' "$document")" \
				'^rail' "$yaml: the pod asks for a network"
			;;
		*) not_ok "$yaml: a kind that is not expected" ;;
		esac
	done
	rm -r "$work/docs"
done
done_testing || exit 1
