#!/bin/bash
# kernel: 6.12
# wire: hub
# limit: 240
# A bond over both PFs: the ports have its MTU, so it limits their VFs. A bridge or VLAN there does not.
set -u
# shellcheck source=tests/lab/lib.sh
. tests/lab/lib.sh

BIG='{"mtu": 9000}'

bond() { # MTU
	ip link add bond0 mtu "$1" type bond mode active-backup miimon 100
	ip link set $PF0 down
	ip link set $PF1 down
	ip link set $PF0 master bond0
	ip link set $PF1 master bond0
	ip link set bond0 up
	wait_for 50 carrier $PF0
	wait_for 50 carrier $PF1
}
mtu_of() { cat "/sys/class/net/$1/mtu"; }
# The kernel releases the ports down.
unbond() {
	ip link del bond0
	pf_up $PF0 9000
	pf_up $PF1 9000
}

profile
vfs 9000
pods a b c
unbonded=$(settled_dump)

bond 9000
before=$(settled_dump)
for vf in $VF0 $VF1; do
	hops=$(chain $vf "$BIG")
	pf=$PF0
	[ $vf = $VF0 ] || pf=$PF1
	like "$hops" "PF $pf 9000 9000 " "the chain of $vf has its PF"
	like "$hops" $'\nupper bond0 9000 9000 [0-9]+ ok' "the chain of $vf has the bond"
done
added $VF0 a "$BIG"
added $VF1 b "$BIG"
is "$(pod_mtu a) $(pod_mtu b)" '9000 9000' 'bond at 9000: the pods have 9000'
check $VF0 a "$BIG"
silent 'CHECK finds nothing'
run_ok 'ping of MTU 9000 that may not be fragmented' \
	in_pod a ping -c 2 -W 5 -M 'do' -s 8972 "$(jq -r '.ips[0].address | split("/")[0]' <<<"${RESULTS[b]}")"
deleted $VF1 b "$BIG"

# Somebody lowers the bond; its members follow.
ip link set bond0 mtu 4200
is "$(mtu_of $PF0) $(mtu_of $PF1)" '4200 4200' 'the ports follow the bond'
check $VF0 a "$BIG"
refused 111 "PF $PF0: its MTU is 4200, the pod needs 9000; fix: ip link set dev bond0 mtu 9000" \
	'bond lowered after ADD'
like "$(jq -r .details <<<"$CNI_OUT")" \
	'upper bond0: its MTU is 4200, the pod needs 9000; fix: ip link set dev bond0 mtu 9000' \
	'bond lowered after ADD: the bond is named'
mend=$(fixes)

lowered=$(settled_dump)
add_refused 100 "PF $PF1: its MTU is 4200, the pod needs 9000; fix: ip link set dev bond0 mtu 9000" \
	'bond at 4200' $VF1 b "$BIG"
restored "$lowered" 'bond at 4200: the host is as before'
like "$(jq -r .details <<<"$CNI_OUT")" 'upper bond0: its MTU is 4200, .*ip link set dev bond0 mtu 9000' \
	'bond at 4200: the bond is named'
profile_edit '.policy.mayLoosen = true'
CLAMP='{"mtu": 9000, "mtuPolicy": "clamp"}'
added $VF1 b "$CLAMP"
is "$(pod_mtu b) $(jq '.interfaces[0].mtu' <<<"${RESULTS[b]}")" '4200 4200' 'policy clamp: the pod has 4200'
like "$CNI_ERR" 'lowered from 9000 to 4200, the bottleneck is (PF|upper) ' 'policy clamp: a warning'
check $VF1 b "$CLAMP"
silent 'policy clamp: CHECK finds nothing'
deleted $VF1 b "$CLAMP"

is "$mend" 'ip link set dev bond0 mtu 9000' 'the message has one command: the members follow the bond'
run_ok 'the command works' bash -ec "$mend"
is "$(mtu_of $PF0) $(mtu_of $PF1)" '9000 9000' 'the ports follow'
check $VF0 a "$BIG"
silent 'after it CHECK finds nothing'

# One member alone: the bond has its MTU still, so setting that again would change nothing.
ip link set $PF0 mtu 4200
is "$(mtu_of bond0)" 9000 'the bond does not follow a member'
check $VF0 a "$BIG"
refused 111 "PF $PF0: its MTU is 4200, the pod needs 9000" 'one member lowered'
run_ok 'one member lowered: the command of the message works' bash -ec "$(fixes)"
check $VF0 a "$BIG"
silent 'one member lowered: after it CHECK finds nothing'
ip link set $PF0 mtu 9000
deleted $VF0 a "$BIG"
restored "$before" 'the bonded host is as before'

# What the host's own frames go by, and the pod's do not.
ip link add br0 type bridge
ip link set bond0 master br0
ip link set br0 mtu 1500
ip link add link bond0 name bond0.5 type vlan id 5
ip link set bond0.5 mtu 1400
hops=$(chain $VF0 "$BIG")
like "$hops" $'\nupper bond0 9000 9000 ' 'bridge and VLAN on the bond: the bond is in the chain'
like "$hops" $'\nbeside br0 1500 [-0] ' 'a bridge on the bond is beside'
like "$hops" $'\nbeside bond0.5 1400 [-0] ' 'a VLAN on the bond is beside'
unlike "$hops" 'TOO SMALL' 'and neither limits'
ip link del bond0.5
ip link del br0
unbond

# A PF in a bridge.
ip link add br0 type bridge
ip link set $PF0 master br0
ip link set br0 mtu 1500 up
before=$(host_dump)
is "$(mtu_of $PF0) $(mtu_of br0)" '9000 1500' 'a bridge does not set the MTU of its ports'
like "$(chain $VF0 "$BIG")" $'\nbeside br0 1500 [-0] ' 'PF in a bridge: the bridge is beside'
added $VF0 c "$BIG"
is "$(pod_mtu c)" 9000 'PF in a bridge of 1500: the pod has 9000'
check $VF0 c "$BIG"
silent 'PF in a bridge: CHECK finds nothing'
deleted $VF0 c "$BIG"
restored "$before" 'PF in a bridge: the host is as before'
ip link del br0
restored "$unbonded" 'without bond and bridge the host is as at the start'
done_testing || exit 1
