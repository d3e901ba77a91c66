import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What clients are made with: a project of its own, so that nobody installs it who only wants to run the service. */
const FOLDER = 'test/generators';
const INSTALLED = join(FOLDER, 'node_modules/.installed');

function run(command: string, ...args: string[]): { status: number | null; said: string } {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: FOLDER, encoding: 'utf8', timeout: 170_000 });
  return { status, said: `${stdout}${stderr}` };
}

const bin = (name: string) => join('node_modules/.bin', name);

/** Installs what the lock file names, where that is not what is there. */
function install(): void {
  const wanted = readFileSync(join(FOLDER, 'package-lock.json'), 'utf8');
  if (existsSync(INSTALLED) && readFileSync(INSTALLED, 'utf8') === wanted) return;
  const { status, said } = run('npm', 'install', '--no-audit', '--no-fund', '--ignore-scripts');
  if (status !== 0) throw new Error(said);
  writeFileSync(INSTALLED, readFileSync(join(FOLDER, 'package-lock.json'), 'utf8'));
}

describe('clients made from the document', () => {
  beforeAll(() => {
    install();
    rmSync(join(FOLDER, 'generated'), { recursive: true, force: true });
  }, 180_000);

  it.each([
    ['openapi-typescript', ['../../openapi.json', '-o', 'generated/openapi-typescript.d.ts']],
    [
      'openapi-ts',
      ['-i', '../../openapi.json', '-o', 'generated/hey-api', '-c', '@hey-api/client-fetch', '--no-log-file'],
    ],
  ])(
    'are made by %s',
    (generator, args) => {
      expect(run(bin(generator), ...args)).toMatchObject({ status: 0 });
    },
    120_000,
  );

  it('type-check where each kind of call is made, and do not where there is a mistake', () => {
    // An expected mistake that is none is an error, too.
    expect(run(bin('tsc'), '-p', '.')).toEqual({ status: 0, said: '' });
  }, 120_000);
});
