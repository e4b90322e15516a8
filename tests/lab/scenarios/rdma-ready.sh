#!/bin/bash
# kernel: 6.1 6.12 7.2
# wire: hub
# limit: 180
# What must be there for "rdma": "required", and that ADD returns when it is: the RDMA device, its file, the
# pod's GIDs; and for "soft": mode shared, rdma_rxe, a kernel. What is missing is said, and nothing is left.
set -u
# shellcheck source=tests/lab/lib.sh
. tests/lab/lib.sh

REQUIRED='{"rdma":"required"}' SOFT='{"rdma":"soft"}'
GIDS=/sys/class/infiniband/mlx5_0/ports/1/gids
knob() { echo "$2" >"/sys/module/rdmatest/parameters/$1"; }
# gid_now POD ADDRESS-IN-HEX DESCRIPTION: right after an ADD, the table has it.
gid_now() { like "$(in_pod "$1" grep -rh ffff: $GIDS)" "0000:0000:0000:0000:0000:ffff:$2" "$3"; }

PF1= # one is enough
profile
vfs 9000
pods a
before=$(settled_dump)
add_refused 113 'device eth[0-9] has no RDMA device on the host; its driver is igbvf; fix: name a device of an adapter with RoCE, or, where there is none, "rdma": "soft"' \
	'no RDMA device' $VF0 a "$REQUIRED"
restored "$before" 'no RDMA device: nothing was changed'
if [[ $(uname -r) = 6.* ]]; then
	add_refused 113 "soft RoCE on net1: the kernel refused: .*; this kernel's rdma_rxe works in the host's network namespace only \(it knows others since Linux 7.1\): use \"rdma\": \"off\", or a newer kernel" \
		'soft, a kernel that cannot' $VF0 a "$SOFT"
	restored "$before" 'soft, a kernel that cannot: the host is as before'
fi
ip netns del a

# ---- the pod's GIDs ----

run_ok 'an RDMA device on the VF' rdmatest "pci=$VF0"
rdma_mode exclusive
pods a
before=$(settled_dump)
# A new device is the host's in mode exclusive, even if its netdev is not, and rxe cannot be moved.
add_refused 113 'in RDMA mode exclusive the kernel leaves a soft-RoCE device on the host, .* mode shared on this node: options ib_core netns_mode=1' \
	'soft, mode exclusive' $VF0 a "$SOFT"
restored "$before" 'soft, mode exclusive: nothing was changed'
knob gid_delay 300
added $VF0 a "$REQUIRED"
gid_now a 0a38:0001 'required, GIDs are slow: ADD returns with the GID there'
like "$CNI_ERR" 'address 10.56.0.1/24 has the RoCE v2 GID index [0-9]' 'the log has its index'
deleted $VF0 a "$REQUIRED"
added $VF0 a
gid_now a 0a38:0001 'auto, GIDs are slow: ADD returns with the GID there'
deleted $VF0 a

# Later than the node is ready to wait. Each GID takes its time, and the way home waits for them all.
knob gid_delay 600
profile_edit '. + {gidWait: 100}'
added $VF0 a
like "$CNI_ERR" "warning: RDMA device mlx5_0 has no RoCE v2 GID of the pod's address 10.56.0.1/24: it was not in the table within 100 ms; applications will not connect" \
	'auto, GIDs are too slow: the log warns'
deleted $VF0 a
add_refused 113 "RDMA device mlx5_0 has no RoCE v2 GID of the pod's address 10.56.0.1/24: it was not in the table within 100 ms; see in the pod: ibv_devinfo -v -d mlx5_0" \
	'required, GIDs are too slow' $VF0 a "$REQUIRED"
knob gid_delay 0
restored "$before" 'GIDs are too slow: the host is as before'

# ---- the device's file ----

NO_FILE='the RDMA device has no uverbs file below /dev/infiniband, no application could open it; fix: modprobe ib_uverbs'
rm /dev/infiniband/uverbs0
add_refused 113 "$NO_FILE" 'no file of the device' $VF0 a "$REQUIRED"
run_ok 'ib_uverbs goes' rmmod rdmatest rdma_rxe rdma_ucm ib_uverbs
rdmatest "pci=$VF0"
before=$(settled_dump)
add_refused 113 "$NO_FILE" 'ib_uverbs is not loaded' $VF0 a "$REQUIRED"
restored "$before" 'ib_uverbs is not loaded: nothing was changed'
added $VF0 a
like "$CNI_ERR" 'RDMA device mlx5_0 cannot be opened here: no file of it .* RoCE path MTU 4096 is derived' 'auto, it is not loaded: the log says so'
is "$(in_pod a rdma dev | cut -d ' ' -f 2)" mlx5_0: 'and the RDMA device is in the pod'
deleted $VF0 a
restored "$before" 'auto, it is not loaded: the host is as before'

# ---- the RDMA subsystem, soft RoCE ----

rmmod rdmatest
ip netns del a
rdma_mode shared
pods a
before=$(settled_dump)
add_refused 113 'soft RoCE on net1: the kernel refused: .*; the module is not installed, see: modprobe rdma_rxe' \
	'soft, no rdma_rxe' $VF0 a "$SOFT"
restored "$before" 'soft, no rdma_rxe: the host is as before'
run_ok 'no RDMA subsystem' rdma_unload
before=$(settled_dump)
add_refused 113 'the kernel has no RDMA subsystem loaded; fix: modprobe ib_uverbs' 'no RDMA subsystem' $VF0 a "$REQUIRED"
add_refused 113 'soft RoCE: the kernel has no RDMA subsystem loaded; modprobe rdma_rxe' \
	'soft, no RDMA subsystem' $VF0 a "$SOFT"
restored "$before" 'no RDMA subsystem: the host is as before'
run_ok 'the RDMA subsystem is back' rdma_load
done_testing || exit 1
