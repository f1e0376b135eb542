# Makes the data of 'doca-admin which-api', see which_api.sh: the versions that have each name, the number of arguments of a name
# in each version, and the meaning of a name in each version. The first file is doc/api-changes.md, the second one has lines
# "VERSION NAME" with the contents of the headers.
#   awk -v versions="103 105 ..." -f which_api.awk CHANGES HAS
# Works with any awk.

BEGIN {
	n_versions = split(versions, order, " ")
	for (i = 1; i <= n_versions; i++)
		bit_of[i] = i == 1 ? 1 : 2 * bit_of[i - 1]
	FS = " *[|] *"
}

function number(text, parts) {
	split(text, parts, ".")
	return parts[1] * 100 + parts[2]
}

# Returns one bit for each version from the first to the last, in the order of the list.
function mask_of(first, last, mask, i) {
	mask = 0
	for (i = 1; i <= n_versions; i++)
		if (order[i] >= first && order[i] <= last)
			mask += bit_of[i]
	return mask
}

function either(a, b, mask, bit) {
	mask = 0
	for (bit = 1; a > 0 || b > 0; bit *= 2) {
		if (a % 2 || b % 2)
			mask += bit
		a = int(a / 2)
		b = int(b / 2)
	}
	return mask
}

# Parses "1.3, 2.0 to 2.2" or "2.5 on".
function mask_read(text, mask, ranges, ends, n, m, i) {
	mask = 0
	n = split(text, ranges, ", ")
	for (i = 1; i <= n; i++) {
		m = split(ranges[i], ends, " to ")
		if (ends[1] !~ /^[1-9][.][0-9]+( on)?$/)
			failed("the versions '" text "' are unclear")
		if (m == 2)
			mask = either(mask, mask_of(number(ends[1]), number(ends[2])))
		else if (sub(/ on$/, "", ends[1]))
			mask = either(mask, mask_of(number(ends[1]), 999))
		else
			mask = either(mask, mask_of(number(ends[1]), number(ends[1])))
	}
	return mask
}

function failed(text) {
	print "which_api.awk: " FILENAME ": " FNR ": " text >"/dev/stderr"
	n_failed++
}

# Counts the arguments of "type name(type, type (*)(type, type))". Returns -1 if it is no function,
# or takes any number.
function arguments(form, name, n, depth, i, c) {
	i = index(form, name "(")
	if (!i || form ~ /^typedef/ || form ~ /[.][.][.]/)
		return -1
	n = 1
	for (i += length(name); i <= length(form); i++) {
		c = substr(form, i, 1)
		if (c == "(") depth++
		if (c == ")" && --depth == 0) break
		if (c == "," && depth == 1) n++
	}
	return n
}

function quoted(text) {
	gsub(/`/, "", text)
	gsub(/\\/, "\\\\", text)
	gsub(/"/, "\\\"", text)
	return "\"" text "\""
}

# Names with another prefix may belong to other libraries.
function is_ours(name) {
	return name ~ /^(doca|DOCA)_/
}

function name_add(name, mask) {
	if (!is_ours(name))
		return
	if (!(name in name_mask)) {
		names[++n_names] = name
		name_mask[name] = 0
	}
	name_mask[name] = either(name_mask[name], mask)
}

function meaning_add(name, versions_text, text) {
	meanings[++n_meanings] = sprintf("\t{\"%s\", %d, %s, %s},", name, mask_read(versions_text),
					 quoted(versions_text), quoted(text))
}

FNR == 1 { n_files++ }

n_files == 1 && /^## The same spelling/ { kind = "form" }
n_files == 1 && /^## The same form/ { kind = "meaning" }

n_files == 1 && /^## doca_/ {
	kind = "name"
	split($0, heading, /[ ()]+/)
	header = heading[2]
	text = $0
	sub(/^[^(]*[(]/, "", text)
	sub(/[)].*$/, "", text)
	name_add(header, mask_read(text))
	n_headers++
}

n_files == 1 && /^\| `/ {
	name = $2
	gsub(/`/, "", name)
	mask = mask_read($3)
	if (kind == "name") {
		name_add(name, mask)
		later = $4
		gsub(/`/, "", later)
		if (later != "")
			name_later[name] = later
	} else if (kind == "meaning") {
		meaning_add(name, $3, $4)
	} else if (kind == "form") {
		text = $4
		gsub(/`/, "", text)
		if (text !~ /^the same;/)
			n_arguments = arguments(text, name)
		if (n_arguments >= 0)
			forms[++n_forms] = sprintf("\t{\"%s\", %d, %d},", name, mask, n_arguments)
		if (index(text, "; "))
			meaning_add(name, $3, substr(text, index(text, "; ") + 2))
		name_add(name, mask)
	}
}

# The names in the headers.
n_files > 1 {
	split($0, row, " ")
	if (row[2] ~ /^DOCA_(API_|USE_VERSION|ARCH_|MAKE_VERSION|BIND|ELSEWHERE)/ || row[2] ~ /_$/)
		next
	if (!(row[2] in offered) && !(row[2] in name_mask))
		names[++n_names] = row[2]
	offered[row[2]] = either(offered[row[2]] + 0, mask_of(row[1], row[1]))
}

END {
	print "/* Made by which_api.awk. */"
	print "#include \"tools/doca-admin/which_api/which_data.h\"\n"
	print "const unsigned which_versions[] = {"
	for (i = 1; i <= n_versions; i++)
		printf "\t%d,\n", order[i]
	print "};\nconst size_t which_n_versions = sizeof(which_versions) / sizeof(which_versions[0]);\n"
	print "const struct which_name which_names[] = {"
	for (i = 1; i <= n_names; i++) {
		name = names[i]
		later = (name in name_later) ? "\"" name_later[name] "\"" : "0"
		# A name without a row is the same in all versions that have it.
		listed = (name in name_mask) ? name_mask[name] : offered[name]
		printf "\t{\"%s\", %s, %d, %d},\n", name, later, listed, either(listed, offered[name] + 0)
	}
	print "};\nconst size_t which_n_names = sizeof(which_names) / sizeof(which_names[0]);\n"
	print "const struct which_form which_forms[] = {"
	for (i = 1; i <= n_forms; i++)
		print forms[i]
	print "};\nconst size_t which_n_forms = sizeof(which_forms) / sizeof(which_forms[0]);\n"
	print "const struct which_meaning which_meanings[] = {"
	for (i = 1; i <= n_meanings; i++)
		print meanings[i]
	print "};\nconst size_t which_n_meanings = sizeof(which_meanings) / sizeof(which_meanings[0]);"
	if (n_headers < 20 || n_names < 1000 || n_forms < 60 || n_meanings < 10)
		failed("too little was found: has the form of the tables changed?")
	exit n_failed > 0
}
