/**
 * Reads which statuses of which operations tests have seen (TEST_ANSWERS) and lists the documented ones that are missing, and
 * those below 500 that no document has: `node scripts/check-answers.mjs <folder>`. A status of one operation counts there only. One
 * that operations share, such as 401, counts wherever it is seen.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder] = process.argv.slice(2);
const document = JSON.parse(readFileSync('openapi.json', 'utf8'));
const seen = new Set(
  readdirSync(folder).flatMap((file) => readFileSync(join(folder, file), 'utf8').trim().split('\n')),
);

const missing = [];
const unknown = new Set([...seen].filter((each) => Number(each.split(' ')[1]) < 500));
const shared = new Map();
for (const { operationId, responses } of Object.values(document.paths).flatMap((item) => Object.values(item))) {
  for (const [status, { $ref }] of Object.entries(responses ?? {})) {
    // what is left of the statuses, such as 500
    if (status === 'default') continue;
    const isSeen = seen.has(`${operationId} ${status}`);
    unknown.delete(`${operationId} ${status}`);
    if ($ref === undefined) {
      if (!isSeen) missing.push(`${operationId} ${status}`);
    } else shared.set($ref, shared.get($ref) === true || isSeen);
  }
}
for (const [$ref, isSeen] of shared) if (!isSeen) missing.push($ref.split('/').pop());
for (const each of missing.sort()) console.log(`not seen: ${each}`);
for (const each of [...unknown].sort()) console.log(`not documented: ${each}`);
console.log(
  `${seen.size} statuses of operations were seen, ${missing.length} documented ones were not, ${unknown.size} are not documented`,
);
process.exitCode = missing.length + unknown.size === 0 ? 0 : 1;
