# shellcheck shell=bash
# Golden files: what rocectl printed once, read and found right. "make update-golden" writes them anew;
# git diff then shows what a change of the code does to every answer.
GOLDEN=tests/golden

# golden NAME STATUS OPTION...: "rocectl validate OPTION..." as text and as JSON, against the files
# NAME.txt and NAME.json. Both forms must end with STATUS.
golden() {
	local name=$1 status=$2 form file out rc
	shift 2
	for form in text json; do
		file=$GOLDEN/$name.txt
		[ $form = text ] || file=$GOLDEN/$name.json
		out=$("$BIN/rocectl" validate -o $form "$@" 2>&1)
		rc=$?
		is "$rc" "$status" "$name: exit status of the $form form"
		[ -z "${UPDATE_GOLDEN:-}" ] || printf '%s\n' "$out" >"$file"
		same "$(cat "$file" 2>&1)" "$out" "$name: $file"
		[ $form = json ] ||
			is "$(awk 'length > 100' <<<"$out")" '' "$name: no line is longer than 100 columns"
	done
}
