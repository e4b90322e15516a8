#!/bin/bash
# rocectl gc: what it lists, what it has the plugin do, and that what is alive is spared.
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

STORE=/run/roce-cni
WORK=/run/world
mount -t tmpfs tmpfs /opt # whatever is installed there

# Everything of the host and of the state folder, down to the times of changes.
dump() {
	host_dump
	find $STORE /run/roce-ipam -printf '%p %y %l %m %s %T@\n' 2>/dev/null | sort
}
# gc [OPTION]...: runs it; sets OUT, ERR and RC.
gc() {
	OUT=$("${ROCECTL:-$BIN/rocectl}" gc "$@" 2>$WORK/stderr)
	RC=$?
	ERR=$(<$WORK/stderr)
}
journals() { find $STORE/attachments -name 'c*:net1' -printf '%f\n' | sort | xargs; }
leases() { find /run/roce-ipam -path '*by-id/*' -printf '%f\n' 2>/dev/null | sort | xargs; }
rows() { jq -c '[.attachments[] | [.network, .containerID, .state, .result]]' <<<"$OUT"; }

# ---- nothing is left ----

HEADER='NETWORK  POD  IFNAME  DEVICE  STATE  ACTIONS  RESULT'
for option in --dry-run --plugin=/no/such; do
	gc $option
	is "$RC:$ERR:$OUT" "0::$HEADER" "gc $option, no state folder: the header only"
	gc $option -o json
	is "$RC:$ERR:$(jq -c . <<<"$OUT")" '0::{"schemaVersion":"1.0","attachments":[]}' "gc $option -o json: an empty list"
done
is "$(find $STORE 2>/dev/null)" '' 'no state folder is made'
for options in '-o yaml' operand --nonsense --plugin; do
	# shellcheck disable=SC2086
	gc $options
	is "$RC:$OUT" 2: "gc $options: status 2, nothing on stdout"
done

# ---- dead and alive, on three networks ----

add() { # add CONTAINER NETWORK [NAME=VALUE...]: a veth of its own in a pod of its own
	local container=$1 network=$2
	shift 2
	ip netns add "$container"
	world_veth "dev-$container" "port-$container" 1500
	cni ADD "$container" "/run/netns/$container" net1 "$(config ".device = \"dev-$container\" | .name = \"$network\"
		| .ipam = {type: \"roce-ipam\", range: \"10.56.0.0/24\"}")" "$@"
	succeeded "ADD of $container to $network"
}
die() {
	local pod left=50
	for pod in "$@"; do
		ip netns del "$pod"
		while [ -e "/sys/class/net/port-$pod" ] && [ $left -gt 0 ]; do
			sleep 0.1
			left=$((left - 1))
		done
	done
}
add c1 rail 'CNI_ARGS=K8S_POD_NAMESPACE=team-a;K8S_POD_NAME=trainer-0'
add c2 rail
add c3 storage
add c4 third
die c1 c3
before=$(dump)
gc --dry-run
is "$RC:$ERR" 0: 'gc --dry-run succeeds'
like "$OUT" 'rail +team-a/trainer-0 +net1 +dev-c1 +orphan +release,forget +planned' 'text: a pod'
like "$OUT" 'storage +c3 +net1 +dev-c3 +orphan +release,forget +planned' 'text: a container'
is "$(wc -l <<<"$OUT")" 3 'text: what is alive is not listed'
gc --dry-run -o wide
like "$OUT" 'c1 +net1 .* orphan .* the network namespace is gone +release,forget +planned' 'wide: why'
gc --dry-run -o json
is "$(rows)" '[["rail","c1","orphan","planned"],["storage","c3","orphan","planned"]]' 'JSON'
"$BIN/rocectl" show -o json >$WORK/show.json
is "$(jq -c '[.attachments[] | keys_unsorted] | unique[]' <<<"$OUT")" \
	"$(jq -c '.attachments[0] | keys_unsorted + ["actions", "result"]' $WORK/show.json)" 'JSON: the keys of show, and two more'
is "$(sed -n 's/^| `\([a-z]*\)` | .* | [A-Z]* | [A-Z]* | .*/\1/p' docs/gc.md | xargs)" 'actions result' 'docs/gc.md has these'
same "$before" "$(dump)" 'gc --dry-run changes nothing'

# ---- which plugin, and what it is given ----

fake() { # fake FOLDER SCRIPT: a plugin that notes what it is given, then runs SCRIPT
	mkdir -p "$1"
	printf '#!/bin/bash\nCONFIG=$(cat)\nNET=$(jq -r .name <<<"$CONFIG")\nprintf "%%s" "$CONFIG" >%s/given.$NET\n%s\n' \
		$WORK "env >$WORK/env.\$NET; echo \$0 >>$WORK/ran; $2" >"$1/roce"
	chmod +x "$1/roce"
	rm -f $WORK/ran $WORK/given.* $WORK/env.*
}
fake $WORK/fake true
gc --plugin $WORK/fake/roce
is "$RC:$ERR" 1: 'a plugin that does nothing: status 1'
is "$(grep -c 'forget  failed$' <<<"$OUT")" 2 'a plugin that does nothing: both failed'
is "$(cd $WORK && echo given.*)" 'given.rail given.storage' 'it is run for the networks concerned'
is "$(jq -cS . $WORK/given.rail)" "$(jq -ncS '{cniVersion: "1.1.0", name: "rail", type: "roce",
	"cni.dev/valid-attachments": [{containerID: "c2", ifname: "net1"}]}')" 'it is given what is to stay'
is "$(jq -c '."cni.dev/valid-attachments"' $WORK/given.storage)" '[]' 'or that nothing is'
is "$(grep -E '^(CNI_|ROCE_)' $WORK/env.rail | sort | xargs)" "CNI_COMMAND=GC CNI_PATH=$WORK/fake ROCE_GC=leftovers" \
	'its environment'
fake $WORK/second true
CNI_PATH=/no/such:$WORK/second:$WORK/fake gc
is "$(sort -u $WORK/ran)" $WORK/second/roce 'the first one of CNI_PATH'
is "$(grep CNI_PATH $WORK/env.storage)" "CNI_PATH=/no/such:$WORK/second:$WORK/fake:$WORK/second" 'it has CNI_PATH, and its own folder'
fake /opt/cni/bin true
gc
is "$(sort -u $WORK/ran)" /opt/cni/bin/roce 'without CNI_PATH the one in /opt/cni/bin'
rm -r /opt/cni
mkdir $WORK/alone
cp "$BIN/rocectl" $WORK/alone/
ROCECTL=$WORK/alone/rocectl gc
is "$RC" 1 'no plugin: status 1'
is "$ERR" 'rocectl gc: the plugin roce is neither in CNI_PATH (not set) nor in /opt/cni/bin nor beside rocectl; name it by --plugin PATH' \
	'no plugin: it says where it looked'
is "$(grep -c 'forget  failed$' <<<"$OUT")" 2 'no plugin: both failed'
for path in /no/such $WORK $WORK/show.json; do
	gc --plugin $path
	is "$RC:$ERR" "1:rocectl gc: --plugin $path is no program" "--plugin $path"
done

# says SCRIPT ERE DESCRIPTION: what is said of a plugin that fails.
says() {
	fake $WORK/fake "$1"
	gc --plugin $WORK/fake/roce
	like "$RC:$ERR" "^1:.*$2" "$3"
}
says 'echo "{\"code\": 11, \"msg\": \"busy with $NET\", \"details\": \"and more\"}"; exit 1' \
	'rail: busy with rail
  and more' 'a plugin that refuses: its words'
like "$ERR" 'storage: busy with storage' 'a plugin that refuses: for the other network, too'
says 'echo junk; exit 3' "rail: $WORK/fake/roce failed with status 3 and said: junk" 'a plugin that prints junk'
says 'exit 3' 'failed with status 3 and said: nothing' 'a plugin that says nothing'
says 'kill -9 $$' "rail: $WORK/fake/roce was killed by signal 9" 'a plugin that is killed'
says 'yes | head -c 3000000; exit 1' "rail: $WORK/fake/roce cannot be run: File too large" 'a plugin that does not stop'
same "$before" "$(dump)" 'all that changes nothing'

# An IPAM plugin that is not found: the rest is done, and the journal is kept.
mkdir $WORK/lonely
cp "$BIN/roce" $WORK/lonely/
gc --plugin $WORK/lonely/roce
is "$RC:$(journals)" '1:c1:net1 c2:net1 c3:net1 c4:net1' 'the IPAM plugin is missing: status 1, the journals stay'
like "$ERR" "rail: not everything could be restored.*IPAM plugin roce-ipam is in none of the folders of CNI_PATH \($WORK/lonely\)" \
	'the IPAM plugin is missing: it says so'

# ---- the plugin itself ----

gc
is "$RC" 0 'gc succeeds'
is "$(grep -c 'forget  done$' <<<"$OUT")" 2 'both are done'
is "$(journals) $(leases)" 'c2:net1 c4:net1 c2:net1:0 c4:net1:0' 'what is alive has its journal and its address'
is "$(for pod in c2 c4; do ip -n $pod -o link show net1; done | wc -l)" 2 'and its device'
gc
is "$RC:$ERR:$OUT" "0::$HEADER" 'then nothing is left'

claim=$(find $STORE/devices -lname '*/rail/c2:net1')
target=$(readlink "$claim")
rm "$claim"
gc
is "$RC:$OUT $(leases)" "0:$HEADER c2:net1:0 c4:net1:0" 'a pod that has its device, but lost its claim, is spared'
ln -s "$target" "$claim"

# What has begun since rocectl looked is not in the list, but alive.
old() { # old NETWORK [NAME=VALUE]: a GC with a list that is out of date
	local network=$1
	shift
	cni GC '' '' '' "$(config ".name = \"$network\" | .\"cni.dev/valid-attachments\" = []")" "$@"
}
old rail ROCE_GC=leftovers
silent 'GC of leftovers only, with a list that is too old'
is "$(journals)" 'c2:net1 c4:net1' 'GC of leftovers only spares what is alive'
die c2
exec 9>$STORE/attachments/rail/.c2:net1.lock
flock 9
gc --dry-run
is "$OUT" "$HEADER" 'what somebody works on is not listed'
exec 9>&-
rm $STORE/attachments/rail/.c2:net1.lock
old rail ROCE_GC=leftovers
is "$CNI_RC $(journals)" '0 c4:net1' 'GC of leftovers only takes what is dead'
old third ROCE_GC=nonsense
is "$CNI_RC $(journals)" '0 ' 'any other value: the list alone counts'

# ---- what cannot be read ----

add c5 rail
add c6 rail
die c5 c6
printf '{' >$STORE/attachments/rail/c5:net1
gc -o json
is "$RC $(rows)" '1 [["rail","c6","orphan","done"]]' 'a broken journal: the others are done, status 1'
like "$ERR" "rocectl: $STORE: the journal attachments/rail/c5:net1 cannot be used" 'a broken journal: it is named'
rm $STORE/attachments/rail/c5:net1
chmod 0700 /run/roce-cni
OUT=$(setpriv --reuid 65534 --regid 65534 --clear-groups "$BIN/rocectl" gc --dry-run 2>&1)
is "$?:$OUT" "1:rocectl: cannot read $STORE: Permission denied; root can" 'not root'
done_testing || exit 1
