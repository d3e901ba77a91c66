/**
 * Starts the service from its bundle, with the code that V8 compiled in an earlier start: a start takes half as long
 * (docs/decisions/0018). The first one keeps that code beside the bundle, where it may write there.
 */
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';

const file = fileURLToPath(new URL('../dist/service.cjs', import.meta.url));
const folder = dirname(file);
const source = readFileSync(file, 'utf8');
// V8 itself looks at the length of the source only
const ofThisBundle = `service.${createHash('sha256').update(source).digest('hex').slice(0, 16)}`;
const kept = join(folder, `${ofThisBundle}.cache`);

const cachedData = readKept();
const script = new Script(Module.wrap(source), { filename: file, ...(cachedData && { cachedData }) });
const service = new Module(file);
service.filename = file;
script.runInThisContext()(service.exports, createRequire(file), service, file, folder);

void service.exports.serve().then(() => {
  if (!cachedData || script.cachedDataRejected) keep();
});

function readKept() {
  try {
    return readFileSync(kept);
  } catch {
    return undefined;
  }
}

/** Code of an earlier bundle goes. A folder that cannot be written only costs time. */
function keep() {
  try {
    const unfinished = `${kept}.${process.pid}`;
    writeFileSync(unfinished, script.createCachedData());
    renameSync(unfinished, kept);
    for (const name of readdirSync(folder)) {
      if (/^service\.[0-9a-f]{16}\.cache/.test(name) && !name.startsWith(ofThisBundle)) {
        rmSync(join(folder, name), { force: true });
      }
    }
  } catch {
    // as slow as it was
  }
}
