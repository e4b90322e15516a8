#!/bin/bash
# kernel: 6.12
# wire: hub
# limit: 180
# A VF with a movable RDMA device: in mode exclusive the RDMA device goes with it and comes back.
set -u
# shellcheck source=tests/lab/lib.sh
. tests/lab/lib.sh

rdma_names() { rdma -j dev | jq -c '[.[].ifname]'; }
gids() { in_pod a bash -c 'cat /sys/class/infiniband/mlx5_0/ports/1/gids/* | sort -u'; }
has_gid() { gids | grep -qi '0000:0000:0000:0000:0000:ffff:0a38:0001'; }

profile
vfs 9000
run_ok 'the test module' rdmatest "pci=$VF0"
run_ok 'mode exclusive' rdma system set netns exclusive
is "$(rdma_names)" '["mlx5_0"]' 'the VF has an RDMA device'
pods a
before=$(settled_dump)

added $VF0 a
is "$(rdma_names)" '[]' 'the RDMA device left the host'
is "$(in_pod a rdma -j dev | jq -c '[.[].ifname]')" '["mlx5_0"]' 'it is in the pod'
is "$(in_pod a rdma -j link | jq -r '.[0].netdev')" net1 'with the netdev of the pod'
is "$("$BIN/rocectl" show -o json | jq -c '.attachments[] | [.pci, .pf, .vfIndex, .rdmaDevice, .mtu, .roceMTU, .state]')" \
	'["0000:01:10.0","0000:01:00.0",0,"mlx5_0",9000,4096,"active"]' 'rocectl show knows VF, PF and RDMA device'
wait_for 30 has_gid
like "$(gids)" '0000:0000:0000:0000:0000:ffff:0a38:0001' 'the GID table has the address of the pod'
like "$CNI_ERR" 'RDMA device mlx5_0: mode exclusive' 'the log says what was found'
deleted $VF0 a
is "$(rdma_names)" '["mlx5_0"]' 'after DEL the RDMA device is back'
same "$before" "$(settled_dump)" 'the host is as before'

# Once more, with the pod gone before DEL.
added $VF0 a
ip netns del a
deleted $VF0 a
is "$(rdma_names)" '["mlx5_0"]' 'namespace gone: the RDMA device is back'
pods a
same "$before" "$(settled_dump)" 'namespace gone: the host is as before'
ip netns del a

run_ok 'mode shared' rdma system set netns shared
pods a
before=$(settled_dump)
added $VF0 a
is "$(rdma_names)" '["mlx5_0"]' 'mode shared: the RDMA device stays'
like "$CNI_ERR" 'RDMA device mlx5_0: mode shared' 'and the log says so'
deleted $VF0 a
same "$before" "$(settled_dump)" 'mode shared: the host is as before'
rmmod rdmatest
done_testing || exit 1
