#!/bin/bash
# kernel: 6.12
# wire: hub
# iommu: yes
# limit: 1800
# A VF whose driver hands it to a process (vfio-pci, uio_pci_generic): its PF's settings and addresses, but no
# netdev. It is the pod's as long as the pod lives, and after it the PF has what it had.
set -u
# shellcheck source=tests/lab/lib.sh
. tests/lab/lib.sh

MAC=02:00:5e:00:53:01
MORE="{\"vlan\": 7, \"mac\": \"$MAC\", \"trust\": \"on\"}"
SYS=/sys/bus/pci/devices/$VF0

# driver NAME: bind the VF to it; "": to its network driver; none: to no driver at all.
driver() {
	[ ! -e $SYS/driver ] || echo $VF0 >$SYS/driver/unbind
	[ "$1" != none ] || return 0
	echo "$1" >$SYS/driver_override
	echo $VF0 >/sys/bus/pci/drivers_probe
	[ -n "$1" ] || wait_for 50 has_netdev $VF0
}
# vf: what the PF has for its VF 0: MAC, VLAN, trust.
vf() {
	ip -d -j link show dev $PF0 |
		jq -r '.[0].vfinfo_list[0] | [.address, (.vlan_list[0].vlan // 0), .trust] | join(" ")'
}
hint() { msg | grep -o "${1:-ip link set dev}.*"; }
leases() { find /run/roce-ipam/rail -maxdepth 1 -name '10.56.*' -printf '%f\n'; }
# as_before DESCRIPTION: the PF has what it had, and no file is left.
as_before() {
	is "$(vf) $(leases)$(find /run/roce-cni -name '*net1' -o -name '0000:*')" "$bare " "$1"
}

profile
vfs 9000
pods a b
driver vfio-pci
is "$(basename "$(readlink $SYS/driver)") $(vf_netdev $VF0)" 'vfio-pci *' 'the VF is on vfio-pci and has no netdev'
bare=$(vf)
before=$(settled_dump)

# ---- one pod ----

INFO=/var/run/k8s.cni.cncf.io/devinfo/cni/rail-a.json
ALL=$(jq -c --arg f $INFO '. + {runtimeConfig: {CNIDeviceInfoFile: $f}}' <<<"$MORE")
config $VF0 "$ALL" >/run/network.json
validated=$("$BIN/rocectl" validate /run/network.json)
is "$?" 0 'rocectl validate: such a VF will do'
like "$validated" "1. $VF0: VLAN 0 -> 7"$'\n'".*trust off -> on"$'\n'".*take addresses from the IPAM plugin"$'\n' \
	'rocectl validate: the steps are the PF'\''s'
unlike "$validated" 'move to the pod|set up|sysctls of the netdev' 'rocectl validate: nothing of a netdev'
added $VF0 a "$ALL"
is "$(vf)" "$MAC 7 true" 'the PF has MAC, VLAN and trust'
is "$(jq -c '.interfaces' <<<"$CNI_OUT")" \
	"[{\"name\":\"net1\",\"mac\":\"$MAC\",\"mtu\":9000,\"pciID\":\"$VF0\",\"sandbox\":\"/run/netns/a\"}]" \
	'the result has one interface, the MTU that the profile promises, and where it is'
is "$(jq -c '[.ips[] | [.address, .interface]]' <<<"$CNI_OUT") $(leases)" '[["10.56.0.1/24",0]] 10.56.0.1' \
	'the result has the address'
is "$(ip -n a -o addr | grep -vc ' lo ')" 0 'nothing is configured in the pod'
is "$(jq -c . $INFO)" \
	"{\"type\":\"pci\",\"pci\":{\"pci-address\":\"$VF0\",\"pf-pci-address\":\"0000:01:00.0\"},\"version\":\"1.1.0\"}" \
	'the device info file is written'
check $VF0 a "$ALL"
silent 'CHECK finds nothing'
drift() { # SETTING SEEN
	# shellcheck disable=SC2086
	ip link set dev $PF0 vf 0 $1
	check $VF0 a "$ALL"
	refused 111 "VF 0 of PF $PF0 should have $2" "drift: $1"
	run_ok "drift: $(hint)" bash -ec "$(hint)"
}
drift 'vlan 9' 'VLAN 7, but has 9'
drift 'mac 02:00:5e:00:53:99' "MAC $MAC, but has 02:00:5e:00:53:99"
drift 'trust off' 'trust on, but has off'
check $VF0 a "$ALL"
silent 'what CHECK says to run mends it'
like "$("$BIN/rocectl" show)" "rail +a +net1 .* active" 'rocectl show: the attachment is active'
is "$("$BIN/rocectl" show -o json | jq -c '.attachments[] | [.pci, .vfIndex, .mtu, .state, .addresses]')" \
	"[\"$VF0\",0,null,\"active\",[\"10.56.0.1/24\"]]" 'rocectl show: as JSON, and no MTU, as there is no netdev'

# It has no netdev that could be missing on the host, and is a's all the same.
cni ADD b /run/netns/b net1 "$(config $VF0 "$MORE")"
refused 102 "device $VF0 .* belongs to container a " 'another pod wants the VF'
"$BIN/rocectl" validate /run/network.json >/run/validated
is "$? $(grep -c 'error: device-busy.*belongs to container a ' /run/validated)" '1 1' 'rocectl validate: it is in use'
is "$(vf)" "$MAC 7 true" 'a has it still'
deleted $VF0 a "$ALL"
as_before 'DEL: the PF has what it had'
deleted $VF0 a "$ALL"
rm -rf /run/k8s.cni.cncf.io
restored "$before" 'DEL, twice: the host is as before'

# ---- the MTU that is promised ----

# promised JSON: the MTU in the result.
promised() {
	added $VF0 a "$1"
	promised=$(jq '.interfaces[0].mtu' <<<"$CNI_OUT")
	check $VF0 a "$1"
	silent "CHECK finds nothing with $1"
}
promised '{"mtu": 4200}'
is "$promised" 4200 'the MTU of the network goes before that of the profile'
pf_up $PF0 4192
check $VF0 a '{"mtu": 4200}'
refused 111 "PF $PF0: its MTU is 4192, the pod needs 4200; fix: ip link set dev $PF0 mtu 4200" 'PF lowered'
pf_up $PF0 9000
deleted $VF0 a
profile_edit 'del(.fabrics.rail.podMTU)'
promised '{}'
is "$promised" null 'nobody named an MTU: the result has none'
deleted $VF0 a
add_refused 100 "PF $PF0: its MTU is 9000, the pod needs 9100" 'more than the PF has' $VF0 a '{"mtu": 9100}'
profile_edit '.fabrics.rail.switch.mtu = 8000'
add_refused 100 'switch of fabric rail: .* permits a netdev MTU of 8000, the pod needs 9000' \
	'more than the switch carries' $VF0 a '{"mtu": 9000}'
profile
for setting in '"promisc": true' '"allmulti": true' '"txQLen": 77' '"sysctl": {"net.ipv4.conf.IFNAME.arp_filter": "1"}'; do
	add_refused 7 "netdev" "needs a netdev: $setting" $VF0 a "{$setting}"
done
as_before 'what was refused: the PF has what it had'

# ---- the pod dies without DEL; the driver changes under it ----

added $VF0 a "$MORE"
ip netns del a
added $VF0 b '{"vlan": 8}'
like "$CNI_ERR" 'container a, which was never deleted: restoring it first' 'no DEL: the next pod gets the VF'
has_b=$(vf)
is "${has_b#* }" '8 false' 'no DEL: the next pod has its own settings alone'
deleted $VF0 a "$MORE"
is "$(vf)" "$has_b" 'a late DEL leaves the next pod alone'
deleted $VF0 b '{"vlan": 8}'
pods a
as_before 'no DEL: after the next pod the PF has what it had'

added $VF0 a "$MORE"
driver ''
check $VF0 a "$MORE"
refused 111 "$VF0 should have a driver for userspace, but has igbvf" 'bound to its network driver'
driver vfio-pci
check $VF0 a "$MORE"
silent 'bound to vfio-pci again: CHECK finds nothing'
driver ''
deleted $VF0 a "$MORE"
is "$(vf | cut -d ' ' -f 2-) $(leases)" '0 false ' 'DEL with the network driver: the PF has what it had'
driver vfio-pci
as_before 'on vfio-pci once more: the PF has what it had'

# The other way round: a pod with a netdev loses it to vfio-pci.
driver ''
added $VF0 a "$MORE"
driver vfio-pci
check $VF0 a "$MORE"
refused 111 "device .* should be in the pod as net1, but is gone" 'a netdev that went to vfio-pci'
started=$SECONDS
deleted $VF0 a "$MORE"
is "$((SECONDS - started < 5)) $(vf | cut -d ' ' -f 2-) $(leases)" '1 0 false ' 'DEL is quick, and restores what is left'

driver none
add_refused 101 "VF $VF0 has no network interface on the host: its driver is not bound.* echo $VF0 > /sys/bus/pci/drivers_probe" \
	'no driver at all' $VF0 a
echo >$SYS/driver_override
run_ok 'no driver at all: the command of the message' bash -ec "$(hint 'echo ')"
wait_for 50 has_netdev $VF0
added $VF0 a
deleted $VF0 a

# ---- killed anywhere ----

# points: from /run/trace, the system calls that change something: name, and which one of that name.
points() {
	awk -F '(' '/^(sendmsg|renameat|symlinkat|unlinkat|mkdirat|exit_group)\(/ {
		n[$1]++
		asks = $1 == "sendmsg" && match($0, /nlmsg_type=(RTM_GET|RDMA|0x14|0x[0-9a-f]*[26ae][, ])/)
		if (!asks && $0 !~ / = -1 /) print $1, n[$1]
	}' /run/trace
}
driver vfio-pci
before=$(settled_dump)
bare=$(vf)
CNI_RUN='strace -o /run/trace' added $VF0 a "$MORE"
mapfile -t points < <(points)
deleted $VF0 a "$MORE"
survived=0
for point in "${points[@]}"; do
	CNI_RUN="strace -o /run/trace -e trace=${point% *} -e inject=${point% *}:signal=KILL:when=${point#* }" \
		cni ADD a /run/netns/a net1 "$(config $VF0 "$MORE")" 2>/dev/null
	killed=$CNI_RC
	cni DEL a /run/netns/a net1 "$(config $VF0 "$MORE")"
	after=$(host_dump)
	if [ "$killed $CNI_RC" = '137 0' ] && [ "$after" = "$before" ]; then
		survived=$((survived + 1))
	else
		not_ok "killed at $point" "status $killed, then $CNI_RC $CNI_OUT
$(diff <(echo "$before") <(echo "$after"))"
	fi
done
is "$survived $((survived > 8))" "${#points[@]} 1" "${#points[@]} kills, $survived restored by DEL"
diag "${points[@]}"

# ---- another driver of that kind ----

modprobe -d "$REPO/build/lab/kernel-6.12/root" uio_pci_generic
driver uio_pci_generic
is "$(basename "$(readlink $SYS/driver)")" uio_pci_generic 'the VF is on uio_pci_generic'
added $VF0 a "$MORE"
is "$(vf)" "$MAC 7 true" 'uio_pci_generic: the PF has MAC, VLAN and trust'
check $VF0 a "$MORE"
silent 'uio_pci_generic: CHECK finds nothing'
deleted $VF0 a "$MORE"
as_before 'uio_pci_generic: the PF has what it had'
done_testing || exit 1
