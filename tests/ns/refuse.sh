#!/bin/bash
# What must be refused is refused: one JSON document with the right code and a message that says why,
# exit status 1, and neither the host nor the pod has changed.
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
ip netns add pod2
world_veth rdma0 port0 1500 9000
IPAM='.ipam = {type: "roce-ipam", range: "10.56.0.0/24"}'

dump() {
	host_dump
	pod_dump pod1
}
BEFORE=$(dump)

# try CODE ERE DESCRIPTION CONFIG [NAME=VALUE...]: an ADD that must be refused.
try() {
	local code=$1 ere=$2 what=$3 conf=$4
	shift 4
	cni ADD c1 "$POD" net1 "$conf" "$@"
	refused "$code" "$ere" "$what"
	same "$BEFORE" "$(dump)" "$what: host and pod are as before"
	[ "$CNI_RC" -eq 0 ] && cni DEL c1 "$POD" net1 "$conf"
}
# accepted DESCRIPTION CONFIG: the counterpart, so that a refusal is not for another reason.
accepted() {
	cni ADD c1 "$POD" net1 "$2"
	succeeded "$1: ADD"
	cni DEL c1 "$POD" net1 "$2"
	same "$BEFORE" "$(dump)" "$1: host and pod are as before after DEL"
}

# ---- IPAM plugins that fail in every way ----

mkdir /run/fake
fake() { # fake NAME BODY: an IPAM plugin; it takes note of its verbs
	# shellcheck disable=SC2016
	printf '#!/bin/sh\necho "$CNI_COMMAND" >>/run/fake/%s.log\n[ "$CNI_COMMAND" = ADD ] || exit 0\ncat >/dev/null\n%s\n' \
		"$1" "$2" >"/run/fake/$1"
	chmod +x "/run/fake/$1"
}
CNI_DIRS=$BIN:/run/fake

# Twenty seconds are a long time: this case runs by itself, next to the others.
if [ "${1:-}" = hang ]; then
	fake hangs 'sleep 61.25 & sleep 61.25'
	cni ADD c1 "$POD" net1 "$(config '.ipam = {type: "hangs"}')"
	printf '%s\n%s\n%s\n' "$CNI_RC $(code)" "$(msg)" "$(jq -Sc . /run/fake/hangs.log -R | tr -d '\n')"
	[ "$BEFORE" = "$(dump)" ] && echo equal || echo different
	exit 0
fi
HANG=$(mktemp)
env -u IN_WORLD bash tests/ns/refuse.sh hang >"$HANG" 2>/dev/null &
hang_pid=$!

ipam_case() { # ipam_case NAME BODY CODE ERE
	fake "$1" "$2"
	try "$3" "$4" "IPAM plugin $1" "$(config ".ipam = {type: \"$1\"}")"
	is "$(tr '\n' ' ' <"/run/fake/$1.log")" "ADD DEL " "IPAM plugin $1: what it may have leased is given back"
}
ipam_case error-json "echo '{\"cniVersion\":\"1.1.0\",\"code\":42,\"msg\":\"no cheese\",\"details\":\"shop is shut\"}'; exit 1" 106 'error-json: no cheese'
ipam_case error-rc0 "echo '{\"code\":42,\"msg\":\"no cheese\"}'" 106 'no cheese'
ipam_case exhausted "echo '{\"code\":107,\"msg\":\"none left\"}'; exit 1" 107 'none left'
ipam_case busy "echo '{\"code\":11,\"msg\":\"later\"}'; exit 1" 11 'later'
ipam_case error-garbage 'echo "panic: oh no"; exit 3' 106 'status 3 and said: panic: oh no'
ipam_case garbage 'echo "10.0.0.1 or so"' 106 'printed no JSON .*10\.0\.0\.1 or so'
ipam_case nothing 'exit 0' 106 'printed no JSON'
ipam_case array 'echo "[]"' 106 'not understood'
ipam_case no-ips "echo '{\"cniVersion\":\"1.1.0\",\"ips\":[],\"dns\":{}}'" 106 'gave no address'
ipam_case bad-ip "echo '{\"cniVersion\":\"1.1.0\",\"ips\":[{\"address\":\"10.0.0.300/24\"}]}'" 106 '10\.0\.0\.300'
ipam_case no-prefix "echo '{\"cniVersion\":\"1.1.0\",\"ips\":[{\"address\":\"10.0.0.3\"}]}'" 106 '10\.0\.0\.3'
ipam_case bad-route "echo '{\"cniVersion\":\"1.1.0\",\"ips\":[{\"address\":\"10.0.0.3/24\"}],\"routes\":[{\"dst\":\"192.0.2.0/24\",\"gw\":\"203.0.113.1\"}]}'" 108 '192\.0\.2\.0'
ipam_case two-documents "echo '{\"ips\":[{\"address\":\"10.0.0.3/24\"}]}{}'" 106 'JSON'
ipam_case killed 'kill -9 $$' 106 'killed by signal 9'
ipam_case huge 'head -c 3000000 /dev/zero | tr "\0" x' 106 'IPAM plugin'
printf '#!/no/such/interpreter\n' >/run/fake/not-runnable
chmod +x /run/fake/not-runnable
conf=$(config '.ipam = {type: "not-runnable"}')
cni ADD c1 "$POD" net1 "$conf"
refused 106 'cannot be run' "IPAM plugin that cannot be run"
fake not-runnable 'exit 0' # the undo could not run it either, so a DEL is due once it can be run
cni DEL c1 "$POD" net1 "$conf"
silent "IPAM plugin that cannot be run: DEL when it can"
same "$BEFORE" "$(dump)" "IPAM plugin that cannot be run: host and pod are as before"
try 106 'nonesuch is in none of the folders of CNI_PATH' "IPAM plugin missing" "$(config '.ipam = {type: "nonesuch"}')"
try 4 'CNI_PATH' "no CNI_PATH, with ipam" "$(config "$IPAM")" CNI_PATH=

# ---- JSON ----

try 6 'not valid JSON: line 1' "broken JSON" '{"cniVersion": "1.1.0",'
try 6 'not valid JSON' "empty stdin" ''
try 6 'must be a JSON object|not valid JSON' "an array" '[]'
try 6 'not valid JSON.*duplicate' "duplicate key" '{"cniVersion":"1.1.0","name":"rail","type":"roce","device":"rdma0","mtu":9000,"mtu":1500}'
try 6 'not valid JSON' "text after the document" "$(config) {}"
try 7 'unknown key "roceMtu"; did you mean "roceMTU"\?' "key in another case" "$(config '.roceMtu = 4096')"
try 7 'unknown key "mtuu"; did you mean "mtu"\?' "misspelt key" "$(config '.mtuu = 4096')"
try 7 'unknown key "colour"' "unknown key" "$(config '.colour = 1')"
for key in cniVersion name deviceID pciBusID device pf mtuPolicy fabric mac ipam dns runtimeConfig prevResult; do
	try 6 "^$key: must be .*, is an integer" "$key of the wrong type" "$(config ".$key = 5")"
done
for key in mtu roceMTU vlan; do
	try 6 "^$key: must be .*, is a string" "$key of the wrong type" "$(config ".$key = \"1500\"")"
	try 6 "^$key: must be .*, is a real number" "$key as a real number" "$(config ".$key = 1500.5")"
done
try 6 '^ipam\.type: must be a string' "ipam.type of the wrong type" "$(config '.ipam = {type: 5}')"
for key in deviceID mac CNIDeviceInfoFile; do
	try 6 "^runtimeConfig\.$key: must be a string" "runtimeConfig.$key of the wrong type" \
		"$(config ".runtimeConfig = {$key: 5}")"
done

# ---- names, versions, variables ----

try 7 'missing network name' "no name" "$(config 'del(.name)')"
try 7 'missing network name' "empty name" "$(config '.name = ""')"
try 1 'cniVersion "9\.9\.9" is not supported' "cniVersion 9.9.9" "$(config '.cniVersion = "9.9.9"')"
for version in '"0.1.0"' '"0.2.0"' '"0.3.0"' '""'; do
	try 1 'is not supported' "cniVersion $version" "$(config ".cniVersion = $version")"
done
try 1 'is not supported' "no cniVersion" "$(config 'del(.cniVersion)')"
for name in CNI_CONTAINERID CNI_NETNS CNI_IFNAME; do
	try 4 "missing: $name\$" "no $name" "$(config)" "$name="
done
CNI_RUN="env -u CNI_CONTAINERID -u CNI_NETNS -u CNI_IFNAME"
try 4 'missing: CNI_CONTAINERID CNI_NETNS CNI_IFNAME$' "only CNI_COMMAND" "$(config)"
CNI_RUN=
try 4 'CNI_COMMAND "add"' "CNI_COMMAND in lower case" "$(config)" CNI_COMMAND=add
for id in a/b -a .a 'a b' ../x $'a\n'; do
	try 4 'invalid CNI_CONTAINERID' "container ID $(printf %q "$id")" "$(config)" "CNI_CONTAINERID=$id"
done
for name in . .. a/b a:b 'a b' $'a\tb' $'a\xc2\xa0b' 'net%d' sixteen-bytes-xx; do
	try 4 'invalid CNI_IFNAME' "interface name $(printf %q "$name")" "$(config)" "CNI_IFNAME=$name"
done

# ---- the device ----

try 7 'no device: .*resourceName' "no device at all" "$(config 'del(.device)')"
try 7 'deviceID: "3b:00" is not a PCI address' "malformed PCI address" "$(config 'del(.device) | .deviceID = "3b:00"')"
try 101 'ffff:1f:1f\.7|ffff:1f' "PCI address that does not exist" "$(config 'del(.device) | .deviceID = "ffff:1f:1f.7"')"
try 7 'name two devices' "deviceID and pciBusID differ" \
	"$(config 'del(.device) | .deviceID = "0000:3b:00.2" | .pciBusID = "0000:3b:00.3"')"
try 7 'both given' "deviceID and device" "$(config '.deviceID = "0000:3b:00.2"')"
try 101 'no interface rdma9 on the host' "device that does not exist" "$(config '.device = "rdma9"')"
try 103 'lo is no Ethernet interface' "device lo" "$(config '.device = "lo"')"
try 7 'pf eth9 and deviceID 0000:3b:00\.2 are both given.*device plugin' "pf and a deviceID from Multus" \
	"$(config 'del(.device) | .pf = "eth9" | .runtimeConfig.deviceID = "0000:3b:00.2"')"
try 7 'pf eth9 and device rdma0 are both given' "pf and device" "$(config '.pf = "eth9"')"
try 101 'pf: no interface eth9 on the host' "pf that does not exist" "$(config 'del(.device) | .pf = "eth9"')"
try 101 'pf: rdma0 is no PCI device.*"device": "rdma0"' "pf that is no PF" "$(config 'del(.device) | .pf = "rdma0"')"
try 101 'ffff:1f:1f\.7 does not exist' "pf by a PCI address that does not exist" "$(config 'del(.device) | .pf = "ffff:1f:1f.7"')"
try 7 'pf: "\*" is any PF of a fabric.*"defaultFabric"' "any PF, and no fabric" "$(config 'del(.device) | .pf = "*"')"
try 7 'fabric: "tail" is not in the node profile' "any PF of an unknown fabric" "$(config 'del(.device) | .pf = "*" | .fabric = "tail"')"
try 7 "vlan: it is a PF's setting of a VF, and the device is no VF; fix: leave it out, or name a VF" "vlan without a VF" "$(config '.vlan = 5')"
try 7 'unicast MAC' "a multicast MAC" "$(config '.mac = "01:00:5e:00:53:01"')"
try 7 'unicast MAC' "a MAC that is none" "$(config '.mac = "02:00:5e"')"

changed() { # changed DESCRIPTION CODE ERE UNDO CONFIG: with the host or pod as it is now
	local saved=$BEFORE
	BEFORE=$(dump)
	try "$2" "$3" "$1" "${5:-$(config)}"
	eval "$4"
	BEFORE=$saved
	same "$BEFORE" "$(dump)" "$1: nothing of it stays"
}
ip addr add 192.0.2.1/24 dev rdma0
changed "device with an address" 103 'rdma0 has an IP address' 'ip addr del 192.0.2.1/24 dev rdma0'
ip addr add 2001:db8::1/64 dev rdma0
changed "device with an IPv6 address" 103 'rdma0 has an IP address' 'ip addr del 2001:db8::1/64 dev rdma0'
ip addr add 169.254.7.1/16 dev rdma0 scope link
changed "device with an address of its link" 103 'rdma0 has an IP address' 'ip addr del 169.254.7.1/16 dev rdma0'
ip link set rdma0 up
down=$BEFORE
BEFORE=$(dump)
ip route add default dev rdma0
changed "device with the default route" 103 "rdma0 carries the host's default route" 'ip route del default'
while IFS='|' read -r family what route; do
	# shellcheck disable=SC2086
	ip "-$family" route add default $route || diag "no route: $what"
	changed "device with $what" 103 "rdma0 carries the host's default route" "ip -$family route del default $route"
done <<'END'
4|a default route of another table|dev rdma0 table 100
4|a default route that is one of two ways|nexthop dev port0 nexthop dev rdma0
6|an IPv6 default route|dev rdma0
6|an IPv6 default route of another table|dev rdma0 table 200
6|an IPv6 default route that is one of two ways|nexthop via fe80::9 dev port0 nexthop via fe80::9 dev rdma0
END
ip link set rdma0 down
BEFORE=$down
ip link add br9 type bridge
ip link set rdma0 master br9
changed "device in a bridge" 103 'rdma0 belongs to a bond, team or bridge' 'ip link del br9'
ip -n pod1 link add net1 type bridge
changed "interface name taken in the pod" 105 'net1' 'ip -n pod1 link del net1'
ip -n pod1 link add br9 type bridge
ip -n pod1 link property add dev br9 altname net1
changed "interface name taken as an altname in the pod" 105 'net1' 'ip -n pod1 link del br9'

# ---- the namespace ----

printf x >/run/plainfile
try 104 '/run/netns/none' "a namespace that does not exist" "$(config)" CNI_NETNS=/run/netns/none
try 104 '/run/plainfile' "a plain file as namespace" "$(config)" CNI_NETNS=/run/plainfile
try 104 '/proc/self/ns/mnt' "a namespace of another kind" "$(config)" CNI_NETNS=/proc/self/ns/mnt
try 8 'the namespace this plugin runs in' "its own namespace" "$(config)" CNI_NETNS=/proc/self/ns/net

# ---- the MTU chain ----

try 100 'MTU 4096 .*4096.*4192.*4200' "MTU 4096 for RoCE path MTU 4096" "$(config '.mtu = 4096 | .roceMTU = 4096')"
try 100 'MTU 4191 .*4192' "one byte too few for RoCE path MTU 4096" "$(config '.mtu = 4191 | .roceMTU = 4096')"
accepted "just enough for RoCE path MTU 4096" "$(config '.mtu = 4192 | .roceMTU = 4096')"
try 7 '4200 is not a RoCE path MTU' "a RoCE path MTU that is none" "$(config '.roceMTU = 4200')"
try 7 '^mtu: 67 is not' "MTU 67" "$(config '.mtu = 67')"
try 7 '^mtu: 65536 is not' "MTU 65536" "$(config '.mtu = 65536')"
try 7 'mtuPolicy: "lax"' "unknown MTU policy" "$(config '.mtuPolicy = "lax"')"
try 100 'lower port0: its MTU is 9000, the pod needs 9001.*ip link set dev port0 mtu 9001' \
	"the other end of the veth is too small" "$(config '.mtu = 9001')"

profile() { # profile SWITCH-MTU SEMANTICS [JQ-FILTER]
	world_profile "$(jq -nc "{version: 1, defaultFabric: \"rail\", fabrics: {rail:
		{switch: {mtu: $1, semantics: \"$2\"}}}} | ${3:-.}")"
}
while read -r semantics least; do
	profile $((least - 1)) "$semantics"
	try 100 "switch of fabric rail: its MTU $((least - 1)) \\($semantics, 0 VLAN tags\\) permits a netdev MTU of 8999, the pod needs 9000.*MTU to $least or more" \
		"switch of $semantics, one byte too small" "$(config '.mtu = 9000')"
	like "$CNI_OUT" 'lower port0: its MTU 9000 is more than the 8999' "switch of $semantics: the port that sends too much is named too"
	profile "$least" "$semantics"
	accepted "switch of $semantics, just large enough" "$(config '.mtu = 9000')"
done <<'END'
l3 9000
l2hdr 9014
l2frame 9018
END
profile 9000 l3 '.fabrics.rail.podMTU = 4096 | .fabrics.rail.roceMTU = 4096'
try 112 'fabrics\.rail: roceMTU 4096 needs 4192, more than podMTU 4096' \
	"podMTU and roceMTU of the profile contradict" "$(config)"
profile 9000 l3 '.fabrics.rail.podMTU = 4096'
try 100 'MTU 4096 .*4192' "podMTU of the profile and roceMTU of the network contradict" "$(config '.roceMTU = 4096')"
try 7 'fabric: "tail" is not in the node profile' "unknown fabric" "$(config '.fabric = "tail"')"
profile 9000 l3 '.fabrics.rail.pfs = [{name: "eth*"}, {driver: "mlx5_core"}]'
try 103 'port rdma0 .*is not on fabric rail' "device that is not on the fabric" "$(config)"
try 103 'port rdma0 .*is not on fabric rail' "device that is not on the fabric it names" "$(config '.fabric = "rail"')"
world_profile '{"version": 1, '
try 112 'node profile .*not valid JSON' "node profile that is broken" "$(config)"
world_profile '{"version": 2}'
try 112 'node profile .*version: 2' "node profile of another version" "$(config)"
profile 9000 l4
try 112 'semantics: "l4" is not known' "node profile with unknown semantics" "$(config)"
world_profile

# ---- the device is taken ----

conf=$(config "$IPAM")
cni ADD c2 /run/netns/pod2 net1 "$conf"
succeeded "ADD for another container"
ATTACHED=$(dump)
cni ADD c1 "$POD" net1 "$conf"
refused 102 'rdma0 .*belongs to container c2 .*net1.*/run/netns/pod2' "device that another pod has"
same "$ATTACHED" "$(dump)" "device that another pod has: nothing has changed"
cni ADD c2 /run/netns/pod2 net1 "$conf"
refused 102 'container c2 has interface net1 .*already' "second ADD of the same attachment"
same "$ATTACHED" "$(dump)" "second ADD of the same attachment: the first is untouched"
cni DEL c2 /run/netns/pod2 net1 "$conf"
same "$BEFORE" "$(dump)" "the owner's DEL: host and pod are as before"

wins=0
for _ in $(seq 8); do
	one=$(mktemp)
	(
		cni ADD c1 "$POD" net1 "$conf"
		printf '%s %s\n%s' "$CNI_RC" "$(code)" "$CNI_ERR" >"$one"
	) &
	racer=$!
	cni ADD c2 /run/netns/pod2 net1 "$conf"
	two="$CNI_RC $(code)"
	wait "$racer"
	case "$(head -n 1 "$one"),$two" in
	"0 ,1 102" | "0 ,1 11" | "1 102,0 " | "1 11,0 ") wins=$((wins + 1)) ;;
	*) diag "the race ended like this: $(cat "$one"),$two
$CNI_ERR" ;;
	esac
	rm -f "$one"
	cni DEL c1 "$POD" net1 "$conf"
	cni DEL c2 /run/netns/pod2 net1 "$conf"
done
is "$wins" 8 "two ADDs at once for one device: one wins, the other is refused with 102 or 11"
same "$BEFORE" "$(dump)" "two ADDs at once: host and pod are as before after both DELs"

# ---- the IPAM plugin that hangs ----

wait "$hang_pid"
{
	read -r status
	read -r message
	read -r verbs
	read -r host
} <"$HANG"
rm -f "$HANG"
is "$status" "1 106" "IPAM plugin hangs: refused with code 106"
like "$message" 'gave no answer in 20 s and was killed' "IPAM plugin hangs: the message says why"
is "$verbs" '"ADD""DEL"' "IPAM plugin hangs: what it may have leased is given back"
is "$host" equal "IPAM plugin hangs: host and pod are as before"
is "$(pgrep -fc 'sleep 61\.25')" 0 "IPAM plugin hangs: its children are gone too"

# ---- RDMA, which a veth cannot have ----

try 113 'no RDMA (subsystem loaded|device on the host).*fix: ' 'rdma required' "$(config '.rdma = "required"')"
accepted 'rdma off' "$(config '.rdma = "off"')"

done_testing || exit 1
