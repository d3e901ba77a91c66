import { InvalidArgumentError, type Command } from 'commander';
import { toTime } from '../../common/http/params/conversions.js';
import {
  DELIVERY_PLACEMENTS,
  GRANULARITIES,
  METRIC_GROUP_CHOICES,
  REPORTED_ENTITIES,
  SEGMENTATION_TYPE_CHOICES,
} from '../choices.js';
import type { Context } from '../context.js';
import { findAccount } from '../lookups.js';
import { choice, someOf, textArgument, wholeNumber } from '../parsing.js';
import { Misuse } from '../refusal.js';
import { MAX_STATS_DAYS, MAX_ENTITIES, type StatsOptions } from './stats-options.js';

/** `marquee stats`: what the entities of an account delivered. */
export function addStatsCommand(program: Command, context: Context): void {
  program
    .command('stats')
    .summary('show what campaigns and line items delivered')
    .description(
      'Shows what the entities of an ad account delivered and spent, with a trend of the impressions. Without --ids it shows those ' +
        'that spent most. With the id of a single entity, and for ACCOUNT, it shows each day. Days are those of the time zone of the ' +
        'account.',
    )
    .argument('<account>', 'the id of the ad account')
    .option(
      '--entity <kind>',
      `the kind of the entities: ${REPORTED_ENTITIES.join(', ')}`,
      choice(REPORTED_ENTITIES),
      'CAMPAIGN',
    )
    .option('--ids <ids>', `only these entities, comma-separated; at most ${MAX_ENTITIES}`, idList)
    .option(
      '--top <n>',
      `without --ids: the maximum number of entities, 1 to ${MAX_ENTITIES}`,
      wholeNumber(1, MAX_ENTITIES),
      20,
    )
    .option(
      '--days <n>',
      `the last days, 1 to ${MAX_STATS_DAYS}, including today (default: 7)`,
      wholeNumber(1, MAX_STATS_DAYS),
    )
    .option('--start <time>', 'the start: a date, or a time in ISO 8601', dateOrTime)
    .option('--end <time>', 'the end, exclusive: a date, or a time in ISO 8601 (default: now)', dateOrTime)
    .option('--granularity <unit>', `the unit of time: ${GRANULARITIES.join(', ')}`, choice(GRANULARITIES), 'DAY')
    .option(
      '--metric-groups <groups>',
      `of --csv and --json, comma-separated: ${METRIC_GROUP_CHOICES.join(', ')} (default: all; CSV without what nothing counts)`,
      someOf(METRIC_GROUP_CHOICES),
    )
    .option(
      '--placement <placement>',
      `only this placement: ${DELIVERY_PLACEMENTS.join(', ')} (default: all)`,
      choice(DELIVERY_PLACEMENTS),
    )
    .option(
      '--segmentation <type>',
      `divide the figures: ${SEGMENTATION_TYPE_CHOICES.join(', ')}`,
      choice(SEGMENTATION_TYPE_CHOICES),
    )
    .option('--country <value>', 'the targeting value of a country, for segments within one', textArgument(64))
    .option('--platform <value>', 'the targeting value of a platform, for segments within one', textArgument(64))
    .option('--csv', 'print the metrics as CSV (RFC 4180), one line per entity and unit of time; times are in UTC')
    .option('--json', 'print JSON, with the metrics as the API shows them')
    .addHelpText('after', HELP)
    .action((id: string, options: StatsOptions) => {
      refuseContradictions(options);
      return context.perform(options, async (services) => {
        const account = await findAccount(services, id);
        const { reported } = await import('./stats-report.js');
        return reported(services, account, options, context.terminal.isUnicode);
      });
    });
}

const HELP = `
SPEND has the currency of the campaign. CPM is the cost of 1,000 impressions. RATE is the rate of the objective of a line item:
clicks, app clicks, follows, video views or engagements per impression; for all other entities it is engagements per impression.

Examples:
  $ marquee stats 2k0hx5m1q9zta
  $ marquee stats 2k0hx5m1q9zta --entity LINE_ITEM --days 14 --top 5
  $ marquee stats 2k0hx5m1q9zta --ids 2k0hx5m1qb7de --start 2026-11-01 --end 2026-11-15
  $ marquee stats 2k0hx5m1q9zta --entity LINE_ITEM --granularity HOUR --days 1 --csv > hours.csv`;

function refuseContradictions(options: StatsOptions): void {
  const { days, start, end, csv, json, country, platform, segmentation } = options;
  if (days !== undefined && start !== undefined && end !== undefined)
    throw new Misuse('give --days with either --start or --end, not with both');
  if (csv && json) throw new Misuse('give either --csv or --json');
  if (!segmentation && (country !== undefined || platform !== undefined))
    throw new Misuse('--country and --platform require --segmentation');
}

/** A comma-separated list of ids; the option may be repeated. */
function idList(given: string, before: string[] = []): string[] {
  const ids = [...before, ...given.split(',').map((each) => each.trim())].filter(Boolean);
  if (ids.length >= 1 && ids.length <= MAX_ENTITIES) return [...new Set(ids)];
  throw new InvalidArgumentError(`It must have 1 to ${MAX_ENTITIES} ids.`);
}

/** A date stays one: the time zone of the account decides when it begins. */
function dateOrTime(given: string): string {
  const time = toTime(false)(given) as string;
  if (time === '')
    throw new InvalidArgumentError('It must be a date or a time, such as 2026-11-01 or 2026-11-01T08:00:00Z.');
  return given.includes('T') ? time : given;
}
