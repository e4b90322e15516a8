#!/bin/bash
# rocectl ipam: what is leased, what does not fit together, its mending, and freeing by hand. A mended
# store must keep every lease that may be alive, and must work.
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
BOOT=00000000-0000-4000-8000-000000000000

call() { # VERB ID IPAM [MORE]
	cni "$1" "$2" "/run/netns/$2" net1 \
		"{\"cniVersion\":\"1.1.0\",\"name\":\"${NET:-n1}\",\"type\":\"x\",\"ipam\":$3${4:+,$4}}" \
		"CNI_ARGS=K8S_POD_NAMESPACE=default;K8S_POD_NAME=$2"
}
add() { (call ADD "$1" "$2"; jq -r 'if .ips then [.ips[].address] | join(" ") else "\(.code) \(.msg)" end' <<<"$CNI_OUT"); }
del() { (call DEL "$1" "$DUAL"; echo "$CNI_RC$CNI_OUT"); }

# ipam ARGUMENT...: rocectl ipam; sets OUT, ERR and RC.
ipam() {
	OUT=$("$BIN/rocectl" ipam "$@" 2>$WORK/stderr)
	RC=$?
	ERR=$(<$WORK/stderr)
}
# kinds: the findings of a check as "KIND FOLDER-AND-NAME", sorted.
kinds() { jq -r '.findings[] | "\(.kind) \(.path)"' <<<"$OUT" | sed "s,$STORE/,," | sort; }
dump() { (cd $STORE 2>/dev/null && find . ! -name map ! -name lock -printf '%p %y %i %n\n' | sort; cat $STORE/n*/*[.:]* | md5sum) 2>&1; }
tree() { (cd /run && find . -path ./world -prune -o -printf '%p %y %i %n %s %T@\n' | sort); }
exists() { [ ! -e "$1" ] || echo "$1 "; }
fresh() { rm -rf $STORE; }
is_live() { mkdir -p /run/netns; : >"/run/netns/$1"; }
# edit FILE SED: another record, whole, under the same name, in all of its names.
edit() {
	python3 - "$1" "$2" <<'PY'
import re, sys, zlib
path, change = sys.argv[1:]
text = open(path).read()
body = text[:text.rindex('crc32 ')]
_, old, new, _ = change.split('|')
assert re.search(old, body, re.M), old
body = re.sub(old, new, body, flags=re.M)
open(path, 'r+').truncate(0)
open(path, 'r+').write(body + 'crc32 %08x\n' % zlib.crc32(body.encode()))
PY
}
earlier() { edit "$1" "s|^boot .*|boot $BOOT|"; }
# clean DESCRIPTION: nothing is found.
clean() {
	ipam check
	is "$RC:$OUT:$ERR" '0:findings: 0:' "$1"
}
# found DESCRIPTION KIND-AND-PATH...: exactly this is found, by status 1, as text too, and no file changes.
found() {
	local what=$1 before
	shift
	before=$(tree)
	ipam check -o json
	is "$RC:$ERR" '1:' "$what: status 1"
	same "$(kinds)" "$(printf '%s\n' "$@" | sort)" "$what: found"
	is "$(jq -c '[.schemaVersion, .clean, (.findings | map(.outcome) | unique)]' <<<"$OUT")" \
		'["1.0",false,["found"]]' "$what: JSON"
	ipam check
	is "$(grep -c '' <<<"$OUT")" $(($# + 1)) "$what: as text, one line each"
	same "$before" "$(tree)" "$what: check changes nothing"
}
# mended DESCRIPTION [KEPT]: repair mends all but KEPT findings, and what is live keeps its address.
mended() {
	local what=$1 kept=${2:-0} before live after
	live="$(add live "$DUAL")"
	before=$(cat $POOL/by-id/live:net1:0)
	ipam check --repair -o json
	is "$RC:$ERR" "$((kept > 0)):" "$what: status of the repair"
	is "$(jq '[.findings[] | select(.outcome == "kept")] | length' <<<"$OUT")" "$kept" "$what: what is kept"
	[ "$RC" = $((kept > 0)) ] || diag "$OUT"
	after=$(cat $POOL/by-id/live:net1:0)
	same "$before" "$after" "$what: a live lease is as before"
	is "$(add live "$DUAL")" "$live" "$what: and is found by an ADD"
	[ "$kept" -gt 0 ] || clean "$what: clean afterwards"
}
# ready: a store with live leases: live, c1, c2, c3.
ready() {
	fresh
	for id in live c1 c2 c3; do
		is_live $id
		add $id "$DUAL" >/dev/null
	done
}
# works DESCRIPTION: no address is given twice, DEL frees all, and nothing is left of it.
works() {
	local id bad=
	for id in new1 new2; do bad+=$(add $id "$DUAL" | grep -v '^10.56.0.* fd00::'); done
	is "$(find $STORE/n* -maxdepth 1 -name '*[.:]*' -printf '%f\n' | sort | uniq -d)$bad" '' "$1: no address twice"
	for id in new1 new2 live c1 c2 c3; do [ "$(del $id)" = 0 ] || bad+=" $id"; done
	is "$bad" '' "$1: DEL works"
}

# ---- command line ----

for args in '' nonsense 'show extra' 'show --repair' 'check --network n1' 'check -o wide' 'gc --force' 'gc -o json' \
	release 'release 10.56.0.2 --container c1' 'release nonsense' 'release 10.0.0.1 10.0.0.2' 'gc --dead=x' 'show --network a/b'; do
	# shellcheck disable=SC2086
	ipam $args
	is "$RC:$OUT" 2: "rocectl ipam $args: status 2"
done
offered() ( # what TAB offers after these words
	# shellcheck source=docs/completion/rocectl.bash
	. docs/completion/rocectl.bash
	# shellcheck disable=SC2034
	COMP_WORDS=("$BIN/rocectl" "$@") COMP_CWORD=$#
	_rocectl
	echo "${COMPREPLY[*]}"
)
is "$(offered ipam '')|$(offered ipam re)|$(offered ipam show '')|$(offered ipam --dead g)|$(offered show '')" \
	'show check gc release|release||gc|' 'completion: the actions, once'
fresh
for action in show check gc 'show -o json' 'check -o json' 'check --repair'; do
	# shellcheck disable=SC2086
	ipam $action
	is "$RC:$ERR:$(exists $STORE)" 0:: "ipam $action without a store: makes none"
done

# ---- show ----

ready
add c4 '{"range":"10.56.0.0/24","addresses":[{"address":"192.0.2.9/24"}]}' >/dev/null
NET=n2 add c5 "$V4" >/dev/null
is_live c5
edit $POOL/10.56.0.2 "s|^boot .*|boot $BOOT|"
edit $POOL/10.56.0.3 's|^node .*|node elsewhere|'
before=$(tree)
ipam show
is "$RC:$ERR" 0: 'show: status'
is "$(head -n 1 <<<"$OUT" | tr -s ' ')" 'NETWORK ADDRESS OF CONTAINER IFNAME POD AGE BOOT STATE' 'show: columns'
is "$(sed 's/ [0-9]*s / 0s /' <<<"$OUT" | tr -s ' ' | tail -n +2 | head -n 5)" \
	'n1 10.56.0.1/24 range live net1 default/live 0s this ok
n1 10.56.0.2/24 range c1 net1 default/c1 0s earlier stale
n1 10.56.0.3/24 range c2 net1 default/c2 0s - unknown
n1 10.56.0.4/24 range c3 net1 default/c3 0s this ok
n1 10.56.0.5/24 range c4 net1 default/c4 0s this orphan' 'show: the lines, by address'
ipam show -o json
is "$(jq -r '[.schemaVersion, (.leases | length), (.leases | map(.network) | unique | join(","))] | join(" ")' <<<"$OUT")" \
	'1.0 11 n1,n2' 'show: JSON has all'
is "$(jq -c '.leases[] | select(.address == "192.0.2.9/24") | [.source, .slot, .containerID, .pod, .netns, .domain, .state, .reason, .store]' <<<"$OUT")" \
	'["static",0,"c4","default/c4","/run/netns/c4",".domain","orphan","its network namespace is gone","/run/roce-ipam"]' \
	'show: JSON of a static address'
is "$(jq -c '[.leases[] | select(.address == "10.56.0.3/24") | .node, .boot]' <<<"$OUT")" '["elsewhere",null]' 'show: of another node'
ipam show --network n2 -o wide
is "$(grep -c '' <<<"$OUT"):$(grep -c "c5 .*$(hostname)" <<<"$OUT")" 2:1 'show: one network, wide'
same "$before" "$(tree)" 'show: changes nothing'
: >$POOL/10.56.0.99
ipam show
like "$RC:$ERR:$OUT" '^1:rocectl: /run/roce-ipam/n1/10.56.0.99: .* is empty:.*10\.56\.0\.99 .* damaged' 'show: a damaged record is in the list'
rm $POOL/10.56.0.99
ipam_nobody() { OUT=$(setpriv --reuid 65534 --regid 65534 --clear-groups "$BIN/rocectl" ipam "$@" 2>$WORK/stderr); RC=$?; ERR=$(<$WORK/stderr); }
chmod a+rx "$BIN" 2>/dev/null
ipam_nobody show
is "$RC:$ERR" "1:rocectl: cannot read $STORE: Permission denied; root can" 'show: not root'
ipam_nobody check
like "$RC:$OUT" '^1:.*/run/roce-ipam: unreadable: Permission denied' 'check: not root'
chmod -R a+rX $STORE
ipam_nobody show -o json
is "$RC:$(jq '.leases | length' <<<"$OUT")" 0:11 'show: not root, all can be read'
ipam_nobody check
is "$RC:$OUT" '0:findings: 0' 'check: not root, all can be read'
chmod -R go= $STORE

# ---- every kind of inconsistency ----

ready
clean 'a sound store'
rm $POOL/by-id/c1:net1:0
found 'a record without its by-id name' 'record-without-by-id n1/10.56.0.2'
mended 'a record without its by-id name'
is "$POOL/by-id/c1:net1:0" "$(find $POOL/by-id -samefile $POOL/10.56.0.2)" 'the same file'

rm $POOL/10.56.0.3
found 'a by-id name without its record' 'by-id-without-record n1/by-id/c2:net1:0' 'domain-name-without-record .domain/10.56.0.3'
mended 'a by-id name without its record'
add c2 "$DUAL" >/dev/null

ln -f $POOL/10.56.0.2 $POOL/by-id/stranger:net1:0
found "a by-id name of another's record" 'by-id-of-another n1/by-id/stranger:net1:0'
mended "a by-id name of another's record"
is "$(add c1 "$DUAL")" '10.56.0.2/24 fd00::2/64' 'whose record it was keeps its address'

rm $STORE/.domain/10.56.0.2
found 'a record without its name in the domain' 'record-without-domain-name n1/10.56.0.2'
mended 'a record without its name in the domain'
cp $POOL/10.56.0.2 $STORE/.domain/10.56.0.77
echo nonsense >$STORE/.domain/10.56.0.78
found 'names in the domain without a record' 'domain-name-without-record .domain/10.56.0.77' \
	'domain-name-without-record .domain/10.56.0.78'
mended 'names in the domain without a record'
ln -f $POOL/10.56.0.2 $STORE/.domain/10.56.0.79
rm $STORE/.domain/10.56.0.2
ln $POOL/fd00::2 $STORE/.domain/10.56.0.2
found 'a name in the domain that is of another address' 'domain-name-without-record .domain/10.56.0.79' \
	'domain-name-without-record .domain/10.56.0.2' 'record-without-domain-name n1/10.56.0.2'
mended 'a name in the domain that is of another address'

mkdir $POOL/folder $STORE/.domain/folder
: >$POOL/stray; : >$POOL/by-id/stray; : >$STORE/.domain/stray; : >$STORE/stray
ln -s /etc/passwd $POOL/link; ln -s / $STORE/link
: >$POOL/10.056.0.1
found 'foreign files' foreign-file\ {n1/folder,.domain/folder,n1/stray,n1/by-id/stray,.domain/stray,stray,n1/link,link,n1/10.056.0.1}
mended 'foreign files'
is "$(find $STORE/.aside -mindepth 1 -printf '%f ' | tr ' ' '\n' | sort | xargs)" \
	'.domain.folder .domain.stray link n1.10.056.0.1 n1.by-id.stray n1.folder n1.link n1.stray stray' 'they were moved aside'
: >$POOL/stray
mended 'again a file of the same name'
is "$(ls $STORE/.aside/n1.stray*)" "$STORE/.aside/n1.stray
$STORE/.aside/n1.stray.1" 'nothing that was moved aside is lost'
rm -r $STORE/.aside

cp $POOL/10.56.0.2 $POOL/pending
: >$POOL/.x.tmp; : >$STORE/.domain/.x.tmp; : >$STORE/.status
touch -d '1 hour ago' $STORE/.status
found 'leftovers' leftover\ {n1/pending,n1/.x.tmp,.domain/.x.tmp,.status}
mended 'leftovers'
: >$STORE/.status
clean 'a STATUS at work is no leftover'
rm $STORE/.status

for folder in n1 .domain; do
	add live "$DUAL" >/dev/null
	python3 - $STORE/$folder/map <<'PY'
import sys
f = open(sys.argv[1], 'r+b')
data = bytearray(f.read())
data[-500] ^= 0x10
f.seek(0); f.write(data)
PY
	found "the map of $folder shows another address" "wrong-map $folder/map"
	mended "the map of $folder shows another address"
done
rm $POOL/map
: >$STORE/.domain/map
clean 'a map that is missing or would not be used is no finding'

# damaged records
truncate -s 100 $POOL/10.56.0.2
: >$POOL/10.56.0.3
printf 'x' | dd of=$POOL/fd00::4 bs=1 seek=60 conv=notrunc 2>/dev/null
found 'damaged records' damaged-record\ n1/{10.56.0.2,10.56.0.3,fd00::4}
mended 'damaged records'
is "$(add c1 "$DUAL"),$(add c2 "$DUAL"),$(add c3 "$DUAL")" \
	'10.56.0.2/24 fd00::2/64,10.56.0.3/24 fd00::3/64,10.56.0.4/24 fd00::4/64' 'their holders keep their addresses'
clean 'and the store is clean after their ADDs'
is "$(stat -c %h $POOL/10.56.0.2 $POOL/10.56.0.3 $POOL/fd00::4 | xargs)" '3 3 3' 'with all of their names'
: >$POOL/10.56.0.9
printf 'roce-ipam 2\nnetwork n1\naddress 10.56.0.10/24\n' >$POOL/10.56.0.10
ln $POOL/10.56.0.10 $STORE/.domain/10.56.0.10
found 'records that nobody can read' 'damaged-record n1/10.56.0.9' 'future-record n1/10.56.0.10'
before=$(md5sum $POOL/10.56.0.10)
mended 'records that nobody can read' 2
like "$(jq -r '.findings[].action' <<<"$OUT")" 'stays taken.*rocectl ipam release 10.56.0.9 --force' 'it says what to do'
is "$(md5sum $POOL/10.56.0.10)" "$before" 'a record of a later version is as before'
ipam release 10.56.0.9
like "$RC:$ERR" '^1:.*10.56.0.9 of network n1 is not released: nothing tells' 'release of a damaged record needs --force'
ipam release 10.56.0.9 --force
ipam release 10.56.0.10 --force
is "$RC:$(exists $STORE/.domain/10.56.0.10)" 0: 'release --force of it frees its name in the domain'
clean 'clean after that'

cp $POOL/10.56.0.2 $POOL/10.56.0.50
mv $POOL/fd00::3 $POOL/fd00::33
found 'records under the wrong address' misplaced-record\ n1/{10.56.0.50,fd00::33} 'by-id-without-record n1/by-id/c2:net1:1' \
	'domain-name-without-record .domain/fd00::3'
mended 'records under the wrong address'
is "$(add c2 "$DUAL"),$(exists $POOL/10.56.0.50)" '10.56.0.3/24 fd00::3/64,' 'the record has its address again'

# two of one kind
gone=$(sed 's/^address .*/address 10.56.0.60\/24/; s,^netns .*,netns /run/netns/gone,; s/^id .*/id c3/' $POOL/10.56.0.4)
twice() { # NETNS FOLDER ADDRESS CONTAINER [NETWORK]: a second record, whole
	mkdir -p "$STORE/$2/by-id"
	printf '%s\n' "$gone" >"$STORE/$2/$3"
	edit "$STORE/$2/$3" "s|^netns .*|netns $1|"
	edit "$STORE/$2/$3" "s|^address .*|address $3/24|"
	edit "$STORE/$2/$3" "s|^id .*|id $4|"
	edit "$STORE/$2/$3" "s|^network .*|network $2|"
}
twice /run/netns/gone n1 10.56.0.60 c3
ln $POOL/10.56.0.60 $STORE/.domain/10.56.0.60
found 'two records of one holder, the other is dead' 'holder-twice n1/10.56.0.60'
mended 'two records of one holder, the other is dead'
twice /run/netns/c3 n1 10.56.0.60 c3
ln $POOL/10.56.0.60 $STORE/.domain/10.56.0.60
found 'two records of one holder, both may be alive' 'holder-twice n1/10.56.0.60'
mended 'two records of one holder, both may be alive' 1
is "$(ls $POOL/10.56.0.60 $POOL/10.56.0.4)" "$POOL/10.56.0.4
$POOL/10.56.0.60" 'both stay'
ipam release 10.56.0.60
is "$RC" 1 'release of one needs --force'
ipam release 10.56.0.60 --force
is "$RC:$(add c3 "$DUAL")" '0:10.56.0.4/24 fd00::4/64' 'release of one leaves the other'
clean 'two records of one holder, one released'

twice /run/netns/gone n2 10.56.0.2 other
ln $STORE/n2/10.56.0.2 $STORE/n2/by-id/other:net1:0
found 'an address in two networks, one is dead' 'address-twice n2/10.56.0.2'
mended 'an address in two networks, one is dead'
is_live other
twice /run/netns/other n2 10.56.0.2 other
ln $STORE/n2/10.56.0.2 $STORE/n2/by-id/other:net1:0
found 'an address in two networks, both alive' 'address-twice n2/10.56.0.2'
mended 'an address in two networks, both alive' 1
rm $STORE/.domain/10.56.0.2
found 'an address in two networks, and in no domain' 'address-twice n2/10.56.0.2' 'address-twice n1/10.56.0.2'
mended 'an address in two networks, and in no domain' 1
ipam release 10.56.0.2
like "$RC:$ERR" "^1:rocectl: 2 networks have 10.56.0.2, say which by --network: n[12] n[12]\$" 'release asks which'
ipam release 10.56.0.2 --network n2 --force
is "$RC:$OUT" '0:n2 10.56.0.2: container other, interface net1, pod default/c3' 'release of one says who had it'
ipam check --repair
clean 'an address in two networks, one released'

cp $POOL/10.56.0.2 $WORK/copy
rm $POOL/10.56.0.2 && cp $WORK/copy $POOL/10.56.0.2
rm $STORE/.domain/10.56.0.2 && cp $WORK/copy $STORE/.domain/10.56.0.2
clean 'a store restored by a copy has no hard links, and is in order'
works 'a mended store'
clean 'clean in the end'

# all at once
ready
rm $POOL/by-id/c1:net1:0 $STORE/.domain/10.56.0.3
truncate -s 50 $POOL/fd00::4
: >$POOL/stray
cp $POOL/10.56.0.1 $STORE/.domain/10.56.0.99
ln $POOL/10.56.0.1 $POOL/by-id/x:net1:3
mended 'all at once'
works 'all at once, mended'

# a whole folder of names is gone
ready
rm -r $POOL/by-id
ipam check -o json
is "$(jq -r '.findings | map(.kind) | group_by(.) | map("\(.[0]) \(length)")[]' <<<"$OUT")" 'record-without-by-id 8' 'by-id is gone: found'
mended 'by-id is gone'
works 'by-id is gone'

# ---- killed while it mends ----

if command -v strace >/dev/null; then
	bad='' count=0
	for name in openat linkat renameat unlinkat mkdirat write pwrite64 flock; do
		for ((nth = 1; nth < 60; nth++)); do
			ready
			truncate -s 100 $POOL/10.56.0.2
			rm $POOL/by-id/c2:net1:0 $STORE/.domain/10.56.0.4
			strace -o /dev/null -e trace=$name -e inject=$name:signal=KILL:when=$nth \
				"$BIN/rocectl" ipam check --repair >/dev/null 2>&1
			[ $? -gt 128 ] || break
			count=$((count + 1))
			ipam check --repair
			[ "$RC" = 0 ] || bad+=" $name:$nth:$OUT"
			ipam check
			[ "$RC" = 0 ] || bad+=" $name:$nth:$OUT"
			[ "$(add c1 "$DUAL"),$(add c2 "$DUAL"),$(add c3 "$DUAL")" = \
				'10.56.0.2/24 fd00::2/64,10.56.0.3/24 fd00::3/64,10.56.0.4/24 fd00::4/64' ] || bad+=" $name:$nth:lost"
			: # nobody else may get one of them
			[ "$(NET=n2 add x "$V4")" = 10.56.0.5/24 ] || bad+=" $name:$nth:twice"
		done
	done 2>/dev/null
	is "$bad" '' 'a repair that is killed at any call: the next one mends, no lease is lost'
	[ $count -gt 30 ] || not_ok "only $count calls were seen"
	diag "$count calls"
else
	ok 'a repair that is killed # SKIP no strace'
fi

# ---- gc ----

ready
for id in d1 d2; do add $id "$DUAL" >/dev/null; done
NET=n2 add d3 "$V4" >/dev/null
earlier $POOL/10.56.0.2
earlier $POOL/fd00::2
before=$(dump)
dry() { # EXPECTED-LINES DESCRIPTION ARGUMENT...: a dry run and then the real one
	local want=$1 what=$2 first
	shift 2
	ipam "$@" --dry-run
	first="$RC:$ERR:$OUT"
	is "$first" "0::$want" "$what: a dry run"
	same "$before" "$(dump)" "$what: a dry run changes nothing"
	ipam "$@"
	is "$RC:$ERR:$OUT" "$first" "$what: prints the same"
	ipam "$@" --dry-run
	before=$(dump)
}
dry 'n1 10.56.0.2: container c1, interface net1, pod default/c1; of an earlier boot
n1 fd00::2: container c1, interface net1, pod default/c1; of an earlier boot
leases: 2' 'gc' gc
is "$(exists $POOL/by-id/c1:net1:0)$(exists $POOL/by-id/c1:net1:1)$(exists $STORE/.domain/10.56.0.2)" '' 'gc: all names are gone'
is "$OUT" 'leases: 0' 'gc: once'
dry 'n2 10.56.0.7: container d3, interface net1, pod default/d3; its network namespace is gone
leases: 1' 'gc --dead of one network' gc --dead --network n2
dry 'n1 10.56.0.5: container d1, interface net1, pod default/d1; its network namespace is gone
n1 10.56.0.6: container d2, interface net1, pod default/d2; its network namespace is gone
n1 fd00::5: container d1, interface net1, pod default/d1; its network namespace is gone
n1 fd00::6: container d2, interface net1, pod default/d2; its network namespace is gone
leases: 4' 'gc --dead' gc --dead
edit $POOL/10.56.0.3 's|^node .*|node elsewhere|'
earlier $POOL/10.56.0.3
ipam gc --dead
is "$RC:$OUT" '0:leases: 0' "gc: another node's leases stay"
clean 'after gc'
add c2 "$DUAL" >/dev/null

# ---- release ----

before=$(dump)
ipam release 10.56.0.3
like "$RC:$OUT:$ERR" '^1::rocectl: 10\.56\.0\.3 of network n1 is not released: its network namespace exists; --force' 'release: refused while it is alive'
ipam release --container c2
is "$RC:$(grep -c 'is not released' <<<"$ERR")" 1:2 'release --container: refused while it is alive'
ipam release 10.56.0.200
is "$RC:$ERR" '1:rocectl: nothing is leased: 10.56.0.200' 'release: of nobody'
ipam release --container c2 --network n2
is "$RC:$ERR" '1:rocectl: nothing is leased: c2' 'release --network: of nobody'
same "$before" "$(dump)" 'release: refused, nothing changes'
before=$(dump)
ipam release 10.56.0.3 --force --dry-run
is "$RC:$OUT" '0:n1 10.56.0.3: container c2, interface net1, pod default/c2' 'release --dry-run: who has it'
same "$before" "$(dump)" 'release --dry-run changes nothing'
ipam release --force 10.56.0.3
is "$RC:$OUT" '0:n1 10.56.0.3: container c2, interface net1, pod default/c2' 'release --force'
is "$(NET=n2 add c9 '{"range":"10.56.0.3/32"}')" 10.56.0.3/32 'release: another network can have it'
rm /run/netns/c2
ipam release --container c2
is "$RC:$OUT" '0:n1 fd00::3: container c2, interface net1, pod default/c2' 'release --container of a dead one'
ipam check
is "$RC" 0 'after release'
works 'after release'

# ---- what only looks makes no call that changes a file ----

if command -v strace >/dev/null; then
	ready
	rm $POOL/by-id/c1:net1:0
	: >$POOL/10.56.0.9
	earlier $POOL/fd00::3
	world_veth rdma0 port0 9000
	config '.mtu = 9000 | .ipam = {type: "roce-ipam", range: "10.56.0.0/24"}' >$WORK/net.json
	jq -n '{cniVersion: "1.0.0", name: "n", type: "macvlan", master: "rdma0"}' >$WORK/other.json
	changes() { grep -vE '"/dev/null"' $WORK/trace | grep -E \
		'^[0-9 ]*(open|openat|openat2|creat)\(.*(O_CREAT|O_WRONLY|O_RDWR|O_TRUNC)|^[0-9 ]*(creat|unlink|unlinkat|rmdir|rename|renameat|renameat2|mkdir|mkdirat|mknod|mknodat|link|linkat|symlink|symlinkat|truncate|ftruncate|chmod|fchmod|fchmodat|chown|fchown|lchown|fchownat|utime|utimensat|setxattr|fallocate|mount|umount2|pwrite64)\('; }
	traced() { strace -f -qq -o $WORK/trace "$BIN/rocectl" "$@" >/dev/null 2>&1; }
	before=$(tree)
	while read -r args; do
		# shellcheck disable=SC2086
		traced $args
		is "$(changes)" '' "rocectl $args: no call that changes a file"
		[ -s $WORK/trace ] || not_ok 'nothing was traced'
	done <<-END
		validate $WORK/net.json
		validate -o json --offline $WORK/net.json
		show
		show -o json
		gc --dry-run
		gc --dry-run -o json
		mtu
		convert $WORK/other.json
		help
		ipam show
		ipam show -o json
		ipam check
		ipam check -o json
		ipam gc --dry-run
		ipam gc --dead --dry-run
		ipam release --dry-run --force 10.56.0.9
		ipam release 10.56.0.1
	END
	same "$(grep -v '^./trace' <<<"$before")" "$(tree)" 'nor is anything changed'
	traced ipam gc
	like "$(changes)" 'unlinkat' 'a call that changes a file would be seen'
else
	ok 'system calls # SKIP no strace'
fi

# ---- stores below dataRoots ----

fresh
world_profile '{"version":1,"ipam":{"dataRoots":["/mnt"]}}'
mount -t tmpfs tmpfs /mnt
is_live c1
rm -f /run/netns/c2
add c1 '{"range":"10.56.0.0/24","dataDir":"/mnt/team-a"}' >/dev/null
add c2 "$V4" >/dev/null
ipam show -o json
is "$(jq -r '.leases | map(.store + " " + .address) | sort[]' <<<"$OUT")" '/mnt/team-a 10.56.0.1/24
/run/roce-ipam 10.56.0.1/24' 'dataDir: show has both stores'
rm /mnt/team-a/n1/by-id/*
ipam check
like "$RC:$OUT" '^1:/mnt/team-a/n1/10.56.0.1: record-without-by-id: ' 'dataDir: check'
ipam check --repair
clean 'dataDir: mended'
ipam gc --dead
is "$OUT" 'n1 10.56.0.1: container c2, interface net1, pod default/c2; its network namespace is gone
leases: 1' 'dataDir: gc'
world_profile '{"version": '
ipam show
like "$RC:$ERR" '^1:.*profile' 'a broken profile: status 1, the standard store'
world_profile
umount /mnt

# ---- while others work ----

ready
churn() { # NETWORK ID
	local i
	for ((i = 0; i < ${ROUNDS:-60}; i++)); do
		NET=$1 call ADD "$2" "$DUAL"
		[ "$CNI_RC" = 0 ] || echo "$CNI_OUT" >>$WORK/failed
		NET=$1 call DEL "$2" "$DUAL"
		[ "$CNI_RC" = 0 ] || echo "$CNI_OUT" >>$WORK/failed
	done
}
workers=()
for n in 1 2 3 4 5 6 7 8; do
	is_live w$n
	churn n$((n % 2 + 1)) w$n &
	workers+=($!)
done
checks=0 bad=''
while [ -n "$(jobs -rp)" ]; do
	for action in check show 'show -o json' 'gc --dead --dry-run'; do
		# shellcheck disable=SC2086
		ipam $action
		[ "$RC:$ERR" = 0: ] || bad+="$action: $RC $ERR $OUT
"
	done
	ipam check --repair
	[ "$RC:$ERR:$OUT" = '0::findings: 0, mended: 0' ] || bad+="repair: $RC $ERR $OUT
"
	checks=$((checks + 1))
done
wait "${workers[@]}"
is "$bad" '' 'check, show and gc while 8 processes ADD and DEL: nothing false, nothing fails'
is "$(cat $WORK/failed 2>/dev/null)" '' 'and they do not disturb anybody'
[ $checks -gt 4 ] && ok "$checks rounds" || not_ok "only $checks rounds"
clean 'in the end'

done_testing || exit 1
