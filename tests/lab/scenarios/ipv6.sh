#!/bin/bash
# kernel: 7.2
# wire: hub
# limit: 240
# IPv6 on VFs: usable at once, with duplicate detection, though the emulated adapter sends a VF's own
# advertisements back to it; and a neighbour that has the address's last MAC.
set -u
# shellcheck source=tests/lab/lib.sh
. tests/lab/lib.sh

DUAL='{"mtu": 9000, "ipam": {"type": "roce-ipam", "ipRanges": [{"range": "10.56.0.0/24"}, {"range": "fd00:56::/64"}]}}'
flags() { ip -n "$1" -6 -j addr show dev net1 | jq -r '.[].addr_info[] | select(.scope == "global")
	| "\(.local) \(if .dadfailed then "dadfailed" elif .tentative then "tentative" else "" end)"'; }
through() { [[ $(flags "$1") != *tentative ]]; }
mac() { ip -n "$1" -j link show dev net1 | jq -r '.[0].address'; }
neighbour() { ip -n "$1" -j neigh show to "$2" dev net1 | jq -r '.[0].lladdr'; }

profile
vfs 9000
pods a b
before=$(settled_dump)
added $VF0 a "$DUAL"
unlike "$CNI_ERR" 'carrier|announce' 'the carrier came in time'
run_ok 'a: DAD comes to an end' wait_for 50 through a
for ip in 10.56.0.2 fd00:56::2; do
	ip -n a neigh replace $ip lladdr 02:00:5e:00:53:99 dev net1 nud reachable
done
added $VF1 b "$DUAL"
is "$(neighbour a 10.56.0.2) $(neighbour a fd00:56::2)" "$(mac b) $(mac b)" 'pod a has the new MAC of both addresses'
run_ok 'b to a, by IPv6, at once' in_pod b ping -c 1 -W 5 fd00:56::1
run_ok 'b: DAD comes to an end' wait_for 50 through b
is "$(flags a), $(flags b)" 'fd00:56::1 , fd00:56::2 ' 'no duplicate was found'
run_ok 'a to b, by IPv6' in_pod a ping -c 1 -W 5 fd00:56::2
check $VF0 a "$DUAL"
silent 'CHECK of a'
check $VF1 b "$DUAL"
silent 'CHECK of b'
deleted $VF0 a "$DUAL"
deleted $VF1 b "$DUAL"
restored "$before" 'the host is as before'
done_testing || exit 1
