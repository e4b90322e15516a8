#!/bin/bash
# kernel: 6.12
# wire: hub
# limit: 1500
# SIGKILL at each system call of ADD that changes something, on a real VF; then DEL restores all.
#
# strace kills on entry, before the call is made, and counts each call by itself: every state between
# two changes is met once, and exit_group is what comes after the last change.
set -u
# shellcheck source=tests/lab/lib.sh
. tests/lab/lib.sh

MORE='{"vlan": 7, "mac": "02:00:5e:00:53:01", "mtu": 9000}'
CALLS='sendmsg renameat symlinkat unlinkat mkdirat exit_group'

# killed_at CALL N: true if roce got as far as its Nth CALL, where it died.
killed_at() {
	CNI_RUN="strace -o /run/trace -e trace=$1 -e inject=$1:signal=KILL:when=$2" \
		cni ADD a /run/netns/a net1 "$(config $VF0 "$MORE")"
	[ "$CNI_RC" -gt 128 ]
}

profile
vfs 9000
pods a
before=$(settled_dump)
kills=0
restored=0
for call in $CALLS; do
	n=1
	while killed_at "$call" $n; do
		kills=$((kills + 1))
		cni DEL a /run/netns/a net1 "$(config $VF0 "$MORE")"
		after=$(host_dump) # usually at rest already
		[ "$after" = "$before" ] || after=$(settled_dump)
		if [ "$CNI_RC" = 0 ] && [ "$after" = "$before" ]; then
			restored=$((restored + 1))
		else
			not_ok "killed at $call $n: DEL restores" "status $CNI_RC $CNI_OUT
$(diff <(echo "$before") <(echo "$after"))"
		fi
		n=$((n + 1))
	done
	cni DEL a /run/netns/a net1 "$(config $VF0 "$MORE")"
done
is "$restored" "$kills" "$kills kills, $restored restored"
is "$((kills > 20))" 1 'every kind of step was hit'
same "$before" "$(settled_dump)" 'the host is as before'
done_testing || exit 1
