#!/bin/bash
# rocectl validate: what an ADD would do and say, and never a change of the host.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/world.sh
. tests/world.sh
world_enter "$@"
# shellcheck source=tests/tap.sh
. tests/tap.sh
# shellcheck source=tests/cni.sh
. tests/cni.sh
# shellcheck source=tests/dump.sh
. tests/dump.sh

POD=/run/netns/pod1
FILE=/run/world/net.json
ip netns add pod1
world_veth rdma0 port0 1500 9000
IPAM='.ipam = {type: "roce-ipam", range: "10.56.0.0/24"}'
dump() {
	host_dump
	pod_dump pod1
	find /run/roce-cni /run/roce-ipam /etc/cni 2>&1 | sort
}

# dry STATUS ERE DESCRIPTION CONFIG [OPTION]...: validate CONFIG; the ADD of it must agree.
dry() {
	local status=$1 ere=$2 what=$3 conf=$4 before out rc
	shift 4
	printf '%s\n' "$conf" >"$FILE"
	before=$(dump)
	out=$("$BIN/rocectl" validate --netns "$POD" "$@" "$FILE" 2>&1)
	rc=$?
	is "$rc" "$status" "$what: exit status"
	like "$out" "$ere" "$what: what it prints"
	same "$before" "$(dump)" "$what: the host is as before, down to the state folders"
}

dry 0 'rdma0' "a sound configuration" "$(config ".mtu = 9000 | $IPAM")"
for word in 'port0' '9000' 'MTU 1500 -> 9000' 'move to the pod' 'rail'; do
	like "$("$BIN/rocectl" validate --netns "$POD" "$FILE" 2>&1)" "$word" "a sound configuration: it prints \"$word\""
done
is "$(find /run/roce-cni /run/roce-ipam 2>/dev/null | wc -l)" 0 "no state folder is created"

dry 1 'lower port0: its MTU is 9000, the pod needs 9001' "other end too small" "$(config '.mtu = 9001')"
dry 1 'MTU 4096 .*4192.*4200' "MTU 4096 for RoCE path MTU 4096" "$(config '.mtu = 4096 | .roceMTU = 4096')"
dry 1 'unknown key "roceMtu"; did you mean "roceMTU"' "misspelt key" "$(config '.roceMtu = 4096')"
dry 1 'not valid JSON|cannot be read|JSON' "broken JSON" '{"cniVersion": '
dry 1 'no interface rdma9' "device missing" "$(config '.device = "rdma9"')"
dry 1 'pf: no interface rdma9 on the host' "PF missing" "$(config 'del(.device) | .pf = "rdma9"')"
dry 1 'pf: rdma0 is no PCI device.*"device": +"rdma0"' "PF that is none" "$(config 'del(.device) | .pf = "rdma0"')"
dry 1 'lo is no Ethernet' "device lo" "$(config '.device = "lo"')"
dry 1 'no device' "no device" "$(config 'del(.device)')"
dry 1 'cannot be the file name of a plugin' "ipam.type with a slash" "$(config '.ipam = {type: "../evil"}')"
dry 1 '/run/netns/none' "no such namespace" "$(config)" --netns /run/netns/none
ip -n pod1 link add net1 type bridge
dry 1 'net1' "interface name taken" "$(config)"
dry 0 'net2' "another interface name" "$(config)" --ifname net2
ip -n pod1 link del net1
ip addr add 192.0.2.1/24 dev rdma0
dry 1 'rdma0 has an IP address' "device with an address" "$(config)"
ip addr del 192.0.2.1/24 dev rdma0
while read -r semantics least; do
	for mtu in $((least - 1)) "$least"; do
		world_profile "{\"version\": 1, \"fabrics\": {\"rail\": {\"switch\": {\"mtu\": $mtu, \"semantics\": \"$semantics\"}}}}"
		if [ "$mtu" = "$least" ]; then
			dry 0 'switch' "switch of $semantics, MTU $mtu" "$(config '.mtu = 9000')"
		else
			dry 1 "switch of fabric rail: its MTU $mtu \\($semantics" "switch of $semantics, MTU $mtu" "$(config '.mtu = 9000')"
		fi
	done
done <<'END'
l3 9000
l2hdr 9014
l2frame 9018
END
dry 1 'fabric: "tail" is not in the node profile' "unknown fabric" "$(config '.fabric = "tail"')"
world_profile '{"version": '
dry 1 'node profile' "broken profile" "$(config)"
world_profile

# ---- statuses and forms ----

before=$(dump)
for call in "validate" "validate --nonsense $FILE" "nonsense" "" "validate /run/no-such-file"; do
	# shellcheck disable=SC2086
	"$BIN/rocectl" $call >/dev/null 2>&1
	is "$?" 2 "rocectl $call: exit status 2"
done
same "$before" "$(dump)" "wrong calls change nothing"
nad=$(jq -nc --arg c "$(config '.mtu = 9000 | del(.name)')" '{apiVersion: "k8s.cni.cncf.io/v1",
	kind: "NetworkAttachmentDefinition", metadata: {name: "rail-a"}, spec: {config: $c}}')
dry 0 'network rail-a' "a NetworkAttachmentDefinition" "$nad"
list=$(config 'del(.name, .cniVersion) | {cniVersion: "1.1.0", name: "chain", plugins: [., {type: "tuning"}]}')
dry 0 'network chain' "a list of plugins" "$list"

# ---- the answer is the ADD's ----

conf=$(config '.mtu = 9000')
printf '%s' "$conf" >"$FILE"
run_ok "validate while the device is on the host" "$BIN/rocectl" validate --netns "$POD" "$FILE"
cni ADD c1 "$POD" net1 "$conf"
succeeded "the ADD that was validated"
before=$(dump)
out=$("$BIN/rocectl" validate --netns "$POD" "$FILE" 2>&1)
is "$?" 1 "validate while a pod has the device: exit status"
same "$before" "$(dump)" "validate while a pod has the device: nothing changes"
like "$("$BIN/rocectl" show)" 'rail +c1 +net1 +rdma0 .* 9000 +active' "show lists the attachment"
same "$before" "$(dump)" "show changes nothing"
cni DEL c1 "$POD" net1 "$conf"

# ---- it cannot change anything: the code is not in it ----

# What rocectl may change is the lease store, by "rocectl ipam" (ipam_admin.sh looks at the system calls of the rest).
changing='apply_do|apply_undo|step_exec|detach|detach_device|repair_all|link_set|addr_add|addr_del|route_add|route_del|vf_set_mac|vf_set_vlan'
changing+='|rdmadev_move|netns_sysctl|journal_write|journal_remove|store_claim|store_unclaim|store_try_device|pick_take'
is "$(nm "$BIN/rocectl" | grep -E " [TtW] ($changing)\$")" '' "rocectl has no code that changes the host"
is "$(nm "$BIN/roce" | grep -cE ' T (apply_do|step_exec|link_set|journal_write|pick_take)$')" 5 "which roce has"

done_testing || exit 1
