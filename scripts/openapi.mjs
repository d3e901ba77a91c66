#!/usr/bin/env node
/**
 * `npm run openapi`: the document of this release, from the application that was built, the doc comments in its sources, and
 * what its demo world answers; and the same as a Postman collection; both also with the names of X. With `--check` they are
 * compared with those that are checked in.
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
const { documentWithNamesOfX } = await dist('operations/docs/document-names.js');
const { writeOrCheck } = await dist('operations/docs/checked-in.js');
const { seedDemo } = await dist('demo/demo.js');
const { Clock } = await dist('common/time/clock.js');
const { Config } = await dist('config/config.js');

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
  const ids = { ...demo.examples, ...momentsFrom(BEGIN) };
  const write = (names, each) => {
    const text = `${JSON.stringify(each, null, 2)}\n`;
    const suffix = names === 'x' ? '.x' : '';
    writeOrCheck(`openapi${suffix}.json`, text, 'npm run openapi');
    writeOrCheck(
      `docs/marquee${suffix}.postman_collection.json`,
      postmanCollection(text, ids, names),
      'npm run openapi',
    );
  };
  write('marquee', complete);
  write('x', documentWithNamesOfX(complete));
} finally {
  await service.close();
  rmSync(dataDir, { recursive: true, force: true });
}
