/**
 * Runs the bundles of the service and the command line with the code that V8 compiled in an earlier run: what begins with it
 * takes half as long (docs/decisions/0018).
 */
import { readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';

/**
 * What the bundle of a program exports; `use`: whose compiled code is kept, that of others being under other options of V8. And `keep`, by which the first run keeps what was compiled by then beside the bundle,
 * where it may write there. `kind` is the folder of the bundle in dist.
 */
export function openBundle(program, { use = program, kind = 'bundles' } = {}) {
  const folder = fileURLToPath(new URL(`../dist/${kind}/`, import.meta.url));
  const modules = new Map();
  /** Whether `keep` was called: of what is loaded later, no compiled code is read or kept. V8 may have other options by then. */
  let isDone = false;
  const load = (file) => {
    const known = modules.get(file);
    if (known) return known.exports;
    const bundle = new Module(file);
    bundle.filename = file;
    const kept = isDone ? undefined : `${file}.${use}.cache`;
    const { script, isKept } = compile(file, kept);
    modules.set(file, { exports: bundle.exports, script, kept, isKept });
    const outside = createRequire(file);
    const inside = (name) => (name.startsWith('./') ? load(join(dirname(file), name)) : outside(name));
    // V8 drops code that ran once. Kept code without the outermost function would make every start parse the whole source.
    if (kept && !isKept) setFlagsFromString('--no-flush-bytecode');
    script.runInThisContext()(bundle.exports, Object.assign(inside, outside), bundle, file, folder);
    return (modules.get(file).exports = bundle.exports);
  };
  const keep = () => {
    if (isDone) return;
    isDone = true;
    const compiled = [...modules.values()].filter(({ isKept }) => !isKept);
    if (compiled.length === 0) return;
    // before it is written: V8 accepts code only under the flags under which it was stored
    setFlagsFromString('--flush-bytecode');
    for (const { script, kept } of compiled) write(script, kept);
  };
  const entry = new RegExp(`^${program}-[A-Z0-9]{8}\\.cjs$`);
  return {
    exports: load(
      join(
        folder,
        readdirSync(folder).find((name) => entry.test(name)),
      ),
    ),
    keep,
  };
}

/** The script of a file; `kept`: where its compiled code is, if any is. */
function compile(file, kept) {
  const bytes = readFileSync(file);
  const cachedData = kept && readKept(kept);
  const script = new Script(bytes.latin1Slice(), { filename: file, ...(cachedData && { cachedData }) });
  return { script, isKept: cachedData !== undefined && !script.cachedDataRejected };
}

function readKept(kept) {
  try {
    return readFileSync(kept);
  } catch {
    return undefined;
  }
}

/** A folder that cannot be written only costs time. */
function write(script, kept) {
  const unfinished = `${kept}.${process.pid}`;
  try {
    writeFileSync(unfinished, script.createCachedData());
    renameSync(unfinished, kept);
  } catch {
    rmSync(unfinished, { force: true });
  }
}
