#!/bin/sh
# Give a node RDMA mode exclusive: each RDMA device is then in exactly one network namespace, and moves into the
# pod with its VF. The kernel takes the mode only while there is no other namespace, so it is set at boot.
set -eu
echo 'options ib_core netns_mode=0' >/etc/modprobe.d/ib_core.conf
# Where ib_core is loaded from the initramfs, that must have the option, too.
if command -v update-initramfs >/dev/null; then
	update-initramfs -u
elif command -v dracut >/dev/null; then
	dracut --force
fi
echo 'Boot the node, then see: rdma system'
