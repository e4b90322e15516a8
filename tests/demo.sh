#!/bin/bash
# The main job, without hardware: a veth stands for the RDMA netdev, one namespace for the node and
# one for the pod.
set -u
cd "$(dirname "$0")/.." || exit 1
# shellcheck source=tests/world.sh
. tests/world.sh
world_enter "$@"
# shellcheck source=tests/cni.sh
. tests/cni.sh
# shellcheck source=tests/dump.sh
. tests/dump.sh

START=$(date +%s%N)
FAILED=0
step() { printf '\n\033[1m== %s\033[0m\n' "$1"; }
show() { printf '  %s\n' "$*"; }
expect() { # expect STATUS WHAT: the last plugin call ended like that
	if [ "$CNI_RC" -ne "$1" ]; then
		FAILED=1
		show "UNEXPECTED: $2: status $CNI_RC: $CNI_OUT"
	fi
}

step "A node with an RDMA netdev (MTU 9000) on a switch port, and an empty pod"
ip netns add pod1
ip netns add fabric
ip link add rdma0 mtu 1500 type veth peer name port1 netns fabric
ip -n fabric link set port1 mtu 9216 up
ip -n fabric addr add 10.56.0.1/24 dev port1
world_profile "$(cat examples/profile-veth.json)"
before=$(host_dump)
show "rdma0 has MTU 1500; the switch permits 9216 (profile: $PROFILE)"

step "The NetworkAttachmentDefinition (examples/nad-netdev.json)"
config=$(jq -r .spec.config examples/nad-netdev.json)
name=$(jq -r .metadata.name examples/nad-netdev.json)
config=$(jq -c --arg n "$name" '.name //= $n' <<<"$config") # as Multus fills it in
jq . <<<"$config" | sed 's/^/  /'

step "Dry run: rocectl validate (nothing is changed)"
"$BIN/rocectl" validate --netns /run/netns/pod1 examples/nad-netdev.json | sed 's/^/  /'

step "ADD: the CNI result"
cni ADD demo1 /run/netns/pod1 net1 "$config"
expect 0 ADD
jq . <<<"$CNI_OUT" | sed 's/^/  /'
show "in the pod:"
ip -n pod1 -br addr show net1 | sed 's/^/  /'

step "A jumbo ping that may not be fragmented: 8972 bytes + 28 of headers = MTU 9000"
ip netns exec pod1 ping -c 2 -i 0.2 -W 2 -M 'do' -s 8972 10.56.0.1 | sed 's/^/  /' || FAILED=1
[ "${PIPESTATUS[0]}" -eq 0 ] || FAILED=1

step "DEL, and the host is as before"
cni DEL demo1 /run/netns/pod1 net1 "$config"
expect 0 DEL
if [ "$(host_dump)" = "$before" ]; then
	show "links, addresses, routes and state folders: no difference"
else
	FAILED=1
	diff <(printf '%s' "$before") <(host_dump)
fi

step "The same ADD on a switch that is too small: refused before anything is touched"
world_profile "$(jq '.fabrics.rail.switch = {mtu: 8000, semantics: "l2frame"}' examples/profile-veth.json)"
cni ADD demo2 /run/netns/pod1 net1 "$config"
expect 1 "ADD on a small switch"
jq . <<<"$CNI_OUT" | fold -s -w 96 | sed 's/^/  /'
[ "$(host_dump)" = "$before" ] && show "the host: no difference" || FAILED=1

printf '\n%s after %d ms\n' "$([ $FAILED -eq 0 ] && echo 'All as it should be' || echo 'SOMETHING IS WRONG')" \
	$((($(date +%s%N) - START) / 1000000))
exit $FAILED
