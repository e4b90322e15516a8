#!/bin/bash
# Every system call of an ADD that can fail is made to fail, one at a time and all from one on: the
# host is as before, at once, or, when the fault hit the undo and the error says so, after a DEL.
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
world_veth rdma0 port0 1500 9000
ip link set rdma0 up
CONF=$(config '.mtu = 9000 | .mac = "02:00:5e:00:53:aa" | .ipam = {type: "roce-ipam",
	range: "10.56.0.0/24", gateway: "10.56.0.1", routes: [{dst: "198.51.100.0/24"}]}')
FAULTS=0
RESTORED=0

# A lock file that nobody could remove says nothing: the next who needs the lock removes it.
dump() {
	host_dump | grep -v '\.lock f '
	pod_dump pod1
}
cni ADD c1 "$POD" net1 "$CONF" # creates the folders and what else stays
cni DEL c1 "$POD" net1 "$CONF"
BEFORE=$(dump)

# inject CALLS ERRNO WHEN: the next plugin call runs with this fault. hit: it happened.
inject() { CNI_RUN="strace -f -qq -o $TRACE -e trace=$1 -e inject=$1:error=$2:when=$3"; }
hit() { grep -q INJECTED "$TRACE"; }

# complain WHAT: one fault that was not survived, with all there is to see.
complain() {
	diag "$1: status $CNI_RC: $CNI_OUT"
	diag "fault: $(grep -m 1 INJECTED "$TRACE" | cut -c -300)"
	diag "$(diff <(printf '%s\n' "$BEFORE") <(dump) | head -n 30)"
}

# clean_up: whatever happened, the next fault meets the same host.
clean_up() {
	CNI_RUN=
	cni DEL c1 "$POD" net1 "$CONF"
	[ "$BEFORE" = "$(dump)" ] && return
	diag "DEL does not restore the host: the following faults meet another one"
	BEFORE=$(dump)
}

# may_hit_undo WHAT: true unless it is one fault that only the ADD itself can have met; the IPAM
# plugin is another process in the undo, and its calls are counted anew.
may_hit_undo() { [[ $1 != sendmsg\ *[0-9]\ * ]]; }

# judge_add WHAT: after an ADD with a fault.
judge_add() {
	local documents
	documents=$(jq -s length <<<"$CNI_OUT" 2>/dev/null)
	if [ "$CNI_RC" -eq 0 ] || { may_hit_undo "$1" && [[ $CNI_OUT == *"not everything could be restored"* ]]; }; then
		local add=$CNI_RC:$CNI_OUT
		CNI_RUN=
		cni DEL c1 "$POD" net1 "$CONF"
		[ "$CNI_RC" -eq 0 ] && [ "$BEFORE" = "$(dump)" ] && return
		complain "$1, ADD ended with $add, then DEL"
	elif [ "$documents" != 1 ] && { [ -n "$CNI_OUT" ] || [ -z "$CNI_ERR" ]; }; then
		complain "$1: $documents documents on stdout, and on stderr: $CNI_ERR"
	elif [ "$BEFORE" = "$(dump)" ]; then
		return
	else
		complain "$1"
	fi
	clean_up
	return 1
}

# judge_del WHAT: after a DEL with a fault. Success means that nothing is left.
judge_del() {
	local first="$CNI_RC:$CNI_OUT" restored=1
	if [ "$CNI_RC" -eq 0 ] && [ "$BEFORE" != "$(dump)" ]; then
		complain "$1: DEL says that it succeeded"
		restored=0
	fi
	CNI_RUN=
	cni DEL c1 "$POD" net1 "$CONF"
	if [ "$CNI_RC" -ne 0 ] || [ "$BEFORE" != "$(dump)" ]; then
		complain "$1: the first DEL ended with $first, the second one"
		restored=0
		clean_up
	fi
	[ $restored -eq 1 ]
}

# each VERB CALLS ERRNO [+]: the first, the second, ... of these calls fails; with "+" all later too.
each() {
	local verb=$1 calls=$2 errno=$3 plus=${4:-} n=0 restored=0
	while [ $n -lt 80 ]; do
		if [ "$verb" = DEL ]; then
			CNI_RUN=
			cni ADD c1 "$POD" net1 "$CONF"
		fi
		inject "$calls" "$errno" "$((n + 1))$plus"
		cni "$verb" c1 "$POD" net1 "$CONF"
		hit || break
		n=$((n + 1))
		if [ "$verb" = ADD ]; then
			judge_add "$calls $n$plus $errno" && restored=$((restored + 1))
		else
			judge_del "$calls $n$plus $errno" && restored=$((restored + 1))
		fi
	done
	clean_up
	FAULTS=$((FAULTS + n))
	RESTORED=$((RESTORED + restored))
	is "$restored of $n" "$n of $n" "$verb: $errno from $calls${plus:+, and from all after it}: $n faults, $n restored"
	[ $n -gt 0 ] || not_ok "$verb calls none of $calls: this test tests nothing"
}

each ADD sendmsg EPERM
each ADD sendmsg ENOMEM +
each ADD socket EMFILE
each ADD setns ENOMEM
for call in mkdirat renameat linkat symlinkat unlinkat write pwrite64; do
	each ADD "$call" ENOSPC
done
each ADD flock ENOLCK
each ADD pipe2 EMFILE
each ADD clone3,vfork EAGAIN
each DEL sendmsg EBUSY
each DEL sendmsg EPERM +
each DEL unlinkat EIO

# ---- a guard that cannot look must not let pass ----

# guarded DESCRIPTION SETUP UNDO: with the host after SETUP no fault makes an ADD touch the device.
guarded() {
	local n=0 refused=0
	eval "$2"
	BEFORE=$(dump)
	while [ $n -lt 80 ]; do
		inject sendmsg ENOMEM $((n + 1))
		cni ADD c1 "$POD" net1 "$CONF"
		hit || break
		n=$((n + 1))
		if [ "$CNI_RC" -ne 0 ] && [ "$BEFORE" = "$(dump)" ]; then
			refused=$((refused + 1))
			continue
		fi
		complain "$1, sendmsg $n"
		CNI_RUN=
		cni DEL c1 "$POD" net1 "$CONF"
		eval "$3; $2" 2>/dev/null
		BEFORE=$(dump)
	done
	is "$refused of $n" "$n of $n" "$1: $n faults, refused under each"
	CNI_RUN=
	eval "$3"
}
guarded "device with an address" 'ip addr add 192.0.2.1/24 dev rdma0' 'ip addr del 192.0.2.1/24 dev rdma0'
guarded "device with the default route" 'ip link set rdma0 up; ip route add default dev rdma0' 'ip route del default'
guarded "interface name taken in the pod" 'ip -n pod1 link add net1 type bridge' 'ip -n pod1 link del net1'

diag "$FAULTS faults, $RESTORED restored"
done_testing || exit 1
