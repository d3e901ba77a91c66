import type { Command } from 'commander';
import type { PublisherView } from '../campaigns/reference/publishers/publisher.presenter.js';
import type { Context, OutputOptions } from './context.js';
import { findUser } from './lookups.js';
import { CommandRefusal } from './refusal.js';
import { below, fields, table } from './table.js';

const USER_HELP = 'the username or id';

/** `marquee publisher ...` */
export function addPublisherCommands(program: Command, context: Context): void {
  const publisher = program
    .command('publisher')
    .summary('users whose videos carry ads: create, list, delete')
    .description('Publishers: the users whose videos can carry ads.');
  addCreate(publisher, context);
  addList(publisher, context);
  addDelete(publisher, context);
}

interface CreatePublisher extends OutputOptions {
  monetizable?: string;
  promotionEligible?: string;
  restricted?: boolean;
  contentCategories?: string;
}

/** `publisher create`: makes a publisher of a user. */
function addCreate(publisher: Command, context: Context): void {
  publisher
    .command('create')
    .summary('make a user a publisher')
    .description('Makes a user a publisher.')
    .argument('<user>', USER_HELP)
    .option(
      '--monetizable <countries>',
      'the countries where their videos may carry ads, such as US,CA (default: none)',
    )
    .option('--promotion-eligible <countries>', 'the countries where their posts may be promoted (default: none)')
    .option('--restricted', 'their videos may carry fewer ads than others')
    .option('--content-categories <ids>', 'the content categories of their videos, such as se,sk')
    .option('--json', 'print it as JSON, as the API shows it')
    .addHelpText(
      'after',
      '\nExample:\n  $ marquee publisher create hoops_daily --monetizable US,CA --promotion-eligible US --content-categories se',
    )
    .action((name: string, options: CreatePublisher) =>
      context.perform(options, async (services) => {
        const [{ NewPublisher }, { presentPublisher }] = await Promise.all([
          import('../campaigns/reference/publishers/publishers.dto.js'),
          import('../campaigns/reference/publishers/publisher.presenter.js'),
        ]);
        const user = await findUser(services, name);
        const given = services.read(NewPublisher, {
          user_id: user.id,
          monetizable_country_codes: options.monetizable?.toUpperCase(),
          promotion_eligible_country_codes: options.promotionEligible?.toUpperCase(),
          monetization_restricted: options.restricted,
          content_category_ids: options.contentCategories,
        });
        const [made] = await services.publishers.create([given]);
        const json = presentPublisher({ ...made, username: user.username });
        return { json, text: fields(shortened(json)) };
      }),
    );
}

interface ListPublished extends OutputOptions {
  cursor?: string;
}

/** `publisher list`: the newest thousand, or those after a cursor. */
function addList(publisher: Command, context: Context): void {
  publisher
    .command('list')
    .summary('list publishers')
    .description('Lists publishers, 1,000 per page, the newest first.')
    .option('--cursor <cursor>', 'the cursor of the next page')
    .option('--json', 'print a JSON array, as the API shows them')
    .addHelpText('after', '\nExample:\n  $ marquee publisher list')
    .action(({ cursor, ...options }: ListPublished) =>
      context.perform(options, async (services) => {
        const [{ ListPublishers }, { presentPublisher }] = await Promise.all([
          import('../campaigns/reference/publishers/publishers.dto.js'),
          import('../campaigns/reference/publishers/publisher.presenter.js'),
        ]);
        const found = await services.publishers.list(services.read(ListPublishers, { count: '1000', cursor }));
        const json = found.items.map(presentPublisher);
        const text = table(
          json.map(shortened),
          'There are no publishers. Run `marquee publisher create` to make a user a publisher.',
        );
        return { json, text: found.nextCursor ? below(text, `There are more: --cursor ${found.nextCursor}`) : text };
      }),
    );
}

/** `publisher delete`: the user stays. */
function addDelete(publisher: Command, context: Context): void {
  publisher
    .command('delete')
    .summary('remove a publisher')
    .description('Removes a publisher, also from the curated categories that include them. The user stays.')
    .argument('<user>', USER_HELP)
    .option('--json', 'print user_id, username and deleted as JSON')
    .addHelpText('after', '\nExample:\n  $ marquee publisher delete alice')
    .action((name: string, options: OutputOptions) =>
      context.perform(options, async (services) => {
        const { id, username } = await findUser(services, name);
        if (!(await services.publishers.delete(id))) throw new CommandRefusal(`${username} is not a publisher`);
        return { json: { user_id: id, username, deleted: true }, text: `${username} is no longer a publisher.` };
      }),
    );
}

/** The columns of the table. */
const shortened = (view: PublisherView) => ({
  user_id: view.user_id,
  username: view.username,
  monetizable: view.monetizable_country_codes,
  promotion_eligible: view.promotion_eligible_country_codes,
  restricted: view.monetization_restricted,
  content_categories: view.content_category_ids,
});
