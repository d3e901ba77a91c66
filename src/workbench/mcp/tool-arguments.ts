import { didYouMean } from '../../common/http/hints/nearest.js';

type Json = Record<string, unknown>;

/** What an assistant sent does not fit a tool. The package makes an error of it, with this code. */
export class InvalidArguments extends Error {
  readonly code = -32_602;
}

/** Where an argument goes: into the path, as a parameter of the query or form, or as JSON. */
type Place = 'path' | 'parameter' | 'json' | 'body' | 'sandbox';

export interface ToolArgument {
  place: Place;
  required: boolean;
  /** Values that the tool does not take, with what to do instead. */
  refused?: Record<string, string>;
}

const MAX_PROBLEMS = 10;

/** Throws unless the arguments are those of the tool. The service checks their values, except those that would change its path. */
export function checkArguments(
  args: Json,
  known: ReadonlyMap<string, ToolArgument>,
  others: Record<string, string>,
): void {
  const problems = [
    ...[...known].flatMap(([name, argument]) =>
      problemsOf(name, argument, Object.hasOwn(args, name) ? args[name] : undefined),
    ),
    ...Object.keys(args).flatMap((name) =>
      known.has(name) ? [] : [`${shortened(name)} is not an argument. ${remedyOf(name, [...known.keys()], others)}`],
    ),
  ];
  if (problems.length > 0) throw new InvalidArguments(problems.slice(0, MAX_PROBLEMS).join(' '));
}

function remedyOf(name: string, known: string[], others: Record<string, string>): string {
  if (Object.hasOwn(others, name)) return others[name];
  return didYouMean(name, known) ?? (known.length > 0 ? `The arguments are ${known.join(', ')}.` : 'There are none.');
}

function problemsOf(name: string, { place, required, refused = {} }: ToolArgument, value: unknown): string[] {
  if (value === undefined || (value === null && required)) return required ? [`${name} is required.`] : [];
  if (place === 'sandbox') return typeof value === 'boolean' ? [] : [`${name} must be true or false.`];
  if (place === 'json' || place === 'body') return [];
  if (place === 'path') return problemsOfId(name, value);
  if (![value].flat().every(isScalar)) return [`${name} must be a text, a number, true or false, or a list of these.`];
  const text = textOf(value).trim();
  return Object.hasOwn(refused, text) ? [`${name} cannot be ${text}. ${refused[text]}`] : [];
}

/** A URL leaves out an empty segment or one of dots, so that the request would have another path. */
function problemsOfId(name: string, value: unknown): string[] {
  if (value === '') return [`${name} is required.`];
  const isId = (typeof value === 'string' && !/^\.{1,2}$/.test(value)) || typeof value === 'number';
  return isId ? [] : [`${name} must be an id.`];
}

const isScalar = (value: unknown): boolean => value === null || ['string', 'number', 'boolean'].includes(typeof value);

const shortened = (name: string) => (name.length > 64 ? `${name.slice(0, 61).toWellFormed()}...` : name);

/** A value in a query or form: lists with commas, null as an empty value. */
export function textOf(value: unknown): string {
  if (value === null) return '';
  if (Array.isArray(value)) return value.map(textOf).join(',');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
