// Makes the empty store that a first start begins with, so that it does not have to wait for initdb.
// Run after the build; without its result a first start takes about two seconds longer.
import { rmSync, writeFileSync } from 'node:fs';
import { openEmbedded } from '../dist/src/common/db/embedded/embedded.js';

const template = new URL('../dist/store-template.tar.gz', import.meta.url);
// an old one would be copied, and belong to another version of the store
rmSync(template, { force: true });
const store = await openEmbedded();
writeFileSync(template, await store.dump());
await store.close();
