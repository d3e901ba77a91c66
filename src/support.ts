import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { readEndpoints } from './common/http/hints/endpoints.js';
import { writeOrCheck } from './operations/docs/checked-in.js';
import { supportOf, supportText, withCounts } from './operations/docs/support.js';
import { openScratch } from './service.js';

/** `npm run support`: writes the support matrix, and its counts into the README. */
const service = await openScratch();
const support = supportOf(service.app, readEndpoints(), readFileSync('docs/gaps.md', 'utf8'));
await service.close();

writeOrCheck('docs/support.md', supportText(support), 'npm run support');
writeOrCheck('README.md', withCounts(readFileSync('README.md', 'utf8'), support), 'npm run support');
