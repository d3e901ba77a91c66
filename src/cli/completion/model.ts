import type { Argument, Command, Option } from 'commander';
import { choicesOf } from '../parsing.js';

/** The values of an option or argument: some words, a file name, or anything. */
export interface Value {
  choices: readonly string[];
  isFile: boolean;
}

/** An option of a command: its spellings, and its values if it takes one. */
interface CompletedOption {
  names: string[];
  about: string;
  value?: Value;
}

/** The words that can follow a command. */
export interface CompletedCommand {
  /** The words of the command without the program name; empty for the program itself. */
  words: string[];
  commands: { name: string; about: string }[];
  options: CompletedOption[];
  /** Its arguments by position. */
  values: Value[];
}

/** The program for completions: the program itself, then its commands, each after its parent. */
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
        // `help` takes the name of a command
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

/** A single-quoted text for bash and zsh. */
export const quoteWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
