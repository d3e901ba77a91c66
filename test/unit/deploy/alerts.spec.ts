import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

const hasPromtool = spawnSync('promtool', ['--version']).error === undefined;
const read = (path: string) => parse(readFileSync(path, 'utf8')) as unknown;

it('every alert is tested', () => {
  const { groups } = read('deploy/alerts.yaml') as { groups: { rules: { alert: string }[] }[] };
  const tests = readFileSync('deploy/alerts.test.yaml', 'utf8');
  const alerts = groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));
  expect(alerts.length).toBeGreaterThan(10);
  expect(alerts.filter((alert) => !new RegExp(`\\b${alert}\\b`).test(tests))).toEqual([]);
});

// Debian's prometheus has it.
(hasPromtool ? it : it.skip)(
  `the rules fire when they should${hasPromtool ? '' : ' (promtool is not installed)'}`,
  () => {
    const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', 'deploy/alerts.test.yaml'], {
      encoding: 'utf8',
    });
    expect({ status, said: `${stdout}${stderr}` }).toEqual({ status: 0, said: expect.stringContaining('SUCCESS') });
  },
);
