#!/bin/sh
# Fetch two releases of the documentation of four programs from PyPI's source archives, as folders that
# `python -m benchmarks.releases` compares: FOLDER/pip, sphinx, pytest, celery.
#
#     sh benchmarks/releases.sh FOLDER
set -eu
folder=$1
python=${PYTHON:-python}
mkdir -p "$folder/archives"

fetch() { # name, release, folder of its documentation
    "$python" -m pip download --quiet --no-deps --no-binary :all: "$1==$2" -d "$folder/archives"
    archive=$(find "$folder/archives" -iname "$1-$2.tar.gz")
    short=$(echo "$2" | cut -d. -f1,2)
    mkdir -p "$folder/$1/$1-$short"
    tar xzf "$archive" -C "$folder/$1/$1-$short" --wildcards --strip-components="$4" "*/$3/*"
}

fetch pip 21.3.1 docs/html 3
fetch pip 24.2 docs/html 3
fetch sphinx 5.3.0 doc 2
fetch sphinx 7.4.7 doc 2
fetch pytest 6.2.5 doc/en 3
fetch pytest 8.3.3 doc/en 3
fetch celery 5.2.7 docs 2
fetch celery 5.4.0 docs 2
find "$folder" -mindepth 3 -type f ! -name '*.rst' ! -name '*.md' -delete
# What only tells of releases
find "$folder" \( -name 'announce' -o -name 'history' -o -name 'reference' -path '*celery*' \) -type d -prune -exec rm -r {} +
find "$folder" -name 'changelog*' -type f -delete
