#!/usr/bin/env bash
# Starts Marquee in the background and waits until it is ready, for a step of GitHub Actions (action.yml). Writes `url` and `credentials`
# to GITHUB_OUTPUT, and to GITHUB_ENV as MARQUEE_URL and MARQUEE_CREDENTIALS. The service ends with the job.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

export PORT=${PORT:-3000} DATA_DIR=${DATA_DIR:-${RUNNER_TEMP:-/tmp}/marquee-$$}
url=http://localhost:$PORT
log=$DATA_DIR/service.log
mkdir -p "$DATA_DIR"
npm start >"$log" 2>&1 </dev/null &
service=$!

for _ in $(seq 240); do
  if curl --silent --fail --output /dev/null "$url/health/ready"; then
    printf 'url=%s\ncredentials=%s\n' "$url" "$DATA_DIR/demo-credentials.json" >>"${GITHUB_OUTPUT:-/dev/stdout}"
    printf 'MARQUEE_URL=%s\nMARQUEE_CREDENTIALS=%s\n' "$url" "$DATA_DIR/demo-credentials.json" >>"${GITHUB_ENV:-/dev/null}"
    exit 0
  fi
  kill -0 "$service" 2>/dev/null || break
  sleep 0.5
done
cat "$log" >&2
echo "Marquee did not become ready at $url." >&2
exit 1
