#!/bin/bash
# kernel: 6.1 6.12 7.2
# wire: hub
# limit: 180
# VFs with movable RDMA devices: in mode exclusive the RDMA device goes with its VF and comes back, under the name
# that it had, whatever the pod, the kernel or the host did meanwhile. In mode shared it stays.
set -u
# shellcheck source=tests/lab/lib.sh
. tests/lab/lib.sh

# names [POD]: of the RDMA devices there, in the kernel's order.
names() {
	local names=() name
	while read -r _ name _; do names+=("${name%:}"); done < <(${1:+ip netns exec "$1"} rdma dev)
	echo "${names[*]}"
}
# ports POD: the names of its ports' netdevs. gids POD DEVICE: its GIDs, without those that are zero.
ports() { [[ $(in_pod "$1" rdma link) =~ netdev\ ([^ ]+) ]] && echo "${BASH_REMATCH[1]}"; }
gids() { in_pod "$1" grep -hv '^0000:0000:0000:0000:0000:0000' -r "/sys/class/infiniband/$2/ports/1/gids"; }
both_gone() {
	ip netns del a
	ip netns del b
}

profile
vfs 9000
run_ok 'two VFs with an RDMA device each' rdmatest "pci=$VF0,$VF1"
rdma_mode exclusive
is "$(names)" 'mlx5_0 mlx5_1' 'they are on the host'
pods a b
before=$(settled_dump)

# ---- two pods ----

# Multus has copied here what the device plugin wrote, and shows it in network-status after ADD.
INFO=/var/run/k8s.cni.cncf.io/devinfo/cni/rail.json
mkdir -p "${INFO%/*}"
printf '{"type":"pci","version":"1.0.0","pci":{"pci-address":"%s","vhost-net":"/dev/vhost-net"}}' $VF0 >$INFO
added $VF0 a "{\"runtimeConfig\": {\"CNIDeviceInfoFile\": \"$INFO\"}}"
is "$(jq -cS . $INFO)" "{\"pci\":{\"pci-address\":\"$VF0\",\"pf-pci-address\":\"0000:01:00.0\",\"rdma-device\":\"mlx5_0\",\"vhost-net\":\"/dev/vhost-net\"},\"type\":\"pci\",\"version\":\"1.1.0\"}" \
	"the device info is complete, and has what the device plugin wrote"
rm $INFO
like "$CNI_ERR" 'RDMA device mlx5_0: mode exclusive' 'the log says what was found'
like "$CNI_ERR" 'mlx5_0 reports RoCE path MTU 4096' 'and what the port reports'
is "$(gids a mlx5_0 | grep -c '0000:0000:0000:0000:0000:ffff:0a38:0001')" 1 'its GID table has the address of the pod'
added $VF1 b
is "$(names)|$(names a)|$(names b)" '|mlx5_0|mlx5_1' 'each pod has its own RDMA device, the host has none'
is "$(ports a) $(ports b)" 'net1 net1' 'each with the netdev of its pod'
like "$(gids b mlx5_1)" '0000:0000:0000:0000:0000:ffff:0a38:0002' 'its GIDs are those of its pod'
unlike "$(gids b mlx5_1)" 'ffff:0a38:0001' 'and not those of the other'
echo 'mlx5_1 out_of_buffer 7' >/sys/module/rdmatest/parameters/counter
like "$(in_pod b rdma statistic show)" '^link mlx5_1/1 rx_write_requests 0 .* out_of_buffer 7 .* np_cnp_sent 0 [^/]*$' \
	'a pod sees the counters of its RDMA device, and of no other'
is "$(in_pod b cat /sys/class/infiniband/mlx5_1/ports/1/hw_counters/out_of_buffer)" 7 'also as files'
like "$(in_pod a rdma statistic show)" '^link mlx5_0/1 .* out_of_buffer 0 ' 'each pod its own'
is "$("$BIN/rocectl" show -o json | jq -c '.attachments[] | [.pci, .pf, .vfIndex, .rdmaDevice, .mtu, .roceMTU, .state]' | head -n 1)" \
	'["0000:01:10.0","0000:01:00.0",0,"mlx5_0",9000,4096,"active"]' 'rocectl show knows VF, PF and RDMA device'
check $VF0 a
is "$CNI_RC$CNI_OUT" 0 'CHECK finds nothing'
run_ok 'the folder of the RDMA device is in the sysfs of the host all the same' test -d /sys/bus/pci/devices/$VF0/infiniband
# A journal that an older version wrote.
JOURNAL=/run/roce-cni/attachments/rail/a:net1
older=$(jq -c 'del(.device.rdma.guid)' $JOURNAL) && printf '%s' "$older" >$JOURNAL
check $VF0 a
is "$CNI_RC$CNI_OUT" 0 'CHECK finds the device of a journal without a GUID'
deleted $VF0 a
is "$(names)|$(names b)" 'mlx5_0|mlx5_1' 'after the first DEL one is back'
deleted $VF1 b
restored "$before" 'the host is as before'

# ---- names ----

# A name is the node's: taken in one namespace is taken in all, so nothing clashes on the way. It is the pod that
# may choose another one. The other order of DEL.
added $VF0 a
added $VF1 b
like "$(in_pod a rdma dev set mlx5_0 name mlx5_1 2>&1)" 'File exists' 'a name taken elsewhere on the node is taken'
run_ok 'pod a renames its RDMA device' in_pod a rdma dev set mlx5_0 name mine
run_ok 'pod b takes the name that is free by that' in_pod b rdma dev set mlx5_1 name mlx5_0
check $VF0 a
is "$CNI_RC$CNI_OUT" 0 'CHECK finds it all the same'
deleted $VF1 b
is "$(names)" mlx5_1 'it comes back under the name that it had'
like "$CNI_ERR" 'RDMA device mlx5_1 was renamed to mlx5_0 in the pod: it has its name again' 'the log says so'
deleted $VF0 a
restored "$before" 'renamed by the pods: the host is as before'

added $VF0 a
in_pod a rdma dev set mlx5_0 name mine
run_ok 'another one on the host takes the name' rdma dev set mlx5_1 name mlx5_0
deleted $VF0 a
is "$(names)" 'mine mlx5_0' 'it is back, and both keep the names they have'
like "$CNI_ERR" 'warning: RDMA device mlx5_0, renamed to mine in the pod, keeps that name: another one is called mlx5_0' \
	'the log says why'
rdma dev set mlx5_0 name mlx5_1
rdma dev set mine name mlx5_0
restored "$before" 'name taken: but for names, the host is as before'

# ---- the pods die before DEL ----

added $VF0 a
added $VF1 b
in_pod a rdma dev set mlx5_0 name mine
both_gone
back() { [ "$(names)" = 'mine mlx5_1' ]; }
run_ok 'the kernel brings back both, under the names that they have' wait_for 30 back
deleted $VF0 a
deleted $VF1 b
pods a b
restored "$before" 'namespaces gone: the host is as before'

# At once, before the kernel has brought it back.
added $VF0 a
in_pod a rdma dev set mlx5_0 name mine
ip netns del a
deleted $VF0 a
pods a
restored "$before" 'namespace just gone: the host is as before'

# ---- the driver is bound anew ----

# anew: the VF loses its driver and gets it again. The RDMA device has another index, and its netdev another ifindex.
anew() {
	echo $VF0 >/sys/bus/pci/drivers/igbvf/unbind
	echo $VF0 >/sys/bus/pci/drivers/igbvf/bind
	wait_for 50 has_netdev $VF0
}
unnumbered() { sed -E 's/^[0-9]+: //' <<<"$1" | sort; }
added $VF0 a
anew
is "$(names)|$(names a)" 'mlx5_1 mlx5_0|' 'bound anew while in the pod: it is on the host'
deleted $VF0 a
same "$(unnumbered "$before")" "$(unnumbered "$(settled_dump)")" 'but for the indexes, the host is as before'
before=$(settled_dump)
added $VF0 a
is "$(names)|$(names a)" 'mlx5_1|mlx5_0' 'and the next ADD moves it'
in_pod a rdma dev set mlx5_0 name mine
anew
is "$(names)" 'mlx5_1 mlx5_0' 'once more, renamed by the pod: it is made anew under the name of its first time'
deleted $VF0 a
same "$(unnumbered "$before")" "$(unnumbered "$(settled_dump)")" 'but for the indexes, the host is as before'

# Of a device without a GUID, numbered anew, only the function tells whose it is.
echo 1 >/sys/module/rdmatest/parameters/zero_guid
anew
before=$(settled_dump)
added $VF0 a
anew
ip netns del a
deleted $VF0 a
pods a
same "$(unnumbered "$before")" "$(unnumbered "$(settled_dump)")" 'no GUID, bound anew, namespace gone: but for the indexes, the host is as before'

# ---- its driver is gone ----

added $VF0 a
rmmod rdmatest
run_ok 'no RDMA driver, no folder' test ! -e /sys/bus/pci/devices/$VF0/infiniband
ip netns del a
begin=$SECONDS
deleted $VF0 a
is "$((SECONDS - begin < 3))" 1 'nobody waits for an RDMA device whose driver is gone'
is "$(find /run/roce-cni ! -type d ! -name '*b:net1*')" '' 'and nothing is left of the attachment'
pods a
rdmatest "pci=$VF0,$VF1"

# ---- somebody on the host has it open ----

open_by() { [[ $(rdma res show ctx) = *" comm $1"* ]]; }
ibv_asyncwatch -d mlx5_0 >/run/watched 2>&1 &
watcher=$!
wait_for 50 open_by ibv_asyncwatch
config $VF0 >/run/network.json
like "$("$BIN/rocectl" validate -o json /run/network.json | jq -r '.reports[0].findings[] | .severity + " " + .id + ": " + .text')" \
	"warning rdma-in-use: RDMA device mlx5_0 is open on the host by ibv_asyncwatch \(process $watcher\): the move cuts it off" \
	'rocectl validate names who has it open'
added $VF0 a
like "$CNI_ERR" "warning: RDMA device mlx5_0 is open on the host by ibv_asyncwatch \(process $watcher\)" 'the log of ADD, too'
like "$(cat /run/watched)" 'DEVICE_FATAL' 'and it is cut off'
kill $watcher
wait $watcher 2>/dev/null
deleted $VF0 a

# ---- mode shared ----

both_gone
rdma_mode shared
pods a
before=$(settled_dump)
added $VF0 a
is "$(names)|$(names a)" 'mlx5_0 mlx5_1|mlx5_0 mlx5_1' 'mode shared: the RDMA device stays, the pod sees it and the others'
like "$CNI_ERR" 'RDMA device mlx5_0: mode shared' 'and the log says so'
is "$(gids a mlx5_0 | grep -c '0000:0000:0000:0000:0000:ffff:0a38:0001')" 1 'its GIDs are those of the pod'
is "$(in_pod a sh -c 'cd /sys/class/infiniband/mlx5_0/ports/1 && ls -d gids hw_counters' 2>/dev/null)" gids 'its counters are not to be seen there'
deleted $VF0 a
restored "$before" 'mode shared: the host is as before'
rmmod rdmatest
done_testing || exit 1
