#!/bin/bash
# kernel: 6.12
# wire: hub
# limit: 1800
# SIGKILL at each system call of ADD and of DEL that changes something, on a real VF with a movable RDMA
# device, roce's own calls and those of its IPAM plugin. Whatever was cut off, four endings lead to the
# same host: DEL; DEL twice; GC; an ADD of the VF to another pod, and DEL of both.
#
# strace kills on entry, before the call is made, and counts each call by itself: every state between
# two changes is met once, and exit_group is what comes after the last change.
set -u
# shellcheck source=tests/lab/lib.sh
. tests/lab/lib.sh
# shellcheck source=tests/lab/inject.sh
. tests/lab/inject.sh

profile
vfs 9000
run_ok 'an RDMA device on the VF' rdmatest pci=$VF0
run_ok 'that moves with it' rdma system set netns exclusive
pods a b
CONF=$(config $VF0 '{"vlan": 7, "mac": "02:00:5e:00:53:01", "mtu": 9000}')
GC=$(jq -c '. + {"cni.dev/valid-attachments": []}' <<<"$CONF")
NETDEV=$(vf_netdev $VF0)

add a
del a
before=$(settled_dump)

# has POD: it has the whole attachment.
has() {
	local seen
	seen=$(ip -n "$1" addr show net1; in_pod "$1" rdma dev)
	[[ $seen = *,UP,*' mtu 9000 '*' 02:00:5e:00:53:01 '*' inet 10.56.0.'*mlx5_0:* ]] &&
		[ -e "/run/roce-ipam/rail/by-id/$1:net1:0" ]
}

# ---- the endings ----

# Each of them starts after a kill of a call of pod a. Output is of what went wrong.

by_del() {
	del a
	[ "$CNI_RC:$CNI_OUT" = 0: ] && back
}

by_gc() {
	cni GC '' '' '' "$GC"
	[ "$CNI_RC:$CNI_OUT" = 0: ] && back
}

# While the VF is in the living pod a, it is a's: the refusal says so. Then a is deleted. Once pod b has
# the VF, another DEL of a, however late, must not touch it.
by_next_pod() {
	if [ ! -e "/sys/bus/pci/devices/$VF0/net/$NETDEV" ]; then
		add b
		[[ $CNI_RC = 1 && $CNI_OUT =~ \"code\":\ *102,.*\ container\ a\  ]] || return
		del a
		[ "$CNI_RC" -eq 0 ] || return
	fi
	add b
	[ "$CNI_RC" -eq 0 ] || return
	del a
	[ "$CNI_RC:$CNI_OUT" = 0: ] && has b || return
	del b
	[ "$CNI_RC" -eq 0 ] && back
}

# ---- the kills ----

by_second_del() { by_del; }
declare -A KILLS RESTORED POINTS

# each VERB ENDING...: kill VERB at each of its changes, then go through the endings, one upon the other.
each() {
	local verb=$1 point ending
	shift
	for ending in "$@"; do
		KILLS[$ending]=0 RESTORED[$ending]=0
	done
	while read -r -u 3 point; do
		[ "$verb" = ADD ] || add a
		# shellcheck disable=SC2086
		if ! doomed $point "$verb" a "$CONF"; then
			not_ok "$verb is killed at $point" "status $CNI_RC: $CNI_OUT"
			del a
			continue
		fi
		for ending in "$@"; do
			KILLS[$ending]=$((KILLS[$ending] + 1))
			if "$ending"; then
				RESTORED[$ending]=$((RESTORED[$ending] + 1))
			else
				mend "$verb killed at $point, $ending"
			fi
		done
	done 3<<<"${POINTS[$verb]}"
}

# survived VERB ENDING DESCRIPTION
survived() {
	is "${RESTORED[$2]}" "${KILLS[$2]}" "$1 killed, then $3: ${KILLS[$2]} kills, ${RESTORED[$2]} restored"
}

traced ADD a "$CONF"
POINTS[ADD]=$(changes)
traced DEL a "$CONF"
POINTS[DEL]=$(changes)
for verb in ADD DEL; do
	own=$(grep -c '^roce ' <<<"${POINTS[$verb]}")
	ipam=$(grep -c '^ipam ' <<<"${POINTS[$verb]}")
	is "$((own > 15 && ipam > 10))" 1 "$verb has $own system calls that change something, its IPAM plugin $ipam"
	each $verb by_del by_second_del
	survived $verb by_del DEL
	survived $verb by_second_del 'DEL twice'
	each $verb by_gc
	survived $verb by_gc GC
	each $verb by_next_pod
	survived $verb by_next_pod 'ADD of the VF to another pod, DEL of both'
done
rmmod rdmatest
done_testing || exit 1
