import type { Type } from '@nestjs/common';
import type { Row } from '../../common/db/query/rows.js';
import { Field } from '../../common/http/params/fields.js';
import { readParams } from '../../common/http/params/params.js';
import { CURRENCIES } from '../money.js';
import { ADVERTISER_BUSINESS_CATEGORIES } from './advertiser-business-categories/advertiser-business-category.entity.js';
import { BIDDING_RULES, type BiddingRule } from './bidding-rules/bidding-rule.entity.js';
import { CONTENT_CATEGORIES } from './content-categories/content-category.entity.js';
import { IAB_CATEGORIES, type IabCategory } from './iab-categories/iab-category.entity.js';
import type { AnyReferenceKind, ReferenceName, ReferenceValues } from './reference-kind.js';

/** All kinds of reference data. A kind that refers to another comes after it. */
export const REFERENCE_KINDS: readonly AnyReferenceKind[] = [
  IAB_CATEGORIES,
  ADVERTISER_BUSINESS_CATEGORIES,
  CONTENT_CATEGORIES,
  BIDDING_RULES,
];

/** All reference data, stored or proposed. */
export type ReferenceTables = Record<ReferenceName, readonly object[]>;

interface Named {
  id: string;
  iabCategories: string[];
}

/** The inconsistencies of reference data, one sentence each: missing references and impossible amounts. */
export function inconsistenciesOf(tables: ReferenceTables): string[] {
  const iab = tables.iab_categories as readonly Row<IabCategory>[];
  const parents = new Map(iab.map(({ id, parentId }) => [id, parentId]));
  const categories = (['advertiser_business_categories', 'content_categories'] as const).flatMap((name) =>
    (tables[name] as readonly Named[]).map(({ id, iabCategories }) => ({ name, id, iabCategories })),
  );
  return [
    ...iab.flatMap(({ id, parentId }) => {
      if (parentId === null || parents.get(parentId) === null) return [];
      const why = parents.has(parentId) ? 'itself has a parent' : 'does not exist';
      return [`iab_categories: parent_id ${parentId} of ${id} ${why}`];
    }),
    ...categories.flatMap(({ name, id, iabCategories }) => {
      const unknown = iabCategories.filter((each) => !parents.has(each));
      return unknown.length > 0
        ? [`${name}: ${id} names ${unknown.join(', ')}, which iab_categories does not have`]
        : [];
    }),
    ...(tables.bidding_rules as readonly Row<BiddingRule>[]).flatMap(problemOfRule),
  ];
}

function problemOfRule(rule: Row<BiddingRule>): string[] {
  const { currency, minimumCpeBidLocalMicro: minimum, maximumCpeBidLocalMicro: maximum, minimumDenomination } = rule;
  const problems: string[] = [];
  if (!CURRENCIES.has(currency)) problems.push('is not a current ISO 4217 currency');
  if (minimum > maximum) problems.push(`has a minimum of ${minimum} above its maximum of ${maximum}`);
  for (const amount of [minimum, maximum]) {
    if (amount % minimumDenomination !== 0)
      problems.push(`has ${amount}, which is not a multiple of its minimum_denomination ${minimumDenomination}`);
  }
  return problems.map((problem) => `bidding_rules: ${currency} ${problem}`);
}

/** The parsed file of reference data, or its problems, one sentence with the line number each. */
export type ReferenceFile =
  { kind: AnyReferenceKind; rows: ReferenceValues[]; problems?: undefined } | { problems: string[] };

/** Maximum number of rows in a file. */
const MAX_ROWS = 10_000;

/**
 * Parses a file of reference data: a heading line, whose columns determine the kind, then one line per row, with tabs
 * as separators. Ignores empty lines. Reports all problems at once.
 */
export function readReferenceFile(text: string, kinds: readonly AnyReferenceKind[]): ReferenceFile {
  const lines = text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .map((line, i) => ({ line: i + 1, cells: line.split('\t') }))
    .filter(({ cells }) => cells.some((cell) => cell.trim() !== ''));
  const [heading, ...rest] = lines;
  if (!heading) return { problems: ['the file is empty'] };
  const names = heading.cells.map((cell) => cell.trim());
  const kind = kinds.find(({ columns }) => sameOf(columns, names));
  if (!kind) return { problems: [`line ${heading.line}: ${headingsOf(kinds)}`] };
  if (rest.length > MAX_ROWS)
    return { problems: [`a list has at most ${MAX_ROWS} rows, and this file has ${rest.length}`] };

  const row = rowOf(kind);
  const problems: string[] = [];
  const keys = new Map<unknown, number>();
  const rows = rest.map(({ line, cells }, position) => {
    const values: ReferenceValues = { position };
    if (cells.length !== names.length)
      problems.push(`line ${line}: expected ${names.length} columns, got ${cells.length}`);
    else for (const problem of readCells(kind, row, names, cells, values)) problems.push(`line ${line}: ${problem}`);
    const [{ name, property }] = kind.columns;
    const key = values[property];
    const first = keys.get(key);
    if (first === undefined) keys.set(key, line);
    else if (key !== undefined) problems.push(`line ${line}: ${name} ${key as string} repeats line ${first}`);
    return values;
  });
  return problems.length > 0 ? { problems } : { kind, rows };
}

/** Writes rows as a file that `readReferenceFile` parses to the same rows. */
export const writeReferenceFile = ({ columns }: AnyReferenceKind, rows: readonly object[]): string =>
  [
    columns.map(({ name }) => name),
    ...rows.map((row) => columns.map(({ property }) => cellOf((row as Record<string, Cell>)[property]))),
  ]
    .map((cells) => cells.join('\t'))
    .join('\n');

function readCells(
  { columns }: AnyReferenceKind,
  row: Type<object>,
  names: readonly string[],
  cells: readonly string[],
  values: ReferenceValues,
): string[] {
  const given = Object.fromEntries(names.map((name, i) => [name, cells[i].trim()]));
  const { echo, refused } = readParams(row, given);
  for (const { name, property } of columns)
    if (name in echo) values[property] = (echo as Record<string, unknown>)[name];
  return refused?.errors.map(({ message }) => message) ?? [];
}

/** A row of a kind as a class with a field for each column. */
function rowOf({ columns }: AnyReferenceKind): Type<object> {
  class Row {}
  for (const { name, kind, nullable } of columns) Field(kind, { nullable })(Row.prototype, name);
  return Row;
}

const sameOf = (columns: AnyReferenceKind['columns'], names: readonly string[]): boolean =>
  columns.length === names.length && columns.every(({ name }) => names.includes(name));

const headingsOf = (kinds: readonly AnyReferenceKind[]): string =>
  `expected headings, separated by tabs: ${kinds
    .map(({ name, columns }) => `${columns.map((column) => column.name).join(', ')} (${name})`)
    .join('; or ')}`;

type Cell = string | number | null | undefined | readonly string[];

const cellOf = (value: Cell): string =>
  typeof value === 'object' && value !== null ? value.join(',') : String(value ?? '');
