import type { Argument, Command, Option } from 'commander';
import { choicesOf } from '../parsing.js';

/** What a value can be: one of some words, the name of a file, or anything. */
export interface Value {
  choices: readonly string[];
  isFile: boolean;
}

/** An option of a command: all its spellings, and its value where it takes one. */
export interface CompletedOption {
  names: string[];
  about: string;
  value?: Value;
}

/** What can be typed behind a command. */
export interface CompletedCommand {
  /** Its words, but for the program's own; empty for the program itself. */
  words: string[];
  commands: { name: string; about: string }[];
  options: CompletedOption[];
  /** Its arguments, by their place. */
  values: Value[];
}

/** A program as completions know it: the program itself, then each of its commands behind the one it belongs to. */
export function completedCommands(program: Command): CompletedCommand[] {
  const walk = (command: Command, words: string[]): CompletedCommand[] => {
    const help = command.createHelp();
    const commands = help.visibleCommands(command);
    const shown = commands.map((each) => ({ name: each.name(), about: each.summary() || each.description() }));
    return [
      {
        words,
        commands: shown,
        options: help.visibleOptions(command).map(optionOf),
        values: command.registeredArguments.map(valueOf),
      },
      ...commands.flatMap((each) =>
        // behind `help` stands the name of a command
        each.name() === 'help'
          ? [{ words: [...words, 'help'], commands: shown, options: [], values: [] }]
          : walk(each, [...words, each.name()]),
      ),
    ];
  };
  return walk(program, []);
}

const optionOf = (option: Option): CompletedOption => ({
  names: [option.short, option.long].filter((name) => name !== undefined && name !== null),
  about: option.description,
  ...((option.required || option.optional) && {
    value: { choices: choicesOf(option.parseArg), isFile: option.flags.includes('<file>') },
  }),
});

const valueOf = (argument: Argument): Value => ({
  choices: choicesOf(argument.parseArg),
  isFile: argument.name() === 'file',
});

/** A text between single quotes, as bash and zsh read it. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
