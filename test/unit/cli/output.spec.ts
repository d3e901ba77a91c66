import { InvalidArgumentError } from 'commander';
import stringWidth from 'string-width';
import { print } from '../../../src/cli/context.js';
import { describeProgress } from '../../../src/cli/directory-import.js';
import { rewrittenLine, shareOf } from '../../../src/cli/progress.js';
import { Exit, Misuse, CommandRefusal } from '../../../src/cli/refusal.js';
import { messageOf, pretty, printAnswer } from '../../../src/cli/request/answer.js';
import { newProgram, describeError, runCommand } from '../../../src/cli/run.js';
import { displaysUnicode } from '../../../src/cli/environment.js';
import { bar, sparkline } from '../../../src/cli/stats/stats-report.js';
import { csv, inert } from '../../../src/common/text/csv.js';
import { fields, table } from '../../../src/cli/table.js';
import { CapturedTerminal } from '../../../src/cli/terminal.js';
import { ConfigError } from '../../../src/config/config.js';

describe('exit codes', () => {
  async function run(argv: string[], action: (given?: string) => void = () => undefined) {
    const terminal = new CapturedTerminal();
    const program = newProgram(terminal).version('1.2.3');
    program.command('do').argument('[what]').option('--json').action(action);
    return { exitCode: await runCommand(program, argv, terminal), stdout: terminal.stdout, stderr: terminal.stderr };
  }
  const failing = (error: Error) => () => {
    throw error;
  };

  it('is 0 for what is done, help and version', async () => {
    expect(await run(['do'])).toEqual({ exitCode: 0, stdout: '', stderr: '' });
    expect(await run(['do', '--help'])).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Usage:') });
    expect(await run(['--version'])).toMatchObject({ exitCode: 0, stdout: '1.2.3\n' });
  });

  it('is 2 for what is not understood', async () => {
    expect(await run([])).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining('Usage:') });
    expect(await run(['undo'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("unknown command 'undo'"),
    });
    expect(await run(['do', '--jsno'])).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--json') });
    expect(await run(['do', 'a', 'b'])).toMatchObject({ exitCode: 2 });
    expect(await run(['do'], failing(new Misuse('not both')))).toMatchObject({
      exitCode: 2,
      stderr: 'error: not both\n',
    });
    expect(await run(['do'], failing(new InvalidArgumentError('x')))).toMatchObject({ exitCode: 2 });
  });

  it('is 1 for what is refused, in one line', async () => {
    const refused = await run(['do'], failing(new CommandRefusal('there is no user x')));
    expect(refused).toEqual({ exitCode: 1, stdout: '', stderr: 'error: there is no user x\n' });
  });

  it('is whatever a command decides', async () => {
    expect(await run(['do'], failing(new Exit(7)))).toEqual({ exitCode: 7, stdout: '', stderr: '' });
  });
});

describe('errors in plain words', () => {
  it.each([
    [
      Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }),
      'DATABASE_URL: the server does not answer (ECONNREFUSED)',
    ],
    [
      Object.assign(new Error('database "x" does not exist'), { code: '3D000', severity: 'FATAL' }),
      'DATABASE_URL: database "x" does not exist',
    ],
    [Object.assign(new Error("EACCES: '/x'"), { code: 'EACCES', syscall: 'mkdir', path: '/x' }), "EACCES: '/x'"],
    [new ConfigError(['PORT: no']), 'The configuration is not usable: PORT: no'],
    [new ConfigError(['PORT: no', 'HOST: no']), 'The configuration is not usable:\n  - PORT: no\n  - HOST: no'],
    [
      Object.assign(new Error('x'), { code: 'EADDRINUSE', syscall: 'listen', address: '127.0.0.1', port: 3000 }),
      'Port 3000 of 127.0.0.1 is in use by another program; set PORT to a free port.',
    ],
  ])('%p', (error, words) => expect(describeError(error)).toBe(words));

  it('keeps all that is known of what nobody foresaw', () => {
    expect(describeError(new TypeError('x is not y'))).toMatch(/^TypeError: x is not y\n\s+at /);
  });
});

describe('text', () => {
  it('aligns names and values', () => {
    expect(fields({ id: '1', callbacks: [], 'sign-in': false, name: 'Ä' })).toBe(
      'id         1\ncallbacks  -\nsign-in    no\nname       Ä',
    );
  });

  const rows = [
    { id: '1', name: 'Shoes and boots', ok: true },
    { id: '200', name: '靴 Söhne', ok: null },
  ];

  it('aligns columns, and says when there is nothing', () => {
    expect(table(rows, 'none')(80)).toBe(
      ['ID   NAME             OK', '1    Shoes and boots  yes', '200  靴 Söhne         -'].join('\n'),
    );
    expect(table([], 'none')(80)).toBe('none');
  });

  it('breaks cells at spaces where a table is too wide', () => {
    expect(table(rows, 'none')(20)).toBe(
      ['ID   NAME        OK', '1    Shoes and   yes', '     boots', '200  靴 Söhne    -'].join('\n'),
    );
  });

  it('shows rows below each other where not even their words fit', () => {
    expect(table(rows, 'none')(12)).toBe(
      ['id    1\nname  Shoes and boots\nok    yes', 'id    200\nname  靴 Söhne\nok    -'].join('\n\n'),
    );
  });

  it('never is wider than the terminal while it is a table', () => {
    for (let width = 15; width < 40; width++)
      for (const line of table(rows, 'none')(width).split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(width);
  });

  it('aligns numbers to the right', () => {
    const counted = [
      { name: 'a', spend: '5.00' },
      { name: 'b', spend: '1,000.00' },
    ];
    expect(table(counted, 'none', ['spend'])(80)).toBe('NAME     SPEND\na         5.00\nb     1,000.00');
  });

  it('fits the terminal of whoever gave the command', () => {
    const shown = (terminal: CapturedTerminal) => {
      print(terminal, {}, { json: rows, text: table(rows, 'none') });
      return terminal.stdout.split('\n').length;
    };
    expect([shown(new CapturedTerminal()), shown(new CapturedTerminal('', '/', 20))]).toEqual([4, 5]);
  });
});

describe('statistics', () => {
  it('have a sparkline of at most 30 characters, whose lowest height is 0', () => {
    expect([sparkline([0, 1, 7], true), sparkline([0, 1, 7], false)]).toEqual(['▁▂█', '_.#']);
    expect([sparkline([], true), sparkline([0, 0], true), sparkline([3], true)]).toEqual(['', '▁▁', '█']);
    expect(sparkline([...Array<number>(60).fill(2), ...Array<number>(30).fill(1)], false)).toBe(
      `${'#'.repeat(20)}${'='.repeat(10)}`,
    );
    expect([bar(1, 2, true), bar(0, 2, false), bar(0, 0, false)]).toEqual(['████████', '', '']);
  });

  it('display more than ASCII in a UTF-8 locale only', () => {
    const shown = (env: Record<string, string>, platform = 'linux') => displaysUnicode(env, platform);
    expect([shown({ LANG: 'en_US.UTF-8' }), shown({ LC_CTYPE: 'C.utf8', LANG: 'C' })]).toEqual([true, true]);
    expect([shown({ LANG: 'en_US.UTF-8', LC_ALL: 'C' }), shown({})]).toEqual([false, false]);
    expect([shown({ LANG: 'C.UTF-8', TERM: 'dumb' }), shown({ WT_SESSION: '1' }, 'win32')]).toEqual([false, true]);
  });

  it('are CSV: quotes are doubled, lines end in CR and LF', () => {
    const lines = [['a', 'b'], ['1,5', 'say "x"'], ['two\nlines', 0], [null, '']]; // prettier-ignore
    expect(csv(lines)).toBe('a,b\r\n"1,5","say ""x"""\r\n"two\nlines",0\r\n,\r\n');
  });

  it.each(['=1', ' =1', '\n=1', '\u00a0\u3000+1', '\n', '\r', '\t', '＝1+1', '＋1', '－1', '＠sum', '-1'])(
    'are no formulas in CSV: %j',
    (text) => expect(inert(text)).toBe(`'${text}`),
  );
  it.each(['1=1', ' a', 'a\n=1', '', null])('keep other texts in CSV: %j', (text) => expect(inert(text)).toBe(text));
});

describe('an answer', () => {
  const answered = async (body: string | null, init: ResponseInit, include = false, coloured = false) => {
    const terminal = Object.assign(new CapturedTerminal(), { coloured });
    await printAnswer(new Response(body, init), terminal, { include });
    return { stdout: terminal.stdout, stderr: terminal.stderr };
  };
  const headers = { 'content-type': 'application/json', 'x-rate-limit-remaining': '9', 'x-request-id': 'r' };

  it('is status and limits, and readable JSON', async () => {
    expect(await answered('{"a":1}', { status: 201, headers })).toEqual({
      stdout: '{\n  "a": 1\n}\n',
      stderr: '201 Created\nx-rate-limit-remaining: 9\n',
    });
  });

  it('has all headers when asked', async () => {
    expect((await answered('{}', { headers }, true)).stderr).toContain('x-request-id: r\n');
  });

  it('is left as it is when it is no JSON', async () => {
    const text = { headers: { 'content-type': 'text/plain' } };
    expect((await answered('oauth_token=a&b=c', text)).stdout).toBe('oauth_token=a&b=c');
    expect(await answered(null, { status: 204 })).toEqual({ stdout: '', stderr: '204 No Content\n' });
    expect(pretty('{broken')).toBe('{broken');
  });

  it('is coloured on a terminal only', async () => {
    expect((await answered('{}', { status: 404, headers }, false, true)).stderr).toContain('\u001b[31m404');
    expect((await answered('{}', { status: 404, headers })).stderr).toMatch(/^404 Not Found\n/);
  });
});

describe('a line of progress', () => {
  it('replaces the one before, and is cut to what fits on a line', () => {
    expect(rewrittenLine('half')).toBe('\r\x1b[Khalf');
    expect(rewrittenLine()).toBe('\r\x1b[K');
    expect(rewrittenLine('0123456789', 10)).toBe('\r\x1b[K01234567…');
    expect(rewrittenLine('0123456789', 11)).toBe('\r\x1b[K0123456789');
    // a terminal whose size is not known
    expect(rewrittenLine('0123456789', 0)).toBe('\r\x1b[K0123456789');
  });

  it('says what share of a file is done', () => {
    expect(shareOf(0, 0)).toBe('0 % of 0.0 MiB');
    expect(shareOf(1_048_575, 1_048_576)).toBe('99 % of 1.0 MiB');
    expect(shareOf(1_048_576, 1_048_576)).toBe('100 % of 1.0 MiB');
  });

  it('says how far an import is', () => {
    const done = { lines: 3_000, made: 1_200, known: 1_800, bytes: 786_432, size: 3_145_728 };
    expect(describeProgress({ ...done, isStoring: true, seconds: 1.5 })).toBe(
      'imported 25 % of 3.0 MiB: 3000 lines, 1200 new, 1800 updated, 2000/s',
    );
    expect(describeProgress({ ...done, isStoring: false, seconds: 2 })).toBe(
      'checked 25 % of 3.0 MiB: 3000 lines, 1500/s',
    );
    expect(describeProgress({ ...done, isStoring: false, seconds: 0.9 })).toBe('checked 25 % of 3.0 MiB: 3000 lines');
  });
});

it.each([
  ['{"detail":"There is none","title":"x"}', 'There is none'],
  ['{"errors":[{"message":"name is missing"},{"message":"too long"}]}', 'name is missing; too long'],
  ['{"operation_errors":[[],[{"message":"name is missing"}],null]}', 'name is missing'],
  ['{"other":1}', '{"other":1}'],
  ['null', 'null'],
  ['<html>', '<html>'],
  ['x'.repeat(400), 'x'.repeat(300)],
])('the message of the error body %s is %s', (text, message) => expect(messageOf(text)).toBe(message));
