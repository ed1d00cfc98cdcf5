#!/bin/sh
# What comments and pages cite is in the repository: sections of docs/theory/corrections.md and reference-numbers.md exist,
# and papers that are named by number, or by author and year, are listed in docs/references.md. Nothing is cited that
# only its authors had. And the check notices when it is otherwise.
# Argument: the project's folder.
set -eu

# The sections of a page: "7", "6.3"; items of a numbered list in section 10 are 10.1, 10.2 and so on.
sections() {
  awk '/^## [0-9]+\./ { section = $2; sub(/\.$/, "", section); print section }
       /^### [0-9]+\.[0-9]+/ { print $2 }
       /^[0-9]+\. / { item = $1; sub(/\.$/, "", item); print section "." item }' "$1"
}

# Print what leads nowhere in the files of a list. Comments are unwrapped: a citation may go over the end of a line.
check() {
  xargs awk -v corrections="$work/corrections" -v numbers="$work/numbers" -v references="$work/references" '
    function complain(text) { print file ": " text }
    function check_sections(page, known,    rest, count, word, i) {
      for (rest = text; match(rest, page "\\.md\\)? [0-9]+(\\.[0-9]+)?((, | and | to )[0-9]+(\\.[0-9]+)?)*");
           rest = substr(rest, RSTART + RLENGTH)) {
        count = split(substr(rest, RSTART + length(page), RLENGTH - length(page)), word, /[^0-9.]+/)
        for (i = 1; i <= count; ++i)
          if (word[i] ~ /^[0-9]/ && !(word[i] in known)) complain(page ".md has no section " word[i])
      }
    }
    function check_papers(    rest, number) {
      for (rest = text; match(rest, /(^|[^0-9.,] |\()00[0-9](\047s|,? (eqs?\.|section|scenario|Table|figures?)|\))/);
           rest = substr(rest, RSTART + RLENGTH)) {
        number = substr(rest, RSTART, RLENGTH)
        match(number, /00[0-9]/)
        number = substr(number, RSTART, 3)
        if (!index(listed, "| " number)) complain("paper " number " is not in docs/references.md")
        match(rest, /(^|[^0-9.,] |\()00[0-9](\047s|,? (eqs?\.|section|scenario|Table|figures?)|\))/)
      }
    }
    function check_authors(    rest, count, name, i, found) {
      for (rest = text;
           match(rest, /[A-Z][a-z]+( and [A-Z][a-z]+| et al\.)?,? \(?(19[5-9][0-9]|20[0-2][0-9])[,)]/);
           rest = substr(rest, RSTART + RLENGTH)) {
        found = substr(rest, RSTART, RLENGTH)
        sub(/( et al\.)?,? \(?[0-9]+[,)]$/, "", found)
        count = split(found, name, / and /)
        for (i = 1; i <= count; ++i)
          if (!index(listed, name[i])) complain(name[i] " is not in docs/references.md")
        match(rest, /[A-Z][a-z]+( and [A-Z][a-z]+| et al\.)?,? \(?(19[5-9][0-9]|20[0-2][0-9])[,)]/)
      }
    }
    function check_text() {
      check_sections("corrections", section)
      check_sections("reference-numbers", number_of)
      check_papers()
      check_authors()
      if (match(text, /ERRATA|SOLVERS\.md|PILES\.md|DESIGN\.md|STYLE\.md|REFERENCE( [IVX]+\.|\.md|\047s)/))
        complain(substr(text, RSTART, RLENGTH) " is not in the repository")
    }
    BEGIN {
      while ((getline line < corrections) > 0) section[line] = 1
      while ((getline line < numbers) > 0) number_of[line] = 1
      while ((getline line < references) > 0) listed = listed line "\n"
    }
    FNR == 1 { if (file) check_text(); file = FILENAME; text = "" }
    { sub(/^[ \t]*(\/\/\/?<?|#|\*)[ \t]?/, ""); text = text $0 " " }
    END { if (file) check_text() }'
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$1"
sections docs/theory/corrections.md > "$work/corrections"
sections docs/theory/reference-numbers.md > "$work/numbers"
# The names as comments write them: without accents.
sed 's/ö/o/g; s/ø/o/g; s/é/e/g; s/ú/u/g' docs/references.md > "$work/references"

find src include tests bench examples docs scripts cmake ./*.md ./*.sh -type f |
  grep -E '\.(c|h|cpp|md|sh|py|yaml|cmake|txt|in)$|README|scripts/' |
  grep -vE 'docs/(references|theory/(corrections|reference-numbers))\.md|test_citations\.sh|/results/|fc3d_np_|LICENSE|/data/problems/' |
  sort > "$work/files"
check < "$work/files" > "$work/found"
if [ -s "$work/found" ]; then
  cat "$work/found"
  exit 1
fi

noticed() {
  printf '%s\n' "$1" > "$work/doctored.c"
  [ -n "$(echo "$work/doctored.c" | check)" ] || { echo "not noticed: $1"; exit 1; }
}
noticed '// as ERRATA II A1 has it'
noticed '// see corrections.md 99 for it'
noticed '// see corrections.md 1, 97 and 4'
noticed '// see reference-numbers.md 6.9 for it'
noticed '// by REFERENCE II.1.3'
noticed '// the method of 009 eq. 3'
noticed "// the cone of 007's examples"
noticed '// an idea of Nobody (1987), improved'
noticed '// see corrections.md
// 99 for it'

echo "$(xargs cat < "$work/files" | grep -cE '(corrections|reference-numbers)\.md') lines cite corrections and numbers, all of which exist"
