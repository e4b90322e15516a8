#!/bin/bash
# The JSON schema of the node profile says what the parser says.
set -u
cd "$(dirname "$0")/.." || exit 1
# shellcheck source=tests/tap.sh
. tests/tap.sh
BIN=${BIN:-$PWD/build/bin}
SCHEMA=docs/profile.schema.json
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# schema FILE: whether it is valid by the schema.
schema() {
	python3 -W ignore -c 'import json, sys, jsonschema
jsonschema.validate(json.load(open(sys.argv[2])), json.load(open(sys.argv[1])))' \
		"$SCHEMA" "$1" >/dev/null 2>&1
}
# parser FILE: whether it is a profile that rocectl takes.
parser() { "$BIN/rocectl" validate --offline "$1" >/dev/null 2>&1; }

# both WANTED FILTER: a profile, changed by a jq filter; schema and parser must agree.
base='{version: 1, fabrics: {a: {switch: {mtu: 9216, semantics: "l3"}, pfs: [{name: "rdma*"}]}}}'
both() {
	jq -n "$base | $2" >"$work/profile.json"
	schema "$work/profile.json"
	local by_schema=$?
	parser "$work/profile.json"
	is "$((by_schema != 0)) $(($? != 0))" "$1 $1" "schema and parser: $2"
}

run_ok 'the schema is a schema' python3 -W ignore -c 'import json, sys, jsonschema
jsonschema.Draft202012Validator.check_schema(json.load(open(sys.argv[1])))' "$SCHEMA"
for profile in examples/profile*.json; do
	run_ok "$profile by the schema" schema "$profile"
done

while read -r filter; do both 0 "$filter"; done <<'END'
.
.fabrics = {}
.policy.mtu = "clamp"
.policy = {mtu: "warn", mayLoosen: true}
.stateDir = "/var/lib"
.fabrics.a.switch = {platform: "sonic"}
.fabrics.a.switch.tags = 2
.fabrics.a.switch.encapsulation = 50
.fabrics.a.switch.classMTU = {"0": 9216, "7": 4300}
.fabrics.a.qos = {trafficClass: 3, dscp: 26, trust: "pcp", pfc: [3, 4], ecn: false}
.fabrics.a.pfs += [{pci: "0000:3b:00.0"}, {driver: "mlx5_core"}, {physPortName: "p0"}]
.fabrics.a.pfMTU = 9000
.logRoots = []
.logRoots = ["/var/log/roce", "/srv/log"]
.fabrics.a.vfs = []
.fabrics.a.vfs = [0, "4-7", 65534]
.allowPF = true
.forbid = []
.forbid = ["vlan", "vlanQoS", "vlanProto", "mac", "spoofchk", "trust", "link_state", "min_tx_rate", "max_tx_rate", "mtu", "promisc", "allmulti", "txQLen", "sysctl"]
.fabrics.a.vfBaseline = {}
.fabrics.a.vfBaseline = {mtu: 1500, vlan: 7, vlanQoS: 3, vlanProto: "802.1ad", spoofchk: "on", trust: "off", link_state: "auto"}
.fabrics.a.vfBaseline = {min_tx_rate: 0, max_tx_rate: 25000, promisc: false, allmulti: false, txQLen: 1000}
.carrierWait = 0
.carrierWait = 10000
END
while read -r filter; do both 1 "$filter"; done <<'END'
del(.version)
.version = 2
.versions = 1
.defaultFabric = 1
.fabrics = []
.fabrics.a = 1
.fabrics.a.colour = 1
.policy.mtu = "lax"
.policy.mayLoosen = "yes"
.policy.roce = 1
.carrierWait = -1
.carrierWait = 10001
.carrierWait = 0.5
.carrierWait = "200"
.stateDir = "var"
.stateDir = "/var/../etc"
.fabrics.a.roceMTU = 4200
.fabrics.a.roceMTU = "4096"
.fabrics.a.podMTU = 67
.fabrics.a.podMTU = 65536
.fabrics.a.pfMTU = 1500.5
.fabrics.a.switch = {mtu: 9216}
.fabrics.a.switch = {semantics: "l3"}
.fabrics.a.switch.semantics = "L3"
.fabrics.a.switch.platform = "ios"
.fabrics.a.switch.tags = 3
.fabrics.a.switch.tags = -1
.fabrics.a.switch.encapsulation = 257
.fabrics.a.switch.classMTU = {"8": 9216}
.fabrics.a.switch.classMTU = {"0": 10}
.fabrics.a.switch.classMTU = [9216]
.fabrics.a.qos.trafficClass = 8
.fabrics.a.qos.dscp = 64
.fabrics.a.qos.trust = "tos"
.fabrics.a.qos.pfc = 3
.fabrics.a.qos.pfc = [8]
.fabrics.a.qos.ecn = 1
.fabrics.a.qos.cos = 1
.fabrics.a.pfs = [{}]
.fabrics.a.pfs = [{name: ""}]
.fabrics.a.pfs = [{name: "a", driver: "b"}]
.fabrics.a.pfs = [{pci: "3b"}]
.fabrics.a.pfs = [{port: "a"}]
.fabrics.a.pfs = {name: "a"}
.logRoots = "/var/log"
.logRoots = ["log"]
.logRoots = ["/var/log/"]
.logRoots = ["/var/../log"]
.logRoots = ["/"]
.fabrics.a.vfs = 3
.fabrics.a.vfs = "0-3"
.fabrics.a.vfs = [-1]
.fabrics.a.vfs = [65535]
.fabrics.a.vfs = [1.5]
.fabrics.a.vfs = ["3"]
.fabrics.a.vfs = ["3-"]
.fabrics.a.vfs = ["0-000004"]
.allowPF = 1
.allowPF = "true"
.forbid = "vlan"
.forbid = ["ipam"]
.forbid = [1]
.fabrics.a.vfBaseline = "off"
.fabrics.a.vfBaseline.mac = "02:00:5e:00:53:01"
.fabrics.a.vfBaseline.mtu = 67
.fabrics.a.vfBaseline.vlan = 4095
.fabrics.a.vfBaseline.vlanQoS = 3
.fabrics.a.vfBaseline.vlanProto = "802.1q"
.fabrics.a.vfBaseline = {vlan: 7, vlanQoS: 8}
.fabrics.a.vfBaseline.spoofchk = true
.fabrics.a.vfBaseline.trust = "yes"
.fabrics.a.vfBaseline.link_state = "up"
.fabrics.a.vfBaseline.min_tx_rate = -1
.fabrics.a.vfBaseline.max_tx_rate = "100"
.fabrics.a.vfBaseline.promisc = "off"
.fabrics.a.vfBaseline.allmulti = 0
.fabrics.a.vfBaseline.txQLen = 1.5
END

# Every key of the parser's tables is in the schema and in the manual.
while read -r key; do
	if grep -q "\"$key\"" "$SCHEMA" && grep -q "\`[a-zA-Z.]*$key\`" docs/profile.md; then
		ok "key $key: in the schema and in docs/profile.md"
	else
		not_ok "key $key: in the schema and in docs/profile.md"
	fi
done < <(sed -n 's/^\t\t{ "\([a-zA-Z_]*\)", [a-z].*/\1/p' conf/fabric.c conf/profile.c | sort -u)
for platform in $(sed -n 's/^\t{ "\([a-z0-9]*\)", SWITCH_.*/\1/p' conf/switch.c); do
	run_ok "platform $platform: in the schema and in docs/profile.md" \
		eval "grep -q '\"$platform\"' $SCHEMA && grep -q '\`$platform\`' docs/profile.md"
done
done_testing || exit 1
