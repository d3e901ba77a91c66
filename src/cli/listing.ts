import type { Command } from 'commander';
import type { NewestQuery } from '../common/list/newest.js';
import type { CommandOutput, OutputOptions } from './context.js';
import { textArgument, wholeNumber } from './parsing.js';
import { below, table } from './table.js';

const MAX_LISTED = 1_000;

/** The options of a paged list, newest first. */
export interface ListingOptions extends OutputOptions {
  count: number;
  before?: string;
}

/** Adds the options of a paged list. */
export const asListing = (command: Command): Command =>
  command
    .option('--count <n>', `the maximum number, 1 to ${MAX_LISTED}`, wholeNumber(1, MAX_LISTED), 100)
    .option('--before <id>', 'continue after the item with this id', textArgument())
    .option('--json', 'print a JSON array');

/** The requested page. */
export const partOf = ({ count, before }: ListingOptions): NewestQuery => ({ limit: count, before });

type Shown = Parameters<typeof table>[0][number];

/** A page of a list; a full one with the command for the next page. */
export function listOutput<T extends Shown>(
  json: T[],
  id: keyof T,
  options: ListingOptions,
  empty: string,
): CommandOutput {
  const layout = table(json, empty);
  const isFull = json.length === options.count;
  return { json, text: isFull ? below(layout, `There may be more: --before ${String(json.at(-1)?.[id])}`) : layout };
}
