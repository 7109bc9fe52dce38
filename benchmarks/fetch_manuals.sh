#!/bin/sh
# Fetch three Debian manuals whose PDF bookmarks are their headings, on Debian or Ubuntu:
#     benchmarks/fetch_manuals.sh FOLDER
# Nothing is installed; the packages are unpacked into the folder.
set -eu
mkdir -p "$1"
cd "$1"
apt-get download bash-doc debian-policy developers-reference
for package in ./*.deb; do dpkg -x "$package" unpacked; done
gunzip --force --keep unpacked/usr/share/doc/debian-policy/policy.pdf.gz
mv unpacked/usr/share/doc/debian-policy/policy.pdf .
cp unpacked/usr/share/doc/bash-doc/bashref.pdf .
cp unpacked/usr/share/developers-reference/developers-reference.pdf .
ls -- *.pdf
