#!/bin/bash
# kernel: 6.12
# wire: hub
# limit: 240
# The MTU chain of a VF: what CHECK sees when a hop changes, the driver's maximum, one fabric per port.
set -u
# shellcheck source=tests/lab/lib.sh
. tests/lab/lib.sh

JUMBO='{"mtu": 9000}'

profile
profile_edit '.fabrics.rail.switch.mtu = 9300 | .policy.mayLoosen = true'
vfs 9216
pods a b
before=$(settled_dump)

# ---- what changes after ADD ----

added $VF0 a "$JUMBO"
check $VF0 a "$JUMBO"
silent 'CHECK finds nothing'
ip link set $PF0 mtu 1500
check $VF0 a "$JUMBO"
refused 111 "has changed since ADD: .*PF $PF0: its MTU is 1500, the pod needs 9000; fix: ip link set dev $PF0 mtu 9000" \
	'PF lowered after ADD'
run_ok 'PF lowered after ADD: the command of the message works' bash -ec "$(fixes)"
check $VF0 a "$JUMBO"
silent 'after it CHECK finds nothing'
ip -n a link set net1 mtu 4000
check $VF0 a "$JUMBO"
refused 111 'net1 should have MTU 9000, but has 4000; set it back in the pod: ip link set dev net1 mtu 9000' \
	'the pod changed its MTU'
run_ok 'the pod changed its MTU: the command of the message works' in_pod a bash -ec "$(fixes)"
check $VF0 a "$JUMBO"
silent 'set back: CHECK finds nothing'
profile_edit '.fabrics.rail.switch.mtu = 8000 | del(.fabrics.rail.podMTU)'
check $VF0 a "$JUMBO"
refused 111 'switch of fabric rail: .* permits a netdev MTU of 8000, the pod needs 9000' \
	'the profile now says that the switch carries less'
profile_edit '.fabrics.rail.switch.mtu = 9300'
deleted $VF0 a "$JUMBO"
pf_up $PF0 9216
restored "$before" 'after DEL the host is as before'

# ---- more than the driver takes ----

device=$(vf_netdev $VF0)
add_refused 100 "device $device: its driver takes an MTU of at most 9216, the pod needs 9217" \
	'9217' $VF0 a '{"mtu": 9217}'
like "$(jq -r .details <<<"$CNI_OUT")" \
	"PF $PF0: its MTU is 9216, the pod needs 9217; fix: write .* 9216 or less" '9217: the PF is named, too'
add_refused 100 "device $device: its driver takes an MTU of at most 9216, the pod needs 9217" \
	'9217, policy warn' $VF0 a '{"mtu": 9217, "mtuPolicy": "warn"}'
restored "$before" '9217: the host is as before'
CLAMP='{"mtu": 9217, "mtuPolicy": "clamp"}'
added $VF0 a "$CLAMP"
is "$(pod_mtu a)" 9216 '9217, policy clamp: the pod has 9216'
like "$CNI_ERR" 'lowered from 9217 to 9216, the bottleneck is ' '9217, policy clamp: a warning'
check $VF0 a "$CLAMP"
silent '9217, policy clamp: CHECK finds nothing'
deleted $VF0 a "$CLAMP"
restored "$before" '9217, policy clamp: the host is as before'

# ---- one fabric per port ----

profile_edit '.fabrics = {
	rail0: {switch: {mtu: 9300, semantics: "l3"}, podMTU: 9000, pfs: [{pci: "0000:01:00.0"}]},
	rail1: {switch: {mtu: 9300, semantics: "l3"}, podMTU: 4200, pfs: [{pci: "0000:02:00.0"}]}}
	| del(.defaultFabric)'
add_refused 103 "port $PF0 \(PCI 0000:01:00.0, driver igb\) is not on fabric rail1" \
	'the other rail' $VF0 a '{"fabric": "rail1"}'
add_refused 103 "port $PF1 \(PCI 0000:02:00.0, driver igb\) is not on fabric rail0" \
	'the other rail, the other way' $VF1 a '{"fabric": "rail0"}'
restored "$before" 'the other rail: the host is as before'
added $VF0 a '{"fabric": "rail0"}'
added $VF1 b
is "$(pod_mtu a) $(pod_mtu b)" '9000 4200' 'each VF has the MTU of its own fabric'
check $VF1 b
silent 'rails: CHECK finds nothing'
deleted $VF0 a
deleted $VF1 b
restored "$before" 'rails: the host is as before'
done_testing || exit 1
