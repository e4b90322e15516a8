#!/bin/bash
# rocectl mtu: every number against the tables of drivers and switches, written out here once more.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/world.sh
. tests/world.sh
world_enter "$@"
# shellcheck source=tests/tap.sh
. tests/tap.sh

# ask OPTION...: one question; sets OUT, ERR and RC.
ask() {
	OUT=$("$BIN/rocectl" mtu "$@" 2>/run/world/stderr)
	RC=$?
	ERR=$(</run/world/stderr)
}
# ask_json OPTION...: one question in JSON. Sets SUM: the numbers in one line; FRAME, ACTIVE, PERMITS:
# three of them; IDS: the findings. What must hold for any answer is looked at here and noted in ODD.
ODD=
ask_json() {
	local odd
	ask "$@" -o json
	{
		read -r SUM
		read -r IDS
		read -r odd || odd='no answer in JSON'
	} < <(jq -rs --argjson rc "$RC" 'length as $documents | .[0] |
		"\(.roceMTU) \(.minNetdevMTU) \(.netdevMTU) \(.activeMTU) \(.wireFrame) \(.switchPermits) \(.consistent)",
		"\([.findings[] | "\(.severity):\(.id)"] | join(" "))",
		"\([(if $documents != 1 then "not one document" else empty end),
			(if .consistent != ($rc == 0) then "status \($rc)" else empty end),
			(if .consistent != (all(.findings[]; .severity != "error")) then "errors" else empty end),
			(if keys_unsorted != ["roceMTU","minNetdevMTU","netdevMTU","activeMTU","wireFrame",
				"switchPermits","consistent","findings"] then "keys" else empty end),
			(.findings[] | select((.severity | IN("info", "warning", "error") | not)
				or (keys_unsorted - ["have", "want"] != ["severity","id","hop","text","fix"])
				or ([.severity, .id, .hop, .text, .fix] | any(type != "string"))
				or ([.id, .text, .fix] | any(. == ""))
				or (.hop == "" and .severity != "info")
				or (.text | test("\\(null\\)"))
				or (has("have") != has("want"))) | "finding \(.)")] | join("; "))"' <<<"$OUT" 2>&1)
	read -r _ _ _ ACTIVE FRAME PERMITS _ <<<"$SUM"
	[ -z "$odd" ] || ODD+="$*: $odd
"
}
# field FILTER: of the last answer.
field() { jq -r "$1" <<<"$OUT"; }

# ---- the answer ----

ask_json
is "$RC: $SUM" "0: 4096 4192 4192 4096 4182 null true" "no option: path MTU 4096, the least that carries it, no switch"
is "$(field '[.[] | type] | join(" ")')" "number number number number number null boolean array" "types of the members"
is "$IDS$ERR" "" "no option: nothing to say"
ask_json --switch-mtu 9216 --switch-semantics l3
is "$(field '.switchPermits | type')" number "switchPermits with a switch: a number"

# ---- path MTU, the least netdev MTU, the frame ----

while read -r roce least below v4 v6; do
	ask_json --roce-mtu "$roce"
	is "$RC: $SUM" "0: $roce $least $least $roce $v4 null true" "path MTU $roce: netdev MTU $least, frame $v4"
	ask_json --roce-mtu "$roce" --ipv6 --vlan-tags 0
	is "$RC: $SUM" "0: $roce $least $least $roce $v6 null true" "path MTU $roce, IPv6: frame $v6"
	for tags in 1 2; do
		ask_json --roce-mtu "$roce" --vlan-tags $tags
		is "$FRAME" $((v4 + 4 * tags)) "path MTU $roce, $tags tags: frame"
		ask_json --roce-mtu "$roce" --vlan-tags $tags --ipv6
		is "$FRAME" $((v6 + 4 * tags)) "path MTU $roce, IPv6, $tags tags: frame"
	done
	ask_json --roce-mtu "$roce" --netdev-mtu $((least - 1))
	is "$RC: $SUM $IDS" "1: $roce $least $((least - 1)) $below $v4 null false error:pod-mtu-below-roce-mtu" \
		"path MTU $roce, netdev MTU $((least - 1)): not consistent, it gives $below"
	is "$(field '.findings[0] | "\(.hop) \(.have) \(.want)"')" "pod $((least - 1)) $least" \
		"path MTU $roce, netdev MTU $((least - 1)): hop and numbers of the finding"
done <<'END'
256  352  0    342  362
512  608  256  598  618
1024 1120 512  1110 1130
2048 2144 1024 2134 2154
4096 4192 2048 4182 4202
END

# ---- drivers ----

# active DRIVER NETDEV-MTU WANT: the path MTU that the driver reports.
active() {
	ask_json --roce-mtu 256 --netdev-mtu "$2" --driver "$1"
	is "$ACTIVE:$ERR" "$3:" "driver $1, netdev MTU $2: active_mtu $3"
}
while read -r mtus kernel rxe raw; do
	for mtu in ${mtus//,/ }; do
		active mlx5_core "$mtu" "$kernel"
		active rdma_rxe "$mtu" "$rxe"
		active irdma "$mtu" "$raw"
	done
done <<'END'
1280,1500,1600      1024 1024 1024
2048                1024 1024 2048
2200                2048 2048 2048
4096                2048 2048 4096
4176,4191           2048 4096 4096
4192,4200,4220      4096 4096 4096
8896,9000,9100,9216 4096 4096 4096
END
while read -r driver least at below; do # the thresholds and one byte less
	active "$driver" "$least" "$at"
	active "$driver" $((least - 1)) "$below"
done <<'END'
mlx5_core 4192 4096 2048
mlx5_core 2144 2048 1024
mlx5_core 1120 1024 512
mlx5_core 608  512  256
mlx5_core 352  256  0
rdma_rxe  4176 4096 2048
rdma_rxe  2128 2048 1024
rdma_rxe  1104 1024 512
rdma_rxe  592  512  256
rdma_rxe  336  256  0
irdma     4096 4096 2048
irdma     2048 2048 1024
irdma     1024 1024 512
irdma     512  512  256
irdma     256  256  256
END
active irdma 68 256
for driver in mlx5_ib mlx4_core mlx4_en mlx4_ib bnxt_en bnxt_re hns3 hns_roce qede qedr be2net ocrdma; do
	active $driver 4100 2048
done
active rxe 4180 4096
for driver in ice i40e iavf idpf mana mana_ib erdma siw; do active $driver 4100 4096; done
ask_json --driver nonesuch --netdev-mtu 4191 --roce-mtu 2048
is "$RC $ACTIVE" "0 2048" "a driver that is not known: the kernel's formula"
like "$ERR" 'driver nonesuch is not known.*kernel' "a driver that is not known: stderr says so"

# A driver that counts too few headers changes what it reports, never what is needed.
for driver in mlx5_core rdma_rxe irdma; do
	ask_json --driver $driver --netdev-mtu 4191
	is "$RC $(field .minNetdevMTU) $IDS" "1 4192 error:pod-mtu-below-roce-mtu" "driver $driver, 4191: refused"
	ask_json --driver $driver --netdev-mtu 4192
	is "$RC $IDS" "0 " "driver $driver, 4192: consistent"
done
ask_json --netdev-mtu 4096
like "$(field '.findings[0].text')" '4096 does not carry RoCE path MTU 4096: .*4192 .*4200 .*gives a path MTU of 2048' \
	"netdev MTU 4096: the finding explains it"
is "$(field '.findings[0].fix')" 'write "mtu": 4200 (or 9000), or "roceMTU": 2048' "netdev MTU 4096: what mends it"
ask_json --netdev-mtu 4096 --driver irdma
like "$(field '.findings[0].text')" 'do not trust the 4096 that driver irdma reports' "netdev MTU 4096 on irdma: its number is no argument"
ask_json --netdev-mtu 4096 --driver mlx5_core
unlike "$(field '.findings[0].text')" 'trust' "netdev MTU 4096 on mlx5_core: which reports 2048 itself"
for question in "irdma 4096" "rdma_rxe 4176"; do
	ask_json --driver "${question% *}" --netdev-mtu "${question#* }" --roce-mtu 2048
	is "$RC $IDS" "0 warning:device-overstates-path-mtu" "driver $question, path MTU 2048: a warning"
	is "$(field '.findings[0] | "\(.have) \(.want)"')" "4096 2048" "driver $question, path MTU 2048: what it reports and what fits"
done
ask_json --driver irdma --netdev-mtu 4100 --roce-mtu 2048 --switch-mtu 4100 --switch-semantics l3
is "$RC $IDS $(field '.findings[0] | "\(.have) \(.want)"')" \
	"1 error:roce-packet-above-switch warning:device-overstates-path-mtu 4164 4100" \
	"driver irdma, 4100: applications that believe it send packets above the switch's limit"

# ---- switches ----

while read -r semantics tags permits least4200 least9000; do
	what="$semantics, $tags tags"
	ask_json --switch-mtu 9216 --switch-semantics "$semantics" --vlan-tags "$tags"
	is "$RC $PERMITS" "0 $permits" "$what: MTU 9216 permits $permits"
	for question in "4200 $least4200" "9000 $least9000"; do
		mtu=${question% *} least=${question#* }
		ask_json --netdev-mtu "$mtu" --switch-mtu "$least" --switch-semantics "$semantics" --vlan-tags "$tags"
		is "$RC $PERMITS $IDS" "0 $mtu " "$what: netdev MTU $mtu needs $least"
		ask_json --netdev-mtu "$mtu" --switch-mtu $((least - 1)) --switch-semantics "$semantics" --vlan-tags "$tags"
		is "$RC $PERMITS $IDS" "1 $((mtu - 1)) error:switch-mtu-too-small" "$what: $((least - 1)) is too small"
		like "$(field '.findings[0].fix')" "MTU to $least or more, or write \"mtu\": $((mtu - 1)) or less" "$what: the fix names $least"
		is "$(field '.findings[0] | "\(.have) \(.want)"')" "$((mtu - 1)) $mtu" "$what: numbers of the finding"
	done
done <<'END'
l3      0 9216 4200 9000
l3      1 9216 4200 9000
l3      2 9212 4204 9004
l2hdr   0 9202 4214 9014
l2hdr   1 9198 4218 9018
l2hdr   2 9194 4222 9022
l2frame 0 9198 4218 9018
l2frame 1 9194 4222 9022
l2frame 2 9190 4226 9026
END
ask_json --switch-mtu 1500 --switch-semantics l3
is "$RC $IDS" "1 error:switch-mtu-too-small error:roce-packet-above-switch" "a switch of MTU 1500 for path MTU 4096: both findings"

while read -r platform mtu semantics permits; do # "-": as it is delivered
	options=(--platform "$platform")
	[ "$mtu" = - ] || options+=(--switch-mtu "$mtu")
	got=
	for tags in 0 1 2; do
		ask_json --roce-mtu 256 "${options[@]}" --vlan-tags $tags
		got+="${got:+/}$PERMITS"
	done
	is "$RC $got" "0 $permits" "platform $platform, MTU $mtu: permits $permits"
	ask --roce-mtu 256 "${options[@]}" --switch-semantics "$semantics"
	is "$RC" 0 "platform $platform is $semantics"
	like "$OUT" "counts $semantics" "platform $platform is $semantics: says the text"
	for other in l3 l2hdr l2frame; do
		[ $other != "$semantics" ] || continue
		ask "${options[@]}" --switch-semantics $other
		is "$RC:$OUT" "2:" "platform $platform is not $other"
	done
done <<'END'
sonic   -    l3      9100/9100/9096
sonic   9216 l3      9216/9216/9212
cumulus -    l3      9216/9216/9212
mlxsw   -    l3      9216/9216/9212
eos     -    l3      1500/1500/1496
eos     9214 l3      9214/9214/9210
nxos    -    l3      1500/1500/1496
nxos    9216 l3      9216/9216/9212
junos   -    l2hdr   1500/1496/1492
junos   9216 l2hdr   9202/9198/9194
junos   9192 l2hdr   9178/9174/9170
srlinux 9216 l2hdr   9202/9198/9194
os9     9216 l2frame 9198/9194/9190
os10    9216 l2frame 9198/9194/9190
vrp     -    l2frame 9198/9194/9190
vrp     9216 l2frame 9198/9194/9190
END
for platform in srlinux os9 os10; do
	ask --platform $platform
	is "$RC:$OUT" "2:" "platform $platform is delivered with different MTUs: --switch-mtu is needed"
	like "$ERR" 'add --switch-mtu' "platform $platform: stderr says so"
done
ask_json --platform os10 --switch-mtu 9216
is "$RC $IDS" "0 info:platform-not-verified" "platform os10: an info that its class is a guess"
like "$(field '.findings[0].text')" '^switch as given: .* platform os10 .*not verified.* l2frame' "platform os10: what the info says"

# ---- text ----

while read -r options; do
	# shellcheck disable=SC2086
	ask_json $options
	json=$OUT status=$RC
	# shellcheck disable=SC2086
	ask $options
	text=$OUT
	is "$RC:$ERR" "$status:" "text, $options: status"
	number() { sed -n "s/^$1 *\([^ ].*\)/\1/p" <<<"$text" | cut -d' ' -f1; }
	got="$(number 'RoCE path MTU') $(number 'least netdev MTU') $(number 'netdev MTU') $(number 'gives RoCE path MTU') \
$(number 'largest RoCE frame') $(number 'switch permits') $(number verdict)"
	is "$got" "$(jq -r '"\(.roceMTU) \(.minNetdevMTU) \(.netdevMTU) \(.activeMTU) \(.wireFrame) \(.switchPermits // "") \(
		if .consistent then "consistent" else "NOT" end)"' <<<"$json")" "text, $options: the same numbers"
	is "$(sed '1,/^verdict/d' <<<"$text" | xargs -d '\n' echo | tr -s ' ')" \
		"$(jq -r '[.findings[] | "\(.severity): \(.id): \(.text) fix: \(.fix)"] | join(" ")' <<<"$json")" \
		"text, $options: the same findings"
	# shellcheck disable=SC2086
	ask $options -o text
	is "$OUT" "$text" "text, $options: -o text is the same"
done <<'END'
--roce-mtu 4096
--roce-mtu 1024 --ipv6 --vlan-tags 2
--netdev-mtu 4096 --driver irdma
--netdev-mtu 9000 --switch-mtu 9216 --switch-semantics l2frame --vlan-tags 1
--netdev-mtu 9000 --switch-mtu 9000 --switch-semantics l2frame --vlan-tags 2 --ipv6
--platform sonic --driver rdma_rxe --netdev-mtu 4176 --roce-mtu 2048
--platform os10 --switch-mtu 9216
END

# ---- questions that cannot be read ----

while IFS='|' read -r ere options; do
	# shellcheck disable=SC2086
	ask $options
	is "$RC:$OUT" "2:" "mtu $options: status 2, nothing on stdout"
	like "$ERR" "$ere" "mtu $options: stderr says why"
	# shellcheck disable=SC2086
	ask $options -o json
	is "$RC:$OUT" "2:" "mtu $options -o json: status 2, nothing on stdout"
done <<'END'
unrecognized option .*--nonsense|--nonsense
invalid option|-x
usage: rocectl mtu|4096
usage: rocectl mtu|--roce-mtu 4096 9000
--roce-mtu abc: must be BYTES|--roce-mtu abc
--roce-mtu 4096x: must be BYTES|--roce-mtu 4096x
--roce-mtu 4096\.0|--roce-mtu 4096.0
--roce-mtu 0x1000|--roce-mtu 0x1000
--roce-mtu 99999999999|--roce-mtu 99999999999
--roce-mtu must be 256, 512, 1024, 2048 or 4096|--roce-mtu 4200
--roce-mtu must be 256, 512, 1024, 2048 or 4096|--roce-mtu 0
--roce-mtu must be 256, 512, 1024, 2048 or 4096|--roce-mtu -4096
--roce-mtu must be 256, 512, 1024, 2048 or 4096|--roce-mtu 128
--roce-mtu must be 256, 512, 1024, 2048 or 4096|--roce-mtu 8192
--roce-mtu must be 256, 512, 1024, 2048 or 4096|--roce-mtu 768
must be 68 to 65535|--netdev-mtu 67
must be 68 to 65535|--netdev-mtu 65536
must be 68 to 65535|--switch-mtu 67 --switch-semantics l3
must be 68 to 65535|--switch-mtu 65536 --platform sonic
--vlan-tags must be 0, 1 or 2|--vlan-tags 3
--vlan-tags must be 0, 1 or 2|--vlan-tags -1
--switch-semantics l4|--switch-mtu 9216 --switch-semantics l4
--switch-mtu needs --switch-semantics|--switch-mtu 9216
--switch-mtu needs --switch-semantics|--switch-semantics l3
--platform and --switch-semantics contradict|--platform sonic --switch-semantics l2hdr
--platform and --switch-semantics contradict|--platform junos --switch-mtu 9192 --switch-semantics l3
platforms: sonic cumulus mlxsw eos nxos junos srlinux os9 os10 vrp|--platform nonesuch
platform.* eos.* 9214|--platform eos --switch-mtu 9216
platform.* sonic.* 9216|--platform sonic --switch-mtu 9217
END
ask -o yaml
is "$RC:$OUT" "2:" "mtu -o yaml: status 2, nothing on stdout"
like "$ERR" '--output yaml' "mtu -o yaml: stderr says why"
for option in --roce-mtu --netdev-mtu --vlan-tags --switch-mtu --switch-semantics --platform --driver --output -o; do
	ask $option
	is "$RC:$OUT" "2:" "mtu $option without argument: status 2, nothing on stdout"
	like "$ERR" "requires an argument" "mtu $option without argument: stderr says why"
done

for form in text json; do
	"$BIN/rocectl" mtu -o $form >/dev/full 2>/run/errors
	is "$?" 2 "mtu -o $form, nobody takes the answer: status 2"
	like "$(cat /run/errors)" 'cannot be written' "mtu -o $form, nobody takes the answer: stderr says why"
done

is "$ODD" "" "every answer in JSON: keys, status, verdict and findings agree with each other"

done_testing || exit 1
