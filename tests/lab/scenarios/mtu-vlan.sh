#!/bin/bash
# kernel: 6.12
# wire: hub
# limit: 240
# VLANs and the MTU chain: one on the PF lies beside a VF; a VF whose frames the PF tags; a VLAN, and a VLAN
# on a VLAN, that move into a pod. Each tag takes 4 bytes where the switch counts frames.
set -u
# shellcheck source=tests/lab/lib.sh
. tests/lab/lib.sh

VLAN=$PF0.5 QINQ=$PF0.5.6

mtu() { printf '{"mtu": %d}' "$1"; }
JUMBO=$(mtu 9000)

# A frame of 9216 bytes holds a netdev MTU of 9198, 9194 with one tag and 9190 with two.
profile
profile_edit '.fabrics.rail.switch = {mtu: 9216, semantics: "l2frame"} | .fabrics.rail.pfs += [{name: "*.*"}]'
vfs 9198
pods a b
at_start=$(settled_dump)

# ---- a VF whose frames the PF tags ----

TAGGED='{"mtu": 9194, "vlan": 7}'
add_refused 100 'switch of fabric rail: its MTU 9216 \(l2frame, 1 VLAN tags\) permits a netdev MTU of 9194, the pod needs 9195' \
	'VF with vlan, 9195' $VF0 a '{"mtu": 9195, "vlan": 7}'
restored "$at_start" 'VF with vlan, 9195: the host is as before'
added $VF0 a "$TAGGED"
is "$(pod_mtu a)" 9194 'VF with vlan: 9194 works'
check $VF0 a "$TAGGED"
silent 'VF with vlan: CHECK finds nothing'
deleted $VF0 a "$TAGGED"
ip link set $PF0 vf 0 vlan 9
like "$(chain $VF0 "$(mtu 9198)")" 'switch of fabric rail 9194 9198 - TOO SMALL' \
	'a VLAN that the administrator set counts'
ip link set $PF0 vf 0 vlan 0
like "$(chain $VF0 "$(mtu 9198)")" 'switch of fabric rail 9198 9198 - ok' 'without a tag there is room for 9198'
restored "$at_start" 'VF with vlan: the host is as before'

# ---- a VLAN of the host on the PF ----

ip link add link $PF0 name $VLAN type vlan id 5
before=$(host_dump)
like "$(chain $VF0 "$JUMBO")" $'\nbeside '"$VLAN 9198 [-0] " 'a VLAN on the PF is beside'
like "$("$BIN/rocectl" validate /run/network.json 2>&1)" \
	"warning: port-mtu-above-switch: beside $VLAN: .*fix: ip link set dev $VLAN mtu 9194" \
	'its own frames carry a tag and do not fit the switch: rocectl warns'
added $VF0 a "$JUMBO"
is "$(pod_mtu a)" 9000 'the VF is not limited by it'
like "$CNI_ERR" "warning: beside $VLAN: its MTU 9198 is more than the 9194 that the switch of fabric rail permits" \
	'and so does ADD'
check $VF0 a "$JUMBO"
silent 'CHECK does not mind'
ip link set $VLAN mtu 1400
check $VF0 a "$JUMBO"
silent 'nor when the VLAN is at 1400'
ip link set $VLAN mtu 9198 down # it came up with the PF
deleted $VF0 a "$JUMBO"
restored "$before" 'VLAN on the PF: the host is as before'

# ---- a VF that carries a netdev of the host; too much for a VLAN ----

ip link add link "$(vf_netdev $VF0)" name rider type vlan id 9
riding=$(host_dump)
add_refused 103 'carries another netdev of the host' 'VF that carries a VLAN' $VF0 a
add_refused 100 '1 VLAN tags\) permits a netdev MTU of 9194, the pod needs 9195' 'VLAN, 9195' \
	$VLAN a "$(mtu 9195)"
restored "$riding" 'VF that carries a VLAN, and VLAN with 9195: the host is as before'
ip link del rider

# ---- a VLAN into the pod ----

like "$(chain $VLAN "$JUMBO")" $'\nlower '"$PF0 9198 9000 " 'a VLAN rides on the PF'
added $VLAN a "$(mtu 9194)"
is "$(pod_mtu a)" 9194 'VLAN: 9194 works'
check $VLAN a "$(mtu 9194)"
silent 'VLAN: CHECK finds nothing'
deleted $VLAN a "$(mtu 9194)"
restored "$before" 'VLAN: it is back, the host is as before'

# ---- what the VLAN rides on changes while the VLAN is in the pod ----

added $VLAN a "$JUMBO"
ip link set $PF0 mtu 9216
check $VLAN a "$JUMBO"
refused 111 "lower $PF0: its MTU 9216 is more than the 9198 that the switch .*; fix: ip link set dev $PF0 mtu 9198" \
	'PF raised above the switch'
run_ok 'PF raised above the switch: the command of the message works' bash -ec "$(fixes)"
check $VLAN a "$JUMBO"
silent 'after it CHECK finds nothing'
# The kernel lowers a VLAN with what it rides on, in a pod, too, and lets nobody raise it above that.
ip link set $PF0 mtu 1500
is "$(pod_mtu a)" 1500 'PF lowered: the VLAN in the pod follows'
check $VLAN a "$JUMBO"
is "$(code)" 111 'PF lowered: CHECK sees it'
like "$CNI_OUT" "lower $PF0: its MTU is 1500" 'PF lowered: CHECK names what the VLAN rides on'
deleted $VLAN a "$JUMBO"
run_ok 'PF lowered: the VLAN is back' ip link show $VLAN
is "$(find /run/roce-cni -name '*a:net1*')" '' 'PF lowered: nothing is left to do'
pf_up $PF0 9198
deleted $VLAN a "$JUMBO"
ip link set $VLAN mtu 9198 down # it came up with the PF
restored "$before" 'PF raised again: the host is as before'

# ---- a VLAN on a VLAN ----

ip link add link $VLAN name $QINQ type vlan id 6
before=$(host_dump)
add_refused 103 "device $VLAN carries another netdev of the host" 'VLAN that carries a VLAN' $VLAN a
# The kernel sets no VLAN up while what it rides on is down (net/8021q/vlan_dev.c, vlan_dev_open()).
add_refused 103 "device $QINQ rides on a netdev that is down.*; fix: ip link set dev $VLAN up" \
	'QinQ on a VLAN that is down' $QINQ a "$(mtu 9190)"
restored "$before" 'QinQ on a VLAN that is down: the host is as before'
ip link set $VLAN up
before=$(host_dump)
add_refused 100 "lower $VLAN: its MTU 9198 is more than the 9194 that the switch .*; fix: ip link set dev $VLAN mtu 9194" \
	'QinQ on a VLAN of 9198' $QINQ a "$(mtu 9190)"
restored "$before" 'QinQ on a VLAN of 9198: the host is as before'
run_ok 'QinQ on a VLAN of 9198: the command of the message works' bash -ec "$(fixes)"
before=$(host_dump)
add_refused 100 '2 VLAN tags\) permits a netdev MTU of 9190, the pod needs 9191' 'QinQ, 9191' \
	$QINQ a "$(mtu 9191)"
restored "$before" 'QinQ, 9191: the host is as before'
added $QINQ a "$(mtu 9190)"
is "$(pod_mtu a)" 9190 'QinQ: 9190 works'
check $QINQ a "$(mtu 9190)"
silent 'QinQ: CHECK finds nothing'
deleted $QINQ a "$(mtu 9190)"
restored "$before" 'QinQ: it is back, the host is as before'
ip link del $VLAN
restored "$at_start" 'without VLANs the host is as at the start'
done_testing || exit 1
