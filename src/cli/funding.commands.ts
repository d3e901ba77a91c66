import type { Command } from 'commander';
import type { FundingInstrumentView } from '../campaigns/funding-instruments/funding-instrument.presenter.js';
import { FUNDING_TYPE_CHOICES } from './choices.js';
import type { Context, OutputOptions } from './context.js';
import { findAccount, findAdministrator } from './lookups.js';
import { choice, textArgument } from './parsing.js';
import type { Services } from './services.js';
import { fields, table } from './table.js';

const JSON_HELP = 'print it as JSON, as the API shows it';
const ACCOUNT_HELP = 'the id of the ad account';
const BY_HELP = 'act as this user, who must have a role on the account (default: its first administrator)';

/** `marquee funding ...` */
export function addFundingCommands(program: Command, context: Context): void {
  const funding = program
    .command('funding')
    .summary('funding instruments, which pay for campaigns: create, list, spend, delete')
    .description(
      'Funding instruments pay for the campaigns of an ad account. In the sandbox the API creates them; those of production ' +
        'accounts are created here. Changes are recorded in the history of the account and sent to webhooks.',
    );
  addCreate(funding, context);
  addList(funding, context);
  addSpend(funding, context);
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

/** `funding create`: with the rules of the sandbox endpoint. */
function addCreate(funding: Command, context: Context): void {
  funding
    .command('create')
    .summary('create a funding instrument')
    .description('Creates a funding instrument, with the rules of the sandbox API.')
    .argument('<account>', ACCOUNT_HELP)
    .requiredOption('--type <type>', `the type: ${FUNDING_TYPE_CHOICES.join(', ')}`, choice(FUNDING_TYPE_CHOICES))
    .requiredOption('--currency <code>', 'an ISO 4217 code, such as USD', textArgument(3))
    .option('--start-time <time>', 'the start of its validity, such as 2027-01-01T00:00:00Z (default: now)')
    .option('--end-time <time>', 'the end of its validity; required for INSERTION_ORDER')
    .option(
      '--credit-limit-local-micro <amount>',
      'the credit limit, in millionths of the currency: CREDIT_CARD, CREDIT_LINE and AGENCY_CREDIT_LINE only',
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
          start_time: startTime ?? account.now().toISOString(),
          end_time: given.endTime,
          credit_limit_local_micro: given.creditLimitLocalMicro,
          funded_amount_local_micro: given.fundedAmountLocalMicro,
        });
        const view = await viewed(account.now(), await services.funding.create(account, params));
        // under the name of the placeholder that requests have for it
        const funding_instrument_id = view.id;
        return {
          json: { funding_instrument_id, ...view },
          text: fields({ funding_instrument_id, ...shortened(view) }),
        };
      }),
    );
}

interface ListFunding extends OutputOptions {
  withDeleted?: boolean;
}

/** `funding list`: the funding instruments of an account. */
function addList(funding: Command, context: Context): void {
  funding
    .command('list')
    .summary('list the funding instruments of an account')
    .description('Lists the newest 1,000 funding instruments of an ad account.')
    .argument('<account>', ACCOUNT_HELP)
    .option('--with-deleted', 'include deleted ones')
    .option('--json', 'print a JSON array, as the API shows them')
    .addHelpText('after', '\nExample:\n  $ marquee funding list 2k0hx5m1q9zta')
    .action((id: string, { withDeleted, ...options }: ListFunding) =>
      context.perform(options, async (services) => {
        const { ListFundingInstruments } = await import('../campaigns/funding-instruments/funding-instruments.dto.js');
        const { frozenTime } = await findAccount(services, id);
        const now = services.clock.timeOf({ frozenTime: frozenTime?.toISOString() })();
        const query = services.read(ListFundingInstruments, { count: '1000', with_deleted: String(!!withDeleted) });
        const { items } = await services.funding.list({ id, db: services.dataSource.manager }, query);
        const json = await Promise.all(items.map((each) => viewed(now, each)));
        const rows = json.map((view) => ({ funding_instrument_id: view.id, ...shortened(view) }));
        return {
          json,
          text: table(rows, `Account ${id} has no funding instruments; \`marquee funding create\` creates one.`),
        };
      }),
    );
}

interface SpendFromFunding extends OutputOptions {
  amountLocalMicro: string;
  campaign?: string;
  lineItem?: string;
  by?: string;
}

/** `funding spend`: records spend as delivery would, so that budgets can be exhausted. */
function addSpend(funding: Command, context: Context): void {
  funding
    .command('spend')
    .summary('record spend')
    .description(
      'Adds to the spend of a funding instrument, a campaign or a line item. The spend of a line item counts for its campaign, ' +
        'and that of a campaign for its funding instrument. Besides this only simulated delivery spends and exhausts budgets and credit.',
    )
    .argument('<account>', ACCOUNT_HELP)
    .argument('<funding-instrument>', 'the id of the funding instrument')
    .requiredOption('--amount-local-micro <amount>', 'the amount to add, in millionths of the currency')
    .option('--campaign <id>', 'the campaign that spent it')
    .option('--line-item <id>', 'the line item that spent it, which includes its campaign')
    .option('--by <username>', BY_HELP)
    .option('--json', 'print it as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  $ marquee funding spend 2k0hx5m1q9zta 2k0hx5m1qa0fc --amount-local-micro 5000000\n' +
        '  $ marquee funding spend 2k0hx5m1q9zta 2k0hx5m1qa0fc --amount-local-micro 5000000 --line-item 2k0hx5m1qb7de',
    )
    .action((id: string, instrument: string, { by, ...given }: SpendFromFunding) =>
      context.perform(given, async (services) => {
        const { SpendFunding } = await import('../campaigns/funding-instruments/funding-instruments.dto.js');
        const account = await findAdministrator(services, id, by);
        const params = services.read(SpendFunding, {
          amount_local_micro: given.amountLocalMicro,
          campaign_id: given.campaign,
          line_item_id: given.lineItem,
        });
        const spent = await services.spending.spend(account, instrument, params);
        const view = await viewed(account.now(), spent.funding);
        const json = {
          funding_instrument_id: view.id,
          spent_local_micro: spent.funding.spentLocalMicro,
          credit_remaining_local_micro: view.credit_remaining_local_micro,
          able_to_fund: view.able_to_fund,
          reasons_not_able_to_fund: view.reasons_not_able_to_fund,
          ...budgetOf('campaign', spent.campaign),
          ...budgetOf('line_item', spent.item),
        };
        return { json, text: fields(json) };
      }),
    );
}

/** Spend and budget of the campaign or line item, if one is named. */
const budgetOf = (
  name: string,
  thing?: { id: string; spentLocalMicro: number; totalBudgetAmountLocalMicro: number | null },
) =>
  thing && {
    [`${name}_id`]: thing.id,
    [`${name}_spent_local_micro`]: thing.spentLocalMicro,
    [`${name}_total_budget_amount_local_micro`]: thing.totalBudgetAmountLocalMicro,
  };

interface DeleteFunding extends OutputOptions {
  by?: string;
}

/** `funding delete`: campaigns of the funding instrument stay but cannot serve. */
function addDelete(funding: Command, context: Context): void {
  funding
    .command('delete')
    .summary('delete a funding instrument')
    .description('Deletes a funding instrument. Its campaigns stay but cannot serve.')
    .argument('<account>', ACCOUNT_HELP)
    .argument('<funding-instrument>', 'the id of the funding instrument')
    .option('--by <username>', BY_HELP)
    .option('--json', JSON_HELP)
    .addHelpText('after', '\nExample:\n  $ marquee funding delete 2k0hx5m1q9zta 2k0hx5m1q9ztb')
    .action((id: string, instrument: string, { by, ...options }: DeleteFunding) =>
      context.perform(options, async (services) => {
        const account = await findAdministrator(services, id, by);
        const json = await viewed(account.now(), await services.funding.delete(account, instrument));
        return { json, text: `The funding instrument ${json.id} is deleted.` };
      }),
    );
}

/** The funding instrument as the API shows it at a time of its account. */
async function viewed(
  now: Date,
  funding: Awaited<ReturnType<Services['funding']['create']>>,
): Promise<FundingInstrumentView> {
  const { presentFundingInstrument } = await import('../campaigns/funding-instruments/funding-instrument.presenter.js');
  return presentFundingInstrument(now)(funding);
}

/** The columns of the table. */
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
