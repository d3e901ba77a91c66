import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { endChild } from './support/child.js';
import { fetchNode, type OtherNode } from './support/node-versions.js';
import { ROOT } from './support/paths.js';
import { freePort } from './support/ports.js';
import { untilReady } from './support/ready.js';
import { settings } from './support/settings.js';
import { type Stage, withStage } from './support/stage.js';
import { atLeast, atMost, type Figure, noted } from './support/table.js';

/** Major versions of Node that the service runs on beside the oldest, which runs all other tests. */
const MAJORS = [22, 24, 26];
const READY_MS = 120_000;
const OUTPUT_CHARACTERS = 10_000_000;

/**
 * The service on newer versions of Node: a start on the embedded store, and the end-to-end suite, on whatever servers the variables
 * of the tests name. With `--quick`, a start on the newest version alone.
 */
export function prove(): Promise<Figure[]> {
  return withStage(async (stage) => {
    const figures: Figure[] = [];
    for (const major of settings.quick ? MAJORS.slice(-1) : MAJORS) {
      const node = fetchNode(stage, major);
      const part = [
        noted('version', node.version),
        ...(await start(stage, node)),
        ...(settings.quick ? [] : await tests(stage, node)),
      ];
      figures.push(...part.map((figure) => ({ ...figure, part: `Node ${major}` })));
    }
    return figures;
  });
}

/** Starts the service on a new embedded store, and has the command line of the same Node send a signed request. */
async function start(stage: Stage, node: OtherNode): Promise<Figure[]> {
  const port = await freePort();
  const dataDir = join(stage.folder, `data-${node.version}`);
  const env = { ...node.env, PORT: `${port}`, DATA_DIR: dataDir };
  const service = run(stage, node, ['bin/service.mjs'], env);
  await untilReady(port, service.child, READY_MS);
  const request = run(stage, node, ['bin/marquee.mjs', 'request', 'GET', '/12/accounts'], env);
  const [code] = (await once(request.child, 'close')) as [number | null];
  const isKilled = await endChild(service.child, 'SIGTERM');
  return [
    { name: 'signed request', measured: `exit ${code}`, promise: 'exit 0', ok: code === 0 },
    { name: 'end after SIGTERM', measured: isKilled ? 'killed' : 'by itself', promise: 'by itself', ok: !isKilled },
    atMost('warnings of deprecation', warnings(service.output() + request.output()), 0),
  ];
}

const warnings = (output: string): number => output.match(/DeprecationWarning/g)?.length ?? 0;

/** Runs the end-to-end suite. */
async function tests(stage: Stage, node: OtherNode): Promise<Figure[]> {
  const results = join(stage.folder, `${node.version}.json`);
  const flags = ['--disable-warning=ExperimentalWarning', '--experimental-vm-modules'];
  const jest = ['node_modules/jest/bin/jest.js', '--config', 'jest.config.mjs', '--selectProjects', 'e2e', '--silent'];
  const { child, output } = run(stage, node, [...flags, ...jest, '--json', '--outputFile', results], node.env);
  await once(child, 'close');
  const failures = output().match(/^\s+● .+$/gm) ?? [];
  for (const failure of new Set(failures)) console.log(failure);
  const { numPassedTests, numFailedTests, numFailedTestSuites } = JSON.parse(readFileSync(results, 'utf8')) as Record<
    string,
    number
  >;
  return [
    atLeast('tests passed', numPassedTests, 1_000),
    atMost('tests failed', numFailedTests, 0),
    atMost('spec files failed', numFailedTestSuites, 0),
  ];
}

/** Runs a program of the project on that Node; `output` is the end of what it wrote so far. */
function run(
  stage: Stage,
  node: OtherNode,
  args: string[],
  env: NodeJS.ProcessEnv,
): { child: ChildProcess; output: () => string } {
  const child = spawn(node.path, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
  stage.owns(child, 'SIGTERM');
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => void (output = (output + String(chunk)).slice(-OUTPUT_CHARACTERS)));
  return { child, output: () => output };
}
