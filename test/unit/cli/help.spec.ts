import type { Command } from 'commander';
import { processProgram } from '../../../src/cli/program.js';
import type { ProcessTerminal } from '../../../src/cli/terminal.js';

let said = '';
const terminal = { out: (text: string) => (said += text), err: () => undefined } as unknown as ProcessTerminal;
const newProgram = () => processProgram([], terminal);

/** Every command of the program, with its words. */
const commandsOf = (command: Command, words: string[] = []): { words: string; command: Command }[] => [
  { words: words.join(' '), command },
  ...command.commands.flatMap((each) => commandsOf(each, [...words, each.name()])),
];

const helpOf = (command: Command): string => {
  said = '';
  command.outputHelp();
  return said;
};

/** Lines that begin with a prompt, those that they go on in included. */
const examplesOf = (command: Command): string[] =>
  [
    ...helpOf(command)
      .replaceAll(/\\\n\s*/g, '')
      .matchAll(/^ *\$ (.+)$/gm),
  ].map(([, line]) => line);

/** A line as a shell splits it, without what it does with files. */
const argumentsOf = (line: string): string[] =>
  [...line.replace(/ (>|<|>>) \S+/g, '').matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare,
  );

const all = commandsOf(newProgram());
const leaves = all.filter(({ command }) => command.commands.length === 0);

it('has the commands', () => {
  expect(all.length).toBeGreaterThan(50);
});

describe('the help of', () => {
  it.each(all.map(({ words, command }) => [words, command] as const))('marquee %s', (_, command) => {
    expect(command.description()).toMatch(/^[A-Z].*\.$/s);
    if (command.parent) expect(command.summary()).toMatch(/^[a-zA-Z].*[^.]$/);
    for (const argument of command.registeredArguments)
      expect(`${argument.name()}: ${argument.description}`).toMatch(/: \S/);
    for (const option of command.options) {
      expect(`${option.flags}: ${option.description}`).toMatch(/: \S/);
      expect(option.long).toMatch(/^--/);
    }
  });

  it.each(
    all
      .filter(({ command }) => command.commands.length > 0 && command.parent)
      .map(({ words, command }) => [words, command] as const),
  )('marquee %s names what it has', (_, command) => {
    const named = command.summary().split(': ').at(-1)!.split(', ');
    expect(named).toEqual(command.commands.map((each) => each.name()));
  });

  it.each(leaves.map(({ words, command }) => [words, command] as const))(
    'marquee %s has an example of it',
    (words, command) => {
      expect(examplesOf(command).filter((line) => line.includes(`marquee ${words}`))).not.toEqual([]);
    },
  );
});

describe('every example is understood', () => {
  const examples = [...new Set(all.flatMap(({ command }) => examplesOf(command)))].flatMap(
    (line) => /marquee( [^)]+)/.exec(line)?.[1] ?? [],
  );

  it.each(examples)('marquee%s', async (line) => {
    const program = newProgram();
    let reached = '';
    for (const { words, command } of commandsOf(program)) {
      command.exitOverride();
      if (command.commands.length === 0) command.action(() => void (reached = words));
    }
    await program.parseAsync(argumentsOf(line), { from: 'user' });
    expect(` ${line.trim()} `).toContain(` ${reached} `);
    expect(reached).not.toBe('');
  });
});
