#!/bin/sh
# Every stage over one folder: sh evaluate.sh FOLDER RUN_ID CORPUS_DIGEST OUT [--strict]
#
# FOLDER holds contract.json, probes.json, observations.json, scoring-policy.json, floors.json, one probe-ID.json a probe
# and record-ID-N.json a trial; isolation-manifest.json, evaluator-configuration.json and private-manifest.json (with a
# folder corpus) are used where they are. Strength is that of the records in contract-scoring mode. Ends with the highest
# exit code of a score, or 2 for a floor that is not met.
set -eu
[ $# -ge 4 ] || { echo "usage: evaluate.sh FOLDER RUN_ID CORPUS_DIGEST OUT [--strict]" >&2; exit 64; }
folder=$1 run=$2 corpus=$3 strict=${5:-}
mkdir -p "$4"
out=$(cd "$4" && pwd)
cd "$folder"

eval-quality compile --in contract.json --out "$out"
eval-quality seal --in contract.json --out "$out"
eval-quality preflight --contract contract.json --probes probes.json --observations observations.json \
  --run-id "$run" --out "$out"

worst=0
for probe in probe-*.json; do
  id=${probe#probe-} id=${id%.json}
  set -- --contract contract.json --probe "$probe" --preflight-verdict "$out/preflight-verdict.json" \
    --policy scoring-policy.json --corpus-digest "$corpus" --out "$out/evidence-$id.json"
  for record in record-"$id"-[0-9]*.json; do set -- "$@" --record "$record"; done
  [ ! -f isolation-manifest.json ] || set -- "$@" --isolation-manifest isolation-manifest.json
  [ ! -f evaluator-configuration.json ] || set -- "$@" --evaluator-configuration evaluator-configuration.json
  [ ! -f private-manifest.json ] || set -- "$@" --private-manifest private-manifest.json --corpus-root corpus
  [ -z "$strict" ] || set -- "$@" --strict
  code=0
  eval-quality score "$@" || code=$?
  echo "$id: exit code $code"
  [ "$code" -le 3 ] || exit "$code"
  [ "$code" -le "$worst" ] || worst=$code
done

set --
for evidence in "$out"/evidence-*.json; do
  ! grep -qs '"mode":"contract-scoring"' "$evidence" || set -- "$@" --evidence "$evidence"
done
if [ $# -gt 0 ]; then
  eval-quality aggregate-strength "$@" --floors floors.json --policy scoring-policy.json --out "$out"
  if grep -q '"decision":"does-not-meet"' "$out/strength-aggregate.json" && [ "$worst" -lt 2 ]; then
    echo "a floor is not met: see $out/strength-aggregate.json" >&2
    worst=2
  fi
fi
exit "$worst"
