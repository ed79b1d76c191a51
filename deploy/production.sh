#!/bin/sh
# production.sh FOLDER [PACKAGE ...]: what a machine that serves needs, in a folder: our packages as
# they are published (compiled, from /packed), the dependencies that the lockfile names by their hash,
# and Node. Further packages are installed beside those that the service needs.
set -eu
target=$1
shift
mkdir "$target"
cp package.json pnpm-lock.yaml pnpm-workspace.yaml "$target"
for manifest in packages/*/package.json apps/*/package.json benchmarks/package.json deploy/package.json \
  test/package.json; do
  mkdir -p "$target/${manifest%/*}"
  cp "$manifest" "$target/$manifest"
done

run=$PWD/run.mjs
filters=
for package in "$@"; do filters="$filters --filter-prod $package..."; done
# shellcheck disable=SC2086 # Each filter is a word.
(cd "$target" && node "$run" pnpm install --prod --frozen-lockfile --ignore-scripts \
  --filter-prod millrace-workspace --filter-prod millrace... --filter-prod @millrace/image $filters)

cd "$target"
# Those that something needs: the command, what it is linked to, and what was asked for.
needed="packages/millrace
$(find packages apps -type l -path '*/node_modules/@millrace/*' -exec readlink -f {} + | sed "s|^$PWD/||")"
for package in "$@"; do needed="$needed
packages/${package#@millrace/}"; done
for folder in packages/* apps/* benchmarks deploy test; do
  if echo "$needed" | grep -qx "$folder"; then
    cp -R "/packed/staged/${folder##*/}/." "$folder"
    # Sources are for who develops.
    rm -rf "${folder:?}/src"
  else
    rm -rf "$folder"
  fi
done
rm -rf node_modules/.millrace-* pnpm-lock.yaml pnpm-workspace.yaml
# What our packages expect whoever installs them to have, and what they look for and may miss.
mkdir -p node_modules/@effect node_modules/@redis
(cd node_modules && ln -s .pnpm/effect@*/node_modules/effect effect)
(cd node_modules/@effect && ln -s ../.pnpm/@effect+sql-pg@*/node_modules/@effect/sql-pg sql-pg)
(cd node_modules/@redis && ln -s ../.pnpm/@redis+client@*/node_modules/@redis/client client)
mkdir -p node_modules/@millrace
for package in "$@"; do ln -s "../../packages/${package#@millrace/}" "node_modules/$package"; done
ln -s node_modules/node-*/bin/node node
# Declarations, maps, and sources behind compiled modules are read by compilers and debuggers.
find . -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete
rm -rf node_modules/.pnpm/effect@*/node_modules/effect/src \
  node_modules/.pnpm/@effect+*/node_modules/@effect/*/src
# Types' own packages, and of what only a devnet runs.
rm -rf node_modules/.pnpm/typescript@* node_modules/.pnpm/@typescript+* node_modules/.pnpm/@types+*
case " $* " in *" @millrace/devnet "*) ;; *) rm -rf node_modules/.pnpm/@foundry-rs+* ;; esac
