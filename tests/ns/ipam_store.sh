#!/bin/bash
# What can happen to the store of roce-ipam from outside: no space, no inodes, no descriptors, damage,
# foreign files, lock files that vanish, links, foreign rights, other boots and nodes. Every time: a
# clear error or a recovery, nothing given out twice, and DEL works. ipam.sh has the simple cases.
#
# Not tested: a clock that is set back while a call runs (no namespace has a wall clock of its own);
# what a clock has to do with the store, the times of the folder, is tested by touch(1).
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
POOL=$STORE/n1
WORK=/run/world
V4='{"range":"10.56.0.0/24"}'
DUAL='{"ipRanges":[{"range":"10.56.0.0/24"},{"range":"fd00::/64"}]}'

# call VERB ID IPAM [MORE]: as a runtime does; MORE are further keys of the network.
call() {
	cni "$1" "$2" "/run/netns/$2" net1 \
		"{\"cniVersion\":\"1.1.0\",\"name\":\"${NET:-n1}\",\"type\":\"x\",\"ipam\":$3${4:+,$4}}"
}
# outcome: the addresses that the last call answered, or its code and message; "ok" without either.
outcome() {
	if [ "$CNI_RC" -eq 0 ]; then
		jq -r '[.ips[].address] | join(" ")' <<<"$CNI_OUT" 2>/dev/null | grep . || echo ok
	else
		echo "$(code) $(msg)"
	fi
}
# As text, in a subshell: CNI_OUT and CNI_ERR stay as they were.
add() { (call ADD "$1" "$2"; outcome); }
del() { (call DEL "$1" "$DUAL"; outcome); }
gc() { (call GC '' "$DUAL" "\"cni.dev/valid-attachments\":$1"; outcome); }

leases() {
	(cd $POOL 2>/dev/null && find . -maxdepth 1 -type f -name '*[.:]*' -printf '%f\n' | sort -V | tr '\n' ' ')
}
# wrong: what does not fit together in the store: half a lease, a leftover, an address in a collision
# domain that nobody has. A record's file has a name in the pool, one in by-id, and one in its domain.
wrong() {
	(cd $POOL 2>/dev/null && {
		find . -maxdepth 1 -type f -name '*[.:]*' -printf 'address %i %n %f\n'
		find by-id -type f -printf 'by-id %i %n %f\n' 2>/dev/null
		find .. -path '../.domain*/*[.:]*' -type f -printf 'domain %i %n %f\n'
		find . -maxdepth 1 \( -name 'pending*' -o -name '.*.tmp' \) -printf 'left 0 0 %f\n'
		find . -maxdepth 1 -type f -name '*[.:]*' -exec grep -l '^domain .' {} + | sed 's,^./,shares 0 0 ,'
	} | awk '$1 == "left" {print $4 " is left"}
		$1 == "shares" {shares[$4] = 1}
		$1 != "left" && $1 != "shares" {name[$2] = $4; links[$2] = $3; has[$2, $1]++; names[$2]++}
		END {for (i in name) {
			if (!has[i, "address"] && !has[i, "by-id"]) continue # of another network
			if (has[i, "address"] != 1) print name[i] " has no address"
			if (has[i, "by-id"] != 1) print name[i] " has no name in by-id"
			if (names[i] != links[i]) print name[i] " has further names"
		}
		for (i in name) if (name[i] in shares && has[i, "domain"] != 1) print name[i] " is not in its domain"}' | sort)
	orphans
}
# orphans: names in a domain whose network does not have the record.
orphans() {
	local file network
	for file in "${POOL%/*}"/.domain*/*[.:]*; do
		[ -f "$file" ] || continue
		network=$(sed -n 's/^network //p' "$file")
		[ "$file" -ef "${POOL%/*}/$network/${file##*/}" ] || echo "${file##*/} is only in the domain"
	done
}
# left: leases and faults of the store in one line.
left() { echo "$(leases)| $(wrong | tr '\n' ' ')"; }
# mounted OPTIONS: the store is on a small file system of its own; unmounted: no longer.
mounted() {
	rm -rf $STORE
	mkdir $STORE
	mount -t tmpfs -o "$1" tmpfs $STORE
}
unmounted() {
	umount $STORE
	rm -rf $STORE
}
fresh() { rm -rf $STORE; }

# ---- system calls do not depend on the number of leases ----

calls_of() { # VERB ID
	CNI_RUN="strace -f -qq -e signal=none -o $WORK/trace" call "$1" "$2" "$V4"
	wc -l <$WORK/trace
}
figures() { echo "$(calls_of ADD counted) $(calls_of ADD counted) $(calls_of DEL counted)"; }
add first "$V4" >/dev/null
del first >/dev/null
none=$(figures)
for n in 1 10 100 250; do
	while [ "$(leases | wc -w)" -lt $n ]; do add "c$RANDOM" "$V4" >/dev/null; done
	is "$(figures)" "$none" "system calls of an ADD, a repeated ADD and a DEL: $none beside $n leases, too"
done
: >$POOL/10.99.0.1
read -r rebuilt _ < <(figures)
read -r plain _ <<<"$none"
if [ "$rebuilt" -gt "$plain" ] && [ "$rebuilt" -le $((plain + 12)) ]; then
	ok "a changed folder costs $((rebuilt - plain)) calls more, once"
else
	not_ok 'a changed folder costs few calls more' "$rebuilt and $plain"
fi
is "$(figures)" "$none" 'and then as before'
fresh

# ---- no space ----

mounted size=64k
for i in 1 2; do add c$i "$DUAL" >/dev/null; done
cat /dev/zero >$STORE/filler 2>/dev/null
before=$(left)
# one page: room for the record of the first range, none for that of the second
truncate -s -4096 $STORE/filler
is "$(add c3 "$DUAL")" "5 cannot record the lease of $POOL/fd00::3: No space left on device" \
	'disk full at the second range'
is "$(left)" "$before" 'the first is taken back'
cat /dev/zero >>$STORE/filler 2>/dev/null
call CHECK c1 "$DUAL"
silent 'CHECK on a full disk'
is "$(gc '[{"containerID":"c2","ifname":"net1"}]') $(left)" 'ok 10.56.0.2 fd00::2 | ' 'GC on a full disk'
cat /dev/zero >>$STORE/filler 2>/dev/null
rm $POOL/map
is "$(del c2) $(left)" 'ok | ' 'DEL on a full disk without a map'
cat /dev/zero >>$STORE/filler 2>/dev/null
rm $POOL/lock
is "$(del c2)" ok 'DEL on a full disk without a lock file'
NET=n2 call ADD c1 "$V4"
like "$(outcome)" "^5 cannot record the lease of $STORE/n2/10.56.0.1: No space left on device\$" \
	'the first ADD of a network on a full disk'
is "$(NET=n2 call DEL c1 "$V4"; outcome)" ok 'its DEL'
rm $STORE/filler
is "$(NET=n2 add c1 '{"range":"10.57.0.0/24"}') $(add c1 "$DUAL") $(left)" \
	'10.57.0.1/24 10.56.0.1/24 fd00::1/64 10.56.0.1 fd00::1 | ' 'with space again everything works'
unmounted

# A durable pool on a full disk: the folder is synced, not only written.
mount -t tmpfs -o size=64k tmpfs /mnt
world_profile '{"version":1,"stateDir":"/mnt"}'
POOL=/mnt/roce-ipam/n1
add c1 "$DUAL" >/dev/null
cat /dev/zero >/mnt/filler 2>/dev/null
is "$(add c2 "$DUAL")" "5 cannot record the lease of $POOL/10.56.0.2: No space left on device" \
	'a durable ADD on a full disk'
is "$(del c1) $(left)" 'ok | ' 'a durable DEL on a full disk'
umount /mnt
world_profile
POOL=$STORE/n1

# ---- no inodes: at every step of the first and of the second ADD ----

odd='' refused=0
for n in $(seq 2 26); do
	mounted "nr_inodes=$n"
	for who in c1 c2; do
		answer=$(add $who "$DUAL")
		case $answer in
		10.56.0.[12]/24\ fd00::[12]/64) ;;
		5\ *"$STORE"*"No space left on device") refused=$((refused + 1)) ;;
		*) odd+="$n: $answer
" ;;
		esac
		[ -z "$(wrong)" ] || odd+="$n: after $answer: $(wrong)
"
	done
	held=$(leases | wc -w)
	[ "$((held % 2))" -eq 0 ] || odd+="$n: half of an ADD stayed: $(leases)
"
	for who in c1 c2; do
		answer=$(del $who)
		[ "$answer" = ok ] || odd+="$n: DEL: $answer
"
	done
	[ "$(left)" = '| ' ] || odd+="$n: after DEL: $(left)
"
	unmounted
done
is "$odd" '' "no inodes: done, or refused with the reason and undone; DEL works ($refused refusals)"
if [ $refused -ge 5 ]; then ok 'inodes ran out at several steps'; else not_ok 'inodes ran out at several steps' "$refused"; fi

# ---- no descriptors ----

odd='' refused=0
for n in $(seq 3 14); do
	for verb in ADD DEL CHECK GC; do
		fresh
		add c1 "$DUAL" >/dev/null
		before=$(left)
		who=c1
		[ $verb != ADD ] || who=c2
		CNI_RUN="prlimit --nofile=$n" call $verb $who "$DUAL" '"cni.dev/valid-attachments":[]'
		if [ "$CNI_RC" -ne 0 ]; then
			refused=$((refused + 1))
			[[ $(outcome) == *"Too many open files"* ]] || odd+="$verb with $n: $(outcome)
"
			[[ $verb =~ DEL|GC ]] || [ "$(left)" = "$before" ] || # these go as far as they can
				odd+="$verb with $n: after a refusal: $(left)
"
		fi
		[ -z "$(wrong)" ] || odd+="$verb with $n: $(wrong)
"
		[ "$(del c1)$(del c2) $(left)" = 'okok | ' ] || odd+="$verb with $n: DEL after it: $(left)
"
	done
done
is "$odd" '' "few descriptors: done, or refused with the reason and undone ($refused refusals)"
if [ $refused -ge 8 ]; then ok 'descriptors ran out at several steps'; else not_ok 'descriptors ran out at several steps' "$refused"; fi

# ---- a folder that cannot be written, and rights ----

fresh
add c1 "$DUAL" >/dev/null
mount --bind $POOL $POOL
mount -o remount,ro,bind $POOL
for verb in ADD DEL CHECK GC; do
	who=c1
	[ $verb != ADD ] || who=c2
	call $verb $who "$DUAL" '"cni.dev/valid-attachments":[]'
	is "$(outcome)" "5 address pool $POOL: cannot open lock file lock: Read-only file system" \
		"$verb in a read-only folder"
done
umount $POOL
is "$(left)" '10.56.0.1 fd00::1 | ' 'nothing was changed'
cp "$BIN/roce-ipam" /run/plugin
mkdir -p $WORK/as
printf '#!/bin/sh\nexec setpriv --reuid=65534 --regid=65534 --clear-groups /run/plugin\n' >$WORK/as/roce-ipam
chmod 755 /run/plugin $WORK/as/roce-ipam
for verb in ADD DEL CHECK GC; do
	BIN=$WORK/as call $verb c1 "$DUAL" '"cni.dev/valid-attachments":[]'
	like "$(outcome)" "^5 .*$STORE.*Permission denied" "$verb as a user without rights"
done
is "$(left)" '10.56.0.1 fd00::1 | ' 'nothing was changed'
chmod -R a+rwX $STORE
chown -R 65534 $STORE
is "$(add c1 "$DUAL") $(add c2 "$DUAL")" '10.56.0.1/24 fd00::1/64 10.56.0.2/24 fd00::2/64' \
	'a store whose owner and modes were changed'
is "$(stat -c '%a %u' $POOL/10.56.0.2)" '600 0' 'new records are still for root alone'

# ---- damage ----

fresh
# change RECORD SED-SCRIPT: edit in place, so that both names see it.
change() {
	sed "$2" "$POOL/$1" >$WORK/new
	cat $WORK/new >"$POOL/$1"
}
resum() { # RECORD: a right checksum for what it says now
	python3 -c 'import sys, zlib
path = sys.argv[1]
text = open(path, "rb").read()
body = text[:text.rindex(b"crc32 ")]
open(path, "r+b").write(body + b"crc32 %08x\n" % zlib.crc32(body))' "$POOL/$1"
}
for i in 1 2 3 4 5 6 7; do add c$i "$V4" >/dev/null; done
change 10.56.0.1 's/^pod .*/pod other\/pod/'
change 10.56.0.2 '1s/1/2/'
resum 10.56.0.2
head -c 100 /dev/zero >$WORK/zero
cat $WORK/zero >$POOL/10.56.0.3
head -c 5000 /dev/urandom | base64 >$WORK/long
cat $WORK/long >$POOL/10.56.0.4
change 10.56.0.5 's/^address .*/address 10.56.0.77\/24/'
resum 10.56.0.5
change 10.56.0.6 's/^id .*/id somebody/'
resum 10.56.0.6
change 10.56.0.7 '/^crc32/d'
before=$(leases)
while read -r i why; do
	call CHECK c$i "$V4"
	like "$(outcome)" "^(109|111) .*$why" "CHECK, record $i: $why"
done <<'END'
1 10\.56|damaged lease record: the checksum does not match: cut short or edited
2 damaged lease record: it starts with "roce-ipam 2", this version reads "roce-ipam 1"
3 damaged lease record: not a text
4 damaged lease record:
5 no address of range 0 of network n1 is leased to container c5
6 damaged lease record: it names another holder, somebody net1
7 damaged lease record: the checksum does not match
END
is "$(add new "$V4")" '10.56.0.8/24' 'no damaged record lends its address to another'
printf -v valid '{"containerID":"%s","ifname":"net1"},' c1 c2 c3 c4 c5 c6 c7 somebody new
call GC '' "$V4" "\"cni.dev/valid-attachments\":[${valid%,}]"
is "$(leases)" "${before}10.56.0.8 " 'GC removes none of them'
for i in 1 2 3 4 7; do
	like "$CNI_ERR" "$POOL/10\.56\.0\.$i: damaged lease record: .*; its address stays taken, remove the file to free it" \
		"GC reports record $i"
done
like "$CNI_ERR" "$POOL/10\.56\.0\.5: damaged lease record: it names another address" 'GC reports record 5'
for i in 1 2 3 4 5 6 7; do del c$i >/dev/null; done
is "$(leases)" '10.56.0.5 10.56.0.8 ' 'the DEL of each holder releases its address, unless its record names another'
gc '[{"containerID":"new","ifname":"net1"}]' >/dev/null
is "$(add c1 "$V4")" '10.56.0.1/24' 'which can be had again, after the next GC at the latest'

fresh
add c1 "$V4" >/dev/null
change 10.56.0.1 '1s/1/2/'
resum 10.56.0.1
like "$(add c1 "$V4") $(gc '[{"containerID":"c1","ifname":"net1"}]') $(left)" \
	'^10\.56\.0\.([12])/24 ok 10\.56\.0\.[12] \| $' 'ADD of a holder whose record is damaged writes a new one'

# ---- foreign things ----

fresh
add c1 "$V4" >/dev/null
for name in README .hidden 10.56.0.2.bak 010.56.0.3 10.56.0.004 FD00::1 fd00:0::1 '10.56.0.5 ' by-id/notes .10.56.0.6.tmp; do
	echo "not a record" >"$POOL/$name"
done
: >$POOL/10.56.0.2
ln -s /etc/passwd $POOL/10.56.0.3
mkdir $POOL/10.56.0.4 $POOL/10.56.0.5
: >$POOL/10.56.0.5/file
mkfifo $POOL/10.56.0.6
before=$(find $POOL -printf '%P\n' | grep -v '^by-id/notes$' | sort)
is "$(add c2 "$V4")" '10.56.0.7/24' 'every name that is an address is taken, whatever it is'
call GC '' "$V4" '"cni.dev/valid-attachments":[]'
silent 'GC beside foreign files'
like "$CNI_ERR" "$POOL/10\.56\.0\.4: damaged lease record: not a file; .* remove the file to free it" 'a folder is reported'
like "$CNI_ERR" "$POOL/10\.56\.0\.6: damaged lease record: not a file" 'so is a pipe, without waiting for it'
like "$CNI_ERR" "$POOL/10\.56\.0\.3: " 'so is a link'
is "$(find $POOL -printf '%P\n' | grep -v '^by-id/notes$' | sort)" "$(grep -vE '10\.56\.0\.1$|by-id/c1' <<<"$before")" \
	'none of them was removed'
fresh
for thing in 10.56.0.1 by-id by-id/c1:net1:0 pending map lock; do
	for kind in folder link pipe; do
		fresh
		add c9 "$V4" >/dev/null
		del c9 >/dev/null
		rm -rf "${POOL:?}/$thing"
		case $kind in
		folder) [ $thing != by-id ] || continue; mkdir "$POOL/$thing" ;;
		link) ln -s /run/nowhere "$POOL/$thing" ;;
		pipe) mkfifo "$POOL/$thing" ;;
		esac
		CNI_RUN='timeout 5' call ADD c1 "$V4"
		answer=$(outcome)
		if [ "$CNI_RC" -eq 0 ]; then
			like "$answer" '^10\.56\.0\.[12]/24$' "a $kind in place of $thing: ADD goes on"
		else
			like "$answer" "^(5|109) .*$POOL.*($thing|lease)" "a $kind in place of $thing: ADD says what is in the way"
		fi
		CNI_RUN='timeout 5' call DEL c1 "$V4"
		rm -rf "${POOL:?}/$thing"
		[ "$CNI_RC" -eq 0 ] || call DEL c1 "$V4"
		is "$(outcome) $(left)$(ls -d /run/nowhere 2>/dev/null)" 'ok | ' \
			"a $kind in place of $thing: DEL once it is gone, or before; nothing stays"
	done
done

# ---- lock files are removed while a process holds them ----

# beside CALL NTH VERB LOCKS IPAM: VERB of c1 is held up at its NTH such call; meanwhile somebody removes
# the lock files and another ADD runs. Both answers are kept.
beside() {
	local pid
	fresh
	add c0 "$5" >/dev/null
	[ "$3" = ADD ] || add c1 "$5" >/dev/null
	(
		CNI_RUN="strace -f -qq -o $WORK/trace -e trace=$1 -e inject=$1:delay_enter=300000:when=$2" call "$3" c1 "$5"
		outcome >$WORK/first
	) &
	pid=$!
	sleep 0.15
	# shellcheck disable=SC2086
	(cd $STORE && rm -f $4)
	second=$(add c2 "$5")
	wait $pid
	first=$(cat $WORK/first)
}
# Who was told of addresses has them, alone; the others were told why not.
split() { # IPAM
	local third again who held
	[[ $second =~ ^(10\.56\.0\.[123]/24 fd00::[123]/64|5 .*|11 .*)$ ]] || echo "the second: $second"
	[[ $first =~ ^(ok|10\.56\.0\.[123]/24 fd00::[123]/64|5 .*|11 .*)$ ]] || echo "the first: $first"
	rm -f $POOL/map # it may go at any time
	third=$(add c3 "$1")
	for held in $first $second; do
		[[ $held != *[.:]*/* ]] || [[ " $third " != *" $held "* ]] || echo "$held was given to a third"
	done
	again=$(add c2 "$1")
	[[ $second != 10.* ]] || [ "$again" = "$second" ] || echo "the second had $second, now $again"
	again=$(add c1 "$1")
	[[ $first != 10.* ]] || [ "$again" = "$first" ] || echo "the first had $first, now $again"
	for who in c0 c1 c2 c3; do
		again=$(del $who)
		[ "$again" = ok ] || echo "DEL of $who: $again"
	done
	[ "$(left)" = '| ' ] || echo "after DEL: $(left)"
}
# removed VERB LOCKS IPAM WHAT
removed() {
	local point faults odd=''
	local points='openat:5 write:1 linkat:1 linkat:2 linkat:3 linkat:4 linkat:6 unlinkat:1 unlinkat:2 pwrite64:2'
	[ "$1" = ADD ] || points='openat:6 unlinkat:1 unlinkat:2 unlinkat:3 unlinkat:4 pwrite64:1'
	for point in $points; do
		beside "${point%:*}" "${point#*:}" "$1" "$2" "$3"
		faults=$(split "$3")
		[ -z "$faults" ] || odd+="$point: the first \"$first\", the second \"$second\"
$faults
"
	done
	is "$odd" '' "the lock file is removed while $1 holds it, $4: no address is doubled or lost"
}
ALONE=$(jq -c '.enable_overlapping_ranges = false' <<<"$DUAL")
for verb in ADD DEL; do
	removed $verb n1/lock "$DUAL" 'in a network that shares its addresses'
	removed $verb 'n1/lock .domain/lock' "$DUAL" 'both of them'
	removed $verb n1/lock "$ALONE" 'in a network of its own'
done

# ---- links in the path ----

fresh
mkdir /run/elsewhere
ln -s /run/elsewhere $STORE
is "$(add c1 "$DUAL") $(add c2 "$V4") $(left)" '10.56.0.1/24 fd00::1/64 10.56.0.2/24 10.56.0.1 10.56.0.2 fd00::1 | ' \
	'the state folder may be a symbolic link'
is "$(del c1)$(del c2) $(left)" 'okok | ' 'DEL through it'
is "$(ls /run/elsewhere)" n1 'the pool is where the link leads'
rm -rf /run/elsewhere/* $STORE
mkdir $STORE
ln -s /run/elsewhere $POOL
begin=$SECONDS
for verb in ADD DEL CHECK GC; do
	call $verb c1 "$DUAL" '"cni.dev/valid-attachments":[]'
	like "$(outcome)" "^5 .*$POOL.*(link|Not a directory)" "a pool that is a symbolic link: $verb does not follow it"
done
is "$(ls /run/elsewhere)" '' 'nothing was written where it leads'
if [ $((SECONDS - begin)) -lt 8 ]; then ok 'nobody waited'; else not_ok 'nobody waited' "$((SECONDS - begin)) s"; fi
rm $POOL
ln -s /run/nowhere $POOL
CNI_RUN='timeout 20' call ADD c1 "$DUAL"
like "$(outcome)" "^5 .*$POOL" 'a pool that is a link to nowhere'
rm -rf $STORE
: >$STORE
like "$(add c1 "$DUAL")" "^5 .*$STORE.*(Not a directory|File exists)" 'a file in place of the state folder'
call DEL c1 "$DUAL"
like "$(outcome)" "^(ok|5 .*$STORE.*Not a directory)" 'DEL then'
rm -rf $STORE /run/elsewhere

# ---- times of the folder that a clock set back would leave ----

for i in 1 2; do add c$i "$DUAL" >/dev/null; done
touch -d '2100-01-01' $POOL $POOL/by-id $POOL/map $POOL/10.56.0.1
is "$(add c3 "$DUAL")" '10.56.0.3/24 fd00::3/64' 'times in the future: ADD'
touch -d '1980-01-01' $POOL $POOL/by-id $POOL/map $POOL/10.56.0.1
is "$(del c1) $(add c4 "$DUAL") $(left)" 'ok 10.56.0.1/24 fd00::1/64 10.56.0.1 10.56.0.2 10.56.0.3 fd00::1 fd00::2 fd00::3 | ' \
	'times in the past: DEL and ADD'
change 10.56.0.1 's/^time .*/time 4102444800/'
resum 10.56.0.1
call CHECK c4 "$DUAL"
silent 'a record from the future is a record'

# ---- other boots, other nodes ----

other_boot() { # ID
	echo "$1" >$WORK/boot_id
	mount --bind $WORK/boot_id /proc/sys/kernel/random/boot_id
}
fresh
SMALL='{"range":"10.56.0.0/29"}'
for i in 1 2; do add c$i "$SMALL" >/dev/null; done
printf '#!/bin/sh\nhostname other && exec "%s/roce-ipam"\n' "$BIN" >$WORK/as/roce-ipam
on_other_node() { CNI_RUN='unshare --uts' BIN=$WORK/as call "$@"; }
for i in 3 4; do on_other_node ADD c$i "$SMALL"; done
like "$(cat $POOL/10.56.0.3)" $'\nnode other\n' 'a record says which node it is of'
other_boot 11111111-1111-4111-8111-111111111111
for i in 5 6; do add c$i "$SMALL" >/dev/null; done
is "$(leases)" '10.56.0.1 10.56.0.2 10.56.0.3 10.56.0.4 10.56.0.5 10.56.0.6 ' \
	'after a boot nothing is taken back while there are free addresses'
is "$(add c2 "$SMALL")" 10.56.0.2/29 'a container that is started again keeps its address'
like "$(cat $POOL/10.56.0.2)" $'\nboot 11111111-' 'its record is of this boot now'
call ADD c7 "$SMALL"
is "$(outcome)" 10.56.0.1/29 'when the range is full, what an earlier boot of this node left is taken back'
like "$CNI_ERR" '1 leases? of an earlier boot taken back' 'that is said'
is "$(leases)" '10.56.0.1 10.56.0.2 10.56.0.3 10.56.0.4 10.56.0.5 10.56.0.6 ' 'not those of another node, nor of this boot'
like "$(add c8 "$SMALL")" '^107 .*6 of 6 taken' 'then the range is full'
is "$(gc '[]') $(leases)" 'ok 10.56.0.3 10.56.0.4 ' 'GC leaves those of another node alone'
CNI_RUN='unshare --uts' BIN=$WORK/as call GC '' "$SMALL" '"cni.dev/valid-attachments":[]'
is "$(outcome) $(left)" 'ok | ' 'which collects them itself'
umount /proc/sys/kernel/random/boot_id

# A node that cannot tell its boot takes nothing back: it may all be alive.
for i in 1 2 3 4 5 6; do add c$i "$SMALL" >/dev/null; done
: >$WORK/boot_id
mount --bind $WORK/boot_id /proc/sys/kernel/random/boot_id
like "$(add c7 "$SMALL")" '^107 ' 'without a boot ID nothing is taken back'
is "$(leases)" '10.56.0.1 10.56.0.2 10.56.0.3 10.56.0.4 10.56.0.5 10.56.0.6 ' 'nothing at all'
del c3 >/dev/null
is "$(add c8 "$SMALL")" 10.56.0.3/29 'the rest works'
umount /proc/sys/kernel/random/boot_id
is "$(wrong)" '' 'the store is as it should be'
done_testing || exit 1
