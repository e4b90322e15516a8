#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# roce-ipam: addresses that are asked for, static ones, several networks in one collision domain, node
# slices, other plugins' configurations; and a kill at every system call with all of that in one ADD.
# shellcheck source=tests/ipam.sh
. "$(dirname "$0")/../ipam.sh"

range24='{"range":"10.56.0.0/24","gateway":"10.56.0.1"}'
dual='{"ipRanges":[{"range":"10.56.0.0/24"},{"range":"fd00::/64"}]}'
ips() { echo "\"runtimeConfig\":{\"ips\":[$1]}"; }
node=$(uname -n)
held() { echo "is taken by container $1, interface net1, pod default/$1, of network $2 on node $node"; }

# ---- requests: three places, precedence ----

is "$(add c1 "$range24" "$(ips '"10.56.0.9"')")" "10.56.0.9/24" "runtimeConfig.ips"
is "$(add c2 "$range24" '"args":{"cni":{"ips":["10.56.0.8/24"]}}')" "10.56.0.8/24" "args.cni.ips, with a prefix length"
is "$(ARGS="IP=10.56.0.7" add c3 "$range24")" "10.56.0.7/24" "CNI_ARGS IP"
is "$(ARGS="IgnoreUnknown=1;IP=10.56.0.6,fd00::6" add c4 "$dual")" "10.56.0.6/24 fd00::6/64" "CNI_ARGS IP: one of each family"
is "$(add c5 "$dual" "$(ips '"fd00::5"')")" "10.56.0.1/24 fd00::5/64" "only the IPv6 address is asked for"
is "$(ARGS="IP=10.56.0.30" add c6 "$range24" "$(ips '"10.56.0.10"'),\"args\":{\"cni\":{\"ips\":[\"10.56.0.20\"]}}")" \
	"10.56.0.10/24" "runtimeConfig.ips comes before args and CNI_ARGS"
is "$(ARGS="IP=10.56.0.30" add c7 "$range24" '"args":{"cni":{"ips":["10.56.0.20"]}}')" "10.56.0.20/24" "args come before CNI_ARGS"
is "$(add c1 "$range24" "$(ips '"10.56.0.9"')")" "10.56.0.9/24" "the same request again"
is "$(add c1 "$range24")" "10.56.0.9/24" "again without the request"
is "$(add c8 "$range24")" "10.56.0.2/24" "nothing asked: the lowest free address"
call ADD c8 "$range24"
is "$(jq -r .ips[0].gateway <<<"$out")" "10.56.0.1" "with its gateway"

# ---- requests that cannot be met ----

is "$(add c9 "$range24" "$(ips '"10.56.0.9"')")" "107 runtimeConfig.ips[0]: 10.56.0.9 $(held c1 n1)" "a taken address: who has it"
is "$(NET=n2 add c9 "$range24" "$(ips '"10.56.0.9"')")" "107 runtimeConfig.ips[0]: 10.56.0.9 $(held c1 n1)" "taken by another network's container"
is "$(add c1 "$range24" "$(ips '"10.56.0.99"')")" \
	"7 runtimeConfig.ips[0]: 10.56.0.99 is asked for, but container c1, interface net1 has 10.56.0.9 already: delete it first" "another request than before"
is "$(add c9 "$range24" "$(ips '"10.56.0.1"')")" "7 runtimeConfig.ips[0]: 10.56.0.1 is the gateway of range 10.56.0.0/24" "the gateway"
is "$(add c9 '{"range":"10.56.0.0/24","exclude":["10.56.0.64/26"]}' "$(ips '"10.56.0.70"')")" \
	"7 runtimeConfig.ips[0]: 10.56.0.70 is excluded from range 10.56.0.0/24" "an excluded address"
is "$(ARGS="IP=10.57.0.1" add c9 "$range24")" "7 CNI_ARGS IP: 10.57.0.1 is in none of the network's ranges: 10.56.0.0/24" "outside of every range"
is "$(ARGS="IP=10.56.0.255" add c9 "$range24")" \
	"7 CNI_ARGS IP: 10.56.0.255 is outside of 10.56.0.1 .. 10.56.0.254, which range 10.56.0.0/24 gives" "the broadcast address"
is "$(ARGS="IP=10.56.0.50,fd00::6" add c9 "$dual")" "107 CNI_ARGS IP: fd00::6 $(held c4 n1)" "the second of two is taken"
unlike "$(leases)$(shared)$(holders)" "10\.56\.0\.50|c9" "and the first is not kept"
printf 'x' >$pool/10.56.0.9
like "$(add c9 "$range24" "$(ips '"10.56.0.9"')")" "^107 runtimeConfig.ips\[0\]: 10.56.0.9 is taken: $pool/10.56.0.9: damaged lease record" "taken by a damaged record"
call DEL c1 "$range24"
is "$(add c9 "$range24" "$(ips '"10.56.0.9"')")" "10.56.0.9/24" "its holder's DEL frees it"
for i in 1 2 3 4 5 6 7 8 9; do call DEL c$i "$range24"; done
is "$(leases)$(holders)$(shared)" "" "DEL releases what was asked for like anything else"

# ---- static addresses ----

fresh
static='{"range":"10.56.0.0/24","addresses":[{"address":"10.10.0.1/24","gateway":"10.10.0.254"},{"address":"3ffe:ffff:0:1ff::1/64"}]}'
is "$(add c1 "$static")" "10.56.0.1/24 10.10.0.1/24 3ffe:ffff:0:1ff::1/64" "static addresses come after the dynamic one"
is "$(jq -c '[.ips[].gateway]' <<<"$(call ADD c1 "$static"; echo "$out")")" '[null,"10.10.0.254",null]' "each with its gateway"
is "$(holders)" "c1:net1:0 c1:net1:8 c1:net1:9 " "they are leases"
is "$(add c2 "$static")" "107 ipam.addresses[0].address: 10.10.0.1 $(held c1 n1)" "the same static address twice: who has it"
is "$(NET=n2 add c2 "$static")" "107 ipam.addresses[0].address: 10.10.0.1 $(held c1 n1)" "and in another network"
is "$(leases)$(shared)" "3ffe:ffff:0:1ff::1 10.10.0.1 10.56.0.1 3ffe:ffff:0:1ff::1 10.10.0.1 10.56.0.1 " "nothing is left of the refused ones"
call CHECK c1 "$static"
silent "CHECK of static addresses"
rm $pool/10.10.0.1
call CHECK c1 "$static"
like "$msg" "^111 no static address 0 of network n1 is leased to container c1, interface net1" "CHECK misses one"
is "$(add c1 "$static")" "10.56.0.1/24 10.10.0.1/24 3ffe:ffff:0:1ff::1/64" "ADD again restores it"
call DEL c1 "$static"
is "$(leases)$(holders)$(shared)" "" "DEL releases them"
is "$(add c1 '{"addresses":[{"address":"10.10.0.9/24"}]}')" "10.10.0.9/24" "a network of static addresses only"
is "$(add c2 '{"range":"10.56.0.0/24","addresses":[{"address":"10.56.0.1/24"}]}')" "10.56.0.2/24 10.56.0.1/24" "a static address is not given as a dynamic one"

# ---- collision domains ----

fresh
plain='{"range":"10.56.0.0/24"}'
blue='{"range":"10.56.0.0/24","network_name":"blue"}'
alone='{"range":"10.56.0.0/24","enable_overlapping_ranges":false}'
is "$(add c1 "$plain") $(NET=n2 add c1 "$plain") $(NET=n3 add c1 '{"range":"10.56.0.0/28"}')" \
	"10.56.0.1/24 10.56.0.2/24 10.56.0.3/28" "three networks, no address twice"
is "$(NET=n4 add c1 "$blue") $(NET=n5 add c1 "$blue")" "10.56.0.1/24 10.56.0.2/24" "network_name: a domain of its own"
is "$(NET=n6 add c1 "$alone") $(NET=n7 add c1 "$alone")" "10.56.0.1/24 10.56.0.1/24" "enable_overlapping_ranges false: on its own"
is "$(shared)$(cd /run/roce-ipam/.domain.blue && echo 10.*) " "10.56.0.1 10.56.0.2 10.56.0.3 10.56.0.1 10.56.0.2 " "who is in which domain"
for i in 1 2 3 4 5 6 7; do NET=n$i call DEL c1 null; done
is "$(find /run/roce-ipam -name '10.*')" "" "DEL without the ipam object leaves both domains, too"
NET=n1 add c1 "$plain" >/dev/null
NET=n2 add c2 "$plain" >/dev/null
rm -rf /run/roce-ipam/n1
is "$(NET=n2 add c3 "$plain")" "10.56.0.3/24" "a network's folder was removed: nothing is given twice"
NET=n2 call GC "" "$plain" '"cni.dev/valid-attachments":[{"containerID":"c2","ifname":"net1"}]'
is "$rc $(shared)" "0 10.56.0.2 " "GC frees what no network has"
rm -rf /run/roce-ipam/.domain
NET=n2 call GC "" "$plain" '"cni.dev/valid-attachments":[{"containerID":"c2","ifname":"net1"}]'
is "$rc $(shared)" "0 10.56.0.2 " "GC restores a domain that was removed"

# ---- many at once, over four networks ----

fresh
for i in $(seq 40); do
	(NET=n$((i % 4)) add p"$i" "$dual" >"$scratch/answer.$i") &
	(NET=n$((i % 4)) add r"$i" "$dual" "$(ips '"10.56.0.200"')" >"$scratch/request.$i") &
done
wait
is "$(cat "$scratch"/answer.* | tr ' ' '\n' | grep -c '^[1f]')" 80 "40 processes in four networks: 80 addresses"
is "$(cat "$scratch"/answer.* | tr ' ' '\n' | sort | uniq -d)" "" "none of them twice"
is "$(cat "$scratch"/request.* | grep -c '^10.56.0.200/24 ')" 1 "40 requests of one address: one has it"
is "$(cat "$scratch"/request.* | grep -c '^107 runtimeConfig.ips\[0\]: 10.56.0.200 is taken by container ')" 39 "39 are told who"
for i in $(seq 40); do
	(NET=n$((i % 4)) call DEL p"$i" "$dual") &
	(NET=n$((i % 4)) call DEL r"$i" "$dual") &
done
wait
is "$(find /run/roce-ipam -name '*[0-9].[0-9]*' -o -name '*::*' -o -name '*:net1:*' -o -name pending)" "" "after as many DELs nothing is left"

# ---- node slices ----

fresh
sliced='{"range":"10.56.0.0/24","nodeSlice":{"size":26,"index":2}}'
is "$(add c1 "$sliced") $(add c2 "$sliced")" "10.56.0.128/24 10.56.0.129/24" "a slice: its addresses, the range's prefix length"
is "$(ARGS="IP=10.56.0.5" add c3 "$sliced")" \
	"7 CNI_ARGS IP: 10.56.0.5 is in another node's slice of range 10.56.0.0/24; this node gives 10.56.0.128 .. 10.56.0.191" "a request for another node's address"
is "$(ARGS="IP=10.56.0.190" add c3 "$sliced")" "10.56.0.190/24" "a request in the slice"
is "$(add c4 '{"range":"10.56.0.0/24","nodeSlice":{"size":26}}')" \
	"7 ipam.nodeSlice.index: is missing, and so is \"nodeIndex\" in the node profile: which slice is this node's?" "no index anywhere"
small='{"range":"10.56.0.0/24","exclude":["10.56.0.4/31"],"nodeSlice":{"size":30,"index":1}}'
is "$(add d1 "$small") $(add d2 "$small")" "10.56.0.6/24 10.56.0.7/24" "a slice without its excludes"
like "$(add d3 "$small")" "^107 no address is free in range 10.56.0.0/24 \(10.56.0.4 .. 10.56.0.7, 2 excluded\): 2 of 2 taken" "a full slice"

# ---- other plugins' configurations ----

fresh
is "$(add c1 '{"type":"host-local","ranges":[[{"subnet":"10.1.0.0/30"},{"subnet":"10.2.0.0/24","rangeStart":"10.2.0.9"}],[{"subnet":"fd00::/64"}]],"routes":[{"dst":"0.0.0.0/0"}]}')" \
	"10.1.0.2/30 fd00::2/64" "host-local's ranges: one address of each set"
is "$(jq -c '[.ips[].gateway]' <<<"$(call ADD c1 '{"ranges":[[{"subnet":"10.1.0.0/30"}]]}'; echo "$out")")" '["10.1.0.1"]' "host-local's gateway is the first address"
is "$(add c2 '{"ranges":[[{"subnet":"10.1.0.0/30"},{"subnet":"10.2.0.0/24","rangeStart":"10.2.0.9"}]]}')" "10.2.0.9/24" "the second range of a set once the first is full"
is "$(add c3 '{"subnet":"10.3.0.0/24","rangeStart":"10.3.0.5","rangeEnd":"10.3.0.9","gateway":"10.3.0.5"}')" "10.3.0.6/24" "host-local's keys on top level"
is "$(add c4 "$range24" '"runtimeConfig":{"ipRanges":[[{"subnet":"10.1.0.0/24"}]]}' | cut -c 1-60)" \
	"7 runtimeConfig.ipRanges: ranges are the network's to name: " "ranges from a pod are refused"
like "$(add c4 '{"range":"10.56.0.0/24","resolvConf":"/etc/shadow"}')" '^7 ipam.resolvConf: a file that a network names is not read' "resolvConf is refused"
whereabouts='{"type":"whereabouts","range":"192.168.2.225/28","gateway":"192.168.2.238","log_file":"/tmp/w.log","log_level":"debug",
	"kubernetes":{"kubeconfig":"/etc/k"},"datastore":"kubernetes","configuration_path":"/etc/x","node_slice_size":"/26",
	"leader_lease_duration":1500,"reconciler_cron_expression":"30 4 * * *"}'
is "$(add c5 "$whereabouts")" "192.168.2.225/28" "a configuration of Whereabouts"
call ADD c5 "$whereabouts"
is "$(grep -c 'warning: ipam\..* has no effect: ' "$err")" 6 "what is Kubernetes' only is warned about"
like "$(cat "$err")" 'warning: ipam.node_slice_size has no effect: .*"nodeSlice"' "node_slice_size: what to write instead"
is "$(grep -v warning "$err" | grep -c 'ipam.log_[a-z]* has no effect')" 2 "logging keys are noted"
run_ok "and no file is written" test ! -e /tmp/w.log
is "$(add c6 '{"range":"10.56.0.0/24","dataDir":"/var/lib/cni/networks"}')" \
	"7 ipam.dataDir: \"/var/lib/cni/networks\" is not one folder directly below one of the node profile's ipam.dataRoots (there are none); leave it out, or have the node's administrator add a root" "dataDir without a root"
call DEL c5 '{"dataDir":"/var/lib/cni/networks"}'
is "$rc $(cd $pool && ls -d 192.* 2>/dev/null)" "0 " "a DEL looks where the lease is all the same"

# ---- a profile: nodeIndex, dataRoots ----

mkdir -p /run/etc/upper /run/etc/work /run/data
if mount -t overlay overlay -o lowerdir=/etc,upperdir=/run/etc/upper,workdir=/run/etc/work /etc 2>/dev/null; then
	mkdir -p /etc/cni/net.d/roce.d
	profile=/etc/cni/net.d/roce.d/profile.json
	echo '{"version":1,"nodeIndex":3,"ipam":{"dataRoots":["/run/data"]}}' >$profile
	fresh
	is "$(add c1 '{"range":"10.56.0.0/24","nodeSlice":{"size":"/26"}}')" "10.56.0.192/24" "nodeIndex of the profile"
	is "$(add c2 "$sliced")" '7 ipam.nodeSlice.index: is 2, but the node profile says "nodeIndex": 3; leave it out' "a network cannot choose another node's slice"
	is "$(add c2 '{"range":"10.56.0.0/24","nodeSlice":{"size":25}}')" "7 ipam.nodeSlice.index: there is no slice 3: range 10.56.0.0/24 has 2 of /25, 0 to 1" "no such slice"
	data='{"range":"10.57.0.0/24","dataDir":"/run/data/team"}'
	is "$(add c2 "$data") $(ls /run/data/team/n1 | tr '\n' ' ')" "10.57.0.1/24 10.57.0.1 by-id lock map " "dataDir below a root"
	is "$(ls -A /run/data/team | tr '\n' ' ')" ".domain n1 " "with a collision domain of its own"
	call CHECK c2 "$data"
	silent "CHECK there"
	for dir in /run/data /run/data/ /run/data/team/n1 /run/data/../roce-ipam /run/data/.. /run/roce-ipam /run/data/team/..; do
		like "$(NET=by-id add c3 "{\"range\":\"10.57.0.0/24\",\"dataDir\":\"$dir\"}")" '^7 ipam.dataDir: ' "dataDir $dir is refused"
	done
	ln -s /run/roce-ipam /run/data/link
	is "$(add c3 '{"range":"10.57.0.0/24","dataDir":"/run/data/link"}')" "5 cannot open the folder /run/data/link: Not a directory" "dataDir that is a link is refused"
	call GC "" "$data" '"cni.dev/valid-attachments":[]'
	is "$rc $(ls /run/data/team/n1 | tr '\n' ' ')$(leases)" "0 by-id lock map 10.56.0.192 " "GC there, and only there"
	add c2 "$data" >/dev/null
	call DEL c2 "$data"
	is "$rc $(find /run/data -name '10.*')" "0 " "DEL there"
	rm $profile
	umount /etc
else
	ok "a profile # SKIP no overlay file system"
fi

# ---- the number of system calls ----

# n_calls NET ID: of one ADD. Calls before main() differ with the C library, not with the leases.
n_calls() {
	CNI_COMMAND=ADD CNI_CONTAINERID=$2 CNI_NETNS=/x CNI_IFNAME=net1 NET=$1 \
		strace -o "$scratch/trace" "$bin" <<<"$(NET=$1 document '{"range":"10.56.0.0/16"}')" >/dev/null 2>&1
	grep -vcE '^(brk|mmap|munmap|mremap)\(|^\+\+\+' "$scratch/trace"
}
# fill N: leases of network n1, as ADD would have made them.
fill() {
	python3 - "$1" <<'END'
import os, sys, zlib
home = "/run/roce-ipam"
boot = open("/proc/sys/kernel/random/boot_id").read().strip()
for i in range(1, int(sys.argv[1]) + 1):
    ip = f"10.56.{i >> 8}.{i & 255}"
    text = (f"roce-ipam 1\nnetwork n1\ndomain .domain\naddress {ip}/16\nrange 0\nid f{i}\nifname net1\npod \nnetns /x\n"
            f"node {os.uname().nodename}\nboot {boot}\ntime 1\n")
    text += "crc32 %08x\n" % zlib.crc32(text.encode())
    with open(f"{home}/n1/{ip}", "x") as file:
        file.write(text)
    os.link(f"{home}/n1/{ip}", f"{home}/n1/by-id/f{i}:net1:0")
    os.link(f"{home}/n1/{ip}", f"{home}/.domain/{ip}")
END
}
if command -v strace >/dev/null && command -v python3 >/dev/null; then
	fresh
	wide='{"range":"10.56.0.0/16"}'
	for net in n1 n2; do NET=$net add x "$wide" >/dev/null; done
	for net in n1 n2; do NET=$net call DEL x "$wide"; done
	none="$(n_calls n1 a1) $(n_calls n2 a1)"
	for net in n1 n2; do NET=$net call DEL a1 "$wide"; done
	fill 20000
	for net in n1 n2; do NET=$net add x "$wide" >/dev/null; done # makes the maps again
	is "$(leases | wc -w) $(shared | wc -w)" "20001 20002" "20,000 leases"
	full="$(n_calls n1 a1) $(n_calls n2 a1)"
	is "$full" "$none" "as many system calls beside 20,000 leases as beside none, in both networks"
	is "$(cat /run/roce-ipam/n2/by-id/a1:net1:0 | grep address)" "address 10.56.78.36/16" "and the lowest free address"
	echo "# system calls of an ADD: $none; beside 20,000 leases: $full"
	call DEL f77 "$wide"
	is "$(NET=n2 add b1 "$wide")" "10.56.0.77/16" "one of the 20,000 released: another network has it next"
else
	ok "the number of system calls # SKIP no strace or python3"
fi

# ---- killed at every system call ----

everything='{"ipRanges":[{"range":"10.56.0.0/24"},{"range":"fd00::/64"}],"addresses":[{"address":"10.9.0.1/16"}]}'
asked=$(ips '"10.56.0.7"')
answer="10.56.0.7/24 fd00::1/64 10.9.0.1/16"
calls="openat read write pread64 pwrite64 close newfstatat flock ftruncate linkat unlinkat mkdir mkdirat getdents64 uname"
# killed_at CALL NTH VERB ID: a verb that is killed as it enters its NTH such call; false: it ended before.
killed_at() {
	CNI_COMMAND=$3 CNI_CONTAINERID=$4 CNI_NETNS=/run/netns/$4 CNI_IFNAME=net1 \
		strace -o /dev/null -e trace="$1" -e inject="$1":signal=KILL:when="$2" \
		"$bin" <<<"$(document "$everything" "$asked")" >/dev/null 2>&1
	[ $? -gt 128 ]
} 2>/dev/null

# doubled: addresses that two networks have.
doubled() { find /run/roce-ipam/n? -maxdepth 1 -name '*[.:]*' -printf '%f\n' | sort | uniq -d; }
# cut: records that are not whole.
cut_short() {
	find /run/roce-ipam -name '*[0-9].[0-9]*' -type f -print0 | xargs -0r tail -qn 1 | grep -vE '^crc32 [0-9a-f]{8}$'
}

# after_kill RIVAL AGAIN: what is wrong after a call of c1 was killed; nothing: nothing. With RIVAL another
# network asks for the same addresses first, with AGAIN the ADD is tried again.
after_kill() {
	local rival="" again

	cut_short
	if [ -n "$1" ]; then
		rival=$(NET=n3 add c3 "$everything" "$asked")
		[ "$rival" = "10.56.0.7/24 fd00::1/64 10.9.0.1/16" ] || [ "$rival" = "10.56.0.7/24 fd00::2/64 10.9.0.1/16" ] ||
			[[ $rival =~ ^107\ .*\ is\ taken\ by\ container\ c1, ]] || echo "rival:$rival"
	fi
	doubled
	if [ -n "$2" ]; then
		again=$(add c1 "$everything" "$asked")
		[ "$again" = "$answer" ] || { [[ $rival != 107* ]] && [ -n "$rival" ] && [[ $again =~ ^107\ .*\ container\ c3, ]]; } ||
			echo "again:$again"
		doubled
		cut_short
	fi
	call DEL c1 "$everything"
	[ "$rc" = 0 ] || echo "del:$msg"
	NET=n3 call DEL c3 "$everything"
	echo "$(leases)$(holders)$(find /run/roce-ipam -name pending -o -name 'c3:*')"
	[ "$(shared)" = "10.56.0.1 " ] || echo "shared:$(shared)"
	[ "$(add c2 '{"range":"10.56.0.0/24"}')" = 10.56.0.2/24 ] || echo next
}

# every_call VERB RIVAL AGAIN: kill VERB of c1 at each of its calls, while another network has an address.
every_call() {
	local call_name nth count=0 bad="" wrong

	for call_name in $calls; do
		for ((nth = 1; nth < 100; nth++)); do
			fresh
			NET=n2 add c0 '{"range":"10.56.0.0/24"}' >/dev/null
			[ "$1" = ADD ] || add c1 "$everything" "$asked" >/dev/null
			killed_at "$call_name" $nth "$1" c1 || break
			((count++))
			wrong=$(after_kill "$2" "$3" | tr -d '\n')
			[ -z "$wrong" ] || bad+=" $call_name:$nth:$wrong"
		done
	done
	is "$bad" "" "$1 of everything killed at each of its system calls${2:+, then a rival}${3:+, then ADD}, then DEL"
	echo "# $count calls"
	[ $count -gt 80 ] || not_ok "only $count calls of $1 were seen"
}
if command -v strace >/dev/null && killed_at read 1 ADD c1; then
	every_call ADD "" ""
	every_call ADD rival again
	every_call DEL rival ""
else
	ok "killed at every system call # SKIP no strace that can inject"
fi

# ---- killed at any time, many at once ----

# reckless VERB ID NETWORK MICROSECONDS: a call that lives that long at most.
reckless() {
	CNI_COMMAND=$1 CNI_CONTAINERID=$2 CNI_NETNS=/run/netns/$2 CNI_IFNAME=net1 NET=$3 \
		timeout -s KILL "0.$(printf %06d "$4")" "$bin" <<<"$(NET=$3 document "$dual")" >/dev/null 2>&1
} 2>/dev/null
# torn: addresses in a pool that the domain does not have as the same file.
torn() {
	local file

	for file in /run/roce-ipam/n?/*[.:]*; do
		[ "$file" -ef "/run/roce-ipam/.domain/${file##*/}" ] || echo "${file#/run/roce-ipam/}"
	done
}
fresh
for net in n0 n1 n2 n3; do NET=$net add keep "$dual" >/dev/null; done
for i in $(seq 400); do
	while [ "$(jobs -rp | wc -l)" -ge 16 ]; do wait -n; done
	if [ $((RANDOM % 3)) = 0 ]; then verb=DEL; else verb=ADD; fi
	reckless $verb c$((RANDOM % 40)) n$((RANDOM % 4)) $((300 + RANDOM % 6000)) &
done 2>/dev/null
wait
for net in n0 n1 n2 n3; do NET=$net add last "$dual" >/dev/null; done # takes back what a kill left
is "$(find /run/roce-ipam/n? -maxdepth 1 -name '*[.:]*' -printf '%f\n' | sort | uniq -d)" "" "400 calls killed at any time: no address twice"
is "$(torn)" "" "each in the collision domain"
is "$(cut_short)" "" "every record is whole"
echo "# $(find /run/roce-ipam/n? -maxdepth 1 -name '*[.:]*' | wc -l) leases"
for net in n0 n1 n2 n3; do
	for i in $(seq 0 39) last keep; do
		case $i in [0-9]*) i=c$i ;; esac
		NET=$net call DEL "$i" "$dual"
		[ "$rc" = 0 ] || echo "# $net $i: $msg"
	done
done
is "$(find /run/roce-ipam/n? -name '*[.:]*' -o -name pending)" "" "DEL of all of them leaves nothing in the pools"
NET=n0 call GC "" "$dual" '"cni.dev/valid-attachments":[]'
is "$rc $(shared)" "0 " "and GC nothing in the domain"

done_testing
