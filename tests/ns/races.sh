#!/bin/bash
# Many calls at once, GC, STATUS and VERSION, and a runtime that does not take the answer.
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

MANY=20
IPAM='.ipam = {type: "roce-ipam", range: "10.56.0.0/24"}'
for i in $(seq $MANY); do
	ip netns add "pod$i"
	ip link add "rdma$i" type veth peer name "port$i"
	ip link set "port$i" up
done
conf() { config ".device = \"rdma$1\" | $IPAM"; }
add() { cni ADD "c$1" "/run/netns/pod$1" net1 "$(conf "$1")"; }
del() { cni DEL "c$1" "/run/netns/pod$1" net1 "$(conf "$1")"; }
BEFORE=$(host_dump)

# ---- 20 at once ----

OUT=$(mktemp -d)
for i in $(seq $MANY); do
	{
		add "$i"
		printf '%s' "$CNI_OUT" >"$OUT/$i"
		printf '%s\n' "$CNI_RC" >>"$OUT/rc"
	} &
done
wait
is "$(sort "$OUT/rc" | uniq -c | xargs)" "$MANY 0" "$MANY parallel ADDs succeed"
is "$(jq -r '.ips[0].address' "$OUT"/[0-9]* | sort -u | wc -l)" $MANY "they give $MANY addresses"
got=0
for i in $(seq $MANY); do
	want=$(jq -r '.ips[0].address' "$OUT/$i")
	[ "$(ip -n "pod$i" -j -4 addr show dev net1 | jq -r '.[0].addr_info[0] | "\(.local)/\(.prefixlen)"')" = "$want" ] &&
		got=$((got + 1))
done
is "$got" $MANY "each pod has the address of its own answer"
rm -f "$OUT/rc"
for i in $(seq $MANY); do
	{
		del "$i"
		printf '%s\n' "$CNI_RC:$CNI_OUT" >>"$OUT/rc"
	} &
done
wait
is "$(sort "$OUT/rc" | uniq -c | xargs)" "$MANY 0:" "$MANY parallel DELs succeed"
same "$BEFORE" "$(host_dump)" "after $MANY ADDs and DELs the host is as before"

# ---- ADD against DEL of the same attachment ----

good=0
for _ in $(seq 10); do
	add 1 &
	del 1
	[ "$CNI_RC:$CNI_OUT" = "0:" ] && good=$((good + 1))
	wait
	del 1
done
is "$good" 10 "a DEL while the ADD of the same attachment runs succeeds"
same "$BEFORE" "$(host_dump)" "ADD against DEL, then DEL: the host is as before"

for _ in $(seq 5); do
	add 1
	for _ in 1 2 3; do del 1 & done
	wait
done
same "$BEFORE" "$(host_dump)" "three DELs of the same attachment at once: the host is as before"

# ---- GC ----

gc() { cni GC '' '' '' "$(conf 1 | jq -c "$1")"; }
owners() { find /run/roce-cni/attachments -name 'c*:net1' -printf '%f\n' | sort | xargs; }
leases() { find /run/roce-ipam -path '*by-id/*' -printf '%f\n' 2>/dev/null | sort | xargs; }
for i in 1 2 3; do add "$i"; done
cni ADD c4 /run/netns/pod4 net1 "$(conf 4 | jq -c '.name = "other"')"
THREE=$(host_dump)
gc '.'
refused 7 'cni\.dev/valid-attachments' "GC without a list"
same "$THREE" "$(host_dump)" "GC without a list frees nothing"
gc '."cni.dev/valid-attachments" = "all"'
refused 6 'cni\.dev/valid-attachments' "GC with a list that is none"
same "$THREE" "$(host_dump)" "GC with a list that is none frees nothing"
gc '."cni.dev/valid-attachments" = [{containerID: "c1", ifname: "net1"}, {containerID: "c3", ifname: "net1"}]'
silent "GC with a list"
is "$(owners)" "c1:net1 c3:net1 c4:net1" "GC frees what is not in the list, and nothing of another network"
is "$(leases)" "c1:net1:0 c3:net1:0 c4:net1:0" "GC gives back the address"
is "$(find /sys/class/net/rdma2 2>/dev/null | wc -l)" 1 "GC brings the device back"
gc '."cni.dev/attachments" = [{containerID: "c1", ifname: "net1"}]'
silent "GC with the list under its older name"
is "$(owners)" "c1:net1 c4:net1" "GC with the list under its older name frees the rest"
ip netns del pod1 # its veth dies
gc '."cni.dev/valid-attachments" = null'
silent "GC with null, one pod being dead"
is "$(owners) $(leases)" "c4:net1 c4:net1:0" "GC with null frees all of this network"
cni DEL c4 /run/netns/pod4 net1 "$(conf 4 | jq -c '.name = "other"')"
ip netns add pod1
ip link add rdma1 type veth peer name port1
ip link set port1 up
is "$(dump_state)" "" "GC and DEL: no state is left"
cni GC '' '' '' "$(conf 1 | jq -c '.cniVersion = "1.0.0" | ."cni.dev/valid-attachments" = null')"
refused 1 'GC needs cniVersion 1\.1\.0' "GC of cniVersion 1.0.0"
BEFORE=$(host_dump)

# ---- STATUS and VERSION ----

status() { cni STATUS '' '' '' "$(conf 1)"; }
status
silent "STATUS"
cni STATUS '' '' '' "$(conf 1 | jq -c '.cniVersion = "1.0.0"')"
refused 1 'STATUS needs cniVersion 1\.1\.0' "STATUS of cniVersion 1.0.0"
mv /run/roce-cni /run/roce-cni.away
printf x >/run/roce-cni
status
refused 50 '/run/roce-cni' "STATUS with a plain file where the state folder should be"
rm /run/roce-cni
mkdir /run/roce-cni
mount -t tmpfs -o ro tmpfs /run/roce-cni
status
refused 50 '/run/roce-cni.*Read-only' "STATUS with a state folder that is read-only"
add 1
refused 5 'roce-cni.*Read-only' "ADD with a state folder that is read-only"
umount /run/roce-cni
rmdir /run/roce-cni
mv /run/roce-cni.away /run/roce-cni
mount -t tmpfs -o ro tmpfs /run/roce-ipam
status
refused 50 'roce-ipam' "STATUS with a state folder of the IPAM plugin that is read-only"
umount /run/roce-ipam
cni STATUS '' '' '' "$(config '.ipam = {type: "nonesuch"}')"
refused 50 'nonesuch' "STATUS with an IPAM plugin that is missing"
world_profile '{"version": 1, "fabrics": {"rail": {"switch": {"mtu": 9000}}}}'
status
refused 50 'semantics' "STATUS with a broken profile"
world_profile
same "$BEFORE" "$(host_dump)" "STATUS changes nothing"

versions='["0.3.1","0.4.0","1.0.0","1.1.0"]'
for stdin in garbage empty closed; do
	case $stdin in
	garbage) out=$(printf '{{{' | env -i CNI_COMMAND=VERSION "$BIN/roce") ;;
	empty) out=$(env -i CNI_COMMAND=VERSION "$BIN/roce" </dev/null) ;;
	closed) out=$(env -i CNI_COMMAND=VERSION "$BIN/roce" <&-) ;;
	esac
	is "$? $(jq -c '.cniVersion, .supportedVersions' <<<"$out" | xargs -d '\n')" "0 \"1.1.0\" $versions" \
		"VERSION with stdin: $stdin"
done
out=$(env -i CNI_COMMAND=VERSION CNI_IFNAME=dummy CNI_NETNS=dummy CNI_PATH=dummy CNI_CONTAINERID= "$BIN/roce" </dev/null)
is "$? $(jq -r .cniVersion <<<"$out")" "0 1.1.0" "VERSION as a runtime calls it"
out=$(env -i "$BIN/roce" 2>"$OUT/about" </dev/null)
is "$?:$out" "0:" "without CNI_COMMAND: status 0, nothing on stdout"
like "$(cat "$OUT/about")" 'protocol versions supported: .*1\.1\.0' "without CNI_COMMAND: about line on stderr"

# ---- nobody takes the answer ----

# untaken DESCRIPTION COMMAND...: an ADD run by COMMAND with its stdout spoilt must be undone.
untaken() {
	local what=$1 rc
	shift
	printf '%s' "$(conf 1)" | env -i PATH="$PATH" CNI_COMMAND=ADD CNI_CONTAINERID=c1 \
		CNI_NETNS=/run/netns/pod1 CNI_IFNAME=net1 CNI_PATH="$BIN" BIN="$BIN" \
		timeout 10 bash -c "$1" 2>"$OUT/stderr"
	rc=$?
	is "$rc" 1 "$what: status 1"
	same "$BEFORE" "$(host_dump)" "$what: the ADD is undone"
	like "$(cat "$OUT/stderr")" 'could not be written' "$what: stderr says so"
	[ "$(owners)" = "" ] || del 1
}
# shellcheck disable=SC2016
{
	untaken "stdout is full" '"$BIN/roce" >/dev/full'
	untaken "stdout is a pipe that nobody reads" '"$BIN/roce" | :; exit "${PIPESTATUS[0]}"'
	untaken "stdout is open for reading only" '"$BIN/roce" 1</dev/null'
}
# keep_standard_fds() puts /dev/null there: nobody can learn of the answer either.
printf '%s' "$(conf 1)" | env -i PATH="$PATH" CNI_COMMAND=ADD CNI_CONTAINERID=c1 \
	CNI_NETNS=/run/netns/pod1 CNI_IFNAME=net1 CNI_PATH="$BIN" "$BIN/roce" >&- 2>"$OUT/stderr"
is "$?" 1 "stdout is closed: status 1"
same "$BEFORE" "$(host_dump)" "stdout is closed: the ADD is undone"
[ "$(owners)" = "" ] || del 1

rm -rf "$OUT"
done_testing || exit 1
