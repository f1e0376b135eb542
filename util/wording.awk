# Makes the table of util/wording.c: names in sentences of the library that programs of some versions do not know, and their names
# in these versions. The first file is doc/api-changes.md, the others are the library's sources.
#   awk -v versions="103 105 ..." -f wording.awk CHANGES SOURCE...
# Works with any awk.

BEGIN {
	n_versions = split(versions, order, " ")
	FS = " *[|] *"
}

function number(text, parts) {
	split(text, parts, ".")
	return parts[1] * 100 + parts[2]
}

# Records that the versions in a text such as "1.3, 2.0 to 2.2" or "2.5 on" have the name.
function note(name, text, ranges, ends, n, m, i, k, first, last) {
	n = split(text, ranges, ", ")
	for (i = 1; i <= n; i++) {
		m = split(ranges[i], ends, " to ")
		last = m == 2 ? number(ends[2]) : sub(/ on$/, "", ends[1]) ? 999 : number(ends[1])
		first = number(ends[1])
		for (k = 1; k <= n_versions; k++)
			if (order[k] >= first && order[k] <= last)
				has[name, order[k]] = 1
	}
	is_known[name] = 1
}

FNR == 1 { n_files++ }

n_files == 1 && /^## doca_/ {
	split($0, heading, /[ ()]+/)
	header = heading[2]
	sub(/[.]h$/, "", header)
	text = $0
	sub(/^[^(]*[(]/, "", text)
	sub(/[)].*$/, "", text)
	note(header, text)
	is_header[header] = 1
	in_names = 1
}

n_files == 1 && /^\| `/ {
	gsub(/`/, "")
	note($2, $3)
	if (in_names && $4 != "")
		former[$4] = former[$4] " " $2
}

# Names in string literals.
n_files > 1 && /"/ {
	line = $0
	while (match(line, /"([^"\\]|\\.)*"/)) {
		text = substr(line, RSTART, RLENGTH)
		line = substr(line, RSTART + RLENGTH)
		while (match(text, /(doca|DOCA)_[A-Za-z0-9_]*[A-Za-z0-9]/)) {
			name = substr(text, RSTART, RLENGTH)
			text = substr(text, RSTART + RLENGTH)
			if (!(name in is_said) && name !~ /^DOCA_ERROR_/) {
				is_said[name] = 1
				said[++n_said] = name
			}
		}
	}
}

# A name without a row exists in the versions of its header: the longest header name that is a prefix of
# it.
function versions_of(name, prefix) {
	if (name in is_known)
		return name
	prefix = tolower(name)
	while (sub(/_[^_]*$/, "", prefix))
		if (prefix in is_header)
			return prefix
	return ""
}

# Returns the name to use in that version, or "".
function instead_of(name, version, list, n, i) {
	n = split(former[name], list, " ")
	for (i = 1; i <= n; i++)
		if ((list[i], version) in has)
			return list[i]
	return ""
}

END {
	print "/* Made by wording.awk. */"
	print "#include \"util/wording.h\"\n"
	print "const struct wording_name wording_names[] = {"
	for (i = 1; i <= n_said; i++) {
		name = said[i]
		source = versions_of(name)
		# From 2.7 on, all names are those of the newest version.
		for (k = 1; k <= n_versions && order[k] < 207; k++) {
			instead = instead_of(name, order[k])
			if (source == "" ? instead == "" : ((source, order[k]) in has))
				continue
			n_rows++
			printf "\t{\"%s\", %d, %d, %s},\n", name, order[k],
				k < n_versions ? order[k + 1] - 1 : 999, instead == "" ? "0" : "\"" instead "\""
		}
	}
	print "};\nconst size_t wording_n_names = sizeof(wording_names) / sizeof(wording_names[0]);"
	if (n_rows < 100) {
		print "wording.awk: too little was found: has the form of the tables or sources changed?" >"/dev/stderr"
		exit 1
	}
}
