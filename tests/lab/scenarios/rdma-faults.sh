#!/bin/bash
# kernel: 6.1 6.12 7.2
# wire: hub
# limit: 180
# The move of an RDMA device fails, or roce is killed around it, in ADD and in DEL: the host is as before.
# kill.sh and faults.sh do that at every system call, on one kernel.
set -u
# shellcheck source=tests/lab/lib.sh
. tests/lab/lib.sh
# shellcheck source=tests/lab/inject.sh
. tests/lab/inject.sh

SET=0x1402 # RDMA_NLDEV_CMD_SET
PF1= # one is enough
profile
vfs 9000
run_ok 'an RDMA device on the VF' rdmatest pci=$VF0
rdma_mode exclusive
pods a
CONF=$(config $VF0)
add a
del a
before=$(settled_dump)
traced ADD a "$CONF"
move=$(request $SET)
mapfile -t of_add < <(around $SET)
traced DEL a "$CONF"
home=$(request $SET)
mapfile -t of_del < <(around $SET)

# ---- the kernel refuses ----

# fails ERROR WORDS: the request that moves the device to the pod fails.
fails() {
	faulty sendmsg "$1" "$move" ADD a "$CONF" || not_ok "$1 was injected"
	refused 108 "move its RDMA device to the pod: RDMA device mlx5_0 does not move: the kernel refused: netlink: $2; see: rdma dev show" \
		"$1 from the move"
	restored "$before" "$1 from the move: the host is as before"
}
fails EBUSY 'Object busy'
fails ENODEV 'No such device'
fails EOPNOTSUPP 'Operation not supported'

add a
faulty sendmsg EBUSY "$home" DEL a "$CONF" || not_ok 'EBUSY was injected'
refused 110 'move its RDMA device to the host: RDMA device mlx5_0 does not move: the kernel refused: netlink: Object busy' \
	'EBUSY from the move home'
del a
is "$CNI_RC$CNI_OUT" 0 'and the next DEL succeeds'
restored "$before" 'EBUSY from the move home: the host is as before'

# ---- killed right before, at and after the move ----

killed ADD "$CONF" "${of_add[@]}"
killed DEL "$CONF" "${of_del[@]}"
is "$DOOMED kills, $SURVIVED" '6 kills, 6' "killed around the move, then DEL: $DOOMED kills, $SURVIVED restored"

# ---- a driver that cannot be moved ----

rmmod rdmatest
run_ok 'an RDMA device that cannot be moved' rdmatest pci=$VF0 movable=0
before=$(settled_dump)
add_refused 108 'does not move: the kernel refused: Operation not supported; its driver cannot be moved: leave it on the host by "rdma": "off", or have mode shared' \
	'it cannot be moved' $VF0 a
restored "$before" 'it cannot be moved: the host is as before'
added $VF0 a '{"rdma":"off"}'
like "$(rdma dev)" 'mlx5_0: ' 'rdma off: it stays on the host'
is "$(in_pod a rdma -j dev)" '[]' 'and is not in the pod'
deleted $VF0 a '{"rdma":"off"}'
restored "$before" 'rdma off: the host is as before'
rmmod rdmatest
done_testing || exit 1
