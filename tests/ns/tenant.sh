#!/bin/bash
# What a tenant can write into a configuration reaches nothing outside: no file, no program, no device
# that the node's administrator has not given.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/world.sh
. tests/world.sh
world_enter "$@"
# shellcheck source=tests/tap.sh
. tests/tap.sh
# shellcheck source=tests/cni.sh
. tests/cni.sh
# shellcheck source=tests/dump.sh
. tests/dump.sh

POD=/run/netns/pod1
ip netns add pod1
world_veth rdma0 port0 1500 9000
world_veth eth7 port7 1500 9000
mkdir -p /run/k8s.cni.cncf.io/devinfo/cni /run/elsewhere
printf 'precious\n' >/run/elsewhere/file
FILES() { find /run/elsewhere /run/k8s.cni.cncf.io /etc -newer /run/stamp ! -type d 2>/dev/null; }
touch /run/stamp
sleep 0.02
BEFORE=$(host_dump)

forbidden() { # forbidden CODE ERE DESCRIPTION CONFIG [NAME=VALUE...]
	local code=$1 ere=$2 what=$3 conf=$4
	shift 4
	cni ADD c1 "$POD" net1 "$conf" "$@"
	refused "$code" "$ere" "$what"
	same "$BEFORE" "$(host_dump)" "$what: the host is as before"
	[ "$CNI_RC" -ne 0 ] || cni DEL c1 "$POD" net1 "$conf"
}

# ---- files ----

for path in /run/elsewhere/file /etc/cni/evil ../../elsewhere/file \
	/var/run/k8s.cni.cncf.io/devinfo/cni/../../../elsewhere/file \
	/run/k8s.cni.cncf.io/devinfo/cni/ /run/k8s.cni.cncf.io/devinfo/cni/.hidden \
	/run/k8s.cni.cncf.io/devinfo/cni/sub/file; do
	conf=$(config ".runtimeConfig = {CNIDeviceInfoFile: \"$path\"}")
	cni ADD c1 "$POD" net1 "$conf"
	is "$CNI_RC" 0 "CNIDeviceInfoFile $path does not fail the ADD"
	cni DEL c1 "$POD" net1 "$conf"
	is "$(FILES)" "" "CNIDeviceInfoFile $path: nothing is written"
done
is "$(cat /run/elsewhere/file)" precious "a file elsewhere is untouched"
ln -s /run/elsewhere/file /run/k8s.cni.cncf.io/devinfo/cni/link
cni ADD c1 "$POD" net1 "$(config '.runtimeConfig = {CNIDeviceInfoFile: "/run/k8s.cni.cncf.io/devinfo/cni/link"}')"
cni DEL c1 "$POD" net1 "$(config)"
is "$(cat /run/elsewhere/file)" precious "CNIDeviceInfoFile that is a link: its target is untouched"

# ---- state folders ----

mkdir -p /run/roce-cni/attachments
for name in ../evil .. . a/b 'a b' -x .x "$(printf 'n%.0s' {1..300})"; do
	forbidden 7 'invalid network name' "network name ${name:0:12}" "$(config ".name = \"$name\"")"
	cni DEL c1 "$POD" net1 "$(config ".name = \"$name\"")"
	refused 7 'invalid network name' "DEL, network name ${name:0:12}"
done
for id in ../../evil .. a/b -x "$(printf 'c%.0s' {1..300})"; do
	forbidden 4 'invalid CNI_CONTAINERID' "container ID ${id:0:12}" "$(config)" "CNI_CONTAINERID=$id"
	cni DEL "$id" "$POD" net1 "$(config)"
	refused 4 'invalid CNI_CONTAINERID' "DEL, container ID ${id:0:12}"
done
for ifname in ../net1 .. 'net%d' 'a b' a:b; do
	forbidden 4 'invalid CNI_IFNAME' "interface name $ifname" "$(config)" "CNI_IFNAME=$ifname"
done
long=$(printf 'n%.0s' {1..128})
cid=$(printf 'c%.0s' {1..128})
conf=$(config ".name = \"$long\" | .ipam = {type: \"roce-ipam\", range: \"10.56.0.0/24\"}")
cni ADD "$cid" "$POD" abcdefghijklmno "$conf"
if [ "$CNI_RC" -eq 0 ]; then
	cni DEL "$cid" "$POD" abcdefghijklmno "$conf"
	silent "the longest names: DEL"
else
	refused 4 'at most' "the longest names"
fi
same "$BEFORE" "$(host_dump)" "the longest names: the host is as before"

# Names that look like the plugin's own files must not hide an attachment from GC.
for ifname in x.lock x.tmp; do
	cni ADD c1 "$POD" "$ifname" "$(config)"
	succeeded "interface name $ifname: ADD"
	cni GC '' '' '' "$(config '."cni.dev/valid-attachments" = []')"
	same "$BEFORE" "$(host_dump)" "interface name $ifname: GC finds the attachment"
	cni DEL c1 "$POD" "$ifname" "$(config)"
	same "$BEFORE" "$(host_dump)" "interface name $ifname: the host is as before"
done

# ---- programs ----

printf '#!/bin/sh\ntouch /run/elsewhere/ran\n' >/run/elsewhere/evil
chmod +x /run/elsewhere/evil
touch -d '1 hour ago' /run/elsewhere/evil
for type in ../elsewhere/evil /run/elsewhere/evil .. . '' sub/evil; do
	forbidden 7 'cannot be the file name of a plugin|"type" is missing' "ipam.type \"$type\"" "$(config ".ipam = {type: \"$type\"}")"
	cni DEL c1 "$POD" net1 "$(config ".ipam = {type: \"$type\"}")"
	is "$(find /run/elsewhere -name ran)" "" "DEL, ipam.type \"$type\": the program is not run"
done

# ---- devices ----

for device in lo ../rdma0 'rdma%d' 'rdma0 ' '' 'rdma0/../eth7' "$(printf 'x%.0s' {1..16})"; do
	conf=$(config ".device = \"$device\"")
	cni ADD c1 "$POD" net1 "$conf"
	like "$CNI_RC $(code)" '^1 (7|103)$' "device \"$device\" is refused"
	same "$BEFORE" "$(host_dump)" "device \"$device\": the host is as before"
done
fabric='{version: 1, defaultFabric: "rail", fabrics: {rail: {pfs: [{name: "rdma*"}]}}}'
world_profile "$(jq -nc "$fabric")"
BEFORE=$(host_dump)
forbidden 103 'port eth7 .*is not on fabric rail' "a device that the fabric does not name" "$(config '.device = "eth7"')"
forbidden 103 'port eth7 .*is not on fabric rail' "a device that its fabric does not name" "$(config '.device = "eth7" | .fabric = "rail"')"
ip link property add dev eth7 altname rdma7
BEFORE=$(host_dump)
forbidden 103 'port eth7 .*is not on fabric rail' "a device with an altname that the fabric would take" "$(config '.device = "rdma7"')"
ip link property del dev eth7 altname rdma7
BEFORE=$(host_dump)
cni ADD c1 "$POD" net1 "$(config)"
succeeded "a device that the fabric names"
cni DEL c1 "$POD" net1 "$(config)"
same "$BEFORE" "$(host_dump)" "a device that the fabric names: the host is as before"
world_profile "$(jq -nc "$fabric | .fabrics.rail.pfs = [{driver: \"mlx5_core\"}]")"
forbidden 103 'is not on fabric rail' "a device of another driver" "$(config)"
world_profile "$(jq -nc "$fabric | .fabrics.rail.pfs = [{driver: \"veth\"}]")"
cni ADD c1 "$POD" net1 "$(config)"
succeeded "a device of the driver that the fabric names"
cni DEL c1 "$POD" net1 "$(config)"
same "$BEFORE" "$(host_dump)" "a device of the driver that the fabric names: the host is as before"

# The last test: when it fails, the device stays in the pod and nobody knows of it.
world_profile
BEFORE=$(host_dump)
cni ADD c1 "$POD" net1.lock "$(config)"
cni ADD c1 "$POD" net1 "$(config '.device = "eth7"')"
cni DEL c1 "$POD" net1 "$(config '.device = "eth7"')"
cni DEL c1 "$POD" net1.lock "$(config)"
same "$BEFORE" "$(host_dump)" "interfaces net1 and net1.lock of one pod: the host is as before after both DELs"

done_testing || exit 1
