import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { repeatCommands, type Repeatable } from '../../../src/workbench/journal/repeat-commands.js';

const request = (more: Partial<Repeatable> = {}): Repeatable => ({
  url: 'http://localhost:3000/12/accounts',
  urlHere: 'http://localhost:3000/12/accounts',
  scheme: 'OAUTH1',
  parameters: {},
  body: { text: null, truncated: false, bytes: null },
  contentType: null,
  ...more,
});

/** The words that a shell passes to the CLI. */
function wordsOf(command: string): string[] {
  const print = command.replace('npx marquee', `printf '%s\\0'`);
  return execFileSync('bash', ['--norc', '-c', print], { encoding: 'utf8', env: { LC_ALL: 'C.UTF-8' } })
    .split('\0')
    .slice(0, -1);
}

describe('the command line that repeats a request', () => {
  it('takes parameters as they are, whatever a client put into them', () => {
    const parameters = {
      '--json': '@data/demo-credentials.json',
      '-H': 'x: y',
      media: '@/etc/passwd',
      text: '{access_token}',
      lines: "it's\n\u0003\u202e\\ $HOME `id`",
    };
    const { cli } = repeatCommands('POST', request({ parameters }));
    const pairs = Object.entries(parameters).map(([name, value]) => `${name}=${value}`);
    const options = ['request', '--literal', 'POST', 'http://localhost:3000/12/accounts', '--'];
    expect(wordsOf(cli)).toEqual([...options, ...pairs]);
    for (const acting of ['\u0003', '\u202e']) expect(cli).not.toContain(acting);
  });

  it('passes any text to the command as one word', () => {
    const text = fc.string({ unit: 'binary', maxLength: 12 }).map((each) => each.replaceAll('\0', ''));
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 40 }), (values) => {
        const { cli } = repeatCommands('GET', request({ parameters: { q: values } }));
        expect(wordsOf(cli).slice(5)).toEqual(values.map((value) => `q=${value.toWellFormed()}`));
      }),
      { numRuns: 20 },
    );
  });

  it('calls the service where the client named another host, and says so', () => {
    const { fixture, ...commands } = repeatCommands('GET', request({ url: 'http://evil.example/12/accounts' }));
    expect(fixture).toContain('"path": "/12/accounts"');
    expect(fixture).not.toContain('evil');
    for (const command of Object.values(commands)) {
      expect(command).toContain('http://localhost:3000/12/accounts');
      expect(command).toContain('another host');
      expect(command).not.toContain('evil');
    }
  });

  it('has lists, names and a date in the fixture', () => {
    const asked = { ids: ['a', 'b'], count: '5' };
    const headers = { 'x-marquee-as-of': '2026-11-01', accept: '*/*' };
    const { fixture } = repeatCommands('GET', request({ parameters: asked, headers, names: 'x' }));
    expect((JSON.parse(fixture) as { fixtures: object[] }).fixtures[0]).toMatchObject({
      params: asked,
      headers: { 'x-marquee-as-of': '2026-11-01', 'x-marquee-names': 'x' },
    });
  });
});
