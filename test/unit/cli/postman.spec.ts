import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addPostmanCommand } from '../../../src/cli/postman.command.js';
import { newProgram, runCommand } from '../../../src/cli/run.js';
import { CapturedTerminal } from '../../../src/cli/terminal.js';

const folder = mkdtempSync(join(tmpdir(), 'marquee-postman-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('only the owner can read the environment, also where others could read the file before', async () => {
  const [credentials, file] = ['credentials.json', 'environment.json'].map((name) => join(folder, name));
  const base_url = 'https://ads.example';
  const urls = { base_url, ads_base_url: base_url, ads_sandbox_base_url: `${base_url}/sandbox` };
  writeFileSync(credentials, JSON.stringify({ consumer_key: 'ck', consumer_secret: 'cs', ...urls }));
  writeFileSync(file, `{"name": "a longer text than the environment", "rest": "${'x'.repeat(9_000)}"}`);
  chmodSync(file, 0o644);
  const terminal = new CapturedTerminal();
  const program = newProgram(terminal);
  addPostmanCommand(program, terminal);
  const exitCode = await runCommand(program, ['postman', file, '--credentials', credentials], terminal);
  expect([exitCode, terminal.stderr]).toEqual([0, '']);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ name: 'Marquee' });
});
