#!/bin/sh
# Build the libraries that draw the charts of pages, python/penstock/report/templates/vendor/charts.js, with their licences at the head.
# Needs npm, and a network for the versions of tools/charts/package-lock.json.
set -eu
cd "$(dirname "$0")/charts"

npm ci --no-audit --no-fund --ignore-scripts --silent
built=$(mktemp -d)
npx esbuild charts.js --bundle --minify --format=iife --global-name=Plot --legal-comments=none --log-level=warning \
    --outfile="$built/charts.js" --metafile="$built/meta.json"
{
    echo "/*"
    node licences.js "$built/meta.json"
    echo "*/"
    cat "$built/charts.js"
} > ../../python/penstock/report/templates/vendor/charts.js
rm -r "$built"
