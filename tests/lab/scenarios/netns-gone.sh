#!/bin/bash
# kernel: 6.12
# wire: hub
# limit: 180
# The pod's namespace dies before DEL: the kernel gives the VF back as the pod left it.
set -u
# shellcheck source=tests/lab/lib.sh
. tests/lab/lib.sh

MORE='{"vlan": 7, "mac": "02:00:5e:00:53:01", "mtu": 9000}'

# gone DESCRIPTION NETNS: ADD, namespace dies, DEL with this CNI_NETNS.
gone() {
	pods a
	before=$(settled_dump)
	added $VF0 a "$MORE"
	ip netns del a
	deleted $VF0 a "$MORE" "$2"
	pods a
	same "$before" "$(settled_dump)" "$1: the host is as before"
	is "$(find /run/roce-ipam -name '10.56.*')" '' "$1: the address is free"
	deleted $VF0 a "$MORE" "$2"
	ip netns del a
}

profile
vfs 9000
gone 'path that is gone' /run/netns/a
gone 'no CNI_NETNS' ''

# Another interface has the pod's name on the host: the kernel calls the VF devN.
ip link add net1 type dummy
gone 'name taken on the host' /run/netns/a
ip link del net1

# The pod did what it liked with the interface.
pods a
before=$(settled_dump)
added $VF0 a "$MORE"
ip -n a link set net1 down
ip -n a link set net1 mtu 1400 name mine
deleted $VF0 a "$MORE"
same "$before" "$(settled_dump)" 'interface changed by the pod: the host is as before'

# Nobody calls DEL at all; the next pod gets a clean VF all the same.
pods b
before=$(settled_dump)
added $VF0 a "$MORE"
ip netns del a
wait_for 50 has_netdev $VF0
pods a
added $VF0 b
is "$(ip -n b -j link show net1 | jq -r '.[0].mtu')" 9000 'no DEL: the next pod has its MTU'
deleted $VF0 b
same "$before" "$(settled_dump)" 'no DEL: the host is as before the first pod'
done_testing || exit 1
