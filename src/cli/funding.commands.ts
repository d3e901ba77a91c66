import type { Command } from 'commander';
import type { FundingInstrumentView } from '../campaigns/funding-instruments/funding-instrument.presenter.js';
import { FUNDING_TYPES } from './choices.js';
import type { Context, OutputOptions } from './context.js';
import { findAccount, findAdministrator } from './lookups.js';
import { oneOf, text } from './parsing.js';
import type { Services } from './services.js';
import { fields, table } from './table.js';

const JSON_HELP = 'print it as JSON, as the API shows it';
const ACCOUNT_HELP = 'the id of the ad account';
const BY_HELP = 'in whose name, of the users who may act on the account (default: its first administrator)';

/** `marquee funding ...` */
export function addFundingCommands(program: Command, context: Context): void {
  const funding = program
    .command('funding')
    .summary('funding instruments, which pay for campaigns: create, list, delete')
    .description(
      'Funding instruments: what pays for the campaigns of an ad account. In the sandbox the API makes them; those of production ' +
        'accounts are made here. Changes are part of the history of the account, and webhooks hear of them.',
    );
  addCreate(funding, context);
  addList(funding, context);
  addDelete(funding, context);
}

interface CreateFunding extends OutputOptions {
  type: string;
  currency: string;
  startTime?: string;
  endTime?: string;
  creditLimitLocalMicro?: string;
  fundedAmountLocalMicro?: string;
  by?: string;
}

/** `funding create`: by the rules of the endpoint of the sandbox. */
function addCreate(funding: Command, context: Context): void {
  funding
    .command('create')
    .summary('make a funding instrument')
    .description('Makes a funding instrument, by the rules by which the API makes one in the sandbox.')
    .argument('<account>', ACCOUNT_HELP)
    .requiredOption('--type <type>', `how it is paid: ${FUNDING_TYPES.join(', ')}`, oneOf(FUNDING_TYPES))
    .requiredOption('--currency <code>', 'an ISO 4217 code, such as USD', text(3))
    .option('--start-time <time>', 'from when on it pays, such as 2027-01-01T00:00:00Z (default: now)')
    .option('--end-time <time>', 'until when it pays; INSERTION_ORDER needs one')
    .option(
      '--credit-limit-local-micro <amount>',
      'how much credit there is, in millionths of the currency: CREDIT_CARD, CREDIT_LINE and AGENCY_CREDIT_LINE only',
    )
    .option(
      '--funded-amount-local-micro <amount>',
      'how much was paid in, in millionths of the currency: INSERTION_ORDER and PARTNER_MANAGED only',
    )
    .option('--by <username>', BY_HELP)
    .option('--json', JSON_HELP)
    .addHelpText(
      'after',
      '\nExamples:\n  $ marquee funding create 2k0hx5m1q9zta --type CREDIT_CARD --currency USD\n' +
        '  $ marquee funding create 2k0hx5m1q9zta --type CREDIT_LINE --currency EUR --credit-limit-local-micro 50000000000\n' +
        '  $ marquee funding create 2k0hx5m1q9zta --type INSERTION_ORDER --currency USD --start-time 2027-01-01T00:00:00Z \\\n' +
        '      --end-time 2027-07-01T00:00:00Z --funded-amount-local-micro 250000000000',
    )
    .action((id: string, { by, startTime, ...given }: CreateFunding) =>
      context.perform(given, async (services) => {
        const { CreateFundingInstrument } = await import('../campaigns/funding-instruments/funding-instruments.dto.js');
        const account = await findAdministrator(services, id, by);
        const params = services.read(CreateFundingInstrument, {
          type: given.type,
          currency: given.currency.toUpperCase(),
          start_time: startTime ?? services.clock.now().toISOString(),
          end_time: given.endTime,
          credit_limit_local_micro: given.creditLimitLocalMicro,
          funded_amount_local_micro: given.fundedAmountLocalMicro,
        });
        const json = await viewed(services, await services.funding.create(account, params));
        return { json, text: fields({ funding_instrument_id: json.id, ...shortened(json) }) };
      }),
    );
}

interface ListFunding extends OutputOptions {
  withDeleted?: boolean;
}

/** `funding list`: what an account is paid with. */
function addList(funding: Command, context: Context): void {
  funding
    .command('list')
    .summary('list the funding instruments of an account')
    .description('Lists the funding instruments of an ad account, the newest thousand.')
    .argument('<account>', ACCOUNT_HELP)
    .option('--with-deleted', 'those that were deleted, too')
    .option('--json', 'print a JSON array, as the API shows them')
    .action((id: string, { withDeleted, ...options }: ListFunding) =>
      context.perform(options, async (services) => {
        const { ListFundingInstruments } = await import('../campaigns/funding-instruments/funding-instruments.dto.js');
        await findAccount(services, id);
        const query = services.read(ListFundingInstruments, { count: '1000', with_deleted: String(!!withDeleted) });
        const { items } = await services.funding.list({ id }, query);
        const json = await Promise.all(items.map((each) => viewed(services, each)));
        const rows = json.map((view) => ({ funding_instrument_id: view.id, ...shortened(view) }));
        return {
          json,
          text: table(rows, `Account ${id} has no funding instruments; \`marquee funding create\` makes one.`),
        };
      }),
    );
}

interface DeleteFunding extends OutputOptions {
  by?: string;
}

/** `funding delete`: it pays no more; campaigns stay, and cannot serve. */
function addDelete(funding: Command, context: Context): void {
  funding
    .command('delete')
    .summary('delete a funding instrument')
    .description('Deletes a funding instrument. Its campaigns stay as they are, and cannot serve.')
    .argument('<account>', ACCOUNT_HELP)
    .argument('<funding-instrument>', 'the id of the funding instrument')
    .option('--by <username>', BY_HELP)
    .option('--json', JSON_HELP)
    .action((id: string, instrument: string, { by, ...options }: DeleteFunding) =>
      context.perform(options, async (services) => {
        const account = await findAdministrator(services, id, by);
        const json = await viewed(services, await services.funding.delete(account, instrument));
        return { json, text: `The funding instrument ${json.id} is deleted.` };
      }),
    );
}

/** As the API shows it at this moment. */
async function viewed(
  { clock }: Services,
  funding: Awaited<ReturnType<Services['funding']['create']>>,
): Promise<FundingInstrumentView> {
  const { presentFundingInstrument } = await import('../campaigns/funding-instruments/funding-instrument.presenter.js');
  return presentFundingInstrument(clock.now())(funding);
}

/** What people look for in it. */
const shortened = (view: FundingInstrumentView) => ({
  type: view.type,
  currency: view.currency,
  start_time: view.start_time,
  end_time: view.end_time,
  credit_limit_local_micro: view.credit_limit_local_micro,
  funded_amount_local_micro: view.funded_amount_local_micro,
  able_to_fund: view.able_to_fund,
  reasons_not_able_to_fund: view.reasons_not_able_to_fund,
});
