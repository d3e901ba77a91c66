import { readFileSync, statSync } from 'node:fs';
import type { Command } from 'commander';
import type { Replaced } from '../campaigns/reference/reference-data.service.js';
import type { ReferenceName } from '../campaigns/reference/reference-kind.js';
import { REFERENCE_NAMES } from './choices.js';
import type { Context, OutputOptions } from './context.js';
import { choice } from './parsing.js';
import { Misuse, CommandRefusal } from './refusal.js';
import { table } from './table.js';

/** `marquee reference ...` */
export function addReferenceCommands(program: Command, context: Context): void {
  const reference = program
    .command('reference')
    .summary('categories and bidding rules: show, import, reset, refresh')
    .description(
      'Reference data: the categories of advertisers, publishers and videos, and the bidding rules of currencies. It ships with ' +
        'the service and can be replaced while the service runs, in every replica at once.',
    );
  addShow(reference, context);
  addImport(reference, context);
  addReset(reference, context);
  addRefresh(reference, context);
}

const KIND_HELP = `one of ${REFERENCE_NAMES.join(', ')}`;

interface Show extends OutputOptions {
  tsv?: boolean;
}

/** `reference show`: the stored rows of a kind. */
function addShow(reference: Command, context: Context): void {
  reference
    .command('show')
    .summary('print a kind of reference data')
    .description('Prints a kind of reference data as it is stored.')
    .argument('<kind>', KIND_HELP, choice(REFERENCE_NAMES))
    .option('--tsv', 'print it in the file format of `reference import`')
    .option('--json', 'print a JSON array, as the API shows it')
    .addHelpText('after', '\nExample:\n  $ marquee reference show bidding_rules --tsv > bidding-rules.tsv')
    .action((kind: ReferenceName, { tsv, ...options }: Show) => {
      if (tsv && options.json) throw new Misuse('--tsv and --json cannot be combined');
      return context.perform(options, async ({ reference }) => {
        if (tsv) return { json: null, text: await reference.file(kind) };
        const json = await reference.shown(kind);
        return { json, text: table(json, `There are no ${kind}; \`marquee reference reset ${kind}\` restores them.`) };
      });
    });
}

const FORMAT = `
A file has a line of headings, which determine its kind, and a line for each row; columns are separated by tabs, lists by
commas. \`marquee reference show <kind> --tsv\` prints this format:
  iab_categories                    id, parent_id (empty in the first tier), name
  advertiser_business_categories    id, name, iab_categories
  content_categories                id, name, iab_categories, publishers_in_last_thirty_days,
                                    videos_monetized_in_last_thirty_days
  bidding_rules                     currency, minimum_cpe_bid_local_micro, maximum_cpe_bid_local_micro,
                                    minimum_denomination (amounts in millionths of the currency)

Example:
  $ marquee reference show bidding_rules --tsv > bidding-rules.tsv
  $ marquee reference import bidding-rules.tsv --check`;

/** The largest file; 10,000 rows always fit. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;
/** The most problems that are listed; further ones are counted. */
const MAX_REPORTED = 20;

interface Import extends OutputOptions {
  check?: boolean;
}

/** `reference import`: replaces the rows of a kind by those of a file. */
function addImport(reference: Command, context: Context): void {
  reference
    .command('import')
    .summary('replace a kind of reference data with a file')
    .description(
      'Replaces a kind of reference data with the rows of a file and removes all others. The whole file is checked first, and all ' +
        'rows or none are stored. All replicas use them at once.',
    )
    .argument('<file>', 'the file; a running service with the embedded store must be able to read it')
    .option('--check', 'only check the file and report what it would change')
    .option('--json', 'print kind, rows, added, changed and removed as JSON')
    .addHelpText('after', FORMAT)
    .action((file: string, { check, ...options }: Import) =>
      context.perform(options, async ({ reference }) => {
        const text = textOf(context.terminal.path(file));
        return outputOf(await withShortErrors(() => reference.replace(text, { checkOnly: check })), check);
      }),
    );
}

/** `reference reset`: restores the rows that ship with the service. */
function addReset(reference: Command, context: Context): void {
  reference
    .command('reset')
    .summary('restore the reference data that ships with the service')
    .description('Replaces a kind of reference data with the data that ships with this version of the service.')
    .argument('<kind>', KIND_HELP, choice(REFERENCE_NAMES))
    .option('--json', 'print kind, rows, added, changed and removed as JSON')
    .addHelpText('after', '\nExample:\n  $ marquee reference reset bidding_rules')
    .action((kind: ReferenceName, options: OutputOptions) =>
      context.perform(options, async ({ reference }) =>
        outputOf(await withShortErrors(() => reference.replace(reference.shipped(kind)))),
      ),
    );
}

/** `reference refresh`: makes replicas notice tables that were edited directly. */
function addRefresh(reference: Command, context: Context): void {
  reference
    .command('refresh')
    .summary('make all replicas reload the reference data')
    .description(
      'Makes all replicas reload the reference data after its tables were edited directly. The other commands do so themselves.',
    )
    .option('--json', 'print {"refreshed": true}')
    .addHelpText('after', '\nExample:\n  $ marquee reference refresh')
    .action((options: OutputOptions) =>
      context.perform(options, async ({ reference }) => {
        await reference.refresh();
        return { json: { refreshed: true }, text: 'All replicas reload the reference data.' };
      }),
    );
}

function textOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) throw new CommandRefusal(`there is no file ${path}`);
  if (!stats.isFile()) throw new CommandRefusal(`${path} is not a file`);
  if (stats.size > MAX_FILE_BYTES) throw new CommandRefusal(`${path} is too large: ${stats.size} bytes`);
  return readFileSync(path, 'utf8');
}

/** Runs the work and shortens a Refusal with many problems. */
async function withShortErrors(work: () => Promise<Replaced>): Promise<Replaced> {
  const { ReferenceRefused } = await import('../campaigns/reference/reference-data.service.js');
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ReferenceRefused) || error.problems.length <= MAX_REPORTED) throw error;
    throw new ReferenceRefused([
      ...error.problems.slice(0, MAX_REPORTED),
      `and ${error.problems.length - MAX_REPORTED} more`,
    ]);
  }
}

function outputOf({ kind, rows, added, changed, removed }: Replaced, check = false) {
  const summary = `${added} new, ${changed} changed, ${removed} gone`;
  return {
    json: { kind, rows, added, changed, removed },
    text: `${kind} ${check ? 'would have' : 'has'} ${rows} rows${check ? '' : ' now'}: ${summary}.`,
  };
}
