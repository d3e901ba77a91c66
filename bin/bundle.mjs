/**
 * Runs the bundles of the service and the command line with the code that V8 compiled in an earlier run: what begins with it
 * takes half as long (docs/decisions/0018).
 */
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';

const folder = fileURLToPath(new URL('../dist/', import.meta.url));

/**
 * What the bundle of a program exports; and `keep`, by which the first run keeps what was compiled by then beside the bundle,
 * where it may write there.
 */
export function openBundle(program) {
  const file = join(folder, `${program}.cjs`);
  const bytes = readFileSync(file);
  // V8 itself looks at the length of the source only
  const ofThisBundle = `${program}.${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}`;
  const kept = join(folder, `${ofThisBundle}.cache`);
  const cachedData = readKept(kept);
  const script = new Script(bytes.latin1Slice(), { filename: file, ...(cachedData && { cachedData }) });
  const isKept = cachedData !== undefined && !script.cachedDataRejected;
  // V8 drops code that ran once. Kept code without the outermost function would make every start parse the whole source.
  if (!isKept) setFlagsFromString('--no-flush-bytecode');
  const bundle = new Module(file);
  bundle.filename = file;
  script.runInThisContext()(bundle.exports, createRequire(file), bundle, file, folder);
  const keep = () => {
    if (isKept) return;
    // before it is written: V8 accepts code only under the flags under which it was stored
    setFlagsFromString('--flush-bytecode');
    write(script, kept, program, ofThisBundle);
  };
  return { exports: bundle.exports, keep };
}

function readKept(kept) {
  try {
    return readFileSync(kept);
  } catch {
    return undefined;
  }
}

/** Code of an earlier bundle goes. A folder that cannot be written only costs time. */
function write(script, kept, program, ofThisBundle) {
  try {
    const unfinished = `${kept}.${process.pid}`;
    writeFileSync(unfinished, script.createCachedData());
    renameSync(unfinished, kept);
    for (const name of readdirSync(folder)) {
      if (name.startsWith(`${program}.`) && /\.[0-9a-f]{16}\.cache/.test(name) && !name.startsWith(ofThisBundle)) {
        rmSync(join(folder, name), { force: true });
      }
    }
  } catch {
    // as slow as it was
  }
}
