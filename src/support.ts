import 'reflect-metadata';
import { readEndpoints } from './common/http/endpoints.js';
import { writeOrCheck } from './operations/docs/checked-in.js';
import { supportOf, supportText } from './operations/docs/support.js';
import { openScratch } from './service.js';

/** `npm run support`: what works of the specification. */
const service = await openScratch();
const text = supportText(supportOf(service.app, readEndpoints()));
await service.close();

writeOrCheck('docs/support.md', text, 'npm run support');
