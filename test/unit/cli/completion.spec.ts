import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bashCompletion } from '../../../src/cli/completion/bash.js';
import { fishCompletion } from '../../../src/cli/completion/fish.js';
import { completedCommands } from '../../../src/cli/completion/model.js';
import { zshCompletion } from '../../../src/cli/completion/zsh.js';
import { processProgram } from '../../../src/cli/program.js';
import type { ProcessTerminal } from '../../../src/cli/terminal.js';

const terminal = { out: () => undefined, err: () => undefined } as unknown as ProcessTerminal;
const commands = completedCommands(processProgram([], terminal));
const folder = mkdtempSync(join(tmpdir(), 'marquee-completion-'));
afterAll(() => rmSync(folder, { recursive: true }));

function has(program: string): boolean {
  try {
    return execFileSync(program, ['--version']).length > 0;
  } catch {
    return false;
  }
}

const file = (name: string, text: string) => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

/** What one Tab behind each of these lines offers; the last word is the one that is completed. */
const LINES: [line: string, offered: string[], not?: string[]][] = [
  ['', ['serve', 'config', 'account', 'login', 'help'], ['list', 'bash']],
  ['acc', ['account', 'account-app'], ['serve']],
  ['account ', ['create', 'list', 'show', 'grant'], ['serve']],
  ['account sh', ['show']],
  ['account list --', ['--user', '--environment', '--json', '--help'], ['--owner']],
  ['user list --', ['--name', '--with-access', '--count', '--before', '--json']],
  ['account list --environment ', ['production', 'sandbox'], ['create']],
  ['account list --environment sandbox ', [], ['production', 'create']],
  ['account list --user list --environment s', ['sandbox']],
  ['request ', ['GET', 'POST', 'DELETE']],
  ['request P', ['POST', 'PUT', 'PATCH'], ['GET']],
  ['request --sandbox P', ['POST']],
  ['request --profile work P', ['POST']],
  ['request GET ', [], ['GET']],
  ['account grant 1 bob ', ['ACCOUNT_ADMIN', 'ANALYST']],
  ['account grant 1 ', [], ['ANALYST']],
  ['reference show ', ['bidding_rules', 'iab_categories']],
  ['request GET /12/accounts --credentials app', ['app one.json', 'app-two.json'], ['other.txt']],
  ['directory import o', ['other.txt']],
  ['completion ', ['bash', 'zsh', 'fish']],
  ['help acc', ['account', 'account-app']],
  ['account create --environment=s', ['sandbox']],
];

beforeAll(() => {
  mkdirSync(join(folder, 'here'));
  for (const name of ['app one.json', 'app-two.json', 'other.txt']) file(`here/${name}`, '');
});

const check = (offered: string[], expected: string[], not: string[] = []) => {
  expect(offered).toEqual(expect.arrayContaining(expected));
  for (const each of not) expect(offered).not.toContain(each);
  if (expected.length === 0) expect(offered.filter((each) => !each.startsWith('-'))).toEqual([]);
};

describe('what completions are made of', () => {
  it('is every command, with the words that values are of', () => {
    const create = commands.find(({ words }) => words.join(' ') === 'account create');
    expect(create?.options).toContainEqual({
      names: ['--environment'],
      about: expect.stringContaining('production or sandbox'),
      value: { choices: ['production', 'sandbox'], isFile: false },
    });
  });

  it('has no word that a shell would read as anything else', () => {
    for (const { commands: below, options, values } of commands) {
      const words = [
        ...below.map(({ name }) => name),
        ...options.flatMap(({ names, value }) => [...names, ...(value?.choices ?? [])]),
        ...values.flatMap(({ choices }) => choices),
      ];
      for (const word of words) expect(word).toMatch(/^[\w-]+$/);
    }
  });
});

(has('bash') ? describe : describe.skip)('in bash', () => {
  const path = () => file('marquee.bash', bashCompletion(commands));

  /** As readline splits a line: words end at spaces and stand beside each equals sign. */
  const wordsOf = (line: string) => ['marquee', ...line.split(/ |(=)/).filter((word) => word !== undefined)];

  const offeredFor = (line: string) => {
    const script = `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _marquee; printf '%s\\n' "\${COMPREPLY[@]-}"`;
    const argv = ['--norc', '-uc', script, 'bash', path(), ...wordsOf(line)];
    return execFileSync('bash', argv, { cwd: join(folder, 'here'), encoding: 'utf8' })
      .split('\n')
      .filter(Boolean);
  };

  it.each(LINES)('%j', (line, offered, not = []) => check(offeredFor(line), offered, not));

  it('offers nothing behind what is no command', () => {
    check(offeredFor('nonsense '), []);
  });

  /** What a Tab offers behind words, by what is registered for the first of them; a shell that has no completions of its own. */
  const offeredAfter = (words: string[], before = '') => {
    const script = `${before}
source "$1"; source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
[[ $(complete -p "$1") =~ -F\\ ([^ ]+) ]] && "\${BASH_REMATCH[1]}" "$1" "\${COMP_WORDS[COMP_CWORD]}" "\${COMP_WORDS[COMP_CWORD-1]}"
printf '%s\\n' "\${COMPREPLY[@]-}"`;
    const argv = ['--norc', '-uc', script, 'bash', path(), ...words];
    return execFileSync('bash', argv, { cwd: join(folder, 'here'), encoding: 'utf8' })
      .split('\n')
      .filter(Boolean);
  };

  it.each(LINES)('npx marquee %j', (line, offered, not = []) =>
    check(offeredAfter(['npx', ...wordsOf(line)]), offered, not),
  );

  it('completes the name behind npx, and leaves what else npx runs to what completed it before', () => {
    expect(offeredAfter(['npx', 'mar'])).toEqual(['marquee']);
    expect(offeredAfter(['npx', 'other', ''])).toEqual([]);
    const before = '_other() { COMPREPLY=(theirs "$2"); }; complete -F _other npx';
    expect(offeredAfter(['npx', 'other', 'x'], before)).toEqual(['theirs', 'x']);
    expect(offeredAfter(['npx', 'marquee', 'account', 'sh'], before)).toEqual(['show']);
  });

  it('is registered for marquee, twice if somebody sources it twice', () => {
    const said = execFileSync('bash', [
      '--norc',
      '-ec',
      'source "$1"; source "$1"; complete -p marquee',
      'bash',
      path(),
    ]);
    expect(String(said)).toBe('complete -F _marquee marquee\n');
  });
});

(has('fish') ? describe : describe.skip)('in fish', () => {
  it.each(LINES)('%j', (line, offered, not = []) => {
    const path = file('marquee.fish', fishCompletion(commands));
    const said = execFileSync(
      'fish',
      ['--no-config', '-c', 'source $argv[1]; complete -C $argv[2]', path, `marquee ${line}`],
      {
        cwd: join(folder, 'here'),
        encoding: 'utf8',
      },
    );
    const words = said
      .split('\n')
      .filter(Boolean)
      .map((each) => each.split('\t')[0].replace(/^.*=/, '').replaceAll('\\ ', ' '));
    check(words, offered, not);
  });
});

(has('zsh') ? describe : describe.skip)('in zsh', () => {
  it('is read, and registered for marquee', () => {
    const path = file('marquee.zsh', zshCompletion(commands));
    const script =
      'autoload -U compinit; compinit -D -d /dev/null; source $1; source $1; print $_comps[marquee] $_comps[npx]';
    expect(String(execFileSync('zsh', ['-f', '-c', script, 'zsh', path]))).toBe('_marquee _marquee_npx\n');
  });
});
