# Input filter of doxygen for one public header, which is written for readers and not for doxygen.
#
# - The first comment describes the file. Plain comments before types and macros, and those of
#   members, describe these.
# - "States:", "Since" and "In" lines become sections.
# - The header's parts in dococ/ are inserted, those of old versions at the end. Their first comments
#   belong to the description of the header.
# - The functions follow the types. If versions have different forms of a function, the block of each
#   other form becomes a section of the first one, because C functions have one form in doxygen.
# - Conditions are dropped, so that the output has the declarations of all versions; so are
#   attributes, and names that exist only to explain an error.
# - A double quote in a comment becomes U+E022, a character for private use, because doxygen writes
#   other quotes into manual pages, also in code. The makefile changes it back.

function filter(line) {
	if (in_comment)
		comment(line)
	else if (in_dropped)
		in_dropped = line ~ dropped_continues
	else if (line ~ /^\/\*/)
		comment_start(line)
	else if (line ~ /^#/)
		directive(line)
	else if (line ~ /^DOCA_ELSEWHERE/)
		drop(line, "[^;]$")
	else if (after_cplusplus)
		after_cplusplus = 0
	else
		declaration(line)
}

function drop(line, continues) {
	dropped_continues = continues
	in_dropped = line ~ continues
}

# A comment that starts in the first column.
function comment_start(line) {
	is_doc = line ~ /^\/\*\*/
	is_first = !was_first
	was_first = 1
	text = versions = ""
	in_comment = 1
	comment(is_first ? "/** @file " name : line)
}

function comment(line) {
	if (is_doc && line ~ /^ \* States: /)
		sub(/States: /, "@par States\n * ", line)
	else if (is_doc && line ~ /^ \* (Since|In) [0-9]/) {
		versions = tolower(substr(line, 4))
		sub(/\.$/, "", versions)
		sub(/ \* /, " *\n * @par Versions\n * ", line)
	}
	if (is_part && is_first && line ~ /^ \* /) {
		sub(/ \* /, " * @par ", line)
		sub(/\. /, "\n * ", line)
		is_part = 0
	}
	if (line !~ /^ \*     /) {
		gsub(/#/, "\\#", line)
		gsub(/</, "\\<", line)
	}
	gsub(/"/, "\356\200\242", line)
	text = text line "\n"
	if (line !~ /\*\/$/)
		return
	in_comment = 0
	if (is_first)
		flush()
}

# Prints the comment that precedes the current line.
function flush() {
	sub(/^\/\*+/, "/**", text)
	printf "%s", text
	text = ""
}

function directive(line) {
	if (line ~ /^#include <dococ\//) {
		sub(/.*</, "", line)
		sub(/>.*/, "", line)
		include(line)
	} else if (line ~ /^#define [A-Za-z]/ && line !~ /_H_$/) {
		if (text)
			flush()
		print line
		return
	}
	after_cplusplus = line ~ /^#ifdef __cplusplus/
	if (!is_doc)
		text = ""
	drop(line, "\\\\$")
}

# Parts of other headers are left to these. Parts of old versions wait until the end.
function include(file) {
	if (index(file, "dococ/" stem "_") != 1)
		return
	if (file ~ /_(workq|former)\.h$/)
		old[n_old++] = file
	else
		part(file)
}

function declaration(line) {
	if (in_function) {
		if (line == "{") {
			sub(/\n$/, ";\n", signature)
			drop(line, "^[^}]|^$")
		} else {
			signature = signature line "\n"
		}
		if (in_dropped || line ~ /;$/)
			function_end()
		return
	}
	gsub(/__attribute__\(\(.*\)\)/, "", line)
	if (line ~ /^(DOCA_STABLE|DOCA_EXPERIMENTAL|static inline) /) {
		sub(/^DOCA_[A-Z]* /, "", line)
		in_function = 1
		signature = ""
		declaration(line)
		return
	}
	if (text && line ~ /^(enum|struct|union|typedef) /)
		flush()
	if (line !~ /^$/)
		text = ""
	if (line ~ /^\t+\/\*/)
		sub(/\/\*/, "/**", line)
	else if (line ~ /^\t.*\/\* /)
		sub(/\/\* /, "/**< ", line)
	print line
}

function function_end(    name) {
	in_function = 0
	gsub(/[ \t\n]*DOCA_BIND\([^)]*\)|__attribute__\(\(.*\)\)/, "", signature)
	match(signature, /doc[ao]c?_[a-z0-9_]*[ \n\t]*\(/)
	name = substr(signature, RSTART, RLENGTH)
	if (!(name in block) && text) {
		names[n_names++] = name
		block[name] = text
		prototype[name] = signature
	} else if (name in block) {
		other_form(name)
	}
	text = versions = ""
}

# Adds another form of a function to the block of the first one. A form without a block has the
# meaning of the first one.
function other_form(name) {
	gsub(/\n \* @par States\n \* /, "\n * - States: ", text)
	gsub(/\n \* @param /, "\n * - ", text)
	gsub(/\n \* @return /, "\n *\n * Returns ", text)
	gsub(/\n \*\n \* @par Versions\n[^\n]*/, "", text)
	sub(/^\/\*+/, "", text)
	sub(/ \*\/\n$/, "", block[name])
	block[name] = block[name] " *\n * @par Another form" (versions ? " (" versions ")" : "") \
		"\n * @code\n" signature " * @endcode\n *" (text ? text : "\n */\n")
}

function part(file,    line) {
	file = folder "/" file
	was_first = 0
	is_part = 1
	while ((getline line < file) > 0)
		filter(line)
	close(file)
}

FNR == 1 {
	name = folder = FILENAME
	sub(/.*\//, "", name)
	sub(/\/[^\/]*$/, "", folder)
	stem = name
	sub(/^doca_/, "", stem)
	sub(/\.h$/, "", stem)
}

{ filter($0) }

END {
	for (i = 0; i < n_old; i++)
		part(old[i])
	for (i = 0; i < n_names; i++)
		printf "%s%s\n", block[names[i]], prototype[names[i]]
}
