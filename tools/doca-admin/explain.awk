# Makes the data of 'doca-admin explain' from the sources: what a function's doc block says about
# each result code (public headers), and the sentences that the library and the daemon record.
#   awk -f explain.awk HEADER... SOURCE...
# Works with any awk.

function escaped(text) {
	gsub(/\\/, "\\\\", text)
	gsub(/"/, "\\\"", text)
	return text
}

function basename(path) {
	sub(/^.*\//, "", path)
	return path
}

function flush_code() {
	if (code != "") {
		n_codes++
		codes[n_codes] = code
		texts[n_codes] = text
	}
	code = ""
}

# One line of a doc block, without its ornament.
function doc_line(line) {
	if (match(line, /^- DOCA_ERROR_[A-Z_]+: /)) {
		flush_code()
		code = substr(line, 3, RLENGTH - 4)
		text = substr(line, RLENGTH + 1)
	} else if (line ~ /^(@|States:|Threads:|Since|Until|- )/) {
		flush_code()
	} else if (code != "") {
		text = text " " line
	}
}

# A declaration begins: the first name before a parenthesis is the function's.
function declaration(line) {
	if (!match(line, /(doca|dococ)_[a-z0-9_]+\(/))
		return 0
	name = substr(line, RSTART, RLENGTH - 1)
	for (i = 1; i <= n_codes; i++) {
		key = name SUBSEP codes[i] SUBSEP texts[i]
		if (key in known)
			continue
		known[key] = 1
		n_rows++
		rows[n_rows] = sprintf("\t{\"%s\", \"%s\", \"%s\", \"%s\"},", name, codes[i],
				       basename(FILENAME), escaped(texts[i]))
	}
	return 1
}

# All of a source as one string: calls go over several lines.
function source_end() {
	# The second kind stands in tables of what can be wrong.
	while (match(source, /(error_(set|note|hint)\(|\] = \{)[ \t\n]*DOCA_ERROR_[A-Z_]+,[ \t\n]*"/) ||
	       match(source, /refuse\([ \t\n]*[a-z>.-]+,[ \t\n]*packet->id,[ \t\n]*CODE_[A-Z_]+,[ \t\n]*"/)) {
		call = substr(source, RSTART, RLENGTH)
		rest = substr(source, RSTART + RLENGTH - 1)
		match(call, /(DOCA_ERROR|CODE)_[A-Z_]+/)
		sentence_code = substr(call, RSTART, RLENGTH)
		sub(/^CODE_/, "DOCA_ERROR_", sentence_code)
		sentence = ""
		# String literals in a row, with what is left of them as they stand.
		while (match(rest, /^[ \t\n]*"([^"\\]|\\.)*"/)) {
			literal = substr(rest, 1, RLENGTH)
			rest = substr(rest, RLENGTH + 1)
			sub(/^[ \t\n]*"/, "", literal)
			sub(/"$/, "", literal)
			sentence = sentence literal
		}
		source = rest
		key = sentence_code SUBSEP sentence
		if (key in known || length(sentence) < 12)
			continue
		known[key] = 1
		n_sentences++
		sentences[n_sentences] = sprintf("\t{\"%s\", \"%s\"},", sentence_code, sentence)
	}
	source = ""
}

FNR == 1 {
	source_end()
	is_header = FILENAME ~ /\.h$/
	in_doc = 0
	pending = 0
	n_codes = 0
}

!is_header {
	source = source $0 "\n"
	next
}

/^[ \t]*\/\*\*/ {
	in_doc = 1
	n_codes = 0
	code = ""
}

in_doc {
	line = $0
	sub(/^[ \t]*\/?\*+\/?[ \t]?/, "", line)
	sub(/[ \t]*\*\/[ \t]*$/, "", line)
	sub(/^[ \t]+/, "", line)
	doc_line(line)
	if ($0 ~ /\*\//) {
		flush_code()
		in_doc = 0
		pending = n_codes > 0
	}
	next
}

pending && declaration($0) { pending = 0 }

END {
	source_end()
	print "/* Made by explain.awk. */"
	print "#include \"tools/doca-admin/explain_data.h\"\n"
	print "const struct explain_function explain_functions[] = {"
	for (i = 1; i <= n_rows; i++)
		print rows[i]
	print "};\nconst size_t explain_n_functions = sizeof(explain_functions) / sizeof(explain_functions[0]);\n"
	print "const struct explain_sentence explain_sentences[] = {"
	for (i = 1; i <= n_sentences; i++)
		print sentences[i]
	print "};\nconst size_t explain_n_sentences = sizeof(explain_sentences) / sizeof(explain_sentences[0]);"
	if (n_rows < 100 || n_sentences < 100) {
		print "explain.awk: too little was found: has the form of doc blocks or calls changed?" > "/dev/stderr"
		exit 1
	}
}
