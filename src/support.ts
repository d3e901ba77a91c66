import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { readEndpoints } from './common/http/hints/endpoints.js';
import { readReference } from './common/http/hints/x-reference.js';
import { writeOrCheck } from './operations/docs/checked-in.js';
import {
  misstatedEndpoints,
  supportOf,
  supportText,
  withAbsentEndpoints,
  withCounts,
} from './operations/docs/support.js';
import { openScratch } from './service.js';

/** `npm run support`: writes the support matrix, and into the README its counts and what X has beyond it. */
const service = await openScratch();
const support = supportOf(service.app, readEndpoints(), readFileSync('docs/gaps.md', 'utf8'));
const reference = readReference();
const mistakes = misstatedEndpoints(service.app, reference);
await service.close();

writeOrCheck('docs/support.md', supportText(support), 'npm run support');
const readme = withAbsentEndpoints(withCounts(readFileSync('README.md', 'utf8'), support), reference);
writeOrCheck('README.md', readme, 'npm run support');
for (const mistake of mistakes) {
  console.error(mistake);
  process.exitCode = 1;
}
