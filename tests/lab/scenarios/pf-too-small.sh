#!/bin/bash
# kernel: 7.2
# wire: switch 1500
# limit: 240
# What ADD refuses, and what would have happened: large frames vanish without a word.
set -u
# shellcheck source=tests/lab/lib.sh
. tests/lab/lib.sh

by_hand() { # VF POD ADDRESS
	local netdev
	netdev=$(vf_netdev "$1")
	ip link set "$netdev" down
	ip link set "$netdev" mtu 9000
	ip link set "$netdev" netns "$2" name net1
	ip -n "$2" link set net1 up
	ip -n "$2" addr add "$3/24" dev net1
}

profile
vfs 1500
pods a b
before=$(settled_dump)
cni ADD a /run/netns/a net1 "$(config $VF0 '{"mtu": 9000}')"
refused 100 "PF $PF0: its MTU is 1500, the pod needs 9000; fix: ip link set dev $PF0 mtu 9000" 'PF at 1500'
same "$before" "$(settled_dump)" 'the host is as before'
is "$(ip -n a -j link | jq length)" 1 'nothing is in the pod'

# By hand nothing stops it: neither the kernel nor the driver compares a VF with its PF or the switch.
pf_up $PF0 9000
pf_up $PF1 9000
by_hand $VF0 a 10.57.0.1
by_hand $VF1 b 10.57.0.2
run_ok 'by hand over a switch of MTU 1500: a small ping passes' \
	in_pod a ping -c 3 -W 5 10.57.0.2
lost=$(in_pod a ping -c 3 -i 0.3 -W 2 -M 'do' -s 8972 10.57.0.2)
like "$lost" ' 100% packet loss' 'by hand: all large frames vanish'
unlike "$lost" '[Ff]rag|too long|error' 'and nobody says so'
run_ok 'rxe in both pods' eval \
	'in_pod a rdma link add rxa type rxe netdev net1 && in_pod b rdma link add rxb type rxe netdev net1'
run_ok 'RC traffic at path MTU 1024 passes' pingpong b a 10.57.0.2 rxb rxa 1024
if pingpong b a 10.57.0.2 rxb rxa 4096 >/dev/null 2>&1; then
	not_ok 'RC traffic at path MTU 4096 fails'
else
	ok 'RC traffic at path MTU 4096 fails'
fi
in_pod a rdma link del rxa
in_pod b rdma link del rxb
done_testing || exit 1
