#!/bin/bash
# kernel: 6.12
# wire: hub
# limit: 300
# What no network gets, PFs above all; and PCI functions that are neither PF nor VF, which it may.
set -u
# shellcheck source=tests/lab/lib.sh
. tests/lab/lib.sh
# shellcheck source=tests/lab/pick.sh
. tests/lab/pick.sh

MODULES=$REPO/build/lab/kernel-6.12/root
CARD=0000:00:06.0 # a virtio card
profile
run_ok 'a card without SR-IOV' modprobe -d "$MODULES" virtio_net
wait_for 50 test -e /sys/class/net/eth2
pf_up $PF0 9000
vfs_of $PF0 1 VF
pods a h
before=$(settled_dump)

# ---- PFs ----

WITH='{"deviceID": "0000:01:00.0"}' WITHOUT='{"deviceID": "0000:02:00.0"}'
none_agreed 103 "device $PF0 is a PF with VFs.*; fix: .*echo 0 > /sys/class/net/$PF0/device/sriov_numvfs" 'a PF with VFs' "$WITH"
none_agreed 103 "device $PF1 is a PF, and the node profile has no \"allowPF\": true.*; fix: .*echo 1 > /sys/class/net/$PF1/device/sriov_numvfs" \
	'a PF without VFs' "$WITHOUT"
none 103 "device $PF1 is a PF, and" 'a PF by name' "{\"device\": \"$PF1\"}"
profile_edit '.allowPF = false'
none 103 "device $PF1 is a PF, and" 'a PF, where PFs are forbidden in so many words' "$WITHOUT"
profile_edit '.allowPF = true'
none 103 "device $PF0 is a PF with VFs.*; fix: .*echo 0 > " 'a PF with VFs, where PFs are allowed' "$WITH"
none 7 "vlan: it is a PF's setting of a VF, and the device is no VF" 'a PF with a VLAN' '{"deviceID": "0000:02:00.0", "vlan": 7}'
agreed a 0000:02:00.0 'a PF without VFs, where PFs are allowed' "$WITHOUT"
is "$(ip -n a -j link show net1 | jq -r '.[0].address')" 52:54:00:00:00:02 'it is in the pod'
none 102 "device $PF1 \(0000:02:00\.0\) belongs to container a \(network rail, interface net1, namespace /run/netns/a\)" \
	'the PF of another pod' "$WITHOUT"
gone a
restored "$before" 'PFs: the host is as before'

# ---- a PCI function that is neither PF nor VF ----

none 103 'port eth2 \(PCI 0000:00:06\.0, driver virtio-pci\) is not on fabric rail' 'a card outside of the fabric' "{\"deviceID\": \"$CARD\"}"
none 101 'pf: eth2 cannot have VFs: .*"deviceID": "0000:00:06\.0"' 'a card in place of a PF' '{"pf": "eth2"}'
profile_edit '.fabrics.rail.pfs += [{"driver": "virtio-pci"}]'
none_agreed 7 "vlan: it is a PF's setting of a VF, and the device is no VF; fix: leave it out" 'a card with a VLAN' \
	"{\"deviceID\": \"$CARD\", \"vlan\": 7}"
agreed a $CARD 'a card by its PCI address' "{\"deviceID\": \"$CARD\"}"
is "$(ip -n a -j link show net1 | jq -r '.[0].address')" 52:54:00:00:00:03 'it is in the pod'
gone a
restored "$before" 'the card: the host is as before'
takes a $CARD 'the same card by its name' '{"device": "eth2"}'
ip netns del a
wait_for 100 ip link show net1 >/dev/null
gone a
ip netns add a
restored "$before" 'a pod that is gone: the host is as before'
modprobe -r -d "$MODULES" virtio_net
done_testing || exit 1
