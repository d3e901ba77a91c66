import { createRequire } from 'node:module';
import { Option, type Command } from 'commander';
import { VERSION } from '../../operations/version.js';
import { print, type OutputOptions } from '../context.js';
import { baseUrlsOf, findCredentials, type NamedCredentials } from '../credentials/credentials.js';
import { profileName } from '../credentials/profiles.js';
import { countOf } from '../../common/text/nouns.js';
import { collectValues } from '../parsing.js';
import { CommandRefusal } from '../refusal.js';
import { messageOf } from '../request/answer.js';
import { authorizerOf } from '../request/authorize.js';
import { draft, type Method } from '../request/draft.js';
import { send } from '../request/send.js';
import { table } from '../table.js';
import type { ProcessTerminal } from '../terminal.js';

const require = createRequire(import.meta.url);

/** An operation of the workbench, as `npm run client-api` takes it from the OpenAPI document. */
interface Operation {
  method: Method;
  /** The path below /workbench. */
  path: string;
  description: string;
  /** The description of each parameter. */
  parameters: Record<string, string>;
}

const OPERATIONS = require('./operations.json') as Record<string, Operation>;

const PLACEHOLDER = /\{(\w+)\}/g;
/** Maximum number of items in a page. No list but that of requests is longer. */
const PAGE_SIZE = 1_000;

export type WorkbenchOptions = NamedCredentials & OutputOptions;

/** Adds the options that select the credentials of an application and its owner. */
export const withCredentials = (command: Command): Command =>
  command
    .option(
      '-c, --credentials <file>',
      "a JSON file with the keys and secrets of the application and its owner's token; may be repeated (default: as for `request`)",
      collectValues,
    )
    .option('-p, --profile <name>', 'use the application and token of this login', profileName);

/** The syntax of a command; the OpenAPI document has its other texts. */
interface CommandSyntax {
  name: string;
  summary: string;
  /** The parameter that each argument sets. */
  args?: Record<string, string>;
  /** The parameter that each option sets, by its flags. */
  options?: Record<string, string>;
  /** Arguments of `marquee`. */
  examples: readonly string[];
  /** A command with one form of output has no --json. */
  hasJson?: boolean;
}

/** Adds a command that calls an operation. */
export function operationCommand(group: Command, id: string, syntax: CommandSyntax): Command {
  const { name, summary, args = {}, options = {}, examples, hasJson = true } = syntax;
  const command = group.command(name).summary(summary).description(OPERATIONS[id].description);
  for (const [argument, parameter] of Object.entries(args)) command.argument(argument, descriptionOf(id, parameter));
  for (const [flags, parameter] of Object.entries(options)) command.option(flags, descriptionOf(id, parameter));
  const lines = examples.map((each) => `\n  $ marquee ${each}`).join('');
  withCredentials(command).addHelpText('after', `\nExamples:${lines}`);
  return hasJson ? command.option('--json', 'print JSON') : command;
}

/** The description of a parameter in the style of the help. */
export function descriptionOf(id: string, parameter: string): string {
  const description = OPERATIONS[id].parameters[parameter].replace(/\.$/, '');
  return description.replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase());
}

/** The parameters that these options set. */
export function operationParametersOf(given: object, options: Record<string, string>): Record<string, string> {
  const values = given as Record<string, string | string[] | undefined>;
  const set = Object.entries(options).flatMap(([flags, parameter]) => {
    const value = values[new Option(flags).attributeName()];
    return value === undefined ? [] : [[parameter, String(value)]];
  });
  return Object.fromEntries(set) as Record<string, string>;
}

/** Adds the command that lists everything. */
export function listCommand<T>(
  group: Command,
  terminal: ProcessTerminal,
  { operation, noun, row }: { operation: string; noun: string; row: (item: T) => Parameters<typeof table>[0][number] },
): void {
  operationCommand(group, operation, {
    name: 'list',
    summary: `list ${noun}s`,
    examples: [`${group.name()} list`],
  }).action(async (options: WorkbenchOptions) => {
    const found = await listAll<T>(operation, options);
    print(terminal, options, { json: found, text: table(found.map(row), `There are no ${noun}s.`) });
  });
}

/** All items of a list. */
export const listAll = <T>(operation: string, named: NamedCredentials): Promise<T[]> =>
  callOperation(operation, named, { max_results: `${PAGE_SIZE}` });

interface Deletion {
  operation: string;
  noun: string;
  /** The argument, of which there can be several. */
  argument: string;
  example: string;
}

/** Adds the command that deletes items one after the other; the first that is rejected ends it. */
export function deleteCommand(group: Command, terminal: ProcessTerminal, given: Deletion): void {
  const { operation, noun, argument, example } = given;
  const [parameter] = Object.keys(OPERATIONS[operation].parameters);
  operationCommand(group, operation, {
    name: 'delete',
    summary: `delete ${noun}s`,
    args: { [argument]: parameter },
    examples: [`${group.name()} delete ${example}`],
  }).action((ids: string[], options: WorkbenchOptions) => deleteAll(given, ids, options, terminal));
}

/** Deletes items and prints their number. */
export async function deleteAll(
  { operation, noun }: Pick<Deletion, 'operation' | 'noun'>,
  ids: readonly string[],
  options: WorkbenchOptions,
  terminal: ProcessTerminal,
): Promise<void> {
  const [parameter] = Object.keys(OPERATIONS[operation].parameters);
  for (const id of ids) await callOperation(operation, options, { [parameter]: id });
  print(terminal, options, { json: { deleted: ids }, text: `Deleted ${countOf(ids.length, noun)}.` });
}

/** Calls an operation, signed, and returns what its response has as `data`. */
export async function callOperation<T>(...given: Parameters<typeof requestOperation>): Promise<T> {
  return ((await requestOperation(...given)) as { data: T }).data;
}

/** Calls an operation, signed, and returns the body of its response; anything but a 2xx is a Refusal. */
export async function requestOperation(
  id: string,
  named: NamedCredentials,
  params: Record<string, string> = {},
  json?: string,
): Promise<unknown> {
  const { method, path: template } = OPERATIONS[id];
  const inPath = new Set([...template.matchAll(PLACEHOLDER)].map(([, name]) => name));
  const path = template.replace(PLACEHOLDER, (_, name: string) => encodeURIComponent(params[name]));
  const found = findCredentials(named);
  const request = draft(
    {
      method,
      path: `/workbench/${path}`,
      params: Object.entries(params).filter(([name]) => !inPath.has(name)),
      json,
      headers: [],
      sandbox: false,
      literal: true,
    },
    found.credentials,
    baseUrlsOf(found.credentials),
  );
  request.headers.push(['user-agent', `marquee/${VERSION}`]);
  const answer = await send(await authorizerOf(found)(request));
  const text = await answer.text();
  if (answer.ok) return JSON.parse(text);
  const isAbsent = answer.status === 404 && !path.includes('/');
  const hint = isAbsent ? '; in production mode, WORKBENCH=true enables the workbench' : '';
  throw new CommandRefusal(`the service answers ${answer.status}: ${messageOf(text)}${hint}`);
}
