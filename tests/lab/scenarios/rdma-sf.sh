#!/bin/bash
# kernel: 6.1 6.12 7.2
# wire: hub
# limit: 180
# Subfunctions, by their auxiliary devices: netdev and RDMA device go and come back; the port is their PF's.
set -u
# shellcheck source=tests/lab/lib.sh
. tests/lab/lib.sh

SF1=rdmatest.sf.1 SF2=rdmatest.sf.2
BUS=/sys/bus/auxiliary

rdma_names() { rdma -j dev | jq -c '[.[].ifname]'; }
pod_rdma() { in_pod "$1" rdma -j link | jq -c '[.[] | [.ifname, .netdev]]'; }
claims() { find /run/roce-cni/devices -type l -printf '%f '; }
sf_back() { compgen -G "$BUS/devices/$SF1/net/*" >/dev/null; }

profile
echo 1 >/sys/class/net/$PF0/device/sriov_numvfs
pf_up $PF0 9000
run_ok 'the test module' rdmatest "sf=0000:01:00.0,0000:01:00.0" twin=1
run_ok 'mode exclusive' rdma system set netns exclusive
is "$(rdma_names)" '["mlx5_0","mlx5_1"]' 'each subfunction has an RDMA device'
is "$(ip -j -d link show twin0 | jq -r '.[0].parentbus + " " + .[0].parentdev')" "platform $SF1" \
	'a device on another bus has the name of the first'
pods a b
before=$(settled_dump)

# There and back, below a PF that has VFs.
INFO=/var/run/k8s.cni.cncf.io/devinfo/cni/sf.json
added $SF1 a "{\"mac\": \"02:00:5e:00:53:01\", \"runtimeConfig\": {\"CNIDeviceInfoFile\": \"$INFO\"}}"
is "$(rdma_names)" '["mlx5_1"]' 'the RDMA device left the host'
is "$(pod_rdma a)" '[["mlx5_0","net1"]]' 'it is in the pod, with the netdev'
is "$(ip -n a -j -d link show net1 | jq -c '.[0] | [.mtu, .address, .parentbus, .parentdev]')" \
	"[9000,\"02:00:5e:00:53:01\",\"auxiliary\",\"$SF1\"]" 'the netdev has MTU and MAC'
like "$(in_pod a sh -c 'cat /sys/class/infiniband/mlx5_0/ports/1/gids/*')" \
	'0000:0000:0000:0000:0000:ffff:0a38:0001' 'the address has its GID'
is "$(jq -c '.interfaces[0] | [.name, .mtu, .mac, .pciID]' <<<"${RESULTS[a]}")" \
	'["net1",9000,"02:00:5e:00:53:01",null]' 'the answer names no PCI function: it has none'
is "$(jq -c '[.type, .version, .pci["pci-address"], .pci["pf-pci-address"], .pci["rdma-device"]]' $INFO)" \
	'["pci","1.1.0","0000:01:00.0","0000:01:00.0","mlx5_0"]' 'the device info has the PCI address of the PF'
is "$("$BIN/rocectl" show -o json | jq -c '.attachments[] | [.device, .pci, .pf, .vfIndex, .rdmaDevice, .mtu, .state]')" \
	"[\"sf0\",\"$SF1\",\"0000:01:00.0\",null,\"mlx5_0\",9000,\"active\"]" 'rocectl show knows it'
is "$(claims)" "$SF1 " 'the claim has its name'
check $SF1 a '{"mac": "02:00:5e:00:53:01"}'
silent 'CHECK finds all as it was'
cni ADD b /run/netns/b net1 "$(config $SF1)"
refused 102 "device sf0 \\($SF1\\) belongs to container a" 'a second ADD'

# The port is the PF's.
ip link set $PF0 mtu 1500
check $SF1 a '{"mac": "02:00:5e:00:53:01"}'
refused 111 'PF eth0: its MTU is 1500, the pod needs 9000' 'CHECK after the MTU of the PF shrank'
add_refused 100 'MTU_MISMATCH: PF eth0: its MTU is 1500, the pod needs 9000; fix: ip link set dev eth0 mtu 9000' \
	'the MTU of the PF' $SF2 b
is "$(chain $SF2 | sed -n 2,4p)" 'pod net1 9000 4192 - RoCE path MTU 4096
device sf1 1500 9000 9216 ok, will be set
PF eth0 1500 9000 9216 TOO SMALL, bottleneck' 'the dry run names the hop'
pf_up $PF0 9000
deleted $SF1 a
restored "$before" 'after DEL the host is as before'

# Named by its netdev it is the same device, with the same claim.
added sf1 a
is "$(claims)" "$SF2 " 'by the name of its netdev: the claim has its own name'
is "$(pod_rdma a)" '[["mlx5_1","net1"]]' 'by the name of its netdev: the RDMA device is in the pod'
cni GC '' '' '' "$(config sf1 '{"cni.dev/valid-attachments": []}')"
silent 'GC of an attachment that nobody wants'
restored "$before" 'after GC the host is as before'

# What is refused.
add_refused 7 "vlan: it is a PF's setting of a VF, and the device is no VF" 'a VLAN' $SF1 a '{"vlan": 7}'
add_refused 101 'auxiliary device rdmatest.sf.9 does not exist on this node; see: ls /sys/bus/auxiliary/devices' \
	'an unknown name' rdmatest.sf.9 a
add_refused 7 'deviceID: "../x.sf.1" is not a PCI address .* nor an auxiliary device' 'a path' $SF1 a \
	'{"deviceID": "../x.sf.1"}'
profile_edit '.fabrics.rail.pfs = [{"pci": "0000:02:00.0"}]'
add_refused 103 'port eth0 \(PCI 0000:01:00.0, driver igb\) is not on fabric rail' 'its PF on no fabric' $SF1 a
profile_edit '.fabrics.rail.pfs = [{"pci": "0000:01:00.0"}]'
restored "$before" 'after the refusals the host is as before'
config $SF1 >/run/network.json
like "$("$BIN/rocectl" validate /run/network.json)" 'RDMA: device mlx5_0, mode exclusive: it moves into the pod' \
	'the dry run knows the RDMA device'
config $SF1 '{"vlan": 7}' >/run/network.json
like "$("$BIN/rocectl" validate --offline /run/network.json)" 'error: setting-needs-vf: vlan' 'the offline check refuses the VLAN'
echo $SF1 >$BUS/drivers/rdmatest.sf/unbind
add_refused 101 "auxiliary device $SF1 has no network interface on the host: its driver is not bound.*echo $SF1 > $BUS/drivers_probe" \
	'without a driver' $SF1 a
echo $SF1 >$BUS/drivers_probe

# The pod dies: the kernel gives both devices back.
before=$(settled_dump)
added $SF1 a '{"mac": "02:00:5e:00:53:01"}'
ip netns del a
deleted $SF1 a
pods a
restored "$before" 'namespace gone, DEL: the host is as before'
added $SF1 a '{"mac": "02:00:5e:00:53:01"}'
ip netns del a
wait_for 50 sf_back
cni STATUS '' '' '' "$(config $SF1)"
silent 'STATUS after the namespace is gone'
is "$(claims)" '' 'STATUS gave the subfunction back'
is "$(ip -j link show sf0 | jq -c '.[0] | [.mtu, .flags[0:2]]')" '[1500,["BROADCAST","MULTICAST"]]' 'STATUS restored it'
deleted $SF1 a
pods a
restored "$before" 'namespace gone, STATUS: the host is as before'

ip netns del a
ip netns del b
run_ok 'mode shared' wait_for 50 rdma system set netns shared # the namespaces go in their own time
pods a
before=$(settled_dump)
added $SF1 a
like "$(rdma_names)" '"mlx5_0"' 'mode shared: the RDMA device stays'
is "$(pod_mtu a)" 9000 'mode shared: the netdev is in the pod'
deleted $SF1 a
restored "$before" 'mode shared: the host is as before'
rmmod rdmatest
done_testing || exit 1
