#!/usr/bin/env bash
# Fetch fourteen corpora of fourteen fields that no rule was made from, on Debian 12, as root:
#     benchmarks/strangers.sh FOLDER
# Nothing is installed. FOLDER/seen/NAME: rules may be made by looking at them. FOLDER/unseen/NAME: drawn
# and judged once. Long documents are cut, so that each corpus has 500 to 1,200 sentences. Needs pypdfium2.
# The seen corpora, with their packages and licences:
#     law           scancode-toolkit (PyPI)           collection CC-BY-4.0, each text its own; plain text
#     epidemiology  r-cran-surveillance, survival, epi, msm                       GPL-2, LGPL-2+; PDF
#     brewing       qbrew                                                         BSD-2-Clause; HTML
#     radio         hackrf-doc                                                    GPL-2+; reStructuredText
#     politics      anarchism                                                     GPL-2, GFDL; Markdown
#     games         omega-rpg (LGPL-2), angband-data (GPL-2)                      plain text
#     statistics    r-cran-coin and eleven others                                 GPL-2, GPL-2+; PDF
#     peoples       stellarium-data (the sky of forty peoples)                    GPL-2+; HTML
#     finance       eqonomize-doc (GFDL-1.2+), homebank-data (GPL-2+)             HTML
#     stories       manuskript (GPL-3+; the text, the Book of Acts, is in the public domain)  Markdown
# The unseen corpora:
#     music         lilypond-doc-html (its glossary and essay)                    GFDL-1.3+; HTML
#     history       debian-history                                                GPL-2+; HTML
#     power         nut-doc (its user manual and questions)                       GPL-2+; HTML
#     geography     grass-doc                                                     GPL-2+; HTML
set -euo pipefail
out=$(mkdir -p "${1:?folder to write}" && cd "$1" && pwd)
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT; chmod 755 "$work"; cd "$work"
of_r() { printf 'r-cran-%s ' "$@"; }
packages="qbrew hackrf-doc anarchism omega-rpg angband-data stellarium-data eqonomize-doc homebank-data
          manuskript lilypond-doc-html debian-history nut-doc grass-doc $(of_r surveillance survival epi msm)
          $(of_r coin multcomp mvtnorm pscl quantreg sandwich strucchange aer vcd zoo lme4 effects)"
apt-get download $packages >/dev/null 2>&1 || { apt-get update >/dev/null; apt-get download $packages >/dev/null; }
mkdir x; for package in *.deb; do dpkg -x "$package" x; done
python=${PYTHON:-python3}
"$python" -m pip download -q --no-deps --only-binary :all: --python-version 3.12 scancode-toolkit==32.5.0
"$python" -m zipfile -e scancode_toolkit-*.whl x
share=x/usr/share doc=x/usr/share/doc licences=x/licensedcode/data/licenses

cut_to() { # words, file to write: the paragraphs of the input until there are so many words
  mkdir -p "$(dirname "$2")"; awk -v most="$1" '!NF && words >= most { full = 1 } !full { words += NF; print }' >"$2"
}
cut_pdfs() { # corpus, PDF files of x: their first four pages
  mkdir -p "$out/$1"; "$python" - "$out/$1" "${@:2}" <<'PYTHON'
import sys
from pathlib import Path
import pypdfium2
for path in map(Path, sys.argv[2:]):
    whole, first = pypdfium2.PdfDocument(path), pypdfium2.PdfDocument.new()
    first.import_pages(whole, list(range(min(4, len(whole)))))
    first.save(Path(sys.argv[1]) / path.name)
PYTHON
}
for licence in artistic-2.0 bsl-1.1 can-ogl-2.0-en cc-by-sa-2.0-uk cdla-sharing-1.0 cecill-2.1 dl-de-by-2-0-en \
  elastic-license-v2 eupl-1.2 free-art-1.3 frameworx-1.0 hippocratic-2.1 ibmpl-1.0 lppl-1.3c odbl-1.0 osl-3.0; do
  awk 'marks > 1; /^---/ { marks++ }' "$licences/$licence.LICENSE" | cut_to 1600 "$out/seen/law/$licence.txt"
done
R=x/usr/lib/R/site-library
cut_pdfs seen/epidemiology $R/surveillance/doc/{glrnb,hhh4*,monitoringCounts,surveillance,twin*}.pdf \
  x/usr/lib/R/library/survival/doc/{adjcurve,compete,concordance,discrim,population,tiedtimes,timedep}.pdf \
  $R/Epi/doc/{crisk,simLexis,yll}.pdf $R/msm/doc/msm-manual.pdf
mkdir -p "$out"/seen/brewing "$out"/seen/{peoples,finance}
cp $doc/qbrew/primer/primer*.html $doc/qbrew/book/handbook-{configuration,faq,hop,intro,misc,notes,using}.html \
  "$out/seen/brewing/"
rm $doc/hackrf/html/_sources/{index,libhackrf_api}.rst.txt
for page in $doc/hackrf/html/_sources/*.rst.txt; do
  cut_to 2500 "$out/seen/radio/$(basename "$page" .txt)" <"$page"
done
for section in A{1,2,3,4,5} B{1,3,5,7} C{1,4,8} D{1,3,6} E1 F{1,4} G2 I1; do
  zcat $doc/anarchism/markdown/sec$section.md.gz | cut_to 900 "$out/seen/politics/section_$section.md"
done
for page in $share/games/omega-rpg/help{1,2,3,4,5,6,7,8,9,10}.txt \
  $share/angband/help/{attack,birth,dungeon,general,playing}.txt; do
  cut_to 1500 "$out/seen/games/$(basename "$page")" <"$page"
done
cut_pdfs seen/statistics $R/coin/doc/{LegoCondInf,MAXtest,coin}.pdf $R/multcomp/doc/{chfls1,generalsiminf}.pdf \
  $R/{mvtnorm/doc/MVT_Rnews,pscl/doc/countreg,quantreg/doc/crq,quantreg/doc/rq,AER/doc/AER}.pdf \
  $R/sandwich/doc/sandwich*.pdf $R/strucchange/doc/*.pdf $R/vcd/doc/*.pdf $R/zoo/doc/zoo{,-design,-faq}.pdf \
  $R/lme4/doc/{Theory,lmer}.pdf $R/effects/doc/functions*.pdf
find $share/stellarium/skycultures -name description.en.utf8 -size -20k -size +2k | while read -r page; do
  cp "$page" "$out/seen/peoples/$(basename "$(dirname "$page")").html"
done
for page in accounting accounts currencies import_export introduction securities statistics transactions; do
  cp $doc/eqonomize/html/C/$page.html "$out/seen/finance/"
done
cp $doc/homebank-data/help/use-*.html "$out/seen/finance/"
find $share/manuskript/sample-projects/book-of-acts/outline -name '*.md' | LC_ALL=C sort | sed 40q | while read -r scene; do
  name=$(basename "$(dirname "$scene")")_$(basename "$scene")  # without Manuskript's header and verse numbers
  sed -E '1,/^$/d; s/(^| )[0-9]{1,2} /\1/g' "$scene" | cut_to 2000 "$out/seen/stories/$name"
done
mkdir -p "$out"/unseen/{music,history,power,geography}
score=$doc/lilypond/html/Documentation
cp $(find $score/music-glossary $score/essay -name '[a-z]*.html' ! -name '*.*.html' | LC_ALL=C sort | awk 'NR % 4 == 1') "$out/unseen/music/"
cp $doc/debian-history/docs/*.en.html "$out/unseen/history/"
cp $doc/nut-doc/html/user-manual/ar*.html $doc/nut-doc/html/FAQ.html "$out/unseen/power/"
cp $(ls $doc/grass-doc/html/[rv].*.html | LC_ALL=C sort | awk 'NR % 12 == 1') "$out/unseen/geography/"
for corpus in "$out"/*/*/; do echo "${corpus#"$out"/}: $(find "$corpus" -type f | wc -l) files"; done
