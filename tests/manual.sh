#!/bin/bash
# The manual against the code, both ways: man pages, completion, docs/validate.md. No list is kept here:
# what must be documented is what "rocectl help" prints and what is in the tables of the sources.
set -u
cd "$(dirname "$0")/.." || exit 1
# shellcheck source=tests/world.sh
. tests/world.sh
world_enter "$@"
# shellcheck source=tests/tap.sh
. tests/tap.sh
# shellcheck source=tests/cni.sh
. tests/cni.sh

MAN=docs/man
PAGES='roce.8 roce-ipam.8 rocectl.8 roce-profile.5'
WORK=/run/manual
mkdir -p $WORK

# ---- what the pages have ----

# section PAGE TITLE: one section or subsection.
section() { awk -v title="$2" '/^\.S[hs] /{on = substr($0, 5) == title} on' "$MAN/$1"; }
# items MACRO: the tags of this kind among the lines of stdin, sorted.
items() { sed -n "s/^\.It $1 //p" | sed 's/ , /\n/g' | sort; }
page_items() { items "$2" <"$MAN/$1"; }
# blocks PAGE: every literal block into a file, PAGE.1, PAGE.2, ...
blocks() {
	awk -v page="$WORK/$1" '/^\.Ed/ {on = 0} on {print > page "." n} /^\.Bd -literal/ {on = 1; n++}' "$MAN/$1"
	sed -i 's/\\-/-/g; s/\\(aq/'"'"'/g; s/\\e/\\/g' "$WORK/$1".*
}

is "$(cd $MAN && printf '%s\n' * | sort)" "$(printf '%s\n' $PAGES | sort)" 'there are these pages'
for page in $PAGES; do
	is "$(mandoc -T lint -W warning "$MAN/$page" 2>&1)" '' "$page: no warning"
	is "$(mandoc -T utf8 -W warning "$MAN/$page" 2>&1 >$WORK/page)" '' "$page: rendered without a word"
	run_ok "$page: rendered to its end" grep -q 'S.*E.*E.* A.*L.*S.*O' $WORK/page
	is "$(grep -oP '^\.Xr \Kroce\S* \d' "$MAN/$page" | sort -u | sed 's/ /./' | while read -r other; do
		[ -e "$MAN/$other" ] || echo "$other"; done)" '' "$page: the pages it refers to are there"
	blocks "$page"
done

# ---- rocectl: commands, options ----

commands=$("$BIN/rocectl" help | sed -n 's/^  \([a-z-]*\)  .*/\1/p')
same "$(awk '/^\.Sh /{on = $2 == "COMMANDS"} on && /^\.Ss /{print $2}' $MAN/rocectl.8)" "$commands" \
	'rocectl.8: every command, in the order of rocectl help'
for command in $commands; do
	same "$(section rocectl.8 "$command" | sed -n 's/^\.It Fl //p' |
		sed 's/Fl //; s/ Ar / /; s/^\([a-z]\) , -/-\1, --/; s/^-\([a-z]*-*[a-z]\)/-\1/; s/^-\([a-z][a-z]\)/--\1/')" \
		"$("$BIN/rocectl" help "$command" | sed -nE 's/^ +(-., )?(--[a-z0-9-]+)( ([^ ]+))? .*/\1\2 \4/p' | sed 's/ $//')" \
		"rocectl.8: every option of $command, with its argument"
	like "$(section rocectl.8 "$command")" "rocectl $command" "rocectl.8: how $command is called"
done
same "$(section rocectl.8 show | items Ql)" \
	"$(grep -oP 'set_state\([^"]*"\K[a-z]+' ctl/attached.c | sort -u)" 'rocectl.8: every state of an attachment'
for type in $(sed -n '/ peers\[\] = {/,/^};/s/^\t{ "\([a-z-]*\)".*/\1/p' conf/convert_keys.c); do
	is "$(section rocectl.8 convert | grep -cE "^\.Ql $type( |\$)")" 1 "rocectl.8: convert takes $type"
done

# ---- keys of configurations ----

# keys FILE: "TABLE KEY" for each key that a table has; a table is known by its function, or its own name.
keys() {
	awk '/^[a-z].*\(/ && !/;$/ {match($0, /[a-z0-9_]+\(/); name = substr($0, RSTART, RLENGTH - 1)}
		/struct (jx_key|ipamconf_note) [a-z_]+\[.*\] = \{/ {
			table = name
			if (/^[a-z]/) {match($0, /[a-z_]+\[/); table = substr($0, RSTART, RLENGTH - 1)}
			on = 1; next
		}
		/^\t*};/ {on = 0}
		on && match($0, /\{ "[^"]+"/) {print table, substr($0, RSTART + 3, RLENGTH - 4)}
		on && /CLASS\(0\)/ {print table, "N"}' "$1"
}

# Where the keys of a table stand in a configuration; "-" is its top.
places='roce.8 conf/netconf.c keys -
roce.8 conf/netconf.c read_ipam ipam.
roce.8 conf/netconf.c read_runtime runtimeConfig.
roce-ipam.8 ipam/ipamconf.c ipam_keys -
roce-ipam.8 ipam/ipamconf.c read_ip_range ipRanges[].
roce-ipam.8 ipam/ipamconf.c read_range_of_set ranges[][].
roce-ipam.8 ipam/fixed.c fixed_read addresses[].
roce-ipam.8 ipam/slice.c slice_read nodeSlice.
roce-ipam.8 ipam/foreign.c foreign -
roce-ipam.8 conf/result.c read_route routes[].
roce-profile.5 conf/profile.c profile_read -
roce-profile.5 conf/profile.c read_policies policy.
roce-profile.5 conf/profile.c read_ipam ipam.
roce-profile.5 conf/fabric.c fabric_read fabrics.NAME.
roce-profile.5 conf/fabric.c read_switch fabrics.NAME.switch.
roce-profile.5 conf/fabric.c read_class_mtu fabrics.NAME.switch.classMTU.
roce-profile.5 conf/fabric.c read_qos fabrics.NAME.qos.
roce-profile.5 conf/fabric.c read_vf_baseline fabrics.NAME.vfBaseline.
roce-profile.5 conf/fabric.c read_pf fabrics.NAME.pfs[].'
for page in roce.8 roce-ipam.8 roce-profile.5; do
	same "$(page_items "$page" Cm)" \
		"$(grep "^$page " <<<"$places" | while read -r _ file table prefix; do
			keys "$file" | sed -n "s/^$table /${prefix#-}/p"; done | sort)" "$page: every key, and no other"
done
for file in conf/netconf.c ipam/ipamconf.c ipam/fixed.c ipam/slice.c ipam/foreign.c conf/profile.c conf/fabric.c; do
	same "$(keys $file | cut -d ' ' -f 1 | sort -u)" \
		"$(sed -n "s|.* $file \([a-z_]*\) .*|\1|p" <<<"$places" | sort)" "$file: the place of every table is known"
done

# ---- profile: platforms, semantics, policies ----

same "$(section roce-profile.5 Platforms | sed -n 's/^\.It Sy //p' | sed 's/ Ta /|/g' | cut -d '|' -f 1,3-)" \
	"$(sed -n 's/^\t{ "\(.*\)", SWITCH_\(.*\), \(.*\), \(.*\), \(.*\), .*},/\1 \2 \3 \4 \5/p' conf/switch.c |
		awk '{range = $5 == 0 ? "any" : $4 == 0 ? "up to " $5 : $4 " to " $5
			print $1 "|" tolower($2) "|" ($3 ? $3 : "\\(em") "|" range}')" \
	'roce-profile.5: every platform, its semantics and MTUs'
is "$(section roce-profile.5 Platforms | sed -n '/^What the MTU of/,/not verified/s/^\.Ql //p')" \
	"$(sed -n 's/^\t{ "\(.*\)", SWITCH.* false },/\1/p' conf/switch.c)" 'roce-profile.5: the platforms that are not verified'
same "$(section roce-profile.5 "What a switch's MTU counts" | sed -n 's/^\.It Sy \([^ ]*\) .* Ta /\1 /p')" \
	"$(for semantics in $("$BIN/rocectl" help mtu | sed -n 's/.*--switch-semantics \([^ ]*\).*/\1/p' | tr '|' ' '); do
		echo "$semantics $(for tags in 0 1 2; do
			"$BIN/rocectl" mtu -o json --switch-mtu 9216 --switch-semantics "$semantics" --vlan-tags $tags |
				jq .switchPermits
		done | paste -sd , | sed 's/,/, /g')"
	done)" 'roce-profile.5: what 9216 permits, by each semantics'
same "$(section roce-profile.5 Policies | items Ql)" \
	"$(sed -n 's/^\t\[MTU_[A-Z]*\] = "\(.*\)",/\1/p' conf/profile.c | sort)" 'roce-profile.5: every policy'

# ---- plugins: verbs, variables, codes ----

verbs=$(sed -n '/verb_names\[/,/^};/p' conf/cniargs.c | grep -oP '= "\K[A-Z]+' | sort)
codes=$(sed -n 's/^\t\(CNI\|ROCE\)_\([A-Z_]*\) = \([0-9]*\),/\3 \2/p' base/err.h | grep -v '^0 ' | sort -n)
# used FILE...: the codes that these files answer with.
used() {
	grep -ohP '\b(CNI|ROCE)_\K[A-Z_]+' "$@" | sort -u |
		while read -r name; do grep " $name\$" <<<"$codes"; done | sort -n
}
for page in roce.8 roce-ipam.8; do is "$(page_items $page Ic)" "$verbs" "$page: every verb"; done
same "$(page_items roce.8 Ev)" \
	"$(grep -rhoP 'env\("\K[A-Z_]+' conf cni ipam netlink base | sort -u)" 'roce.8: every variable'
same "$(page_items rocectl.8 Ev)" "$(grep -rhoP 'env\("\K[A-Z_]+' ctl | sort -u)" 'rocectl.8: every variable'
same "$(sed -n 's/^\.It \([0-9]* [A-Z_]*\)$/\1/p' $MAN/roce.8)" "$codes" 'roce.8: every error code'
same "$(sed -n 's/^\.It \([0-9]* [A-Z_]*\)$/\1/p' $MAN/roce-ipam.8)" \
	"$(used ipam/*.c conf/cnicall.c conf/cniargs.c conf/jx.c conf/result.c)" 'roce-ipam.8: every error code it answers with'
same "$(awk '/^\.It [0-9]+ /{code = $2 " " $3} /^Not given at present/{print code}' $MAN/roce.8)" \
	"$(comm -23 <(sort <<<"$codes") <(used [!b]*/*.c base/[!e]*.c | sort) | sort -n)" \
	'roce.8: the codes that are not given'

# ---- the plugins, started by hand ----

versions=$(CNI_COMMAND=VERSION "$BIN/roce" </dev/null | jq -r '.supportedVersions | join(", ")')
# by_hand HOW PLUGIN [ARGUMENT]: without CNI_COMMAND; status in $rc, output in $WORK/out and $WORK/err.
by_hand() {
	local line="env -u CNI_COMMAND $BIN/$2 ${3:-} >$WORK/out 2>$WORK/err"
	case $1 in
	closed) timeout 10 sh -c "$line <&-" ;;
	empty) timeout 10 sh -c "$line </dev/null" ;;
	terminal) timeout 10 script -qec "$line" /dev/null >/dev/null </dev/null ;;
	esac
	rc=$?
}
for plugin in roce roce-ipam; do
	for how in closed empty terminal; do
		by_hand $how $plugin
		is "$rc $(stat -c %s $WORK/out)" '0 0' "$plugin by hand, stdin $how: status 0, nothing on stdout"
		mapfile -t lines <$WORK/err
		like "${lines[0]:-}" "^$plugin [0-9]+\.[0-9]+\.[0-9]+ - CNI (IPAM )?plugin: " "$plugin by hand, stdin $how: what it is"
		like "${lines[1]:-}" " $plugin\(8\)" "$plugin by hand, stdin $how: where the manual is"
		is "${lines[2]:-}" "CNI protocol versions supported: $versions" "$plugin by hand, stdin $how: the versions"
		is "${#lines[@]} $(awk 'length > 100' $WORK/err)" '3 ' "$plugin by hand, stdin $how: nothing else"
	done
	by_hand empty $plugin --help
	is "$rc $(stat -c %s $WORK/out) $(wc -l <$WORK/err)" '0 0 3' "$plugin --help: the same"
done

# ---- completion ----

# complete_words WORD...: what TAB offers after these words, sorted, one a line.
complete_words() (
	# shellcheck source=docs/completion/rocectl.bash
	. docs/completion/rocectl.bash
	_rocectl_devices() { printf '%s\n' 0000:03:00.2 0000:03:00.3 0000:5e:10.0; } # no PCI bus is needed
	# shellcheck disable=SC2034
	COMP_WORDS=("$BIN/rocectl" "$@") COMP_CWORD=$#
	_rocectl
	printf '%s\n' ${COMPREPLY[@]+"${COMPREPLY[@]}"} | sort
)
# options COMMAND: its table in the source: "LETTER NAME ARGUMENT"
options() {
	sed -nE "s/^\t\{ \"([a-z0-9-]+)\", ('(.)'|0), (NULL|\"([^\"]*)\").*/\1 \3 \5/p" "ctl/$1.c" |
		awk 'NF == 3 {print "-" $2, $3; print "--" $1, $3} NF == 2 {print "--" $1, $2} NF == 1 {print "--" $1}'
}

like "$(complete -p rocectl 2>&1; . docs/completion/rocectl.bash; complete -p rocectl)" \
	'complete -F _rocectl rocectl' 'completion: registered'
same "$(complete_words '')" "$(printf '%s\nhelp\n' "$commands" | sort)" 'completion: every command'
is "$(complete_words va)" validate 'completion: a command by its beginning'
same "$(complete_words help '')" "$(complete_words '')" 'completion: help takes a command'
is "$(complete_words nonsense --)" '' 'completion: nothing for an unknown command'
for command in $commands; do
	same "$(complete_words "$command" -)" "$(options "$command" | grep -oP '^--[^ ]+' | sort)" \
		"completion: every option of $command"
	while read -r option arg; do
		case $arg in
		*\|*)
			same "$(complete_words "$command" "$option" '')" "$(tr '|' '\n' <<<"$arg" | sort)" \
				"completion: $command $option has its values"
			[[ $option != --* ]] ||
				same "$(complete_words "$command" "$option" = '')" "$(tr '|' '\n' <<<"$arg" | sort)" \
					"completion: $command $option= has its values"
			;;
		FILE | PATH)
			same "$(complete_words "$command" "$option" examples/pr)" "$(ls examples/pr*)" \
				"completion: $command $option takes a file"
			;;
		esac
	done < <(options "$command")
	"$BIN/rocectl" help "$command" | head -n 1 | grep -q FILE && wanted=$(ls examples/n*) || wanted=
	is "$(complete_words "$command" examples/n)" "$wanted" "completion: operands of $command"
done
platforms=$(sed -n 's/^\t{ "\(.*\)", SWITCH_.*/\1/p' conf/switch.c | sort)
same "$(complete_words mtu --platform '')" "$platforms" 'completion: every platform'
same "$(complete_words mtu --platform = s)" "$(grep ^s <<<"$platforms")" 'completion: platforms by their beginning'
same "$(complete_words validate --device '')" '0000:03:00.2
0000:03:00.3
0000:5e:10.0' 'completion: the VFs'
same "$(complete_words validate --device 0000 : 03)" '03:00.2
03:00.3' 'completion: a VF, split at its colons'
same "$(complete_words validate --device = 0000 : 5e : 1)" 10.0 'completion: a VF behind "="'
is "$(complete_words validate --offline examples/profile.j)" examples/profile.json 'completion: a file after an option'

# ---- what is printed in the pages is what is printed ----

PATH=$BIN:$PATH
# shown PAGE FIRST-LINE: the block of a page that starts so.
shown() { grep -lxF -- "$2" "$WORK/$1".* | head -n 1 | xargs cat; }
# printed COMMAND: the command as in a page, and what it prints.
printed() { printf '$ %s\n' "$1"; (cd $WORK && eval "$1" 2>&1); }

for block in $WORK/*.[58].*; do
	case $(head -n 1 "$block") in
	'apiVersion:'*) kind=yaml ;;
	'{'*) kind=$(jq -r 'if .type or .version then "json" else empty end' "$block" 2>/dev/null) ;;
	*) kind= ;;
	esac
	[ -z "$kind" ] || run_ok "${block##*/}: the example is valid" rocectl validate --offline "$block"
done
command=$(sed -n 's/^\$ \(rocectl mtu .*\)/\1/p' $WORK/rocectl.8.* | head -n 1)
same "$(shown rocectl.8 "\$ $command")" "$(printed "$command")" 'rocectl.8: the answer of mtu'

world_veth rdma0 port0 1500
ip link set rdma0 address 02:00:5e:00:53:01
world_profile '{"version": 1, "fabrics": {"rail": {"switch": {"mtu": 9216, "semantics": "l3"},
	"pfs": [{"name": "rdma*"}]}}}'
cp "$(grep -l '"device": "rdma0", "mtu"' $WORK/roce.8.*)" $WORK/network.json
same "$(shown rocectl.8 '$ rocectl validate network.json')" "$(printed 'rocectl validate network.json')" \
	'rocectl.8: the answer of validate'
ip link set port0 mtu 9000
ip netns add pod1
cni ADD c1 /run/netns/pod1 net1 "$(cat $WORK/network.json)" 'CNI_ARGS=K8S_POD_NAMESPACE=ml;K8S_POD_NAME=trainer-0'
same "$(jq -S . "$(grep -l '"interfaces":' $WORK/roce.8.*)")" "$(jq -S . <<<"$CNI_OUT")" 'roce.8: the result of an ADD'
same "$(shown rocectl.8 '$ rocectl show')" "$(printed 'rocectl show' | sed 's/ [1-9][0-9]*s$/ 0s/')" \
	'rocectl.8: the answer of show'
record=/run/roce-ipam/rail-a/10.56.0.2
same "$(shown roce-ipam.8 "\$ cat $record" | sed -E 's/^(node|boot|time|crc32) .*/\1/')" \
	"$(printed "cat $record" | sed -E 's/^(node|boot|time|crc32) .*/\1/')" 'roce-ipam.8: the record of an address'
for file in $(page_items roce.8 Pa; page_items roce-ipam.8 Pa); do
	file=$(sed 's|NETWORK|rail-a|; s|CONTAINER:IFNAME|c1:net1|; s|:RANGE|:0|; s|/ADDRESS|/10.56.0.2|; s|/DEVICE|/netdev-*|' <<<"$file")
	run_ok "$file is there" eval "test -e $file"
done
cni DEL c1 /run/netns/pod1 net1 "$(cat $WORK/network.json)"
ip netns del pod1

# ---- docs/validate.md: ids ----

# The id is an argument of the functions that make a finding, or in the table of what forbids a device.
ids=$(python3 - <<'END'
import glob, re

PLACE = {'finding_add': 3, 'hop_finding': 2, 'pod_finding': 2, 'at': 2, 'refuse_setting': 2, 'refuse_rdma': 1}
def arguments(text):
    depth, part = 0, ''
    for c in re.findall(r'"(?:\\.|[^"\\])*"|.', text, re.S):
        depth += (c == '(') - (c == ')')
        if depth < 0: break
        if c == ',' and depth == 0: yield part; part = ''
        else: part += c
    yield part
found = set()
for file in glob.glob('*/*.c'):
    text = open(file).read()
    for call in re.finditer(r'\b(finding_add|hop_finding|pod_finding|at|refuse_setting|refuse_rdma)\(', text):
        args = list(arguments(text[call.end():]))
        if len(args) > PLACE[call[1]]:
            found.update(re.findall(r'"([a-z-]+)"', args[PLACE[call[1]]]))
    for bars in re.findall(r'struct bar bars\[\] = \{(.*?)\n\t\};', text, re.S):
        found.update(re.findall(r'\{[^"{}]*,\s*"([a-z-]+)"', bars))
    for names in re.findall(r'error_id\(const struct err.*?\n\}', text, re.S):
        found.update(re.findall(r'return "([a-z-]+)"', names))
print('\n'.join(sorted(found)))
END
)
DOC=docs/validate.md
named_ids() { sed -n 's/^| `\([a-z-]*\)` | .*/\1/p'; }
part() { awk -v from="$1" -v to="$2" '$0 ~ to {on = 0} $0 ~ from {on = 1} on' $DOC; }
same "$(part '^## Findings' '^Any other error' | named_ids | sort)" "$ids" "$DOC: every id of a finding, and no other"
lower=$(sed 's/^\([0-9]*\) \(.*\)/\2 \1/' <<<"$codes" | tr 'A-Z_' 'a-z-' | sort)
same "$(part '^Any other error' '^## Without root' | sed -n 's/^| `\([a-z-]*\)` | \([0-9]*\) |.*/\1 \2/p' | sort |
	comm -23 - <(echo "$lower"))" '' "$DOC: the other ids are names of codes, with their number"
same "$(jq -r '.reports[].findings[].id' tests/golden/*.json | sort -u | comm -23 - <(named_ids <$DOC | sort))" '' \
	"$DOC: every id of the golden answers"
same "$(part '^## Findings' '^Any other error' | sed -n 's/^| `.*` | .* | \([0-9]\{1,\}\) | .*/\1/p' | sort -un |
	while read -r code; do grep "^$code " <<<"$codes" >/dev/null || echo "$code"; done)" '' "$DOC: the codes exist"

# ---- docs/validate.schema.json ----

SCHEMA=docs/validate.schema.json
# by_schema FILE...: what is wrong with these answers; a field that the schema does not have is wrong, too.
by_schema() {
	python3 -W ignore - "$SCHEMA" "$@" <<'END'
import json, sys, jsonschema

def close(node):
    if isinstance(node, dict):
        if 'properties' in node: node['additionalProperties'] = False
        node = list(node.values())
    if isinstance(node, list):
        for child in node: close(child)
schema = json.load(open(sys.argv[1]))
jsonschema.Draft202012Validator.check_schema(schema)
close(schema)
for file in sys.argv[2:]:
    try:
        answer = json.load(open(file))
    except ValueError as e:
        print(file, e)
        continue
    for e in jsonschema.Draft202012Validator(schema).iter_errors(answer):
        print(file, list(e.path), e.message)
END
}
answers=0
# answer STATUS ARGUMENT...: a real answer, to be validated with the others.
answer() {
	local status=$1
	shift
	answers=$((answers + 1))
	rocectl validate -o json "$@" >$WORK/answer.$answers 2>$WORK/answer.err
	is "$? $(cat $WORK/answer.err)" "$status " "validate -o json $*"
}
printf '{"version": 1, "fabricss": {}}' >$WORK/profile.json
printf '{"colour": "blue"}' >$WORK/unknown.json
jq '.mtu = 9100 | .nmae = 1' $WORK/network.json >$WORK/wrong.json
jq '.mtu = 9100' $WORK/network.json >$WORK/large.json
answer 0 --offline examples/nad-vf.yaml examples/nad-netdev.json examples/podman.conflist examples/pod.yaml
answer 1 --offline $WORK/wrong.json $WORK/profile.json $WORK/unknown.json
answer 2 --offline $WORK/nothing.json
answer 0 $WORK/network.json
answer 1 --strict --ifname eth0 $WORK/large.json
answer 1 examples/nad-vf.yaml $WORK/network.json
same "$(by_schema $WORK/answer.[0-9]*)" '' "$SCHEMA: real answers"
same "$(by_schema tests/golden/*.json)" '' "$SCHEMA: the golden answers"
is "$(jq -r '[.reports[] | select(.steps)] | length' $WORK/answer.4)" 1 'the answers have a plan'
while read -r filter; do
	jq "$filter" $WORK/answer.5 >$WORK/broken
	unlike "$(by_schema $WORK/broken)" '^$' "$SCHEMA refuses: $filter"
done <<'END'
del(.ok)
.schemaVersion = "2.0"
.networks = -1
.reports[0].what = "net"
del(.reports[0].steps)
.reports[0].findings[0].severity = "fatal"
.reports[0].findings[0].id = "PORT_MTU"
del(.reports[0].findings[0].want)
del(.reports[0].chain.hops[0].maximum)
.reports[0].chain.hops[0].kind = "bond"
.reports[0].steps[0].type = "magic"
.reports[0].nextAddresses[0] = "10.56.0.2"
.reports[0].colour = "blue"
END

# names FILTER: an enum of the schema; listed FIELD: the same in the document's table.
names() { jq -r "$1 | .[]" $SCHEMA | sort; }
fields=$(part '^## The JSON answer' '^## none' | sed -n 's/^| \(`.*`\) | [a-z].* | .*/\1/p' | grep -oP '`\K[a-zA-Z]+' | sort -u)
same "$fields" "$(jq -r '.. | .properties? // empty | keys[]' $SCHEMA | sort -u)" "$DOC: every field of the schema"
kinds=$(sed -n '/^const char .mtu_hop_kind_name/,/};/p' conf/mtu.c | grep -oP '= "\K[a-zA-Z]+' | sort)
types=$(sed -n '/^static const struct type types\[/,/^};/p' cni/step.c | grep -oP '= \{ "\K[a-z-]+' | sort)
whats=$(grep -ohP '(\.what = |new_report\(.*, )"\K[a-z]+' ctl/validate.c | sort -u)
same "$(names '."$defs".hop.properties.kind.enum')" "$kinds" "$SCHEMA: every kind of hop"
same "$(names '."$defs".step.properties.type.enum')" "$types" "$SCHEMA: every type of step"
same "$(names '."$defs".report.properties.what.enum')" "$whats" "$SCHEMA: every kind of report"
for field in kind:"$kinds" type:"$types" what:"$whats"; do
	for name in ${field#*:}; do
		like "$(grep "^| .${field%%:*}. |" $DOC)" "\`$name\`" "$DOC: ${field%%:*} $name"
	done
done
like "$(part '^## The JSON answer' '^## none')" \
	"\`$(sed -n 's/.*REPORT_SCHEMA_VERSION "\(.*\)"/\1/p' ctl/report.h)\`" "$DOC: the schema's version"

# ---- make install ----

run_ok 'make install' make -s -o all install DESTDIR=$WORK/dest PREFIX=/usr CNI_DIR=/opt/cni/bin
same "$(cd $WORK/dest && find . -type f -printf '%m %P\n' | sort)" "$({
	printf '755 %s\n' opt/cni/bin/roce opt/cni/bin/roce-ipam usr/bin/rocectl
	for page in $PAGES; do echo "644 usr/share/man/man${page##*.}/$page"; done
	echo 644 usr/share/bash-completion/completions/rocectl
} | sort)" 'make install: binaries, pages and completion, and nothing else'
done_testing || exit 1
