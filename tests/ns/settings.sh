#!/bin/bash
# Settings of the netdev: what a network may ask for is so in the pod, and all is as before after it,
# whatever the pod has changed meanwhile; sysctls of the host's netdev included.
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
ip link set rdma0 address 02:00:5e:00:53:01
ip link property add dev rdma0 altname rail-zero altname rdma-long-name

# ---- what can be compared ----

# conf_dump: every sysctl of rdma0 on the host; what cannot be read is not set (stable_secret).
conf_dump() { grep -rs . /proc/sys/net/ipv4/conf/rdma0 /proc/sys/net/ipv6/conf/rdma0 | sort; }
# pod_sysctls: what the pod's namespace itself has: nothing of an interface, no counter.
pod_sysctls() {
	ip netns exec pod1 grep -rs . /proc/sys/net/core /proc/sys/net/ipv4 /proc/sys/net/ipv6 /proc/sys/net/unix |
		grep -vE '/(conf|neigh)/(lo|net1|mine|br9|mac9)/|_count:|random|fib_sync|inode-nr' | sort
}
dump() {
	local folder
	for folder in /proc/sys/net/ipv4/conf/rdma0 /proc/sys/net/ipv6/conf/rdma0; do
		find $folder -type f ! -name stable_secret -printf '%f\n' | sort | while read -r file; do
			printf '%s %s\n' "$folder/$file" "$(<"$folder/$file")"
		done
	done
}
# pod_sysctls: what the pod's namespace itself has: nothing of an interface, no counter.
pod_sysctls() {
	ip netns exec pod1 sysctl -a --pattern '^net\.(core|ipv4|ipv6|unix)' 2>/dev/null |
		grep -vE '\.(conf|neigh)\.(lo|net1|mine|br9|mac9)\.|_count |random|fib_sync|inode-nr'
}
dump() {
	host_dump
	conf_dump
	pod_dump pod1
	pod_sysctls
}
BEFORE=$(dump)

# restored DESCRIPTION / undone DESCRIPTION: host and pod as before.
restored() { same "$BEFORE" "$(dump)" "$1: host and pod are as before"; }
del() { # del DESCRIPTION CONFIG
	cni DEL c1 "$POD" net1 "$2"
	silent "$1: DEL"
	restored "$1"
}
# link FILTER: of net1 in the pod; flag NAME: whether it has that flag; sysctl PATH: in the pod.
link() { ip -n pod1 -d -j link show dev net1 | jq -rc ".[0] | $1"; }
flag() { link ".flags | index(\"$1\") != null"; }
sysctl() { ip netns exec pod1 cat "/proc/sys/net/$1"; }
set_sysctl() { ip netns exec pod1 sh -c "echo $2 >/proc/sys/net/$1"; }

# ---- each setting, and all together ----

conf=$(config '.promisc = true')
cni ADD c1 "$POD" net1 "$conf"
is "$(flag PROMISC) $(flag ALLMULTI)" "true false" "promisc: on in the pod"
del "promisc" "$conf"

conf=$(config '.allmulti = true')
cni ADD c1 "$POD" net1 "$conf"
is "$(flag PROMISC) $(flag ALLMULTI)" "false true" "allmulti: on in the pod"
del "allmulti" "$conf"

for length in 0 70000; do
	conf=$(config ".txQLen = $length")
	cni ADD c1 "$POD" net1 "$conf"
	is "$(link '.txqlen // 0')" "$length" "txQLen $length: so long is the queue in the pod"
	del "txQLen $length" "$conf"
done

conf=$(config '.sysctl = {"net.ipv4.conf.IFNAME.arp_filter": "1", "net/ipv6/conf/IFNAME/accept_ra": "2",
	"net.ipv4.tcp_rmem": "4096 131072  8388608", "net/core/somaxconn": "0x400"}')
cni ADD c1 "$POD" net1 "$conf"
succeeded "sysctl: ADD"
is "$(sysctl ipv4/conf/net1/arp_filter) $(sysctl ipv6/conf/net1/accept_ra)" "1 2" "sysctl: the interface's own"
is "$(sysctl ipv4/tcp_rmem | tr '\t' ' ') $(sysctl core/somaxconn)" "4096 131072 8388608 1024" \
	"sysctl: those of the namespace, numbers and blanks in any form"
is "$(sysctl ipv4/conf/default/arp_filter)" 0 "sysctl: not those of other interfaces"
del "sysctl" "$conf"

ALL='.mtu = 4200 | .mac = "02:00:5e:00:53:aa" | .promisc = true | .allmulti = true | .txQLen = 77
	| .ipam = {type: "roce-ipam", range: "10.56.0.0/24"}
	| .sysctl = {"net.ipv4.conf.IFNAME.arp_ignore": "1", "net.ipv4.ip_default_ttl": "63"}'
all=$(config "$ALL")
add_all() { # add_all DESCRIPTION
	cni ADD c1 "$POD" net1 "$all"
	succeeded "$1: ADD"
}
add_all "all settings"
is "$(link '"\(.mtu) \(.address) \(.txqlen) \(.altnames)"') $(flag PROMISC) $(flag ALLMULTI)" \
	'4200 02:00:5e:00:53:aa 77 ["rail-zero","rdma-long-name"] true true' "all settings: the netdev in the pod"
is "$(sysctl ipv4/conf/net1/arp_ignore) $(sysctl ipv4/ip_default_ttl)" "1 63" "all settings: the sysctls in the pod"
del "all settings" "$all"

ip link set rdma0 promisc on allmulticast on txqueuelen 123
BEFORE_SET=$BEFORE BEFORE=$(dump)
conf=$(config '.promisc = false | .allmulti = false')
cni ADD c1 "$POD" net1 "$conf"
is "$(flag PROMISC) $(flag ALLMULTI) $(link .txqlen)" "false false 123" "off in the pod what was on; what is not asked for stays"
del "off in the pod what was on" "$conf"
ip link set rdma0 promisc off allmulticast off txqueuelen 1000
BEFORE=$BEFORE_SET
restored "the test's own changes"


# ---- the host's sysctls of the netdev, which the kernel forgets when it leaves ----

# set_conf FAMILY NAME=VALUE...: sysctls of rdma0 on the host; each must be taken.
set_conf() {
	local family=$1 pair file
	shift
	for pair in "$@"; do
		file=/proc/sys/net/$family/conf/rdma0/${pair%=*}
		[ -e "$file" ] || continue # a kernel without it
		printf '%s' "${pair#*=}" 2>/dev/null >"$file"
		[ "$(<"$file")" = "${pair#*=}" ] || not_ok "the host's $file can be ${pair#*=}" "$(<"$file")"
	done
}
set_everything() {
	set_conf ipv4 forwarding=1 rp_filter=2 arp_ignore=2 arp_announce=1 arp_filter=1 arp_notify=1 arp_accept=2 \
		proxy_arp=1 proxy_arp_pvlan=1 accept_redirects=0 send_redirects=0 secure_redirects=0 shared_media=0 \
		accept_source_route=0 accept_local=1 route_localnet=1 log_martians=1 bootp_relay=1 medium_id=7 tag=9 \
		disable_xfrm=1 disable_policy=1 force_igmp_version=2 igmpv2_unsolicited_report_interval=9000 \
		igmpv3_unsolicited_report_interval=900 ignore_routes_with_linkdown=1 promote_secondaries=1 \
		src_valid_mark=1 drop_unicast_in_l2_multicast=1 drop_gratuitous_arp=1 bc_forwarding=1 arp_evict_nocarrier=0
	set_conf ipv6 forwarding=1 hop_limit=63 mtu=1400 accept_ra=2 accept_redirects=0 autoconf=0 dad_transmits=3 \
		router_solicitations=5 router_solicitation_interval=7 router_solicitation_delay=2 \
		router_solicitation_max_interval=300 router_probe_interval=50 use_tempaddr=2 temp_valid_lft=604000 \
		temp_prefered_lft=86000 regen_max_retry=4 max_addresses=15 max_desync_factor=500 force_mld_version=1 \
		mldv1_unsolicited_report_interval=9000 mldv2_unsolicited_report_interval=900 accept_ra_defrtr=0 \
		accept_ra_pinfo=0 accept_ra_rtr_pref=0 accept_ra_rt_info_min_plen=1 accept_ra_rt_info_max_plen=64 \
		accept_ra_from_local=1 accept_ra_mtu=0 accept_ra_min_hop_limit=2 accept_ra_min_lft=60 proxy_ndp=1 \
		optimistic_dad=1 use_optimistic=1 accept_source_route=1 accept_dad=2 enhanced_dad=0 force_tllao=1 \
		ndisc_notify=1 ndisc_tclass=4 ndisc_evict_nocarrier=0 suppress_frag_ndisc=0 drop_unicast_in_l2_multicast=1 \
		drop_unsolicited_na=1 accept_untracked_na=1 keep_addr_on_down=1 use_oif_addrs_only=1 disable_policy=1 \
		ignore_routes_with_linkdown=1 seg6_enabled=1 seg6_require_hmac=1 rpl_seg_enabled=1 ioam6_enabled=1 \
		ioam6_id=77 ioam6_id_wide=3000000000 ra_defrtr_metric=4000000000 force_forwarding=1 addr_gen_mode=1 disable_ipv6=1
}
DEFAULTS=$(conf_dump)
set_everything
usual=$(comm -12 <(printf '%s\n' "$DEFAULTS") <(conf_dump) | sed 's|/proc/sys/net/||')
diag "not tested, these are as usual: $(tr '\n' ' ' <<<"$usual")"
run_ok "the netdev's sysctls have other values than usual" \
	[ "$(wc -l <<<"$usual")" -le $(($(wc -l <<<"$DEFAULTS") / 8)) ]
BEFORE=$(dump)
add_all "the host's sysctls"
is "$(sysctl ipv4/conf/net1/rp_filter) $(sysctl ipv6/conf/net1/disable_ipv6)" "0 0" "the host's sysctls: the pod has its own"
del "the host's sysctls" "$all"
conf=$(config '.mtu = 1000')
cni ADD c1 "$POD" net1 "$conf"
run_ok "an MTU below IPv6's least" ip netns exec pod1 test ! -e /proc/sys/net/ipv6/conf/net1
del "an MTU below IPv6's least, which takes IPv6 from the netdev: the host's sysctls" "$conf"

# ---- sysctls that are refused, and odd ones ----

refuse() { # refuse CODE ERE DESCRIPTION CONFIG
	cni ADD c1 "$POD" net1 "$4"
	refused "$1" "$2" "$3"
	restored "$3"
	[ "$CNI_RC" -ne 0 ] || cni DEL c1 "$POD" net1 "$4"
}
# untouched DESCRIPTION CONFIG: a refusal before anything was changed: no journal is written.
untouched() {
	CNI_RUN="strace -f -qq -o /run/trace -e trace=sendto,sendmsg,rename,renameat,renameat2,symlinkat" \
		cni ADD c1 "$POD" net1 "$2"
	is "$(grep -cE 'RTM_(NEW|SET|DEL)|rename|symlink' /run/trace)" 0 "$1: nothing is changed, not even for a moment"
}
for key in net.ipv4.no_such net.ipv4.conf.IFNAME.no_such net.ipv4.conf.IFNAME net/ipv4/conf/eth9/arp_filter \
	net.ipv4.conf.IFNAMES.arp_filter net.ipv4.conf.myIFNAME.arp_filter net.core.netdev_max_backlog; do
	# This one belongs to no namespace, so a pod does not have it; not yet, on the kernels of today.
	[ "$key" = net.core.netdev_max_backlog ] &&
		ip netns exec pod1 test -e /proc/sys/net/core/netdev_max_backlog && continue
	conf=$(config ".sysctl = {\"$key\": \"1\"}")
	untouched "sysctl $key" "$conf"
	refused 7 "sysctl $key: (a pod has none of this name|Is a directory); fix: .*sysctl -a" "sysctl $key"
done
restored "unknown sysctls"
refuse 108 'net/ipv4/conf/net1/arp_ignore \(unset\) -> no-number: writing "no-number" to net/ipv4/conf/net1/arp_ignore: Invalid argument' \
	"a value that the kernel refuses" "$(config "$ALL"' | .sysctl."net.ipv4.conf.IFNAME.arp_ignore" = "no-number"')"
refuse 108 'net/ipv4/ip_default_ttl was set to "300"|writing "300" to net/ipv4/ip_default_ttl: Invalid argument' \
	"a value out of range" "$(config "$ALL"' | .sysctl."net.ipv4.ip_default_ttl" = "300"')"
refuse 108 'net/ipv4/ip_local_reserved_ports was set to "8081,8080", and the kernel shows "8080-8081"' \
	"a value that the kernel shows in another way" "$(config '.sysctl = {"net.ipv4.ip_local_reserved_ports": "8081,8080"}')"
refuse 108 'reading net/ipv6/conf/net1/accept_ra: No such file' "IPv6 of an interface that has none" \
	"$(config '.mtu = 1000 | .sysctl = {"net.ipv6.conf.IFNAME.accept_ra": "0"}')"
for key in kernel.panic net..ipv4.ip_forward net.ipv4.conf.../../../kernel/panic net/../kernel/panic net. net; do
	cni ADD c1 "$POD" net1 "$(config ".sysctl = {\"$key\": \"1\"}")"
	refused 7 'is no sysctl below "net\."' "sysctl $key"
done
restored "no sysctls"

if [ "$(ip netns exec pod1 stat -c %a /proc/sys/net/core/rmem_max 2>/dev/null)" = 444 ]; then
	conf=$(config '.sysctl = {"net.core.rmem_max": "4194304"}')
	untouched "a sysctl that a pod may only read" "$conf"
	refused 7 'sysctl net.core.rmem_max: it cannot be read and written in a pod' "a sysctl that a pod may only read"
fi
conf=$(config '.sysctl = {"net.ipv4.route.flush": "1"}')
refuse 7 'sysctl net.ipv4.route.flush: it cannot be read and written in a pod' "a sysctl that can only be written" "$conf"

conf=$(config '.sysctl = {"net.ipv4.ip_local_reserved_ports": "8080"}')
cni ADD c1 "$POD" net1 "$conf"
is "$(sysctl ipv4/ip_local_reserved_ports)" 8080 "a sysctl that is empty usually"
del "a sysctl that is empty usually" "$conf"
set_sysctl ipv4/ip_local_reserved_ports 9000
BEFORE_SET=$BEFORE BEFORE=$(dump)
conf=$(config '.sysctl = {"net.ipv4.ip_local_reserved_ports": ""}')
cni ADD c1 "$POD" net1 "$conf"
is "$CNI_RC:$(sysctl ipv4/ip_local_reserved_ports)" 0: "a sysctl that shall be empty"
del "a sysctl that shall be empty" "$conf"
set_sysctl ipv4/ip_local_reserved_ports ''
BEFORE=$BEFORE_SET
secret=2001:0db8:0000:0000:0000:0000:0000:0001
conf=$(config ".sysctl = {\"net.ipv6.conf.IFNAME.stable_secret\": \"$secret\"}")
cni ADD c1 "$POD" net1 "$conf"
is "$(sysctl ipv6/conf/net1/stable_secret)" $secret "a sysctl that cannot be read before it is set"
del "a sysctl that cannot be read before it is set" "$conf"

# ---- the dry run ----

config "$ALL"' | .sysctl."net.ipv4.ip_local_reserved_ports" = "8080"' >/run/network.json
out=$("$BIN/rocectl" validate /run/network.json)
for line in 'MTU 1500 -> 4200' 'promisc off -> on' 'allmulti off -> on' 'transmit queue 1000 -> 77' \
	'net/ipv4/conf/net1/arp_ignore \(unset\) -> 1' 'net/ipv4/ip_default_ttl 64 -> 63' \
	'net/ipv4/ip_local_reserved_ports "" -> 8080'; do
	like "$out" "[0-9]\. rdma0: $line" "validate: ${line%% *}"
done
like "$out" 'kept, and restored after the pod: down, sysctls of the netdev, altnames 2' "validate: what is kept"
is "$("$BIN/rocectl" validate -o json /run/network.json | jq -c '[.reports[].steps[] | select(.changes) | .type] | unique')" \
	'["allmulti","ipam","link-move","link-mtu","link-state","mac","promisc","sysctl","txqlen"]' "validate: the steps as JSON"
config '.sysctl = {"net.ipv4.no_such": "1"}' >/run/network.json
like "$("$BIN/rocectl" validate /run/network.json)" 'error: sysctl-unknown: sysctl net\.ipv4\.no_such: a pod has none' \
	"validate: a sysctl that there is not"
same "$BEFORE" "$(dump)" "validate has changed nothing"

# ---- CHECK ----

conf=$(config "$ALL")
cni ADD c1 "$POD" net1 "$conf"
check=$(jq -c --argjson r "$CNI_OUT" '.prevResult = $r' <<<"$conf")
in_pod() { ip -n pod1 link set net1 "$@"; }
drift() { # drift ERE DESCRIPTION
	cni CHECK c1 "$POD" net1 "$check"
	refused 111 "$1" "CHECK: $2"
}
fine() { # fine DESCRIPTION
	cni CHECK c1 "$POD" net1 "$check"
	silent "CHECK: $1"
}
fine "all settings"
in_pod promisc off
drift 'net1 should have promisc on, but has off; .* ip link set dev net1 promisc on$' "promisc is off"
in_pod promisc on allmulticast off
drift 'net1 should have allmulti on, but has off; .* ip link set dev net1 allmulticast on$' "allmulti is off"
in_pod allmulticast on txqueuelen 78
drift 'net1 should have transmit queue 77, but has 78; .* ip link set dev net1 txqueuelen 77$' "another queue length"
in_pod txqueuelen 77
set_sysctl ipv4/conf/net1/arp_ignore 2
drift 'sysctl net/ipv4/conf/net1/arp_ignore should be "1" in the pod, but is "2"; .*sysctl -w net/ipv4/conf/net1/arp_ignore="1"$' \
	"a sysctl of the interface"
set_sysctl ipv4/conf/net1/arp_ignore 1
set_sysctl ipv4/ip_default_ttl 64
drift 'sysctl net/ipv4/ip_default_ttl should be "63" in the pod, but is "64"' "a sysctl of the namespace"
set_sysctl ipv4/ip_default_ttl 63
set_sysctl ipv4/conf/net1/arp_filter 1
ip -n pod1 link property del dev net1 altname rdma-long-name # the last: their order is not restored
fine "all is set back, and the rest is the pod's"
del "CHECK" "$conf"

conf=$(config '.txQLen = 1000 | .promisc = false')
cni ADD c1 "$POD" net1 "$conf"
check=$(jq -c --argjson r "$CNI_OUT" '.prevResult = $r' <<<"$conf")
in_pod allmulticast on
fine "what was not asked for may change"
in_pod txqueuelen 1001
drift 'net1 should have transmit queue 1000, but has 1001' "what was asked for and so before"
in_pod txqueuelen 1000 promisc on
drift 'net1 should have promisc off, but has on' "what was asked to be off and was so before"
del "CHECK of what was so before" "$conf"

# ---- the pod meddles ----

# meddled DESCRIPTION COMMAND...: the pod runs "ip COMMAND" after an ADD; DEL restores all.
meddled() {
	local what=$1
	shift
	add_all "$what"
	printf '%s\n' "$@" | ip -n pod1 -batch - || not_ok "$what: the pod can do that"
	del "$what" "$all"
}
meddled "the pod has changed everything" "link set net1 down" \
	"link set net1 name mine mtu 1280 address 02:00:5e:00:53:66 txqueuelen 3" \
	"link set mine promisc off allmulticast off" "link set mine up" "addr add 10.99.0.1/24 dev mine" \
	"link property add dev mine altname mine-too altname other-name" "link property del dev mine altname rdma-long-name"
meddled "the pod has macvlans on it" "link add mac9 link net1 type macvlan" "link set mac9 up" \
	"link add mac8 link mac9 type macvlan"
add_all "the pod has a bridge on it"
ip -n pod1 link add br9 type bridge
ip -n pod1 link set net1 master br9
cni DEL c1 "$POD" net1 "$all"
silent "the pod has a bridge on it: DEL"
run_ok "the bridge itself is the pod's" ip -n pod1 link del br9
restored "the pod has a bridge on it"
for name in rdma0 port0 port0-alt; do
	ip link property add dev port0 altname port0-alt
	add_all "the pod gives it the altname $name"
	ip -n pod1 link property add dev net1 altname $name
	cni DEL c1 "$POD" net1 "$all"
	silent "the pod gives it the altname $name of the host: DEL"
	ip link property del dev port0 altname port0-alt
	restored "the pod gives it the altname $name of the host"
done
many=()
for n in $(seq 40); do many+=("link property add dev net1 altname name-of-the-pod-$n"); done
meddled "the pod gives it many altnames" "${many[@]}"
add_all "the pod has changed the sysctls"
for pair in ipv4/conf/net1/arp_ignore=2 ipv4/ip_default_ttl=62 ipv6/conf/net1/disable_ipv6=1; do
	set_sysctl "${pair%=*}" "${pair#*=}"
done
del "the pod has changed the sysctls" "$all"

# An altname that something on the host has by now cannot come back; the device can.
add_all "an altname is taken on the host"
ip link property add dev port0 altname rdma-long-name
cni DEL c1 "$POD" net1 "$all"
refused 110 'rdma0: keep altnames 2: .*exists' "an altname that is taken on the host by now"
like "$(ip -j link show dev rdma0 | jq -c '.[0].altnames')" '\["rail-zero"\]' "an altname is taken on the host: the device is back"
ip link property del dev port0 altname rdma-long-name
del "an altname was taken on the host" "$all"

# ---- what the node profile says ----

world_profile '{"version": 1, "forbid": ["promisc", "sysctl", "mac"]}'
BEFORE=$(dump)
forbids=': the node profile forbids networks to ask for it; fix: leave it out.*"forbid" in /etc/cni/net.d/roce.d/profile.json'
refuse 103 "promisc$forbids" "a forbidden setting" "$(config '.promisc = false')"
refuse 103 "sysctl$forbids" "a forbidden sysctl" "$(config '.sysctl = {"net.ipv4.ip_forward": "1"}')"
refuse 103 "mac$forbids" "a forbidden MAC of a pod" "$(config '.runtimeConfig = {mac: "02:00:5e:00:53:aa"}')"
untouched "a forbidden setting" "$(config '.promisc = true')"
cni ADD c1 "$POD" net1 "$(config)" CNI_ARGS=MAC=02:00:5e:00:53:aa
refused 103 "mac$forbids" "a forbidden MAC of CNI_ARGS"
conf=$(config '.allmulti = true | .txQLen = 77')
cni ADD c1 "$POD" net1 "$conf"
succeeded "what is not forbidden: ADD"
del "what is not forbidden" "$conf"
config '.promisc = true | .sysctl = {"net.ipv4.ip_forward": "1"}' >/run/network.json
is "$("$BIN/rocectl" validate --offline -o json /run/network.json |
	jq -rc '[.reports[].findings[] | select(.severity == "error") | "\(.id) \(.path) \(.line)"]')" \
	'["setting-forbidden promisc 1","setting-forbidden sysctl 1"]' "validate --offline: what is forbidden"

# The profile's vfBaseline is for VFs: another netdev gets back what it had.
world_profile '{"version": 1, "defaultFabric": "rail", "fabrics": {"rail": {"vfBaseline":
	{"mtu": 1400, "promisc": true, "allmulti": true, "txQLen": 5, "spoofchk": "on", "vlan": 0}}}}'
BEFORE=$(dump)
add_all "vfBaseline and no VF"
del "vfBaseline and no VF" "$all"
world_profile
BEFORE=$(dump)

for pair in 'vlan = 0' 'spoofchk = "on"' 'trust = "off"' 'link_state = "auto"' 'min_tx_rate = 0' 'max_tx_rate = 0'; do
	cni ADD c1 "$POD" net1 "$(config ".$pair")"
	refused 7 "${pair%% *}: it is a PF's setting of a VF, and the device is no VF; fix: leave it out, or name a VF" \
		"${pair%% *} of a netdev that is no VF"
done
conf=$(config '.vlan = 7 | .vlanQoS = 3 | .vlanProto = "802.1ad"')
refuse 7 "vlan: it is a PF's setting" "VLAN, priority and protocol of a netdev that is no VF" "$conf"
for key in vlanQoS vlanProto; do like "$CNI_OUT" "$key: it is a PF's setting" "$key of a netdev that is no VF"; done

# ---- an ADD that fails, or is killed ----

mkdir /run/fake
printf '#!/bin/sh\n[ "$CNI_COMMAND" = DEL ] || { echo "{\\"code\\": 42, \\"msg\\": \\"no cheese\\"}"; exit 1; }\n' >/run/fake/fails
chmod +x /run/fake/fails
CNI_DIRS=$BIN:/run/fake
refuse 106 'no cheese' "an IPAM plugin that fails after all settings are made" "$(config "$ALL"' | .ipam = {type: "fails"}')"
refuse 108 '192\.0\.2\.0' "a route that the kernel refuses" \
	"$(config "$ALL"' | .ipam.routes = [{dst: "192.0.2.0/24", gw: "203.0.113.1"}]')"

if strace -o /dev/null true 2>/dev/null; then
	# killed VERB CALL: VERB is killed on entering every third CALL; a DEL puts everything right.
	killed() {
		local n kills=0 fine=0 before
		before=$(dump | grep -v '\.lock f ')
		for n in $(seq 1 3 99); do
			[ "$1" = ADD ] || cni ADD c1 "$POD" net1 "$all"
			CNI_RUN="strace -f -qq -o /run/trace -e trace=$2 -e inject=$2:signal=KILL:when=$n" \
				cni "$1" c1 "$POD" net1 "$all" 2>/dev/null
			grep -q 'killed by SIGKILL' /run/trace || break
			kills=$((kills + 1))
			cni DEL c1 "$POD" net1 "$all"
			if [ "$CNI_RC" -eq 0 ] && [ "$before" = "$(dump | grep -v '\.lock f ')" ]; then
				fine=$((fine + 1))
			else
				diag "killed at $2 $n: $CNI_OUT
$(diff <(printf '%s\n' "$before") <(dump) | head -n 30)"
			fi
		done
		is "$fine" "$kills" "$1 killed at every third $2, then DEL: $kills kills, all is as before"
		[ $kills -gt 2 ] || not_ok "$1 killed at $2: too few kills"
		cni DEL c1 "$POD" net1 "$all"
	}
	killed ADD sendmsg
	killed ADD openat
	killed DEL sendmsg
	restored "ADD and DEL killed"
else
	ok "ADD and DEL killed # SKIP strace cannot be used here"
fi

done_testing || exit 1
