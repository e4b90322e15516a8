#!/bin/bash
# kernel: 6.12
# wire: hub
# limit: 240
# rocectl validate on a node with real VFs: every answer against a golden file, and nothing changes.
set -u
# shellcheck source=tests/lab/lib.sh
. tests/lab/lib.sh
# shellcheck source=tests/golden.sh
. tests/golden.sh

NET=/run/net.json
profile
vfs 9000
pods a b
before=$(settled_dump)
config $VF0 | jq 'del(.deviceID)' >$NET

golden lab-good 0 $NET
golden lab-device 0 --device $VF1 $NET
pf_up $PF0 1500
golden lab-pf-too-small 1 --device $VF0 $NET
pf_up $PF0 9000
run_ok 'a VLAN on the PF' ip link add link $PF0 name vlan7 mtu 9000 type vlan id 7
golden lab-beside 0 --device $VF0 $NET
ip link del vlan7

# Every VF in use: the dry run picks another one, or says that there is none.
added $VF0 a
golden lab-next-vf 0 $NET
added $VF1 b
golden lab-no-free-vf 1 $NET
golden lab-busy 1 --device $VF0 $NET
deleted $VF0 a
deleted $VF1 b

# An RDMA device on the VF.
run_ok 'an RDMA device on the VF' rdmatest pci=$VF0
golden lab-rdma 0 --device $VF0 $NET
rmmod rdmatest

ip link add bond0 type bond mode active-backup
ip link set bond0 mtu 4200
for pf in $PF0 $PF1; do
	ip link set $pf down
	ip link set $pf master bond0
done
ip link set bond0 up
golden lab-bond 1 --device $VF0 $NET
ip link del bond0
for pf in $PF0 $PF1; do pf_up $pf 9000; done
rm -rf /run/roce-cni /run/roce-ipam
same "$before" "$(settled_dump)" 'the host is as before'
done_testing || exit 1
