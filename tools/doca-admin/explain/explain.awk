# Makes the data of 'doca-admin explain' from the sources: the explanation of each result code in a
# function's doc block (public headers), and the sentences that the library and the daemon record.
#   awk -f explain.awk HEADER... SOURCE...
# Works with any awk.

function escaped(text) {
	gsub(/\\/, "\\\\", text)
	gsub(/"/, "\\\"", text)
	return text
}

# The header that programs include: parts in dococ/ come with the one that chooses between them.
function header_of(path) {
	if (sub(/^.*\/dococ\//, "doca_", path)) {
		sub(/^doca_rdma_.*/, "doca_rdma.h", path)
		sub(/_(task|workq|former)\.h$/, ".h", path)
	}
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

# Returns one line of a doc block, without the comment marks.
function doc_line(line) {
	if (line ~ /^States: /)
		states = substr(line, 9)
	else if (is_states && line !~ /^(@|Threads:|Since|Until|- |$)/)
		states = states " " line
	is_states = line ~ /^States: / || is_states && line !~ /^(@|Threads:|Since|Until|- |$)/
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

# Adds the errors that the header's top comment lists once for all functions. A text about a "States:" line applies to the
# functions whose doc blocks have such a line, or to those that have none. A doc block's own text about BAD_STATE is more
# exact than the common one.
function add_common_codes(header, line, i, k, text, has_own) {
	if (line !~ /doca_error_t /)
		return
	has_own = 0
	for (k = 1; k <= n_codes; k++)
		has_own = has_own || codes[k] == "DOCA_ERROR_BAD_STATE"
	for (i = 1; i <= n_common[header]; i++) {
		text = common_texts[header, i]
		if (text ~ /of the "States:" line/ && states == "" || text ~ /without a "States:" line/ && states != "")
			continue
		if (has_own && common_codes[header, i] == "DOCA_ERROR_BAD_STATE")
			continue
		sub(/a call without a "States:" line was made/, "the call was made", text)
		if (text ~ /of the "States:" line/)
			text = "the state of the object does not permit the call, which needs: " states
		n_codes++
		codes[n_codes] = common_codes[header, i]
		texts[n_codes] = text
	}
}

# Handles a line of a header's top comment.
function top_line(line, header) {
	if (line ~ /^Errors that the doc blocks do not repeat:/) {
		in_common = 1
	} else if (in_common && match(line, /^- DOCA_ERROR_[A-Z_]+: /)) {
		in_common = 2
		n_common[header]++
		common_codes[header, n_common[header]] = substr(line, 3, RLENGTH - 4)
		common_texts[header, n_common[header]] = substr(line, RLENGTH + 1)
	} else if (in_common == 2 && line != "") {
		common_texts[header, n_common[header]] = common_texts[header, n_common[header]] " " line
	} else if (in_common == 2) {
		in_common = 0
	}
}

# A declaration begins: the name before the first parenthesis is the function's. If the function has several forms, the
# declaration ends with the version that introduced this form: DOCA_BIND(name, 2_0).
function declaration(line) {
	if (!match(line, /(doca|dococ)_[a-z0-9_]+\(/))
		return 0
	name = substr(line, RSTART, RLENGTH - 1)
	add_common_codes(header_of(FILENAME), previous " " line)
	first_row = n_rows + 1
	for (i = 1; i <= n_codes; i++) {
		key = name SUBSEP codes[i] SUBSEP texts[i]
		# A code that the call never returns needs no explanation.
		if (texts[i] ~ /^not given here/)
			continue
		# Several forms have the same text.
		if (key in known) {
			is_for_all[known[key]] = 1
			continue
		}
		known[key] = ++n_rows
		rows[n_rows] = sprintf("\t{\"%s\", \"%s\", \"%s\", \"%s\"", name, codes[i],
				       header_of(FILENAME), escaped(texts[i]))
		since[n_rows] = ""
	}
	is_declaration = 1
	return 1
}

# Handles a line of a declaration, up to its end.
function declaration_line(line, text) {
	if (match(line, /DOCA_BIND\([a-z0-9_]+, [0-9]+_[0-9]+\)/)) {
		text = substr(line, RSTART, RLENGTH - 1)
		sub(/.*, /, "", text)
		sub(/_/, ".", text)
		for (i = first_row; i <= n_rows; i++)
			since[i] = text
	}
	if (line ~ /;/)
		is_declaration = 0
}

function sentence_add(code, sentence, key, letters) {
	key = code SUBSEP sentence SUBSEP
	letters = sentence
	gsub(/%[-0-9.*#lhzjt]*[a-zA-Z]/, "", letters)
	gsub(/[^a-zA-Z]/, "", letters)
	# Without a code, any string could be meant; a sentence consists of several words.
	if (key in known || length(letters) < (code == "" ? 12 : 8) || (code == "" && sentence !~ / .* /))
		return
	known[key] = 1
	n_sentences++
	sentences[n_sentences] = sprintf("\t{\"%s\", \"%s\"},", code, sentence)
}

# Splits the arguments in a parenthesis into args[1] and following, as far as the text goes.
function arguments(text, depth, n, begin, i, c, is_text) {
	depth = 0
	n = 0
	begin = 1
	for (i = 1; i <= length(text); i++) {
		c = substr(text, i, 1)
		if (is_text) {
			if (c == "\\") i++
			else if (c == "\"") is_text = 0
			continue
		}
		if (c == "\"") is_text = 1
		else if (c == "(" || c == "{" || c == "[") depth++
		else if (c == ")" || c == "}" || c == "]") {
			if (depth-- == 0) break
		} else if (c == "," && depth == 0) {
			args[++n] = substr(text, begin, i - begin)
			begin = i + 1
		}
	}
	args[++n] = substr(text, begin, i - begin)
	return n
}

# Records the sentences in an argument; adjacent literals are joined. Each is combined with every code in another argument,
# or with "" if the code varies.
function sentences_of(code, text, n, i, list, literal, sentence) {
	n = 0
	while (match(code, /DOCA_ERROR_[A-Z_]+/)) {
		list[++n] = substr(code, RSTART, RLENGTH)
		code = substr(code, RSTART + RLENGTH)
	}
	if (n == 0)
		list[++n] = ""
	while (match(text, /"([^"\\]|\\.)*"/)) {
		sentence = ""
		text = substr(text, RSTART)
		while (match(text, /^[ \t\n]*"([^"\\]|\\.)*"/)) {
			literal = substr(text, 1, RLENGTH)
			text = substr(text, RLENGTH + 1)
			sub(/^[ \t\n]*"/, "", literal)
			sub(/"$/, "", literal)
			sentence = sentence literal
		}
		for (i = 1; i <= n; i++)
			sentence_add(list[i], sentence)
	}
}

# Handles a whole source as one string, because calls extend over several lines.
function source_end(rest, is_lenient, code, n, hides_invalid) {
	# An invalid argument in a task causes another code than one in a call.
	hides_invalid = source ~ /DOCA_ERROR_INVALID_VALUE[ \t\n]*[?][ \t\n]*(instead|DOCA_ERROR_IO_FAILED)/
	rest = source
	while (match(rest, /(error_(set|note|hint)|lenient_accept)\(/)) {
		is_lenient = substr(rest, RSTART, 7) == "lenient"
		rest = substr(rest, RSTART + RLENGTH)
		n = arguments(substr(rest, 1, 1500))
		if (n >= (is_lenient ? 4 : 2))
			sentences_of(args[is_lenient ? 3 : 1], args[is_lenient ? 4 : 2])
	}
	# Tables of possible errors, with and without a code.
	rest = source
	while (match(rest, /\] = \{?[ \t\n]*(DOCA_ERROR_[A-Z_]+,[ \t\n]*)?"/)) {
		code = substr(rest, RSTART, RLENGTH - 1)
		rest = substr(rest, RSTART + RLENGTH - 1)
		arguments(substr(rest, 1, 1500))
		if (code ~ /DOCA_ERROR_INVALID_VALUE/ && hides_invalid)
			code = code " DOCA_ERROR_IO_FAILED"
		# A table of texts only, or with codes; other tables begin with a name.
		if (args[1] ~ / / && (code ~ /DOCA_ERROR_/ || code !~ /[{]/))
			sentences_of(code, args[1])
	}
	# Error replies of the daemon.
	rest = source
	while (match(rest, /refuse\([ \t\n]*[a-z>.-]+,[ \t\n]*packet->id,[ \t\n]*CODE_[A-Z_]+,[ \t\n]*"/)) {
		code = substr(rest, RSTART, RLENGTH)
		rest = substr(rest, RSTART + RLENGTH - 1)
		match(code, /CODE_[A-Z_]+/)
		code = substr(code, RSTART, RLENGTH)
		sub(/^CODE_/, "DOCA_ERROR_", code)
		arguments(substr(rest, 1, 1500))
		sentences_of(code, args[1])
	}
	source = ""
}

FNR == 1 {
	source_end()
	is_header = FILENAME ~ /\.h$/
	in_top = is_header
	in_common = 0
	in_doc = 0
	pending = 0
	n_codes = 0
}

!is_header {
	source = source $0 "\n"
	next
}

in_top {
	line = $0
	sub(/^[ \t]*\/?\*+\/?[ \t]*/, "", line)
	top_line(line, header_of(FILENAME))
	in_top = $0 !~ /\*\//
	next
}

/^[ \t]*\/\*\*/ {
	in_doc = 1
	states = ""
	is_states = 0
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
		pending = 1
		previous = ""
	}
	next
}

pending && declaration($0) { pending = 0 }
pending { previous = $0 }
is_declaration { declaration_line($0) }

END {
	source_end()
	print "/* Made by explain.awk. */"
	print "#include \"tools/doca-admin/explain/data.h\"\n"
	print "const struct explain_function explain_functions[] = {"
	for (i = 1; i <= n_rows; i++)
		printf "%s, \"%s\"},\n", rows[i], (i in is_for_all) ? "" : since[i]
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
