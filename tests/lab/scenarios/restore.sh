#!/bin/bash
# kernel: 6.12
# wire: hub
# limit: 1800
# Whatever a pod did to its VF, and whatever became of the pod, the host gets the VF back as it was: with
# every setting, every sysctl and every name that the administrator gave it.
set -u
# shellcheck source=tests/lab/lib.sh
. tests/lab/lib.sh

MORE='{"vlan": 7, "trust": "on"}'

# ---- the VF as its administrator wants it ----

# each_sysctl: every sysctl of the netdev gets another value, where the kernel has another one for it.
each_sysctl() {
	local file old new
	for file in /proc/sys/net/ipv?/conf/"$NETDEV"/*; do
		read -r old <"$file" || continue
		case $old in
		0 | 1) new=$((1 - old)) ;;
		????*) new=$((old - 100)) ;;
		*) new=$((old - 1)) ;;
		esac
		echo "$new" >"$file"
	done 2>/dev/null
	echo 2001:db8::1 >"/proc/sys/net/ipv6/conf/$NETDEV/stable_secret"
	echo 3 >"/proc/sys/net/ipv6/conf/$NETDEV/addr_gen_mode"
}
sysctls() { grep -s . /proc/sys/net/ipv?/conf/"$NETDEV"/*; }

furnish() {
	NETDEV=$(vf_netdev $VF0)
	ip link set $PF0 vf 0 vlan 9 qos 2
	ip link set $PF0 vf 0 spoofchk off
	ip link set "$NETDEV" mtu 2000 txqueuelen 500
	ip link property add dev "$NETDEV" altname rail0 altname a-name-longer-than-fifteen
	each_sysctl
}

dump() {
	host_dump
	sysctls
}
# as_before DESCRIPTION: the host is as in $before; drivers may need a moment.
as_before() {
	local now tries=10
	now=$(dump)
	while [ "$now" != "$before" ] && [ $tries -gt 0 ]; do
		sleep 0.2
		now=$(dump)
		tries=$((tries - 1))
	done
	same "$before" "$now" "$1"
}
leases() { find /run/roce-ipam -name '10.56.*'; }
claims() { find "${1:-/run}/roce-cni" -name '*net1' -o -name '0000:*'; }

# ---- what pods do ----

# A MAC of its own, and every name that may be in the way on the host.
settings() {
	local name names=()
	for name in $PF0 "$NETDEV" p{1..60}; do names+=(altname "$name"); done
	ip -n a link set net1 down
	ip -n a link set net1 address 02:00:5e:00:53:77 mtu 1400 txqueuelen 77
	ip -n a link set net1 promisc on allmulticast on name mine
	ip -n a link property add dev mine "${names[@]}"
	ip -n a link add link mine name mine.5 type vlan id 5
	ip -n a link set mine up
	ip -n a link set mine.5 up
	like "$(ip -n a -d link show mine)" \
		'PROMISC.* mtu 1400 .* 02:00:5e:00:53:77 .*promiscuity 1 .* altname p60' 'the pod has changed its interface'
}
bond() {
	ip -n a link add bond0 type bond mode active-backup
	ip -n a link set net1 down
	ip -n a link set net1 master bond0
	ip -n a link set bond0 up mtu 4000
	like "$(ip -n a -d link show net1)" ' mtu 4000 .*master bond0' 'the pod has a bond'
}
bridge() {
	ip -n a link add br0 type bridge
	ip -n a link set net1 master br0
	ip -n a link set br0 up
	like "$(ip -n a -d link show net1)" ' master br0 .*promiscuity 1 ' 'the pod has a bridge'
}

# ---- how pods end ----

with_netns() {
	deleted $VF0 a "$MORE"
	pod_is_clean
}
without_netns() {
	deleted $VF0 a "$MORE" ''
	pod_is_clean
}
# The kernel would leave a VLAN in the pod, and frames would go on to pass it, while the next pod has the VF.
pod_is_clean() {
	is "$(ip -n a -o link | grep -c ' mine')" 0 'nothing of the pod rides on the VF any more'
	ip -n a link del bond0 2>/dev/null
	ip -n a link del br0 2>/dev/null
}
netns_gone() {
	ip netns del a
	deleted $VF0 a "$MORE"
	ip netns add a
	ip -n a link set lo up
}
# Another netdev of the host has got the VF's name, and one of its altnames.
name_taken() {
	ip link add "$NETDEV" type dummy
	ip link add other type dummy
	ip link property add dev other altname a-name-longer-than-fifteen
	ip netns del a
	cni DEL a '' net1 "$(config $VF0 "$MORE")"
	refused 110 "the host has another interface $NETDEV by now; the device came back as" 'name taken'
	like "$(jq -r '.msg, .details' <<<"$CNI_OUT")" 'altname a-name-longer-than-fifteen: .*File exists' 'altname taken'
	ip link del "$NETDEV"
	ip link del other
	deleted $VF0 a "$MORE"
	ip netns add a
	ip -n a link set lo up
}

profile
vfs 9000
furnish
pods a b
before=$(settled_dump; sysctls)
for deed in settings bond bridge; do
	for end in with_netns without_netns netns_gone name_taken; do
		added $VF0 a "$MORE"
		$deed
		$end
		as_before "$deed, $end: the host is as before"
	done
done
is "$(leases)" '' 'all addresses are free'

# The names are taken while the pod lives: what can be restored is.
added $VF0 a "$MORE"
ip link add other type dummy
ip link property add dev other altname a-name-longer-than-fifteen
cni DEL a /run/netns/a net1 "$(config $VF0 "$MORE")"
refused 110 'altname a-name-longer-than-fifteen: .*File exists' 'altname taken, living pod'
is "$(vf_netdev $VF0)" "$NETDEV" 'the VF is on the host all the same'
ip link del other
deleted $VF0 a "$MORE"
as_before 'altname free again: the host is as before'

# ---- a late DEL ----

of_b() { ip -n b -j -d link show net1; ip -j -d link show $PF0 | jq -c '.[0].vfinfo_list'; }
added $VF0 a "$MORE"
ip netns del a
wait_for 50 has_netdev $VF0
added $VF0 b '{"mac": "02:00:5e:00:53:02"}'
seen=$(of_b)
for end in late 'late again'; do
	deleted $VF0 a "$MORE"
	same "$seen" "$(of_b)" "DEL, $end: the next pod's VF is untouched"
done
deleted $VF0 b
pods a
as_before 'both gone: the host is as before'

# ---- the VF's driver, the VF, the PF's driver go ----

unbound() {
	added $VF0 a "$MORE"
	echo $VF0 >/sys/bus/pci/drivers/igbvf/unbind
}
unplugged() {
	added $VF0 a "$MORE"
	echo 0 >/sys/class/net/$PF0/device/sriov_numvfs
}
pf_unbound() {
	added $VF0 a "$MORE"
	echo 0000:01:00.0 >/sys/bus/pci/drivers/igb/unbind
}
for deed in unbound unplugged pf_unbound; do
	for end in with_netns netns_gone; do
		$deed
		started=${EPOCHREALTIME/./}
		$end
		is "$(((${EPOCHREALTIME/./} - started) / 5000000))" 0 "$deed, $end: DEL takes less than 5 s"
		is "$(leases)$(claims)" '' "$deed, $end: addresses and claims are gone"
		[ $deed != unbound ] || is "$(ip link show $PF0 | grep -o 'vlan.*')" \
			'vlan 9, qos 2, spoof checking off, link-state auto, trust off' 'what the PF has is restored'
		[ $deed != unbound ] || echo $VF0 >/sys/bus/pci/drivers_probe
		[ $deed != pf_unbound ] || echo 0000:01:00.0 >/sys/bus/pci/drivers_probe
		wait_for 50 test -e /sys/class/net/$PF0
		pf_up $PF0 9000
		[ "$(cat /sys/class/net/$PF0/device/sriov_numvfs)" = 1 ] ||
			echo 1 >/sys/class/net/$PF0/device/sriov_numvfs
		wait_for 50 has_netdev $VF0
	done
done

# ---- a reboot ----

# It ends the pods, and the VF is a new one, with what the administrator gives it this time.
reboot() {
	ip netns del a
	echo 0 >/sys/class/net/$PF0/device/sriov_numvfs
	echo 1 >/sys/class/net/$PF0/device/sriov_numvfs
	wait_for 50 has_netdev $VF0
	sed -i 's/"bootID": "[^"]*"/"bootID": "00000000-0000-4000-8000-000000000000"/' \
		/var/lib/roce-test/roce-cni/attachments/rail/*
	NETDEV=$(vf_netdev $VF0)
	ip link set "$NETDEV" name vf0 mtu 3000
	ip link set $PF0 vf 0 vlan 11
	NETDEV=vf0
	each_sysctl
	pods a
	before=$(settled_dump; sysctls)
}
mkdir -p /var/lib/roce-test
profile_edit '.stateDir = "/var/lib/roce-test"'
added $VF0 a "$MORE"
reboot
deleted $VF0 a "$MORE"
as_before 'DEL after a reboot: the new VF is left alone'
is "$(claims /var/lib/roce-test)$(find /var/lib/roce-test -name '10.56.*')" '' 'addresses and claims are gone'
added $VF0 a "$MORE"
reboot
added $VF0 b "$MORE"
seen=$(of_b)
deleted $VF0 a "$MORE"
same "$seen" "$(of_b)" "ADD and a late DEL after a reboot: the new pod's VF is untouched"
deleted $VF0 b "$MORE"
as_before 'ADD and DEL after a reboot: the host is as before'
done_testing || exit 1
