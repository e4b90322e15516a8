#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# roce-ipam from outside: every verb, every refusal, and what a killed process or a full disk leaves.
# shellcheck source=tests/ipam.sh
. "$(dirname "$0")/../ipam.sh"

range24='{"type":"roce-ipam","range":"10.56.0.0/24","gateway":"10.56.0.1"}'
range29='{"type":"roce-ipam","range":"10.56.0.0/29","gateway":"10.56.0.1"}'
dual='{"type":"roce-ipam","ipRanges":[{"range":"10.56.0.0/24"},{"range":"fd00::/64"}]}'

# ---- VERSION, ADD ----

call VERSION "" null
is "$(jq -c .supportedVersions <<<"$out")" '["0.3.1","0.4.0","1.0.0","1.1.0"]' "VERSION lists what is supported"
out=$(CNI_COMMAND=VERSION "$bin" </dev/null 2>&1)
like "$out" '"cniVersion":"1.1.0"' "VERSION needs no stdin"

call ADD c1 '{"type":"roce-ipam","range":"10.56.0.0/24","gateway":"10.56.0.1","dns":{"domain":"x.example","extra":1},
	"routes":[{"dst":"0.0.0.0/0"},{"dst":"10.0.0.0/8","gw":"10.56.0.9","mtu":1400,"table":0}]}'
is "$out" '{"cniVersion":"1.1.0","ips":[{"address":"10.56.0.2/24","gateway":"10.56.0.1"}],"routes":[{"dst":"0.0.0.0/0"},{"dst":"10.0.0.0/8","gw":"10.56.0.9","mtu":1400,"table":0}],"dns":{"domain":"x.example","extra":1}}' "ADD: the whole answer in 1.1.0"
VERSION=0.3.1 call ADD c2 '{"range":"10.56.0.0/24","routes":[{"dst":"0.0.0.0/0","mtu":1400}]}'
is "$out" '{"cniVersion":"0.3.1","ips":[{"version":"4","address":"10.56.0.1/24"}],"routes":[{"dst":"0.0.0.0/0"}],"dns":{}}' "ADD: in 0.3.1; without a gateway .1 is an address like any other"
is "$(add c1 "$range24")" "10.56.0.2/24" "ADD again gives the same address"
is "$(add c3 "$range24")" "10.56.0.3/24" "ADD of another container gives the next"
IFNAME=net2 call ADD c1 "$range24"
is "$(jq -r .ips[0].address <<<"$out")" "10.56.0.4/24" "ADD of another interface of the same container too"
NET=n2 call ADD c1 "$range24"
is "$(jq -r .ips[0].address <<<"$out")" "10.56.0.5/24" "another network of the same range gives no address twice"
is "$(cd /run/roce-ipam && ls -d n?/10.*)" "$(printf '%s\n' n1/10.56.0.{1,2,3,4} n2/10.56.0.5)" "and has its own pool"
is "$(sed -e 's/^\(node\|boot\|time\|crc32\) .*/\1/' $pool/10.56.0.3 | tr '\n' '|')" \
	"roce-ipam 1|network n1|domain .domain|address 10.56.0.3/24|range 0|id c3|ifname net1|pod default/c3|netns /run/netns/c3|node|boot|time|crc32|" "the record says who holds the address"
is "$(stat -c '%a %h' $pool/10.56.0.3 $pool /run/roce-ipam | tr '\n' ' ')" "600 3 700 3 700 5 " "records and folders are root's alone"
is "$pool/10.56.0.3" "$(find $pool -maxdepth 1 -samefile $pool/by-id/c3:net1:0)" "by-id is the same file"

# ---- DEL ----

call DEL c1 "$range24"
silent "DEL prints nothing"
is "$(leases)" "10.56.0.1 10.56.0.3 10.56.0.4 " "DEL releases the interface's address, not the other's"
call DEL c1 "$range24"
silent "DEL again succeeds"
call DEL nobody "$range24"
silent "DEL of an unknown container succeeds"
is "$(add c4 "$range24")" "10.56.0.2/24" "the lowest free address is given first"
call DEL c4 '{"range":"nonsense","typo":1}'
silent "DEL with a configuration that ADD would refuse"
call DEL c3 null
silent "DEL with ipam null"
out=$(CNI_COMMAND=DEL CNI_CONTAINERID=c2 CNI_IFNAME=net1 CNI_NETNS="" "$bin" \
	<<<'{"cniVersion":"1.1.0","name":"n1","type":"roce"}' 2>&1)
is "$?:$out" "0:" "DEL with a stripped configuration and without a netns"
is "$(leases)" "10.56.0.4 " "all of them released"
NET=never call DEL c1 "$range24"
silent "DEL in a network without a pool succeeds"
is "$(ls /run/roce-ipam | tr '\n' ' ')" "n1 n2 " "and makes none"

IFNAME=$'a\001b' call ADD c5 "$range24"
IFNAME=$'a\001b' call DEL c5 "$range24"
is "$rc $(leases)" "0 10.56.0.4 " "an interface name with a control character is found again"

# ---- exhaustion, excludes, IPv6, dual stack ----

fresh
for i in 2 3 4 5 6; do
	is "$(add c$i "$range29")" "10.56.0.$i/29" "address $i of a /29"
done
full="107 no address is free in range 10.56.0.0/29 (10.56.0.1 .. 10.56.0.6, 1 excluded): 5 of 5 taken; widen the range or delete unused pods; who holds them: ls $pool/by-id"
is "$(add c7 "$range29")" "$full" "the range is full: the whole message"
is "$(add c4 "$range29")" "10.56.0.4/29" "who has an address still gets it"
call DEL c4 "$range29"
is "$(add c7 "$range29")" "10.56.0.4/29" "a released address can be had"

fresh
is "$(add c1 '{"range":"10.56.0.0/24","exclude":["10.56.0.0/25","10.56.0.128/30","10.56.0.132"]}')" \
	"10.56.0.133/24" "excludes are jumped over"
is "$(add c2 '{"range":"10.56.0.40-10.56.0.41/24"}')" "10.56.0.40/24" "FIRST-LAST/LENGTH"
is "$(add c3 '{"range":"10.56.0.0/24","range_start":"10.56.0.41","range_end":"10.56.0.42"}')" \
	"10.56.0.41/24" "range_start, range_end"
is "$(add c4 '{"range":"192.0.2.0/31"}')" "192.0.2.0/31" "a /31 has two addresses"
is "$(add c5 '{"range":"192.0.2.9/32"}')" "192.0.2.9/32" "a /32 has one"
is "$(add c6 '{"range":"2001:db8:0:1::/64","gateway":"2001:db8:0:1::1"}')" "2001:db8:0:1::2/64" "IPv6: the gateway is not given out"
is "$(jq -r .ips[0].gateway <<<"$(call ADD c6 '{"range":"2001:db8:0:1::/64","gateway":"2001:db8:0:1::1"}'; echo "$out")")" \
	"2001:db8:0:1::1" "IPv6: the gateway is answered"
is "$(add c7 '{"range":"2001:db8::/30","exclude":["2001:db8::/32"]}')" "2001:db9::/30" "IPv6: 2^96 excluded addresses cost nothing"

fresh
is "$(add c1 "$dual")" "10.56.0.1/24 fd00::1/64" "dual stack by ipRanges"
is "$(add c1 "$dual")" "10.56.0.1/24 fd00::1/64" "again the same"
is "$(add c2 '{"range":"10.56.0.0/24","ipRanges":[{"range":"fd00::1/128"}]}')" \
	"107 no address is free in range fd00::1/128 (fd00::1 .. fd00::1, 0 excluded): 1 of 1 taken; widen the range or delete unused pods; who holds them: ls $pool/by-id" "the second range is full"
is "$(leases)" "10.56.0.1 fd00::1 " "so nothing of the first is kept"
call DEL c1 "$range24"
is "$(leases)$(holders)" "" "DEL releases all ranges, also those that the configuration lost"

# ---- refusals ----

refuses() {
	is "$(add c1 "$1")" "7 $2" "refused: $1"
}
fresh
refuses '{}' 'ipam.range: is missing; write for example "10.56.0.0/24"'
refuses '{"range":"10.56.0.0/24","omit":1}' 'unknown key "ipam.omit"'
refuses '{"range":"10.56.0.0/24","excludes":[]}' 'unknown key "ipam.excludes"; did you mean "exclude"?'
refuses '{"range":"10.56.0.0"}' 'ipam.range: "10.56.0.0" is neither ADDRESS/LENGTH nor FIRST-LAST/LENGTH, such as "10.56.0.0/24" or "10.56.0.10-10.56.0.99/24"'
refuses '{"range":"10.56.0.0/24","range_start":"10.57.0.9"}' 'ipam.range_start: "10.57.0.9" is not one of the usable addresses of 10.56.0.0/24: 10.56.0.1 .. 10.56.0.254'
refuses '{"range":"10.56.0.0/24","range_start":"10.56.0.9","range_end":"10.56.0.8"}' 'ipam.range_end: "10.56.0.9 .. 10.56.0.8" is inverted: the first address lies behind the last'
refuses '{"range":"10.56.0.0/24","exclude":["10.56.0.0/99"]}' 'ipam.exclude[0]: "10.56.0.0/99" is neither ADDRESS/LENGTH nor an IP address'
refuses '{"range":"10.56.0.0/24","exclude":["10.56.0.9","10.57.0.0/24"]}' 'ipam.exclude[1]: "10.57.0.0/24" does not touch the range 10.56.0.0/24'
refuses '{"range":"10.56.0.0/24","gateway":"fd00::1"}' 'ipam.gateway: "fd00::1" and range 10.56.0.0/24 are of different IP versions'
is "$(add c1 '{"range":7}')" '6 ipam.range: must be a string, is an integer' "refused: a wrong type"
is "$(ls /run/roce-ipam 2>/dev/null)" "" "a refused ADD leaves nothing"
is "$(add a/b "$range24")" '4 invalid CNI_CONTAINERID "a/b": at most 200 of A-Z a-z 0-9 _ . -, the first alphanumeric' "a container ID that could leave the folder"
NET=../n1 call ADD c1 "$range24"
like "$msg" '^7 invalid network name' "a network name that could leave the folder"

# ---- CHECK ----

fresh
call CHECK c1 "$range24"
is "$msg" "111 network n1 has no address pool: all its leases are gone; recreate the pod" "CHECK without a pool"
add c1 "$dual" >/dev/null
call CHECK c1 "$dual"
silent "CHECK of a lease"
call CHECK c1 "$dual" '"prevResult":{"ips":[{"address":"10.56.0.1/24"},{"address":"fd00::1/64"}]}'
silent "CHECK against prevResult"
call CHECK c1 "$dual" '"prevResult":{"ips":[{"address":"10.56.0.1/24"},{"address":"fd00::7/64"}]}'
is "$msg" "111 fd00::1/64 is leased to container c1, interface net1, but it is not among the ips of prevResult: recreate the pod" "CHECK against another prevResult"
call CHECK c2 "$dual"
is "$msg" "111 no address of range 0 of network n1 is leased to container c2, interface net1; it was released or its record removed from $pool: recreate the pod" "CHECK without a lease"
rm $pool/fd00::1
call CHECK c1 "$dual"
like "$msg" '^111 no address of range 1 ' "CHECK with one lease removed by hand"
call DEL c1 "$dual"
silent "DEL after that"
is "$(leases)$(holders)" "" "everything is gone"

# ---- GC ----

fresh
for i in 1 2 3; do add c$i "$dual" >/dev/null; done
NET=n2 call ADD c9 "$range24"
valid='[{"containerID":"c2","ifname":"net1"},{"containerID":"c3","ifname":"other"}]'
call GC "" "$dual"
is "$msg" '7 cni.dev/valid-attachments: is missing: GC cannot tell what is valid and has freed nothing' "GC without a list"
call GC "" "$dual" '"cni.dev/valid-attachments":[{"containerID":"c2"}]'
is "$msg" '7 cni.dev/valid-attachments[0]: needs "containerID" and "ifname"' "GC with half an entry"
is "$(leases)" "10.56.0.1 10.56.0.2 10.56.0.3 fd00::1 fd00::2 fd00::3 " "neither freed anything"
call GC "" "$dual" "\"cni.dev/valid-attachments\":$valid"
silent "GC"
is "$(leases)" "10.56.0.2 fd00::2 " "GC keeps what is valid"
is "$(holders)" "c2:net1:0 c2:net1:1 " "by-id too"
call GC "" "$dual" "\"cni.dev/attachments\":$valid"
is "$rc $(leases)" "0 10.56.0.2 fd00::2 " "GC by the alias"
call GC "" null '"cni.dev/valid-attachments":null'
is "$rc $(leases)" "0 " "GC with null: nothing is valid"
is "$(ls $pool | tr '\n' ' ')" "by-id lock map " "lock and map survive"
is "$(find /run/roce-ipam/n2 -maxdepth 1 -name "*.*" -printf "%f")" "10.56.0.4" "the other network is untouched"
is "$(add c1 "$dual")" "10.56.0.1/24 fd00::1/64" "ADD after GC"
call GC "" "$dual" '"cni.dev/valid-attachments":[]'
is "$rc $(leases)" "0 " "GC with an empty list"
NET=never call GC "" "$dual" '"cni.dev/valid-attachments":[]'
silent "GC in a network without a pool"

# ---- STATUS ----

fresh
call STATUS "" "$range24"
silent "STATUS"
is "$(ls -A /run/roce-ipam)" "" "STATUS leaves nothing"
call STATUS "" '{"range":"x"}'
like "$msg" '^7 ipam.range: ' "STATUS sees a bad configuration"
VERSION=1.0.0 call STATUS "" "$range24"
is "$msg" "1 STATUS needs cniVersion 1.1.0 or later, is 1.0.0" "STATUS below 1.1.0"

# ---- the answer cannot be written ----

fresh
CNI_COMMAND=ADD CNI_CONTAINERID=c1 CNI_NETNS=/x CNI_IFNAME=net1 "$bin" <<<"$(document "$dual")" >/dev/full 2>"$err"
is "$? $(leases)$(holders)" "1 " "an ADD nobody learns of is undone"
add c1 "$dual" >/dev/null
CNI_COMMAND=ADD CNI_CONTAINERID=c1 CNI_NETNS=/x CNI_IFNAME=net1 "$bin" <<<"$(document "$dual")" >/dev/full 2>"$err"
is "$? $(leases)" "1 10.56.0.1 fd00::1 " "but what was held before it stays"

# ---- damaged records ----

fresh
for i in 1 2 3; do add c$i "$dual" >/dev/null; done
: >$pool/10.56.0.1
truncate -s 40 $pool/fd00::2
is "$(add c4 "$dual")" "10.56.0.4/24 fd00::4/64" "ADD works beside damaged records"
call CHECK c1 "$dual"
is "$msg" "109 $pool/by-id/c1:net1:0: damaged lease record: the file is empty" "CHECK names the file"
call GC "" "$dual" '"cni.dev/valid-attachments":[{"containerID":"c4","ifname":"net1"}]'
silent "GC beside damaged records"
like "$(cat "$err")" "$pool/10.56.0.1: damaged lease record: the file is empty; its address stays taken, remove the file to free it" "GC reports the file"
is "$(leases)" "10.56.0.1 10.56.0.4 fd00::2 fd00::4 " "and keeps its address out of use"
call DEL c1 "$dual"
call DEL c2 "$dual"
is "$(leases)" "10.56.0.4 fd00::4 " "their holders' DEL releases them"

# ---- many at once ----

fresh
for i in $(seq 32); do
	(add p$i "$dual" >$scratch/answer.$i) &
done
wait
is "$(cat $scratch/answer.* | sort -u | grep -c '^10.56.0.[0-9]*/24 fd00::[0-9a-f]*/64$')" 32 "32 processes at once: 32 pairs of addresses"
is "$(leases | wc -w) $(holders | wc -w)" "64 64" "and as many records"
is "$(leases | tr ' ' '\n' | grep '[.]' | tail -1)" "10.56.0.32" "without a gap"
for i in $(seq 32); do
	(call DEL p$i "$dual"; [ "$rc" = 0 ] || echo "$msg" >>$scratch/failed) &
	(add q$i "$dual" >$scratch/answer.$i) &
done
wait
is "$(cat $scratch/failed 2>/dev/null)" "" "32 DELs and 32 ADDs at once"
is "$(cat $scratch/answer.* | sort -u | wc -l) $(leases | wc -w)" "32 64" "32 pairs again"
rm -f $scratch/answer.*

# ---- killed at every system call ----

calls="openat read write pread64 pwrite64 close newfstatat flock ftruncate linkat unlinkat mkdir mkdirat getdents64 uname"
# killed_at CALL NTH VERB ID: a verb that is killed as it enters its NTH such call; false: it ended before.
killed_at() {
	CNI_COMMAND=$3 CNI_CONTAINERID=$4 CNI_NETNS=/x CNI_IFNAME=net1 \
		strace -o /dev/null -e trace=$1 -e inject=$1:signal=KILL:when=$2 \
		"$bin" <<<"$(document "$dual")" >/dev/null 2>&1
	[ $? -gt 128 ]
} 2>/dev/null

# Every record is whole.
whole() {
	local f

	for f in $pool/*[.:]*; do
		[ ! -e "$f" ] || [ "$(tail -n 1 "$f" | cut -c 1-6)" = "crc32 " ] || return 1
	done
}

# after_kill THEN BESIDE: what is wrong in the store of a killed call of c1; nothing: nothing.
after_kill() {
	whole || echo record
	if [ "$1" = ADD ] && ! [[ "$(add c1 "$dual")" =~ ^10.56.0.[12]/24\ fd00::[12]/64$ ]]; then
		echo add
	fi
	call DEL c1 "$dual"
	[ $rc = 0 ] || echo "del:$msg"
	[ -z "$2" ] || call DEL c0 "$dual"
	echo "$(leases)$(holders)$(shared)$(find "$pool" -name "*pending*" 2>/dev/null)"
	is_next=$(add c2 "$dual")
	[ "$is_next" = "10.56.0.1/24 fd00::1/64" ] || echo "next:$is_next"
}

# every_call VERB THEN BESIDE: kill VERB of c1 at each of its calls; after that THEN, and DEL. With BESIDE
# another container has addresses.
every_call() {
	local call_name nth count=0 bad="" wrong

	for call_name in $calls; do
		for ((nth = 1; nth < 100; nth++)); do
			fresh
			[ -z "$3" ] || add c0 "$dual" >/dev/null
			[ "$1" = ADD ] || add c1 "$dual" >/dev/null
			killed_at $call_name $nth "$1" c1 || break
			((count++))
			wrong=$(after_kill "$2" "$3" | tr -d '\n')
			[ -z "$wrong" ] || bad+=" $call_name:$nth:$wrong"
		done
	done
	is "$bad" "" "$1 killed at each of its system calls, then ${2:+$2 and }DEL${3:+, beside another lease}"
	echo "# $count calls"
	[ $count -gt 35 ] || not_ok "only $count calls of $1 were seen"
}
if command -v strace >/dev/null && killed_at read 1 ADD c1; then
	every_call ADD
	every_call ADD ADD
	every_call ADD ADD beside
	every_call DEL
	every_call DEL ADD beside
else
	ok "killed at every system call # SKIP no strace that can inject"
fi

# ---- read-only and full ----

fresh
add c1 "$range24" >/dev/null
mount -o remount,ro /run
call ADD c2 "$range24"
is "$msg" "5 address pool $pool: cannot open lock file lock: Read-only file system" "ADD on a read-only file system"
call STATUS "" "$range24"
is "$msg" "50 the state folder /run/roce-ipam takes no files: Read-only file system; no address can be leased" "STATUS on a read-only file system"
mount -o remount,rw /run
is "$(leases)" "10.56.0.2 " "nothing happened"

fresh
mkdir /run/roce-ipam
mount -t tmpfs -o size=128k tmpfs /run/roce-ipam
for i in 1 2 3; do add c$i "$dual" >/dev/null; done
cat /dev/zero >/run/roce-ipam/filler 2>/dev/null
is "$(add c4 "$dual")" "5 cannot record the lease of $pool/10.56.0.4: No space left on device" "ADD on a full disk"
call STATUS "" "$range24"
is "$msg" "50 the state folder /run/roce-ipam takes no files: No space left on device; no address can be leased" "STATUS on a full disk"
is "$(leases)" "10.56.0.1 10.56.0.2 10.56.0.3 fd00::1 fd00::2 fd00::3 " "the failed ADD left nothing"
is "$(add c3 "$dual")" "10.56.0.3/24 fd00::3/64" "ADD again needs no space"
call DEL c2 "$dual"
silent "DEL on a full disk"
is "$(leases)" "10.56.0.1 10.56.0.3 fd00::1 fd00::3 " "it released both"
call DEL c1 "$dual"
rm /run/roce-ipam/filler
is "$(add c5 "$dual")" "10.56.0.1/24 fd00::1/64" "and the map kept up"
umount /run/roce-ipam

# ---- a profile: durable state elsewhere ----

mkdir -p /run/etc/upper /run/etc/work /run/state
if mount -t overlay overlay -o lowerdir=/etc,upperdir=/run/etc/upper,workdir=/run/etc/work /etc 2>/dev/null; then
	mkdir -p /etc/cni/net.d/roce.d
	profile=/etc/cni/net.d/roce.d/profile.json
	state=$scratch/state
	fresh
	echo "{\"version\":1,\"stateDir\":\"$state\"}" >$profile
	pool=$state/roce-ipam/n1
	is "$(add c1 "$dual")" "10.56.0.1/24 fd00::1/64" "stateDir of the profile"
	is "$(leases)$(ls -d /run/roce-ipam 2>/dev/null)" "10.56.0.1 fd00::1 " "the records are there"
	syncs() {
		CNI_COMMAND=$1 CNI_CONTAINERID=$2 CNI_NETNS=/x CNI_IFNAME=net1 \
			strace -e trace=fsync,fdatasync,sync,syncfs,msync -o $scratch/trace "$bin" \
			<<<"$(document "$range24")" >/dev/null 2>&1
		grep -c sync $scratch/trace
	}
	if command -v strace >/dev/null; then
		is "$(syncs ADD c2) $(syncs ADD c2) $(syncs DEL c2)" "3 2 0" "durable: fsyncs of an ADD, a repeated ADD and a DEL"
		rm $profile
		is "$(syncs ADD c2) $(syncs DEL c2)" "0 0" "volatile: none"
	fi
	# Another boot: what this node leased before is taken back when the range is full.
	echo "{\"version\":1,\"stateDir\":\"$state\"}" >$profile
	rm -rf "$pool"
	for i in 2 3 4 5 6; do add c$i "$range29" >/dev/null; done
	echo 00000000-0000-4000-8000-000000000000 >$scratch/boot_id
	if mount --bind $scratch/boot_id /proc/sys/kernel/random/boot_id 2>/dev/null; then
		is "$(add c4 "$range29")" "10.56.0.4/29" "another boot: the same container keeps its address"
		is "$(add n1 "$range29")" "10.56.0.2/29" "a full range takes back what an earlier boot left"
		is "$(leases)" "10.56.0.2 10.56.0.4 " "all of it, but nothing of this boot"
		like "$(cat "$err")" "4 leases of an earlier boot taken back" "and says so"
		umount /proc/sys/kernel/random/boot_id
	fi
	echo '{"version":1,"stateDir":7}' >$profile
	call ADD c1 "$dual"
	is "$msg" "112 node profile $profile: stateDir: must be a string, is an integer" "a broken profile"
	call DEL c1 "$dual"
	is "$rc" 0 "a broken profile does not stop a DEL"
	call STATUS "" "$dual"
	like "$msg" "^50 node profile " "STATUS says so too"
	rm -rf "$state"
else
	ok "a profile # SKIP no overlay file system"
fi

done_testing
