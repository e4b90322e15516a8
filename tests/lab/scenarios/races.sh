#!/bin/bash
# kernel: 6.12
# wire: hub
# limit: 900
# Calls that race for one VF with an RDMA device that moves: ADD against DEL, ADD against ADD, ADD against the
# end of the last pod's namespace. And an ADD that a signal stops, or whose answer nobody reads.
set -u
# shellcheck source=tests/lab/lib.sh
. tests/lab/lib.sh

ROUNDS=6
profile
vfs 9000
run_ok 'the test module' rdmatest "pci=$VF0"
rdma_mode exclusive
pods a b
CONF=$(config $VF0 '{"vlan": 7, "mac": "02:00:5e:00:53:01", "mtu": 9000}')
call() { cni "$1" "$2" "/run/netns/$2" net1 "$CONF"; }

# beside VERB CONTAINER: a call in the background; its status and code go to a file, for outcome.
beside() {
	{
		call "$1" "$2"
		[[ $CNI_OUT =~ \"code\":([0-9]+) ]]
		echo "$CNI_RC${BASH_REMATCH[1]:+ ${BASH_REMATCH[1]}}" >"/run/$1.$2"
		printf '%s\n' "$CNI_OUT" >"/run/$1.$2.out"
	} &
}
outcome() { echo "$(<"/run/$1.$2")"; }
doze() { sleep "0.$(printf '%03d' $((RANDOM % $1)))"; }

# A sysfs for each pod shows what is in it without starting a program.
SYSFS=/run/sysfs
look_into() {
	mkdir -p $SYSFS/"$1"
	nsenter --net=/run/netns/"$1" mount -t sysfs sysfs $SYSFS/"$1"
}
mkdir $SYSFS
ln -s /sys $SYSFS/host
look_into a
look_into b

# places: where the VF's netdev and its RDMA device are, "NETDEV RDMA"; all of them, if there are more.
places() {
	local place netdev='' rdma=''
	for place in host a b; do
		[[ -z $(compgen -G "$SYSFS/$place/bus/pci/devices/$VF0/net/*") ]] || netdev+=$place
		[[ ! -e $SYSFS/$place/class/infiniband/mlx5_0 ]] || rdma+=$place
	done
	echo "$netdev $rdma"
}
# state: every file there is of an attachment, but for the addresses' own: a journal, a claim, a lease.
state() {
	local files
	mapfile -t files < <(find /run/roce-cni /run/roce-ipam ! -type d ! -name map ! -name lock \
		! -name '10.56.*' -printf '%f>%l\n' | sort)
	echo "${files[*]}"
}
# attached CONTAINER: all of it and nothing else. detached: nothing is left of any.
attached() { [ "$(places) $(state)" = "$1 $1 $VF0>../attachments/rail/$1:net1 $1:net1:0> $1:net1>" ]; }
detached() { [ "$(places) $(state)" = "host host " ]; }
declare -A SEEN=()
seen() { SEEN[$1]=$((${SEEN[$1]:-0} + 1)); }
# saw: what seen() counted, as a comment; starts anew.
saw() {
	local what
	for what in "${!SEEN[@]}"; do diag "$1: ${SEEN[$what]} times: $what"; done
	SEEN=()
}
# judge WHAT CONDITION...: count a round that ended as it must.
GOOD=0
judge() {
	local what=$1
	shift
	if "$@"; then GOOD=$((GOOD + 1)); else diag "$what: $(places) | $(state)"; fi
}
rounds() { # DESCRIPTION ROUNDS
	is "$GOOD of $2" "$2 of $2" "$1: $2 rounds"
	saw "$1"
	restored "$BEFORE" "$1: the host is as before"
	GOOD=0
}

call ADD a # creates the folders
call DEL a
is "$CNI_RC" 0 'the first ADD and DEL'
BEFORE=$(settled_dump)

# ---- ADD against DEL of the same attachment ----

# DEL always succeeds. Whoever came last has made the state; a late DEL then restores all.
either() { [ "$1" = 0 ] && [ "$2" = 0 ] && { attached a || detached; }; }
for _ in $(seq $ROUNDS); do
	beside ADD a
	doze 500
	call DEL a
	wait
	seen "ADD $(outcome ADD a), DEL $CNI_RC, then the VF and its RDMA device are in: $(places)"
	judge 'ADD against DEL' either "$(outcome ADD a)" "$CNI_RC"
	call DEL a
	detached || diag "ADD against DEL, then DEL: $(places) | $(state)"
done
rounds 'ADD against DEL' $ROUNDS

# ---- two containers, one VF ----

# one_wins: one has the VF, the other is told to try again or who has it.
one_wins() {
	case "$(outcome ADD a), $(outcome ADD b)" in
	'0, 1 102' | '0, 1 11') WINNER=a LOSER=b ;;
	'1 102, 0' | '1 11, 0') WINNER=b LOSER=a ;;
	*) return 1 ;;
	esac
	attached $WINNER
}
for _ in $(seq $ROUNDS); do
	beside ADD a
	doze 60
	beside ADD b
	wait
	seen "ADD a: $(outcome ADD a), ADD b: $(outcome ADD b)"
	if one_wins; then
		call DEL $LOSER # as a runtime does after an ADD that failed
		judge 'two ADDs, then DEL of the loser' attached $WINNER
		call DEL $WINNER
	else
		diag "two ADDs: $(cat /run/ADD.*.out) $(places) | $(state)"
		call DEL a
		call DEL b
	fi
	detached || diag "two ADDs, then both DELs: $(places) | $(state)"
done
rounds 'two ADDs for one VF' $ROUNDS

# ---- the last pod's namespace is being destroyed ----

# Without a DEL of the last pod. The next has to try again until the kernel has given the VF back: told
# who has it, never that there is no such VF.
try_b() {
	local tries
	for tries in $(seq 20); do
		beside ADD b
		wait $!
		seen "ADD b: $(outcome ADD b)"
		case $(outcome ADD b) in
		0) return 0 ;;
		'1 11' | '1 102') ;;
		*) diag "try $tries: $(</run/ADD.b.out)" && return 1 ;;
		esac
	done
	return 1
}
# late_del: of the last pod, whose VF the next has by now.
late_del() {
	call DEL a
	[ "$CNI_RC:$CNI_OUT" = "0:" ] && attached b && [ "$(pod_mtu b)" = 9000 ]
}
for _ in $(seq $ROUNDS); do
	call ADD a
	umount $SYSFS/a
	{ doze 120 && ip netns del a; } &
	judge "ADD while the last pod's namespace ends" try_b
	wait
	ip netns add a
	look_into a
	late_del || not_ok "the late DEL of the last pod: $CNI_RC $CNI_OUT $(places) | $(state)"
	call DEL b
done
ip -n a link set lo up
rounds "an ADD while the last pod's namespace ends" $ROUNDS

# ---- a signal ----

# signal SIGNAL CALL N: an ADD gets the signal at its N-th CALL. Stopped and undone, or finished, and then DEL.
SIGNALS=0 STOPPED=0 FINISHED=0
signal() {
	SIGNALS=$((SIGNALS + 1))
	CNI_RUN="strace -qq -o /run/trace -e trace=$2 -e inject=$2:signal=$1:when=$3"
	call ADD a
	CNI_RUN=
	if [ "$CNI_RC" = 0 ]; then
		FINISHED=$((FINISHED + 1))
		call DEL a
	elif [[ $CNI_OUT = *'"code":11,'*"stopped by SIG$1; try again"* ]]; then
		STOPPED=$((STOPPED + 1))
	else
		diag "SIG$1 at $2 $3: $CNI_OUT"
	fi
	judge "SIG$1 at $2 $3" detached
}
for n in 2 12 18 24 30 36 42 48; do signal TERM sendmsg $n; done
signal TERM clone3 1
signal INT sendmsg 28
signal HUP symlinkat 1
signal TERM exit_group 1
is $((STOPPED + FINISHED)) $SIGNALS "signals: $STOPPED stopped the ADD, $FINISHED came after its last step"
is "$((STOPPED > 6 && FINISHED > 0))" 1 'signals: both were met'
rounds 'signals' $SIGNALS

# ---- nobody reads the answer ----

# unread DESCRIPTION COMMAND: the ADD is run by COMMAND, in which "$@" is the plugin.
unread() {
	printf '%s' "$CONF" | env -i PATH="$PATH" CNI_COMMAND=ADD CNI_CONTAINERID=a CNI_NETNS=/run/netns/a \
		CNI_IFNAME=net1 CNI_PATH="$BIN" bash -c "$2" bash "$BIN/roce" 2>/run/log
	is "$?" 1 "$1: status 1"
	like "$(cat /run/log)" 'could not be written to stdout: undoing the ADD' "$1: the log says so"
	judge "$1" detached
}
# shellcheck disable=SC2016
{
	unread 'a pipe whose reader is gone' '"$@" | :; exit "${PIPESTATUS[0]}"'
	unread 'stdout is closed' '"$@" >&-'
}
rounds 'nobody reads the answer' 2

# The VF still works.
added $VF0 a '{"vlan": 7}'
deleted $VF0 a '{"vlan": 7}'
restored "$BEFORE" 'and once more: the host is as before'
umount $SYSFS/a $SYSFS/b
ip netns del a
ip netns del b
rdma system set netns shared
rmmod rdmatest
done_testing || exit 1
