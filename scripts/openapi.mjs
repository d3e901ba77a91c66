#!/usr/bin/env node
/**
 * `npm run openapi`: the document of this release, from the application that was built, the doc comments in its sources, and
 * what its demo world answers; and the same as a Postman collection. With `--check` they are compared with those that are
 * checked in.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memberComment, readDocComments } from './doc-comments.mjs';

const dist = (path) => import(new URL(`../dist/src/${path}`, import.meta.url));
await import('reflect-metadata');
const { openScratch } = await dist('service.js');
const { buildDocument } = await dist('operations/docs/document.js');
const { recordExamples } = await dist('operations/docs/record-examples.js');
const { addEventExamples } = await dist('operations/docs/events.js');
const { momentsFrom, withExamples } = await dist('operations/docs/examples.js');
const { postmanCollection } = await dist('operations/docs/postman.js');
const { writeOrCheck } = await dist('operations/docs/checked-in.js');
const { seedDemo } = await dist('demo/demo.js');
const { Clock } = await dist('common/clock.js');
const { Config } = await dist('config.js');

/** Examples show the same times in every release. */
const BEGIN = new Date('2026-09-01T10:00:00Z');

const classes = readDocComments('src');
const service = await openScratch();
const dataDir = mkdtempSync(join(tmpdir(), 'marquee-openapi-'));
try {
  const comments = {
    ofClass: (name) => classes[name]?.comment,
    ofMember: (name, member) => memberComment(classes, name, member),
  };
  const document = buildDocument(service.app, comments);
  service.app.get(Clock).set(BEGIN);
  const demo = await seedDemo(service.app, { ...service.app.get(Config), dataDir });
  const recordings = await recordExamples(service.app, document, demo);
  const complete = addEventExamples(withExamples(document, recordings), recordings);
  const text = `${JSON.stringify(complete, null, 2)}\n`;
  writeOrCheck('openapi.json', text, 'npm run openapi');
  const collection = postmanCollection(text, { ...demo.examples, ...momentsFrom(BEGIN) });
  writeOrCheck('docs/marquee.postman_collection.json', collection, 'npm run openapi');
} finally {
  await service.close();
  rmSync(dataDir, { recursive: true, force: true });
}
