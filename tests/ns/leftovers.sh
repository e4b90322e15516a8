#!/bin/bash
# What a cut-off ADD or DEL, or a pod that died without a DEL, has left on the host is put right by the next
# STATUS, GC of any network, or rocectl gc; a pod that is alive is never touched.
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
STORE=/run/roce-cni
ip netns add pod1
ip netns add pod2
world_veth rdma0 port0 1500 9000
ip link set rdma0 up
MAC=$(cat /sys/class/net/rdma0/address)
IPAM='.ipam = {type: "roce-ipam", range: "10.56.0.0/24"}'
CONF=$(config ".mtu = 9000 | .mac = \"02:00:5e:00:53:aa\" | $IPAM")
OTHER=$(config ".name = \"other\" | $IPAM | .\"cni.dev/valid-attachments\" = []")

# A killed process leaves lock files and files it has not renamed yet, which say nothing.
no_litter() { grep -vE '\.lock f |\.tmp f |/pending f '; }
whole_dump() { # of the host, the pods and the state
	host_dump | no_litter
	pod_dump pod1
	pod_dump pod2
}
# quick_dump: what an attachment changes, for a look after each of many kills.
quick_dump() {
	dump_links
	dump_state | no_litter
	pod_dump pod1
}
# device_dump, quick_device_dump: the same without what a DEL is still to give back.
no_addresses() { grep -vE '/(attachments|roce-ipam)/'; }
device_dump() { whole_dump | no_addresses; }
quick_device_dump() { quick_dump | no_addresses; }
leases() { find /run/roce-ipam -path '*by-id/*' -printf '%f\n' 2>/dev/null | sort | xargs; }
journals() { find $STORE/attachments -name 'c*:net1' -printf '%f\n' | sort | xargs; }
claims() { find $STORE/devices -type l -printf '%f\n' | sort | xargs; }

add() { cni ADD "${1:-c1}" "/run/netns/${2:-pod1}" net1 "${3:-$CONF}"; }
del() { cni DEL "${1:-c1}" "/run/netns/${2:-pod1}" net1 "${3:-$CONF}"; }
# The four that repair. A dry run does nothing.
by_status() { cni STATUS '' '' '' "$CONF"; }
by_other_gc() { cni GC '' '' '' "$OTHER"; }
by_rocectl() { GC_OUT=$("$BIN/rocectl" gc "$@" 2>/run/gc.err); CNI_RC=$? CNI_OUT=; }
by_dry_run() { by_rocectl --dry-run; }

# doom CALL N: the next plugin call dies on entering its N-th CALL.
doom() { CNI_RUN="strace -f -qq -o $TRACE -e trace=$1 -e inject=$1:signal=KILL:when=$2"; }
spare() { CNI_RUN=; }
died() { grep -q 'killed by SIGKILL' "$TRACE"; }

add
del
by_other_gc
BEFORE=$(whole_dump)
DEVICE_BEFORE=$(device_dump)
QUICK_BEFORE=$(quick_dump)
QUICK_DEVICE_BEFORE=$(quick_device_dump)

# ---- nothing left, nothing done ----

for by in by_status by_other_gc by_rocectl by_dry_run; do
	$by
	is "$CNI_RC:$CNI_OUT" "0:" "$by, nothing is left: it succeeds"
	same "$BEFORE" "$(whole_dump)" "$by, nothing is left: nothing changes"
done
add
ALIVE=$(whole_dump)
for by in by_status by_other_gc by_rocectl by_dry_run; do
	$by
	is "$CNI_RC:$CNI_OUT" "0:" "$by, the pod is alive: it succeeds"
	same "$ALIVE" "$(whole_dump)" "$by, the pod is alive: nothing changes"
done
is "$(wc -l <<<"$GC_OUT")" 1 "rocectl gc does not list a pod that is alive"
del

# ---- ADD or DEL killed at every call that changes something ----

put_right() {
	spare
	del
	ip link set rdma0 down
	ip link set rdma0 mtu 1500 address "$MAC" up
	[ "$QUICK_BEFORE" = "$(quick_dump)" ] || diag "the host could not be put right"
}
wrong() {
	diag "$1: status $CNI_RC: $CNI_OUT"
	diag "last call: $(grep -v '^[0-9]* +++' "$TRACE" | tail -n 1 | cut -c -250)"
}

# expected BY ON_HOST CUT NOW: what there should be now, after BY, when CUT was there before.
expected() {
	if [ "$1" = by_dry_run ] || [ "$2" = 0 ]; then
		echo "$3"
	elif [ "$1" = by_rocectl ]; then
		echo "$QUICK_BEFORE"
	else # journal and addresses are as they were
		diff <(echo "$QUICK_DEVICE_BEFORE") <(no_addresses <<<"$4") >/dev/null && echo "$4"
	fi
}

# after_kill BY WHAT: the device is on the host and gets restored, or it is in the pod and is left alone.
after_kill() {
	local by=$1 what=$2 cut on_host=0 fine=1 now
	cut=$(quick_dump)
	[ ! -e /sys/class/net/rdma0 ] || on_host=1
	ON_HOST=$((ON_HOST + on_host))
	$by
	now=$(quick_dump)
	if [ "$CNI_RC" -ne 0 ] || [ "$now" != "$(expected "$by" $on_host "$cut" "$now")" ]; then
		wrong "$what, $by"
		diag "$(diff <(echo "$QUICK_BEFORE") <(echo "$now"))"
		fine=0
	fi
	del
	if [ "$CNI_RC" -ne 0 ] || [ "$QUICK_BEFORE" != "$(quick_dump)" ]; then
		wrong "$what, $by, DEL"
		put_right
		fine=0
	fi
	[ $fine = 1 ]
}

# each VERB CALLS BY: kill VERB at each of these calls, then BY.
each() {
	local verb=$1 by=$3 call n kills=0 fine=0
	ON_HOST=0
	for call in $2; do
		for n in $(seq 60); do
			spare
			[ "$verb" = ADD ] || add
			doom "$call" "$n"
			cni "$verb" c1 "$POD" net1 "$CONF" 2>/dev/null
			spare
			if ! died; then
				del
				break
			fi
			kills=$((kills + 1))
			after_kill "$by" "$verb killed at $call $n" && fine=$((fine + 1))
		done
	done
	is "$fine of $kills" "$kills of $kills" "$verb killed, then $by: $kills kills, $fine put right"
	[ $kills -gt 10 ] && [ $ON_HOST -gt 5 ] && [ $ON_HOST -lt $kills ] ||
		not_ok "$kills kills, $ON_HOST with the device on the host: this tests too little"
}
each ADD "symlinkat sendmsg renameat exit_group" by_status
each DEL "sendmsg unlinkat" by_status
each ADD sendmsg by_other_gc
each ADD sendmsg by_rocectl
each DEL sendmsg by_rocectl
each ADD sendmsg by_dry_run
same "$BEFORE" "$(whole_dump)" "after all that the host is as before"

# ---- the repair itself is killed ----

# cut_off: an ADD dies after it has changed the device's MTU and before it has moved it.
cut_off() {
	local n
	for n in $(seq 60); do
		doom sendmsg "$n"
		cni ADD c1 "$POD" net1 "${1:-$CONF}" 2>/dev/null
		spare
		[ "$(cat /sys/class/net/rdma0/mtu 2>/dev/null)" = 1500 ] || return 0
		del
	done
	not_ok "no ADD was cut off behind the MTU"
}
kills=0 fine=0
for call in sendmsg unlinkat write exit_group; do
	for n in $(seq 60); do
		cut_off
		doom "$call" "$n"
		by_status 2>/dev/null
		spare
		died || break
		kills=$((kills + 1))
		by_status
		if [ "$CNI_RC" -eq 0 ] && [ "$(quick_device_dump)" = "$QUICK_DEVICE_BEFORE" ]; then
			fine=$((fine + 1))
		else
			wrong "repair killed at $call $n, then STATUS"
		fi
		del
	done
	del
done
is "$fine of $kills" "$kills of $kills" "a repair that is killed is finished by the next: $kills kills"
[ $kills -gt 5 ] || not_ok "only $kills kills: this tests too little"

# ---- somebody is at work ----

# at_work LOCK DESCRIPTION: with this lock held nothing is touched, and nobody waits.
at_work() {
	local cut start ms
	cut=$(whole_dump)
	exec 9>"$STORE/$1"
	flock 9
	for by in by_status by_other_gc; do
		start=$(date +%s%N)
		$by
		ms=$((($(date +%s%N) - start) / 1000000))
		is "$CNI_RC:$CNI_OUT$CNI_ERR" "0:" "$2: $by succeeds without a word"
		same "$cut" "$(whole_dump)" "$2: $by changes nothing"
		[ $ms -lt 5000 ] && ok "$2: $by does not wait" || not_ok "$2: $by does not wait" "$ms ms"
	done
	exec 9>&-
	rm -f "$STORE/$1"
}
cut_off
at_work attachments/rail/.c1:net1.lock "somebody has the attachment"
at_work "devices/.$(claims).lock" "somebody has the device"
exec 9>$STORE/attachments/rail/.c1:net1.lock
flock 9
cut=$(whole_dump)
by_dry_run
is "$CNI_RC:$(wc -l <<<"$GC_OUT")" 0:1 "rocectl gc does not list what somebody works on"
by_rocectl
is "$CNI_RC:$(whole_dump)" "0:$cut" "nor does it touch it"
exec 9>&-
rm $STORE/attachments/rail/.c1:net1.lock

# ---- what each leaves for the others ----

by_status
is "$CNI_ERR" "roce: device $(find $STORE -name 'netdev*' -printf %f)netdev-$(cat /sys/class/net/rdma0/ifindex) of container c1 (network rail) is restored without a DEL; the addresses stay until DEL or GC" \
	"STATUS says in the log what it restored"
same "$DEVICE_BEFORE" "$(device_dump)" "STATUS restores the device"
is "$(journals) $(claims)" "c1:net1 " "the journal stays, the claim is gone"
repaired=$(whole_dump)
for by in by_status by_other_gc; do
	$by
	is "$CNI_RC:$CNI_OUT$CNI_ERR" "0:" "$by after a repair: nothing to say"
	same "$repaired" "$(whole_dump)" "$by after a repair: nothing changes"
done
by_dry_run
like "$GC_OUT" 'rail +c1 +net1 +rdma0 +dirty +release,forget +planned' "rocectl gc lists what a repair has left"
add c2 pod2
succeeded "the next pod gets the device"
TAKEN=$(ip -n pod2 -j -d link)
del c1
silent "a late DEL of the first succeeds"
is "$TAKEN" "$(ip -n pod2 -j -d link)" "a late DEL of the first leaves the device of the second alone"
is "$(journals) $(leases)" "c2:net1 c2:net1:0" "a late DEL of the first leaves the second's journal and address"
del c2 pod2
same "$BEFORE" "$(whole_dump)" "after both DELs the host is as before"

PLAIN=$(jq -c 'del(.ipam)' <<<"$CONF")
cut_off "$PLAIN"
by_status
is "$(journals) $(claims)" "c1:net1 " "without IPAM, too, the journal stays"
del c1 pod1 "$PLAIN"
silent "and DEL"
same "$BEFORE" "$(whole_dump)" "and DEL removes it"
cut_off "$PLAIN"
by_status
cni GC '' '' '' "$(jq -c '."cni.dev/valid-attachments" = []' <<<"$PLAIN")"
silent "without IPAM: GC of the network"
same "$BEFORE" "$(whole_dump)" "without IPAM: GC of the network removes the journal"

# The runtime still believes in the attachment: GC with it in the list.
cut_off
cni GC '' '' '' "$(jq -c '."cni.dev/valid-attachments" = [{containerID: "c1", ifname: "net1"}]' <<<"$CONF")"
silent "GC of its network, which has it in the list"
same "$DEVICE_BEFORE" "$(device_dump)" "GC of its network, which has it in the list: the device is restored"
is "$(journals)" "c1:net1" "GC of its network, which has it in the list: the journal stays"
del

# ---- what cannot be repaired ----

cut_off
ip link set rdma0 down
ip link set rdma0 name stray
ip link add rdma0 type bridge
cut=$(whole_dump)
by_status
silent "STATUS succeeds though a device cannot be repaired"
like "$CNI_ERR" 'warning: device netdev-[0-9]+ cannot be repaired: .*has another interface rdma0 by now' "it warns"
is "$(claims | wc -w) $(journals)" "1 c1:net1" "the claim is kept"
by_rocectl
is "$CNI_RC" 1 "rocectl gc: status 1"
like "$(cat /run/gc.err)" 'rail: not everything could be restored.*has another interface rdma0 by now' "rocectl gc says why"
like "$GC_OUT" 'rail +c1 +net1 +rdma0 +dirty +restore,release,forget +failed' "rocectl gc lists it as failed"
ip link del rdma0
by_status
same "$DEVICE_BEFORE" "$(device_dump)" "once it can be repaired, the next STATUS does"
del

cut_off
printf '{' >$STORE/attachments/rail/c1:net1
by_status
silent "STATUS succeeds though a journal is broken"
like "$CNI_ERR" 'warning: device netdev-[0-9]+ cannot be repaired: the journal .*c1:net1 cannot be used' "it names the journal"
by_rocectl
like "$CNI_RC:$(cat /run/gc.err)" '1:rocectl: .*c1:net1 cannot be used' "rocectl gc names it, too"
rm $STORE/attachments/rail/c1:net1
rm $STORE/devices/netdev-*
del
ip link set rdma0 down
ip link set rdma0 mtu 1500 address "$MAC" up
same "$BEFORE" "$(whole_dump)" "the host is as before"

# ---- the namespace dies, and a virtual netdev with it ----

gone() { [ ! -e "/sys/class/net/$1" ]; }
until_gone() {
	local left=50
	until gone "$1" || [ $left = 0 ]; do
		sleep 0.1
		left=$((left - 1))
	done
}
for by in by_status by_other_gc by_rocectl; do
	for kind in veth macvlan; do
		case $kind in
		veth) ip link add dying type veth peer name dying-port ;;
		macvlan) ip link add dying link port0 type macvlan mode bridge ;;
		esac
		ip netns add dead
		add c9 dead "$(config ".device = \"dying\" | $IPAM")"
		succeeded "$kind: ADD"
		ip netns exec dead sleep 60 &
		sleeper=$!
		until [ "$(cat /proc/$sleeper/comm)" = sleep ]; do sleep 0.05; done
		ip netns del dead
		held=$(whole_dump)
		$by
		same "$held" "$(whole_dump)" "$kind, $by: a process keeps the namespace: nothing changes"
		kill $sleeper
		wait $sleeper 2>/dev/null
		[ $kind = macvlan ] && sleep 0.5 || until_gone dying-port
		$by
		is "$CNI_RC:$(claims)" "0:" "$kind, $by: the claim of what died with its pod is gone"
		if [ $by = by_rocectl ]; then
			like "$GC_OUT" 'rail +c9 +net1 +dying +orphan +release,forget +done' "$kind, $by: it is in the list"
			is "$(journals)$(leases)" "" "$kind, $by: journal and address are gone"
		else
			is "$(journals) $(leases)" "c9:net1 c9:net1:0" "$kind, $by: journal and address stay"
		fi
		del c9 dead "$(config ".device = \"dying\" | $IPAM")"
		silent "$kind, $by: DEL"
		same "$BEFORE" "$(whole_dump)" "$kind, $by: after DEL the host is as before"
	done
done

# A stranger that has the ifindex of what died, and is of the same kind.
ip link add dying type veth peer name dying-port
index=$(cat /sys/class/net/dying/ifindex)
ip netns add dead
add c9 dead "$(config '.device = "dying"')"
ip netns del dead
until_gone dying-port
ip link add stranger mtu 1400 index "$index" type veth peer name stranger-port
cut=$(whole_dump)
for by in by_status by_other_gc by_rocectl; do
	$by
	is "$CNI_RC" 0 "a stranger with the ifindex, $by: it succeeds"
	same "$cut" "$(whole_dump)" "a stranger with the ifindex, $by: nothing changes"
done
# After a boot every netdev with that ifindex is a stranger, and the claim stands for nothing.
journal=$STORE/attachments/rail/c9:net1
jq '.bootID = "00000000-0000-4000-8000-000000000000"' "$journal" >/run/journal && cp /run/journal "$journal"
links=$(dump_links)
by_status
is "$CNI_RC:$(claims)" "0:" "of another boot: the claim is gone"
same "$links" "$(dump_links)" "of another boot: what has the ifindex by now is left alone"
ln -s ../attachments/rail/c9:net1 "$STORE/devices/netdev-$index"
del c9 dead "$(config '.device = "dying"')"
silent "of another boot: DEL"
same "$links" "$(dump_links)" "of another boot: DEL leaves alone what has the ifindex by now"
ip link del stranger
same "$BEFORE" "$(whole_dump)" "then the host is as before"

# A stranger that has the number of the dead namespace, and in it an interface with the ifindex.
world_veth dying dying-port 1500
index=$(cat /sys/class/net/dying/ifindex)
ip netns add dead
number=$(stat -L -c %i /run/netns/dead)
add c9 dead "$(config '.device = "dying"')"
ip netns del dead
until_gone dying-port
for n in $(seq 20); do
	ip netns add "next$n"
	[ "$(stat -L -c %i "/run/netns/next$n")" != "$number" ] || break
done
if [ "$(stat -L -c %i "/run/netns/next$n")" = "$number" ]; then
	ip -n "next$n" link add eth0 index "$index" type veth peer name eth1
	ip netns exec "next$n" sleep 60 &
	sleeper=$!
	until [ "$(cat /proc/$sleeper/comm)" = sleep ]; do sleep 0.05; done
	stranger=$(pod_dump "next$n")
	by_status
	is "$CNI_RC:$(claims)" "0:" "a stranger with the number: STATUS knows that the pod is dead"
	same "$stranger" "$(pod_dump "next$n")" "a stranger with the number: STATUS leaves it alone"
	ln -s ../attachments/rail/c9:net1 "$STORE/devices/netdev-$index"
	del c9 dead "$(config '.device = "dying"')"
	silent "a stranger with the number: DEL"
	same "$stranger" "$(pod_dump "next$n")" "a stranger with the number: DEL leaves it alone"
	kill $sleeper
	wait $sleeper 2>/dev/null
else
	diag "a stranger with the number: the kernel gives it to nobody"
	del c9 dead "$(config '.device = "dying"')"
fi
for n in $(seq "$n"); do ip netns del "next$n"; done
same "$BEFORE" "$(whole_dump)" "then the host is as before"

done_testing || exit 1
