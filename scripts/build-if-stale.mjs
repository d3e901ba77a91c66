#!/usr/bin/env node
/**
 * Builds dist/ when a source changed since the last build, and says nothing otherwise. swc takes the types off, as it does
 * for Jest (.swcrc); `npm run check:types` judges them.
 *
 * `--force` builds in any case. `--without-bundle` leaves out the bundles of the programs.
 *
 * Several may run at once: the first one builds, the others wait for it.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');
const stamp = join(dist, '.built');
const lock = join(dist, '.building');
const template = join(dist, 'store-template.tar.gz');
const bundledStamp = join(dist, '.bundled');
const lightFolder = join(dist, 'light');
const lightStamp = join(dist, '.light');
const templateScript = join(root, 'scripts', 'make-store-template.mjs');

/** What is compiled; an image is built without the benchmarks and the proofs. */
const compiled = ['src', 'bench', 'scripts/proofs', 'ormconfig.ts'];
const sources = [...compiled, '.swcrc', 'package-lock.json', 'scripts/build-if-stale.mjs', 'scripts/bundle.mjs'];

/** A build takes seconds; a lock this old was left behind by a process that was killed. */
const LOCK_LIVES_MS = 5 * 60_000;

/** The newest change below a path; that of a folder counts too, or a deleted file would go unnoticed. */
function newestChange(path) {
  const about = statSync(path, { throwIfNoEntry: false });
  if (!about) return 0;
  if (!about.isDirectory()) return about.mtimeMs;
  return readdirSync(path, { withFileTypes: true }).reduce(
    // `join` would take a third of the time
    (newest, entry) => Math.max(newest, newestChange(`${path}/${entry.name}`)),
    about.mtimeMs,
  );
}

/** What the stamp holds: compared for equality, so neither a wrong clock nor files older than before go unnoticed. */
const stateOfSources = () => String(Math.max(...sources.map((path) => newestChange(join(root, path)))));

const readStamp = (path) => (existsSync(path) ? readFileSync(path, 'utf8') : undefined);
const isFresh = () => readStamp(stamp) === stateOfSources();

/** Made again when the packages changed, PostgreSQL's among them, and when there is another migration. */
const hasTemplate = () =>
  (statSync(template, { throwIfNoEntry: false })?.mtimeMs ?? 0) >
  Math.max(...[join(root, 'package-lock.json'), join(root, 'src', 'migrations'), templateScript].map(newestChange));

/** Made again after each build, by whoever needs them first. */
const hasBundles = () => readStamp(bundledStamp) === readStamp(stamp);

/** Takes the lock, or answers false when somebody else builds at this moment. */
function takeLock() {
  mkdirSync(dist, { recursive: true });
  try {
    const file = openSync(lock, 'wx');
    writeSync(file, String(process.pid));
    closeSync(file);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    if (isAbandoned()) rmSync(lock, { force: true });
    return false;
  }
}

function isAbandoned() {
  const taken = statSync(lock, { throwIfNoEntry: false })?.mtimeMs;
  if (taken === undefined) return false;
  const age = Date.now() - taken;
  if (age > LOCK_LIVES_MS) return true;
  const builder = Number(readFileSync(lock, { encoding: 'utf8' }));
  if (!builder) return age > 2_000; // between creating the file and writing into it
  try {
    process.kill(builder, 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

/** Every file at or below a path, relative to the root. */
function filesOf(path) {
  const about = statSync(join(root, path), { throwIfNoEntry: false });
  if (!about) return [];
  if (!about.isDirectory()) return [path];
  return readdirSync(join(root, path)).flatMap((name) => filesOf(join(path, name)));
}

/** What a build makes of a source, or nothing where only types are declared. Templates and the like are copied. */
function outputOf(source) {
  if (source.endsWith('.d.ts')) return undefined;
  return join(dist, source.replace(/\.ts$/, '.js'));
}

/** Compiles one source, with a source map beside it. */
async function compile(source, transformFile) {
  const output = outputOf(source);
  mkdirSync(dirname(output), { recursive: true });
  if (!source.endsWith('.ts')) return copyFileSync(join(root, source), output);
  const { code, map } = await transformFile(join(root, source), {
    cwd: root,
    configFile: join(root, '.swcrc'),
    sourceMaps: true,
    sourceFileName: relative(dirname(output), join(root, source)),
    inlineSourcesContent: false,
  });
  const name = `${output}.map`;
  writeFileSync(output, `${code}//# sourceMappingURL=${relative(dirname(output), name)}\n`);
  writeFileSync(name, map);
}

/** Compiles everything; says of every file that could not be compiled why, and answers whether all could. */
async function compileAll() {
  const { transformFile } = await import('@swc/core');
  const files = compiled.flatMap(filesOf).filter(outputOf);
  const results = await Promise.allSettled(files.map((file) => compile(file, transformFile)));
  const wrong = results.flatMap(({ reason }, i) =>
    reason ? [`${files[i]}: ${String(reason.message ?? reason).split('\n\nCaused by:')[0]}`] : [],
  );
  for (const each of wrong) process.stderr.write(`${each}\n`);
  return wrong.length === 0;
}

/** What was compiled from a source that is gone would still be found, a deleted migration for one. */
function removeOrphans(folder) {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    const source = join(root, relative(dist, path));
    if (entry.isDirectory()) {
      if (existsSync(source)) removeOrphans(path);
      else rmSync(path, { recursive: true });
    } else if (!existsSync(source) && !existsSync(source.replace(/\.js(\.map)?$/, '.ts'))) {
      rmSync(path);
    }
  }
}

async function build(force) {
  const state = stateOfSources(); // read first: a source saved while the compiler runs makes the next call build again
  const first = !existsSync(join(dist, 'src'));
  const began = performance.now();
  rmSync(stamp, { force: true });
  if (!force) {
    process.stderr.write(
      first
        ? 'Building, for the first time: it takes a second or two ...\n'
        : 'Building, because the sources changed since the last build ...\n',
    );
  }
  if (!(await compileAll())) return false;
  for (const path of ['src', 'bench', 'scripts']) removeOrphans(join(dist, path));
  writeFileSync(stamp, state);
  if (!force && first) process.stderr.write(`Built in ${((performance.now() - began) / 1000).toFixed(1)} s.\n`);
  return true;
}

/** The few files that the programs are started from; the stamp comes last, so that half a bundle is made again. */
async function makeBundles() {
  rmSync(bundledStamp, { force: true });
  const [{ bundle }, { bundleClient }] = await Promise.all([import('./bundle.mjs'), import('./build-client.mjs')]);
  await Promise.all([bundle(dist), bundleClient()]);
  writeFileSync(bundledStamp, readFileSync(stamp));
}

/** The embedded store that later ones begin with, so that they need not wait for initdb and the migrations. */
async function makeStoreTemplate(force) {
  if (!force) process.stderr.write('Making the store that others begin with: a few seconds, once ...\n');
  const [status] = await once(
    spawn(process.execPath, [templateScript], { cwd: root, stdio: ['ignore', 2, 2] }),
    'exit',
  );
  if (status !== 0) process.stderr.write('No store template could be made; first starts take some seconds longer.\n');
}

/** Builds what is missing or out of date; false if a source could not be compiled. */
export async function buildIfStale({ force = false, template: withTemplate = false, bundles = true } = {}) {
  const isDone = () => !force && isFresh() && (!withTemplate || hasTemplate()) && (!bundles || hasBundles());
  // An image ships dist/ alone: nothing to compare with, nothing to build with.
  if (!existsSync(join(root, 'src')) || isDone()) return true;
  while (!takeLock()) await pause(100);
  try {
    // Somebody else may have built while we waited.
    if ((force || !isFresh()) && !(await build(force))) return false;
    await Promise.all([
      bundles && (force || !hasBundles()) && makeBundles(),
      withTemplate && !hasTemplate() && makeStoreTemplate(force),
    ]);
    return true;
  } finally {
    rmSync(lock, { force: true });
  }
}

/** The commands that need neither the service nor its store. */
const LIGHT_COMMANDS = new Set([
  ...['completion', 'config', 'docs', 'help', 'postman'],
  ...['fixtures', 'request', 'sign'],
  ...['clocks', 'faults', 'logs', 'namespaces', 'snapshot'],
  ...['login', 'logout', 'profile'],
]);

const isLight = ([command, ...rest]) =>
  command === undefined || command.startsWith('-') || LIGHT_COMMANDS.has(command) || rest.at(-1) === '--help';

/**
 * Builds what a command with these arguments needs, and answers with the folder in dist that has its bundle; undefined if a source
 * could not be compiled. While not everything is built, commands that need neither service nor store get a bundle of their own.
 */
export async function buildForCommand(argv) {
  const state = stateOfSources();
  const template = argv[0] === 'serve';
  if (!template && readStamp(stamp) === state && hasBundles()) return 'bundles';
  if (!isLight(argv)) return (await buildIfStale({ template })) ? 'bundles' : undefined;
  if (readStamp(lightStamp) === state) return 'light';
  try {
    await makeLightCommands(state);
    return 'light';
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    return undefined;
  }
}

async function makeLightCommands(state) {
  process.stderr.write('Building the command, because it is new or its sources changed: a second ...\n');
  rmSync(lightStamp, { force: true });
  const { bundleLightCommands } = await import('./bundle.mjs');
  await bundleLightCommands(root, lightFolder);
  writeFileSync(lightStamp, state);
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const isGiven = (option) => process.argv.includes(option);
  const isBuilt = await buildIfStale({
    force: isGiven('--force'),
    template: true,
    bundles: !isGiven('--without-bundle'),
  });
  process.exitCode = isBuilt ? 0 : 1;
}
