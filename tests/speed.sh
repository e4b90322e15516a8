#!/bin/bash
# How long ADD and DEL of a veth take against the same netlink calls by ip -batch, in one run on the
# same kernel; and what VERSION and memory cost. The limits are the project's targets.
#
# SPEED_ROUNDS rounds (default 40), medians. docs/performance.md says how to read it.
set -u
cd "$(dirname "$0")/.." || exit 1
# shellcheck source=tests/world.sh
. tests/world.sh
world_enter "$@"
# shellcheck source=tests/tap.sh
. tests/tap.sh
ROUNDS=${SPEED_ROUNDS:-40}
WORK=/run/speed
mkdir -p $WORK

CONFIG='{"cniVersion":"1.1.0","name":"rail","type":"roce","device":"rdma0","mtu":9000,"roceMTU":4096,
	"ipam":{"type":"roce-ipam","range":"10.56.0.0/24","gateway":"10.56.0.1",
	"routes":[{"dst":"10.57.0.0/16"}]}}'
printf '%s' "$CONFIG" >$WORK/config

# What roce asks of the kernel for the same job, as ip(8) writes it.
cat >$WORK/add.host <<'END'
link set rdma0 mtu 9000
link set rdma0 netns pod1 name net1
END
cat >$WORK/add.pod <<'END'
addr add 10.56.0.2/24 dev net1
link set net1 up
route add 10.57.0.0/16 via 10.56.0.1
END
cat >$WORK/del.pod <<'END'
link set net1 down
link set net1 name rdma0
link set rdma0 netns host
END
cat >$WORK/del.host <<'END'
link set rdma0 mtu 1500
END

# timed FILE COMMAND...: append the microseconds it took.
timed() {
	local file=$1 begin=$EPOCHREALTIME
	shift
	"$@" || echo "failed: $*" >&2
	local end=$EPOCHREALTIME
	echo $((${end/./} - ${begin/./})) >>"$file"
}
roce() {
	CNI_COMMAND=$1 CNI_CONTAINERID=speed CNI_NETNS=/run/netns/pod1 CNI_IFNAME=net1 \
		CNI_PATH="$BIN" "$BIN/roce" <$WORK/config >/dev/null 2>&1
}
batch_add() { ip -batch $WORK/add.host && ip -n pod1 -batch $WORK/add.pod; }
batch_del() { ip -n pod1 -batch $WORK/del.pod && ip -batch $WORK/del.host; }
median() { sort -n "$1" | awk '{v[NR] = $1} END {print v[int((NR + 1) / 2)]}'; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN {printf "%.2f", a / b}'; }
at_most() { # GOT LIMIT DESCRIPTION
	if awk -v a="$1" -v b="$2" 'BEGIN {exit !(a <= b)}'; then ok "$3"; else not_ok "$3"; fi
}

ip netns add pod1
ip netns attach host $$
world_veth rdma0 port1 1500 9000
for _ in $(seq "$ROUNDS"); do
	timed $WORK/roce.add roce ADD
	timed $WORK/roce.del roce DEL
	timed $WORK/ip.add batch_add
	timed $WORK/ip.del batch_del
done
for verb in add del; do
	ours=$(median $WORK/roce.$verb)
	theirs=$(median $WORK/ip.$verb)
	at_most "$(ratio "$ours" "$theirs")" 1.5 \
		"${verb^^}: $ours us, ip -batch $theirs us, ratio $(ratio "$ours" "$theirs") (limit 1.5)"
done

# VERSION: CPU time of 100 calls, by the shell's own account of its children; the best of five, as
# whatever else runs on the machine can only add to it.
export CNI_COMMAND=VERSION
TIMEFORMAT='%U %S'
hundred() { for _ in $(seq 100); do "$BIN/roce" </dev/null >/dev/null; done; }
for _ in 1 2 3 4 5; do { time hundred; } 2>>$WORK/cpu; done
cpu=$(awk '{us = ($1 + $2) * 1e4; if (NR == 1 || us < best) best = us} END {printf "%.0f", best}' $WORK/cpu)
at_most "$cpu" 1000 "VERSION: $cpu us of CPU with fork and exec (limit 1000)"

export CNI_CONTAINERID=speed CNI_NETNS=/run/netns/pod1 CNI_IFNAME=net1 CNI_PATH=$BIN
CNI_COMMAND=ADD
/usr/bin/time -f %M -o $WORK/kib "$BIN/roce" <$WORK/config >/dev/null 2>&1
kib=$(cat $WORK/kib)
at_most "$kib" 4096 "peak memory of an ADD: $kib KiB (limit 4096)"
roce DEL
done_testing || exit 1
