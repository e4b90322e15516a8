# shellcheck shell=bash
# Golden files: what rocectl printed once, read and found right. "make update-golden" writes them anew;
# git diff then shows what a change of the code does to every answer. Random MAC addresses are masked.
GOLDEN=tests/golden

# golden NAME STATUS OPTION...: "rocectl validate OPTION..." as text and as JSON, against the files
# NAME.txt and NAME.json. Both forms must end with STATUS.
golden() {
	local name=$1 status=$2 form file out rc
	shift 2
	for form in text json; do
		file=$name.txt
		[ $form = text ] || file=$name.json
		out=$("$BIN/rocectl" validate -o $form "$@" 2>&1)
		rc=$?
		out=$(sed -E 's/([0-9a-f]{2}:){5}[0-9a-f]{2}/MAC/' <<<"$out")
		is "$rc" "$status" "$name: exit status of the $form form"
		[ -z "${UPDATE_GOLDEN:-}" ] || printf '%s\n' "$out" >"$GOLDEN/$file"
		if [ "$(cat "$GOLDEN/$file" 2>&1)" = "$out" ]; then
			ok "$name: as in $GOLDEN/$file"
		else
			not_ok "$name: as in $GOLDEN/$file, but it printed:"
			sed "s/^/#+ $file /" <<<"$out" # golden_write() makes files of these
		fi
		[ $form = json ] ||
			is "$(awk 'length > 100' <<<"$out")" '' "$name: no line is longer than 100 columns"
	done
}

# golden_write: the answers among the lines of stdin, into their files; for tests that run where
# those cannot be written.
golden_write() {
	awk -v dir=$GOLDEN '/^#\+ / {file = dir "/" $2; sub(/^#\+ [^ ]+ ?/, ""); print > file}'
}
