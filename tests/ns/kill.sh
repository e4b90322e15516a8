#!/bin/bash
# SIGKILL at every system call of an ADD or DEL that changes something: whatever was cut off, a DEL
# restores the host, and so does an ADD for another container followed by both DELs.
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

if ! strace -o /dev/null true 2>/dev/null; then
	echo "1..0 # SKIP strace cannot be used here"
	exit 0
fi
POD=/run/netns/pod1
TRACE=/run/trace
ip netns add pod1
ip netns add pod2
world_veth rdma0 port0 1500 9000
ip link set rdma0 up
CONF=$(config '.mtu = 9000 | .mac = "02:00:5e:00:53:aa" | .ipam = {type: "roce-ipam",
	range: "10.56.0.0/24", gateway: "10.56.0.1", routes: [{dst: "198.51.100.0/24"}]}')

# A killed process leaves the file of its lock and a file it has not renamed yet; the kernel has
# released the lock, and neither says anything of a device or an address.
dump() {
	host_dump | grep -vE '\.lock f |\.tmp f |/pending f '
	pod_dump pod1
	pod_dump pod2
}
cni ADD c1 "$POD" net1 "$CONF"
cni DEL c1 "$POD" net1 "$CONF"
BEFORE=$(dump)

# doom CALL N: the next plugin call dies on entering its N-th CALL: after all that it has done so far.
doom() { CNI_RUN="strace -f -qq -o $TRACE -e trace=$1 -e inject=$1:signal=KILL:when=$2"; }
spare() { CNI_RUN=; }
died() { grep -q 'killed by SIGKILL' "$TRACE"; }

complain() {
	diag "$1: status $CNI_RC: $CNI_OUT"
	diag "last call: $(grep -v '^[0-9]* +++' "$TRACE" | tail -n 1 | cut -c -250)"
	diag "$(diff <(printf '%s\n' "$BEFORE") <(dump) | head -n 30)"
}

# equal WHAT: the host is as before; if it is not, everything is put right for the next kill.
equal() {
	[ "$BEFORE" = "$(dump)" ] && return
	complain "$1"
	cni DEL c1 "$POD" net1 "$CONF"
	cni DEL c2 /run/netns/pod2 net1 "$CONF"
	ip link set rdma0 down
	ip link set rdma0 mtu 1500 address "$MAC" up
	[ "$BEFORE" = "$(dump)" ] || diag "the host could not be put right"
	return 1
}
MAC=$(cat /sys/class/net/rdma0/address)

# after_add: ADD was killed; DEL of the same attachment.
after_add() {
	cni DEL c1 "$POD" net1 "$CONF"
	[ "$CNI_RC:$CNI_OUT" = "0:" ] || diag "DEL after the kill: $CNI_RC: $CNI_OUT"
	equal "$1, then DEL" && [ "$CNI_RC" -eq 0 ]
}

# next_pod: ADD was killed; the device is for another container now. While it is in the pod of the
# first, that pod has it: then the message names the owner, and after its DEL the device is free.
next_pod() {
	local fine=0
	cni ADD c2 /run/netns/pod2 net1 "$CONF"
	if [ "$CNI_RC" -ne 0 ]; then
		if [ -e /sys/class/net/rdma0 ] || [ "$(code)" != 102 ] || [[ $(msg) != *"container c1"* ]]; then
			diag "$1: ADD for another container: $CNI_OUT"
			fine=1
		fi
		cni DEL c1 "$POD" net1 "$CONF"
		cni ADD c2 /run/netns/pod2 net1 "$CONF"
	fi
	[ "$CNI_RC" -eq 0 ] || diag "$1: ADD for another container, second attempt: $CNI_OUT"
	cni DEL c1 "$POD" net1 "$CONF"
	if [ "$(ip -n pod2 -j link show dev net1 | jq -r '.[0].mtu')" != 9000 ]; then
		diag "$1: the late DEL of the first container took the device from the second"
		fine=1
	fi
	cni DEL c2 /run/netns/pod2 net1 "$CONF"
	equal "$1, ADD of another container, DEL of both" && [ $fine -eq 0 ]
}

# again: ADD was killed; the same ADD once more, then DEL.
again() {
	cni ADD c1 "$POD" net1 "$CONF"
	local out=$CNI_RC:$CNI_OUT
	cni DEL c1 "$POD" net1 "$CONF"
	equal "$1, the same ADD ($out), DEL" && [[ $out == 0:* ]]
}

CALLS="mkdirat renameat symlinkat linkat unlinkat sendmsg write exit_group"

# each VERB THEN DESCRIPTION: kill VERB at each call, then do THEN.
each() {
	local verb=$1 then=$2 call n kills=0 fine=0
	for call in $CALLS; do
		for n in $(seq 60); do
			if [ "$verb" = DEL ]; then
				spare
				cni ADD c1 "$POD" net1 "$CONF"
			fi
			doom "$call" "$n"
			cni "$verb" c1 "$POD" net1 "$CONF" 2>/dev/null
			spare
			if ! died; then
				cni DEL c1 "$POD" net1 "$CONF"
				break
			fi
			kills=$((kills + 1))
			"$then" "$verb killed at $call $n" && fine=$((fine + 1))
		done
	done
	is "$fine of $kills" "$kills of $kills" "$3: $kills kills, $fine survived"
	[ $kills -gt 20 ] || not_ok "only $kills kills: this test tests too little"
}

each ADD after_add "ADD killed, then DEL"
each ADD next_pod "ADD killed, then ADD for another container, then DEL of both"
CALLS="renameat linkat sendmsg"
each ADD again "ADD killed, then the same ADD, then DEL"
CALLS="unlinkat sendmsg exit_group"
each DEL after_add "DEL killed, then DEL"

# ---- a stranger with the index that was kept for the device ----

for n in $(seq 40); do # until the claim is there, that is before the first change
	doom sendmsg "$n"
	cni ADD c1 "$POD" net1 "$CONF" 2>/dev/null
	spare
	[ -z "$(find /run/roce-cni/devices -type l)" ] || break
	cni DEL c1 "$POD" net1 "$CONF"
done
is "$(cat /sys/class/net/rdma0/mtu)" 1500 "an ADD was cut off before it changed anything"
ip -n pod1 link add mine index "$(cat /sys/class/net/rdma0/ifindex)" type veth peer name other
cni DEL c1 "$POD" net1 "$CONF"
is "$(ip -n pod1 -o link show 2>/dev/null | grep -c 'mine@')" 1 \
	"a DEL after a cut-off ADD leaves another interface of the pod alone, though it has the index"
silent "a DEL after a cut-off ADD succeeds then"
ip -n pod1 link del other
same "$BEFORE" "$(dump)" "a DEL after a cut-off ADD: the host is as before"

done_testing || exit 1
