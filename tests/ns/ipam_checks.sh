#!/bin/bash
# The list of checks for roce-ipam, in its order: values that Whereabouts (2-56) and host-local (58-70)
# assert about themselves, and this project's own (72-82). A test's name begins with the number. Where
# roce-ipam does something else on purpose, the name says so. The numbers are even; gaps are intended.
#
# Without a counterpart, and why:
#   44 (second half)  the defaults of the leader election: nothing is elected, a file is locked
#   48 (first half)   the flat file's enable_overlapping_ranges: no file of defaults is read
#   52 (first half)   the name of a pool's object: a pool is a folder named as its network
#   54 (first half)   a stale resourceVersion: there is no API server
#   56 (most)         the reconciler, which asks a cluster for pods: GC is told by the runtime
#   58 (second half)  last_reserved_ip, the round robin: the lowest free address is given
#   70 (second part)  id-only files of old versions of host-local
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/world.sh
. tests/world.sh
world_enter "$@"
# shellcheck source=tests/tap.sh
. tests/tap.sh
# shellcheck disable=SC2034 # for cni()
CNI_PLUGIN=roce-ipam
# shellcheck source=tests/cni.sh
. tests/cni.sh
STORE=/run/roce-ipam

# call VERB ID IPAM [MORE] [NAME=VALUE...]: MORE are further keys of the network.
call() {
	local verb=$1 id=$2 ipam=$3 more=${4:-}
	shift $(($# < 4 ? $# : 4))
	cni "$verb" "$id" "/run/netns/pod" net1 \
		"{\"cniVersion\":\"1.0.0\",\"name\":\"${NET:-n1}\",\"type\":\"x\",\"ipam\":$ipam${more:+,$more}}" "$@"
}
# add ID IPAM...: the addresses of an ADD in one line, or its code and message.
add() {
	call ADD "$@"
	if [ "$CNI_RC" -eq 0 ]; then jq -r '[.ips[].address] | join(" ")' <<<"$CNI_OUT"; else echo "$(code) $(msg)"; fi
}
del() { call DEL "$1" null; [ "$CNI_RC" -eq 0 ] && echo ok; }
fresh() { rm -rf $STORE; }
# first IPAM: what an empty pool gives first.
first() { fresh; add c1 "$1"; }
# taken ADDRESS...: leased by others.
taken() {
	local address
	for address in "$@"; do
		[ "$(add "has-${address//:/-}" "{\"range\":\"$address-$address/${LENGTH:-24}\"}")" = "$address/${LENGTH:-24}" ] ||
			diag "$address could not be leased"
	done
}
full() { echo "^107 no address is free in range $1 "; }

# window NUMBER IPAM FIRST LAST WHAT: exactly FIRST to LAST are given. The first is what an empty pool
# gives; the last is what is left when all below are excluded; with it excluded, too, nothing is left.
window() {
	local length below all got
	read -r length < <(jq -r '.range | split("/")[1]' <<<"$2")
	{ read -r below; read -r all; } < <(python3 -c 'import ipaddress, json, sys
first, last = map(ipaddress.ip_address, sys.argv[1:])
for end in last - 1, last:
    print(json.dumps([str(n) for n in ipaddress.summarize_address_range(first, end)]))' "$3" "$4")
	got="$(first "$2") $(first "$(jq -c --argjson e "$below" '.exclude = $e' <<<"$2")") $(first \
		"$(jq -c --argjson e "$all" '.exclude = $e' <<<"$2")" | grep -o 'has no address to give out')"
	is "$got" "$3/$length $4/$length has no address to give out" "check $1: $5"
}

# ---- Whereabouts: windows ----

window 2 '{"range":"192.168.2.200/24"}' 192.168.2.1 192.168.2.254 'a range with host bits'
window 2 '{"range":"192.168.2.200/24","range_start":"192.168.2.23"}' 192.168.2.23 192.168.2.254 'with a start'
window 4 '{"range":"192.168.2.200/24","range_end":"192.168.2.100"}' 192.168.2.1 192.168.2.100 'with an end'
window 4 '{"range":"192.168.2.200/24","range_start":"192.168.2.50","range_end":"192.168.2.100"}' \
	192.168.2.50 192.168.2.100 'with start and end'
is "$(first '{"range":"192.168.2.200/24","range_start":"192.168.2.100","range_end":"192.168.2.50"}')" \
	'7 ipam.range_end: "192.168.2.100 .. 192.168.2.50" is inverted: the first address lies behind the last' \
	'check 6: an inverted range is refused, not ignored'
window 8 '{"range":"2001::0/116"}' 2001::1 2001::ffe 'an IPv6 range'
window 10 '{"range":"2001:db8:abcd:12::/64"}' 2001:db8:abcd:12::1 2001:db8:abcd:12:ffff:ffff:ffff:fffe 'a /64'
window 10 '{"range":"2001:db8:abcd:12::/64","range_end":"2001:db8:abcd:12::100"}' \
	2001:db8:abcd:12::1 2001:db8:abcd:12::100 'a /64 with an end'
window 10 '{"range":"2001:db8:abcd:12::/64","range_start":"2001:db8:abcd:12::50","range_end":"2001:db8:abcd:12::100"}' \
	2001:db8:abcd:12::50 2001:db8:abcd:12::100 'a /64 with start and end'
window 12 '{"range":"2001:db8:480:603d::/64","range_start":"2001:db8:480:603d:304:403::","range_end":"2001:db8:480:603d:304:403:0:4"}' \
	2001:db8:480:603d:304:403:: 2001:db8:480:603d:304:403:0:4 'start and end deep in a /64'
window 14 '{"range":"192.168.0.0/23"}' 192.168.0.1 192.168.1.254 'a /23'
window 14 '{"range":"2000::/126"}' 2000::1 2000::2 'a /126'
for end in '192.168.0.0/23 192.168.0.0' '192.168.0.0/23 192.168.1.255' '2000::/126 2000::' '2000::/126 2000::3'; do
	like "$(first "{\"range\":\"${end% *}\",\"range_start\":\"${end#* }\"}")" \
		"^7 ipam.range_start: \"${end#* }\" is not one of the usable addresses of ${end% *}: " \
		"check 14: ${end#* } is the network's or the last of ${end% *} and cannot be given"
done

# ---- Whereabouts: arithmetic, seen where an exclude begins or addresses are taken ----

fresh
below='{"range":"192.168.0.0/15","range_start":"192.168.255.254","exclude":["192.169.0.0/16"]}'
is "$(add c1 "$below") $(add c2 "$below")" '192.168.255.254/15 192.168.255.255/15' \
	'check 16: the address below 192.169.0.0 is 192.168.255.255'
like "$(add c3 "$below")" "$(full 192.168.0.0/15)" 'check 16: and the last one'
fresh
below='{"range":"ff02::/96","range_start":"ff02::fffe","range_end":"ff02::1:5","exclude":["ff02::1:0/112"]}'
is "$(add c1 "$below") $(add c2 "$below")" 'ff02::fffe/96 ff02::ffff/96' 'check 16: that below ff02::1:0 is ff02::ffff'
like "$(add c3 "$below")" "$(full ff02::/96)" 'check 16: and the last one'
fresh
below='{"range":"0.0.0.0/31","exclude":["0.0.0.0"]}'
is "$(add c1 "$below")" '0.0.0.1/31' 'check 16: below 0.0.0.0 is nothing; Whereabouts wraps to 255.255.255.255'
like "$(add c2 "$below")" "$(full 0.0.0.0/31)" 'check 16: and nothing wraps'

fresh
mkdir -p $STORE/n1/by-id # any file with an address for a name takes the address
(cd $STORE/n1 && printf '192.168.1.%d\n' {1..255} | xargs touch 192.168.2.0)
is "$(add c1 '{"range":"192.168.0.0/22","range_start":"192.168.1.1"}')" '192.168.2.1/22' \
	'check 18: 256 addresses behind 192.168.1.1 is 192.168.2.1'
(cd $STORE/n1 && printf '2000::%x\n' {1..65535} | xargs touch)
is "$(add c2 '{"range":"2000::/64"}')" '2000::1:0/64' 'check 18: 65535 addresses behind 2000::1 is 2000::1:0'

inside='{"range":"2001:db8:480:603d::1-2001:db8:480:603e::4/32"}'
fresh
is "$(add c1 "$inside" '' CNI_ARGS=IP=2001:db8:480:603d:304:403::)" '2001:db8:480:603d:304:403::/32' \
	'check 20: 2001:db8:480:603d:304:403:: lies in the range'
is "$(add c2 "$inside" '' CNI_ARGS=IP=2001:db8:480:603d::1) $(add c3 "$inside" '' CNI_ARGS=IP=2001:db8:480:603e::4)" \
	'2001:db8:480:603d::1/32 2001:db8:480:603e::4/32' 'check 20: both ends do'
inside='{"range":"192.168.0.0-192.169.0.0/8"}'
like "$(add c4 "$inside" '' CNI_ARGS=IP=192.169.0.1)" "^7 .*192\.169\.0\.1 is outside of 192\.168\.0\.0 \.\. 192\.169\.0\.0" \
	'check 20: 192.169.0.1 does not lie in 192.168.0.0 to 192.169.0.0'
is "$(add c5 "$inside" '' CNI_ARGS=IP=192.168.0.0) $(add c6 "$inside" '' CNI_ARGS=IP=192.169.0.0)" \
	'192.168.0.0/8 192.169.0.0/8' 'check 20: both ends do'
is "$(grep -c '^/\* 20: ' tests/unit/test_range.c)" 1 'check 20: the unit test of ranges has it, too'

# ---- Whereabouts: allocation ----

is "$(first '{"range":"192.168.1.1/24"}')" 192.168.1.1/24 'check 22: host bits in the range do not matter'
is "$(first '{"range":"192.168.0.0/29","exclude":["192.168.0.0/30"]}')" 192.168.0.4/29 'check 24: an excluded subnet'
is "$(first '{"range":"192.168.0.0/29","exclude":["192.168.0.1"]}')" 192.168.0.2/29 'check 24: an excluded address'
is "$(first '{"range":"192.168.0.0/29","exclude":["192.168.0.1/123"]}')" \
	'7 ipam.exclude[0]: "192.168.0.1/123" is neither ADDRESS/LENGTH nor an IP address' \
	'check 24: an exclude that cannot be read is refused'
CNI_RUN='timeout 2'
is "$(first '{"range":"2001:db8::/30","exclude":["2001:db8::0/32"]}')" 2001:db9::/30 \
	'check 26: 2^96 excluded addresses, in no time'
CNI_RUN=
fresh
LENGTH=29 taken 192.168.0.4 192.168.0.5 192.168.0.6
like "$(add c1 '{"range":"192.168.0.0/29","exclude":["192.168.0.0/30"]}')" "$(full 192.168.0.0/29)" \
	'check 28: all but the excluded are taken'
fresh
LENGTH=29 taken 192.168.0.1 192.168.0.2 192.168.0.3
like "$(add c1 '{"range":"192.168.0.0/29","exclude":["192.168.0.4/30"]}')" "$(full 192.168.0.0/29)" \
	'check 28: with the exclude at the end'
fresh
LENGTH=125 taken 100::2:1 100::2:2 100::2:3
like "$(add c1 '{"range":"100::2:1/125","exclude":["100::2:4/126"]}')" "$(full 100::2:0/125)" 'check 28: the same in IPv6'
fresh
LENGTH=28 taken 192.168.0.1 192.168.0.2 192.168.0.3
like "$(add c1 '{"range":"192.168.0.0/28","range_start":"192.168.0.1","range_end":"192.168.0.6","exclude":["192.168.0.4/30"]}')" \
	"$(full 192.168.0.0/28)" 'check 30: an exclude that reaches over the end does not move it'
fresh
got=''
for i in $(seq 13); do got+="$(add "c$i" '{"range":"192.168.1.11-192.168.1.23/24"}') "; done
is "$got" "$(printf '192.168.1.%d/24 ' {11..23})" 'check 32: FIRST-LAST/LENGTH gives all of it, in order'
like "$(add c14 '{"range":"192.168.1.11-192.168.1.23/24"}')" "$(full 192.168.1.0/24)" 'check 32: and no more'
fresh
call ADD c1 '{"range":"192.168.1.5-192.168.1.25/24","gateway":"192.168.1.1"}'
is "$(jq -c .ips <<<"$CNI_OUT")" '[{"address":"192.168.1.5/24","gateway":"192.168.1.1"}]' \
	'check 34: the gateway is as configured'
fresh
call ADD c1 '{"range":"192.168.1.44/28","gateway":"192.168.1.1",
	"addresses":[{"address":"10.10.0.1/24","gateway":"10.10.0.254"},
		{"address":"3ffe:ffff:0:01ff::1/64","gateway":"3ffe:ffff:0::1"}],
	"routes":[{"dst":"0.0.0.0/0"},{"dst":"192.168.0.0/16","gw":"10.10.5.1"},{"dst":"3ffe:ffff:0:01ff::1/64"}]}'
is "$(jq -r '[.ips[].address] | join(" ")' <<<"$CNI_OUT")" '192.168.1.33/28 10.10.0.1/24 3ffe:ffff:0:1ff::1/64' \
	'check 36: static addresses stand behind the leased one, in order'
is "$(jq -r '[.ips[].gateway] | join(" ")' <<<"$CNI_OUT")" '192.168.1.1 10.10.0.254 3ffe:ffff::1' \
	'check 36: each with its own gateway'
is "$(jq -c .routes <<<"$CNI_OUT")" \
	'[{"dst":"0.0.0.0/0"},{"dst":"192.168.0.0/16","gw":"10.10.5.1"},{"dst":"3ffe:ffff:0:1ff::1/64"}]' \
	'check 36: the three routes are handed through'
is "$(first '{"range":"2001:db8:480:603d:0304:0403:000:0000-2001:db8:480:603d:0304:0403:0000:0004/64"}')" \
	2001:db8:480:603d:304:403::/64 'check 38: an address whose last groups are zero can be given'
is "$(first '{"range":"fd00:0:0:10:0:0:3:1-fd00:0:0:10:0:0:3:6/64"}')" fd00::10:0:0:3:1/64 'check 40: the first is as given'

# ---- Whereabouts: networks that overlap ----

BIG='{"range":"192.168.22.0/24"}' SMALL='{"range":"192.168.22.0/28"}'
fresh
is "$(NET=a add pod1 "$BIG") $(NET=b add pod2 "$SMALL")" '192.168.22.1/24 192.168.22.2/28' \
	'check 42: two networks do not give one address twice'
is "$(NET=b add pod2 "$SMALL")" 192.168.22.2/28 'check 42: asked again, the same'
NET=a del pod1 >/dev/null
is "$(NET=b add pod3 "$SMALL")" 192.168.22.1/28 'check 42: what one releases the other may give'
fresh
OFF=$(jq -c '.enable_overlapping_ranges = false' <<<"$SMALL")
is "$(NET=a add pod1 "$BIG") $(NET=b add pod2 "$OFF")" '192.168.22.1/24 192.168.22.1/28' \
	'check 42: with enable_overlapping_ranges false they do'
fresh
NAMED=$(jq -c '.network_name = "other"' <<<"$SMALL")
is "$(NET=a add pod1 "$BIG") $(NET=b add pod2 "$NAMED")" '192.168.22.1/24 192.168.22.1/28' \
	'check 42: with another network_name they do'
is "$(NET=c add pod3 "$NAMED")" 192.168.22.2/28 'check 42: two networks of that name do not'

# ---- Whereabouts: configuration ----

window 44 '{"range":"192.168.1.5-192.168.1.25/24"}' 192.168.1.5 192.168.1.25 'FIRST-LAST/LENGTH is a start and an end'
is "$(first '{"range":"192.168.1.5-192.168.2.25/28"}')" \
	'7 ipam.range: "192.168.1.5" is not one of the usable addresses of 192.168.2.16/28: 192.168.2.17 .. 192.168.2.30' \
	'check 46: a first address outside the subnet of the last is refused'
for value in true false; do
	fresh
	NET=a add pod1 "$BIG" >/dev/null
	got=$(NET=b add pod2 "$(jq -c --argjson v $value '.enable_overlapping_ranges = $v' <<<"$SMALL")")
	want=192.168.22.2/28
	[ $value = true ] || want=192.168.22.1/28
	is "$got" $want "check 48: enable_overlapping_ranges is the network's own: $value"
done
like "$(first '{"range":"10.0.0.0/24","enable_overlapping_ranges":"false"}')" \
	'^6 ipam.enable_overlapping_ranges: must be ' 'check 48: text in place of true or false is refused'
cni ADD c1 /run/netns/pod net1 \
	'{"cniVersion":"1.0.0","name":"list","plugins":[{"type":"x","ipam":{"type":"roce-ipam","range":"10.0.0.0/24"}}]}'
refused 7 '^ipam: is missing; ' 'check 50: a list in place of a network'
fresh
is "$(add c1 '{"range":"caa5::/64"}') $(add c2 '{"range":"2001:d3ad:b33f:f00d:d00d:d00d::/128"}')" \
	'caa5::1/64 2001:d3ad:b33f:f00d:d00d:d00d::/128' 'check 52: addresses that end in "::" or begin a /64'
is "$(cd $STORE/n1 && ls -d ./*::* | tr '\n' ' ')" './2001:d3ad:b33f:f00d:d00d:d00d:: ./caa5::1 ' \
	'check 52: their records are named by them, as they are'
is "$(del c1)$(del c2) $(cd $STORE/n1 && find . -maxdepth 1 -name '*:*')" 'okok ' 'check 52: and can be released'
fresh
both=''
for i in $(seq 20); do
	add "a$i" "$BIG" >/run/a &
	pid=$!
	add "b$i" "$BIG" >/run/b
	wait $pid
	both+="$(cat /run/a /run/b)
"
done
is "$(grep . <<<"$both" | sort -u | wc -l)" 40 'check 54: two writers of one pool, 20 times: 40 addresses'
both=''
for i in $(seq 20); do
	NET=a add "c$i" "$SMALL" >/run/a &
	pid=$!
	NET=b add "d$i" "$BIG" >/run/b
	wait $pid
	both+="$(cat /run/a /run/b)
"
done
is "$(grep -o '^192[^/]*' <<<"$both" | sort | uniq -d)" '' 'check 54: two writers of two networks that overlap: none twice'
fresh
add c1 "$BIG" '' 'CNI_ARGS=K8S_POD_NAMESPACE=default;K8S_POD_NAME=pending' >/dev/null
add c2 "$BIG" >/dev/null
add c3 "$BIG" '' 'CNI_ARGS=K8S_POD_NAMESPACE=default;K8S_POD_NAME=pending' >/dev/null
cni GC '' '' '' "{\"cniVersion\":\"1.1.0\",\"name\":\"n1\",\"type\":\"x\",\"ipam\":$BIG,\"cni.dev/valid-attachments\":[
	{\"containerID\":\"c1\",\"ifname\":\"net1\"},{\"containerID\":\"c2\",\"ifname\":\"net1\"}]}"
is "$CNI_RC $(cd $STORE/n1 && find . -maxdepth 1 -name '192*' | sort | tr '\n' ' ')" '0 ./192.168.22.1 ./192.168.22.2 ' \
	'check 56: GC goes by container and interface, not by the name or the state of a pod'

# ---- host-local, in its own words ----

ring='{"ranges":[[{"subnet":"192.168.1.0/29"}]]}'
fresh
got=''
for i in 1 2 3 4 5; do got+="$(add "c$i" "$ring") "; done
is "$got" "$(printf '192.168.1.%d/29 ' 2 3 4 5 6)" 'check 58: gateway and last address are skipped'
like "$(add c6 "$ring")" "$(full 192.168.1.0/29)" 'check 58: then none'
del c1 >/dev/null
del c4 >/dev/null
is "$(add c7 "$ring") $(add c8 "$ring")" '192.168.1.2/29 192.168.1.5/29' 'check 58: the lowest free is next, not the one behind the last'
set='{"ranges":[[{"subnet":"10.0.0.0/30"},{"subnet":"10.0.1.0/30"},{"subnet":"10.0.2.0/30"}]]}'
fresh
is "$(add c1 "$set") $(add c2 "$set") $(add c3 "$set")" '10.0.0.2/30 10.0.1.2/30 10.0.2.2/30' \
	'check 60: the ranges of a set, one after the other'
like "$(add c4 "$set")" '^107 no address is free in range 10\.0\.0\.0/30 .* and the 2 others of its set: ' \
	'check 60: all of them full'
del c2 >/dev/null
is "$(add c5 "$set")" 10.0.1.2/30 'check 60: a free one in the middle'

asks() { add "$1" "$ring" '' "CNI_ARGS=IP=$2"; }
fresh
is "$(asks c1 192.168.1.5)" 192.168.1.5/29 'check 62: the address that is asked for'
is "$(asks c1 192.168.1.5)" 192.168.1.5/29 'check 62: asked again by its holder'
like "$(asks c2 192.168.1.5)" '^107 CNI_ARGS IP: 192\.168\.1\.5 is taken by container c1, interface net1, of network n1' \
	'check 62: by another'
ring='{"ranges":[[{"subnet":"192.168.1.0/29","rangeStart":"192.168.1.3","rangeEnd":"192.168.1.5"}]]}'
for address in 192.168.1.6 192.168.1.2 192.168.1.7 192.168.2.1; do
	like "$(asks c3 $address)" "^7 CNI_ARGS IP: ${address//./\\.} is " "check 62: $address lies outside"
done
ring='{"ranges":[[{"subnet":"192.168.1.0/29"}]]}'
like "$(asks c3 192.168.1.1)" '^7 CNI_ARGS IP: 192\.168\.1\.1 .*gateway' "check 62: the gateway cannot be asked for"

like "$(first '{"ranges":[[{"subnet":"192.0.2.12/24"}]]}')" \
	'^7 ipam\.ranges\[0\]\[0\]\.subnet: "192\.0\.2\.12/24" has host bits set; the subnet is 192\.0\.2\.0/24$' \
	'check 64: host bits in a subnet are refused'
is "$(first '{"range":"192.0.2.12/24"}')" 192.0.2.1/24 'check 64: in "range" they are masked, as Whereabouts does'
like "$(first '{"ranges":[[{"subnet":"2001:DB8:24:19ff::/63"}]]}')" 'the subnet is 2001:db8:24:19fe::/63$' 'check 64: IPv6'
like "$(first '{"ranges":[[{"subnet":"192.168.127.0/23"}]]}')" 'the subnet is 192\.168\.126\.0/23$' 'check 64: a /23'
is "$(first '{"ranges":[[{"subnet":"192.0.2.0/31"}]]}')" 192.0.2.0/31 'check 64: a /31 is not too small: both are hosts (RFC 3021)'

fresh
is "$(NET=a add p1 '{"range":"10.1.0.0/20"}') $(NET=b add p2 '{"range":"10.1.0.0/24"}')" '10.1.0.1/20 10.1.0.2/24' \
	'check 66: a /20 and a /24 in it collide'
is "$(NET=c add p3 '{"range":"10.2.0.0/24","range_end":"10.2.0.127"}') $(NET=d add p4 '{"range":"10.2.0.0/24","range_start":"10.2.0.128"}')" \
	'10.2.0.1/24 10.2.0.128/24' 'check 66: the halves of a /24 do not'
is "$(NET=e add p5 '{"range":"10.3.0.127-10.3.0.127/24"}')" 10.3.0.127/24 'check 66: one address,'
like "$(NET=f add p6 '{"range":"10.3.0.127-10.3.0.127/24"}')" "$(full 10.3.0.0/24)" 'check 66: twice: they do'
is "$(NET=g add p7 '{"range":"10.4.0.0/24"}') $(NET=h add p8 '{"range":"fd04::/64"}')" '10.4.0.1/24 fd04::1/64' \
	'check 66: IPv4 and IPv6 do not'
fresh
overlap='{"ranges":[[{"subnet":"10.1.0.0/22"},{"subnet":"10.1.2.0/24"}]]}'
is "$(add c1 "$overlap") $(add c2 "$overlap")" '10.1.0.2/22 10.1.0.3/22' \
	'check 66: ranges of a set may overlap, their addresses are given once'
fresh
is "$(add c1 '{"ranges":[[{"subnet":"10.1.0.0/22","rangeStart":"10.1.2.0"}],[{"subnet":"10.1.2.0/24","gateway":"10.1.2.9"}]]}')" \
	'10.1.2.0/22 10.1.2.1/24' 'check 66: so may two sets'
like "$(first '{"ranges":[[{"subnet":"10.1.0.0/22"},{"subnet":"fd00::/64"}]]}')" \
	'^7 ipam\.ranges\[0\]\[1\]: 10\.1\.0\.0/22 and fd00::/64 are in one set, but of different IP versions$' \
	'check 66: families mixed in a set are refused'

wide='{"ranges":[[{"subnet":"10.1.2.0/24"}],[{"subnet":"2001:db8:1::/64"}]]}'
args='"args":{"cni":{"ips":["10.1.2.11","2001:db8:1::11"]}}'
fresh
is "$(add c1 "$wide" "$args,\"runtimeConfig\":{\"ips\":[\"10.1.2.12/24\",\"2001:db8:1::12\"]}" CNI_ARGS=IP=10.1.2.10)" \
	'10.1.2.12/24 2001:db8:1::12/64' 'check 68: of several requests the runtime'"'"'s counts, not all of them together'
is "$(add c2 "$wide" "$args" CNI_ARGS=IP=10.1.2.10)" '10.1.2.11/24 2001:db8:1::11/64' 'check 68: then that of args.cni'
is "$(add c3 "$wide" '' CNI_ARGS=IP=10.1.2.10)" '10.1.2.10/24 2001:db8:1::2/64' 'check 68: then that of CNI_ARGS'
is "$(add c4 "$wide" '"runtimeConfig":{"ips":["2001:db8:1::44/64","10.1.2.44/24"]}')" '10.1.2.44/24 2001:db8:1::44/64' \
	'check 68: in any order, with or without a prefix length'
like "$(add c5 "$wide" '"args":{"cni":{"ips":["10.1.2.55","11.11.11.11"]}}')" \
	"^7 args\.cni\.ips\[1\]: 11\.11\.11\.11 is in none of the network's ranges" 'check 68: one that is in no range'

fresh
call ADD '   dummy' "$ring"
refused 4 '^invalid CNI_CONTAINERID "   dummy"' 'check 70: an ID with blanks is not trimmed'
is "$(del nobody)" ok 'check 70: DEL of an unknown ID'
two='{"ranges":[[{"subnet":"10.1.2.0/24"}],[{"subnet":"10.1.3.0/24"}]]}'
like "$(add c1 "$two" '"args":{"cni":{"ips":["10.1.2.88","10.1.2.77"]}}')" \
	'^7 args\.cni\.ips\[1\]: 10\.1\.2\.88 and 10\.1\.2\.77 are both of range 10\.1\.2\.0/24' \
	'check 70: two requests for one range, none for the other'
is "$(find $STORE -name '10.*' 2>/dev/null)" '' 'check 70: nothing is kept then'

# ---- our own: they have tests of their own; here is where ----

# has NUMBER FILE NAME: FILE has a test of that name.
has() {
	if grep -qF -- "$3" "$2"; then ok "check $1: $2: $3"; else not_ok "check $1: $2: $3" 'no such test'; fi
}
has 72 tests/ns/ipam.sh 'killed at each of its system calls'
has 72 tests/ns/ipam_storm.sh 'no address had two holders at a time'
has 72 tests/ns/ipam_storm.sh 'every record is whole'
has 74 tests/ns/ipam.sh 'ADD works beside damaged records'
has 74 tests/ns/ipam_store.sh 'no damaged record lends its address to another'
has 76 tests/ns/ipam.sh 'a full range takes back what an earlier boot left'
has 76 tests/ns/ipam_store.sh 'not those of another node, nor of this boot'
has 78 tests/ns/ipam.sh 'GC keeps what is valid'
has 78 tests/ns/ipam.sh 'GC with an empty list'
has 78 tests/ns/ipam.sh 'lock and map survive'
has 78 tests/ns/ipam_store.sh 'GC leaves those of another node alone'
has 80 tests/ns/ipam.sh 'so nothing of the first is kept'
has 80 tests/ns/ipam.sh 'DEL releases all ranges, also those that the configuration lost'
has 82 tests/ns/ipam_store.sh 'the lock file is removed while'
done_testing || exit 1
