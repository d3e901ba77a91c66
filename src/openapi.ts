import 'reflect-metadata';
import { writeOrCheck } from './operations/docs/checked-in.js';
import { buildDocument } from './operations/docs/document.js';
import { openScratch } from './service.js';

/** `npm run openapi`: the document of this release. */
const service = await openScratch();
const text = `${JSON.stringify(buildDocument(service.app), null, 2)}\n`;
await service.close();

writeOrCheck('openapi.json', text, 'npm run openapi');
