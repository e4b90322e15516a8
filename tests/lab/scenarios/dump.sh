#!/bin/bash
# kernel: 6.12
# wire: hub
# limit: 240
# The judge of all other tests is judged: whatever is changed on a VF, on its PF or in the state folders,
# host_dump shows it, and once it is changed back, the dump is the same again.
set -u
# shellcheck source=tests/lab/lib.sh
. tests/lab/lib.sh

vfs 9000
run_ok 'an RDMA device on the VF' rdmatest pci=$VF0
VF=$(vf_netdev $VF0)
read -r MAC <"/sys/class/net/$VF/address"
mkdir -p /run/roce-cni/devices /run/roce-ipam/rail
before=$(settled_dump)

# shows DESCRIPTION CHANGE BACK
shows() {
	local changed
	if ! eval "$2"; then
		not_ok "$1" "cannot: $2"
		return
	fi
	changed=$(host_dump)
	eval "$3" || diag "cannot: $3"
	if [ "$changed" = "$before" ]; then
		not_ok "$1: the dump shows it"
	else
		restored "$before" "$1: the dump shows it, and when it is back"
	fi
}

# link DESCRIPTION CHANGE BACK: a setting of the VF's netdev.
link() { shows "$1" "ip link set $VF $2" "ip link set $VF $3"; }
# on_pf DESCRIPTION CHANGE BACK: a setting of the VF on its PF.
on_pf() { shows "$1" "ip link set $PF0 vf 0 $2" "ip link set $PF0 vf 0 $3"; }
sysctls() { shows "sysctl $1" "echo $3 >/proc/sys/net/${1/DEV/$VF}" "echo $2 >/proc/sys/net/${1/DEV/$VF}"; }

link 'MTU' 'mtu 1600' 'mtu 1500'
link 'MAC' 'address 02:00:5e:00:53:01' "address $MAC"
link 'queue length' 'txqlen 99' 'txqlen 1000'
link 'promiscuous mode' 'promisc on' 'promisc off'
link 'all multicast' 'allmulticast on' 'allmulticast off'
link 'multicast' 'multicast off' 'multicast on'
link 'ARP' 'arp off' 'arp on'
link 'group' 'group 7' 'group default'
link 'alias' 'alias mine' 'alias ""'
link 'GSO limit' 'gso_max_size 32768' 'gso_max_size 65536'
link 'IPv6 addresses made up' 'addrgenmode none' 'addrgenmode eui64'
link 'state' up down
shows 'name' "ip link set $VF name other" "ip link set other name $VF"
shows 'alternative name' "ip link property add dev $VF altname other" "ip link property del dev $VF altname other"
shows 'master' "ip link add br0 type bridge && ip link set $VF master br0" 'ip link del br0'
shows 'address' "ip addr add 192.0.2.1/24 dev $VF" "ip addr del 192.0.2.1/24 dev $VF"
shows 'IPv6 address' "ip addr add 2001:db8::1/64 dev $VF nodad" "ip addr del 2001:db8::1/64 dev $VF"
shows 'route' "ip route add 198.51.100.0/24 dev $PF0" "ip route del 198.51.100.0/24 dev $PF0"
shows 'IPv6 route' "ip route add 2001:db8:1::/64 dev $PF0" "ip route del 2001:db8:1::/64 dev $PF0"
shows 'another namespace' 'ip netns add x' 'ip netns del x'
shows 'name of the RDMA device' 'rdma dev set mlx5_0 name other' 'rdma dev set other name mlx5_0'
shows 'RDMA mode' 'rdma system set netns exclusive' 'rdma system set netns shared'

on_pf 'VLAN' 'vlan 7' 'vlan 0'
on_pf 'VLAN priority' 'vlan 7 qos 3' 'vlan 0'
on_pf 'spoof check' 'spoofchk off' 'spoofchk on'
on_pf 'trust' 'trust on' 'trust off'
on_pf 'rate' 'max_tx_rate 100' 'max_tx_rate 0'
on_pf 'administrative MAC' 'mac 02:00:5e:00:53:01' 'mac 00:00:00:00:00:00'

sysctls ipv4/conf/DEV/rp_filter 0 1
sysctls ipv4/conf/DEV/arp_ignore 0 1
sysctls ipv4/conf/DEV/igmpv2_unsolicited_report_interval 10000 9000
sysctls ipv6/conf/DEV/accept_ra 1 0
sysctls ipv6/conf/DEV/disable_ipv6 0 1
sysctls ipv6/conf/DEV/mtu 1500 1400
sysctls ipv4/conf/$PF0/rp_filter 0 1

shows 'journal' 'mkdir -p /run/roce-cni/attachments/rail; : >/run/roce-cni/attachments/rail/a:net1' \
	'rm /run/roce-cni/attachments/rail/a:net1'
shows 'lock file' ': >/run/roce-cni/devices/.x.lock' 'rm /run/roce-cni/devices/.x.lock'
shows 'claim' 'ln -s a /run/roce-cni/devices/x' 'rm /run/roce-cni/devices/x'
ln -s a /run/roce-cni/devices/x
before=$(host_dump)
shows 'owner of a claim' 'ln -sfn b /run/roce-cni/devices/x' 'ln -sfn a /run/roce-cni/devices/x'
shows 'lease' ': >/run/roce-ipam/rail/10.56.0.1' 'rm /run/roce-ipam/rail/10.56.0.1'
rmmod rdmatest
done_testing || exit 1
