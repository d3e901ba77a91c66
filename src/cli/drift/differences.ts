import { isObject } from '../../common/values/is-object.js';

/** The kinds of differences between two answers to the same request. */
export const DRIFT_KINDS = ['status', 'code', 'missing', 'extra', 'type', 'enumeration', 'order'] as const;

/** How the answer here differs from a recorded one. It has no value of a field but constants. */
export interface Difference {
  /**
   * `status`, `code` (of errors), `missing` and `extra` (a field here), `type`, `enumeration` (a constant that no document here
   * has), `order` (of the items of a list).
   */
  kind: (typeof DRIFT_KINDS)[number];
  /** The field, with `[]` for the items of lists; empty for the whole answer. */
  where: string;
  recorded: string;
  here: string;
}

interface Answer {
  status: number;
  answer: unknown;
}

interface Known {
  /** The constants that fields here can have. */
  constants: ReadonlySet<string>;
  /** The id here of an id of the record. */
  idOf: (recorded: string) => string | undefined;
}

/** The differences of two answers, each once. Ids, times, figures and texts may differ; their types may not. */
export function differencesOf(recorded: Answer, here: Answer, known: Known): Difference[] {
  const found: Difference[] = [];
  if (recorded.status !== here.status)
    found.push({ kind: 'status', where: '', recorded: `${recorded.status}`, here: `${here.status}` });
  const [codes, ours] = [codesIn(recorded.answer), codesIn(here.answer)];
  if (codes !== ours) found.push({ kind: 'code', where: 'errors', recorded: codes, here: ours });
  // two answers of different kinds have no field in common
  if (recorded.status < 300 && here.status < 300) compare(recorded.answer, here.answer, '', known, found);
  const byText = new Map(found.map((each) => [JSON.stringify(each), each]));
  return [...byText.values()];
}

/** The codes of the errors of an answer, each once, in order. */
function codesIn(answer: unknown): string {
  if (!isObject(answer)) return '';
  const errors = [answer.errors, answer.operation_errors].flat(3).filter(isObject);
  return [...new Set(errors.map(({ code }) => codeOf(code)))].sort().join();
}

/** A code as it is shown: a number or a constant, otherwise only its type. */
const codeOf = (code: unknown): string =>
  typeof code === 'number' || typeOf(code) === 'constant' ? String(code) : typeOf(code);

function compare(recorded: unknown, here: unknown, where: string, known: Known, found: Difference[]): void {
  // null says nothing about the type
  if (recorded === null || here === null) return;
  const [one, other] = [typeOf(recorded), typeOf(here)];
  if (one !== other) found.push({ kind: 'type', where, recorded: one, here: other });
  else if (Array.isArray(recorded)) compareLists(recorded, here as unknown[], where, known, found);
  else if (isObject(recorded)) compareFields(recorded, here as Record<string, unknown>, where, known, found);
  else if (one === 'constant' && isUnknown(recorded, here, known))
    found.push({ kind: 'enumeration', where, recorded: recorded as string, here: here as string });
}

/** Whether a field whose value here is a constant of a document has another value in the record. */
const isUnknown = (recorded: unknown, here: unknown, { constants }: Known) =>
  constants.has(here as string) && !constants.has(recorded as string);

function compareFields(
  recorded: Record<string, unknown>,
  here: Record<string, unknown>,
  where: string,
  known: Known,
  found: Difference[],
): void {
  // cards, components and the like have other fields in each type
  if (isText(recorded.type) && recorded.type !== here.type && !isUnknown(recorded.type, here.type, known)) return;
  const [byId, hereById] = [recorded, here].map((each) => Object.keys(each).every((name) => ID.test(name)));
  if (byId && hereById) return compareLists(Object.values(recorded), Object.values(here), where, known, found);
  for (const name of new Set([...Object.keys(recorded), ...Object.keys(here)])) {
    const place = where === '' ? name : `${where}.${name}`;
    if (!Object.hasOwn(here, name))
      found.push({ kind: 'missing', where: place, recorded: typeOf(recorded[name]), here: '' });
    else if (!Object.hasOwn(recorded, name))
      found.push({ kind: 'extra', where: place, recorded: '', here: typeOf(here[name]) });
    else compare(recorded[name], here[name], place, known, found);
  }
}

const ID = /^\d+(_\d+)*$/;
const isText = (value: unknown) => typeof value === 'string';

/** Each recorded item is compared with the one that it is here, otherwise with one of its type, in its place, or the last one. */
function compareLists(
  recorded: readonly unknown[],
  here: readonly unknown[],
  where: string,
  known: Known,
  found: Difference[],
): void {
  const places = new Map(here.map((item, i) => [idIn(item), i]));
  const placed = recorded.map((item) => places.get(known.idOf(idIn(item) ?? '') ?? ''));
  const common = placed.filter((place) => place !== undefined);
  if (common.some((place, i) => place < (common[i - 1] ?? 0)))
    found.push({ kind: 'order', where: `${where}[]`, recorded: 'its own', here: 'another' });
  if (here.length === 0) return;
  for (const [i, item] of recorded.entries()) {
    const place = placed[i] ?? placeOfAlike(item, here) ?? Math.min(i, here.length - 1);
    compare(item, here[place], `${where}[]`, known, found);
  }
}

/** The place of the first item of the same type. */
function placeOfAlike(item: unknown, here: readonly unknown[]): number | undefined {
  if (!isObject(item) || !isText(item.type)) return undefined;
  const place = here.findIndex((each) => isObject(each) && each.type === item.type);
  return place < 0 ? undefined : place;
}

function idIn(item: unknown): string | undefined {
  const id = isObject(item) ? (item.id_str ?? item.id) : undefined;
  return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined;
}

const FORMS: readonly [type: string, form: RegExp][] = [
  ['time with seconds', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/],
  ['time with milliseconds', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/],
  ['time as in posts', /^[A-Z][a-z]{2} [A-Z][a-z]{2} \d\d \d\d:\d\d:\d\d \+0000 \d{4}$/],
  ['constant', /^[A-Z][A-Z0-9_]+$/],
];

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  if (typeof value !== 'string') return typeof value;
  return FORMS.find(([, form]) => form.test(value))?.[0] ?? 'text';
}
