import type { Command } from 'commander';
import type { CuratedCategoryView } from '../campaigns/reference/curated-categories/curated-category.presenter.js';
import type { Context, OutputOptions } from './context.js';
import { findUser } from './lookups.js';
import { CommandRefusal } from './refusal.js';
import { below, fields, table } from './table.js';

/** `marquee curated-category ...` */
export function addCuratedCategoryCommands(program: Command, context: Context): void {
  const category = program
    .command('curated-category')
    .summary('curated categories, which are lists of publishers for targeting: create, list, delete')
    .description('Curated categories: lists of publishers that line items can target as one. Every account sees them.');
  addCreate(category, context);
  addList(category, context);
  addDelete(category, context);
}

interface CreateCategory extends OutputOptions {
  name: string;
  description: string;
  countries: string;
  publishers?: string;
  videos?: string;
}

/** `curated-category create`: a category of publishers. */
function addCreate(category: Command, context: Context): void {
  category
    .command('create')
    .summary('create a curated category')
    .description('Creates a curated category of publishers.')
    .requiredOption('--name <name>', 'its name')
    .requiredOption('--description <text>', 'its description')
    .requiredOption('--countries <codes>', 'the countries where it can be targeted, such as US,CA')
    .option('--publishers <users>', 'usernames or ids, comma-separated')
    .option('--videos <number>', 'the number of its videos that carried ads in the last 30 days (default: 0)')
    .option('--json', 'print it as JSON, as the API shows it')
    .addHelpText(
      'after',
      '\nExample:\n  $ marquee curated-category create --name Basketball --description "Games and those who play them" \\\n' +
        '      --countries US,CA --publishers hoops_daily,court_side',
    )
    .action((options: CreateCategory) =>
      context.perform(options, async (services) => {
        const [{ NewCuratedCategory }, { presentCuratedCategory }] = await Promise.all([
          import('../campaigns/reference/curated-categories/curated-categories.dto.js'),
          import('../campaigns/reference/curated-categories/curated-category.presenter.js'),
        ]);
        const names = options.publishers?.split(',').map((each) => each.trim()) ?? [];
        const users = await Promise.all(names.map((name) => findUser(services, name)));
        const given = services.read(NewCuratedCategory, {
          name: options.name,
          description: options.description,
          country_codes: options.countries.toUpperCase(),
          publisher_user_ids: users.length > 0 ? users.map(({ id }) => id) : undefined,
          videos_monetized_in_last_thirty_days: options.videos,
        });
        const [made] = await services.curatedCategories.create([given]);
        const json = presentCuratedCategory(made);
        return { json, text: fields(shortened(json)) };
      }),
    );
}

interface ListCategories extends OutputOptions {
  countries?: string;
  withDeleted?: boolean;
  cursor?: string;
}

/** `curated-category list`: the newest thousand, or those after a cursor. */
function addList(category: Command, context: Context): void {
  category
    .command('list')
    .summary('list curated categories')
    .description('Lists curated categories, 1,000 per page, the newest first.')
    .option('--countries <codes>', 'only those that can be targeted in one of these countries')
    .option('--with-deleted', 'include deleted ones')
    .option('--cursor <cursor>', 'the cursor of the next page')
    .option('--json', 'print a JSON array, as the API shows them')
    .addHelpText('after', '\nExample:\n  $ marquee curated-category list')
    .action(({ countries, withDeleted, cursor, ...options }: ListCategories) =>
      context.perform(options, async (services) => {
        const [{ ListCuratedCategories }, { presentCuratedCategory }] = await Promise.all([
          import('../campaigns/reference/curated-categories/curated-categories.dto.js'),
          import('../campaigns/reference/curated-categories/curated-category.presenter.js'),
        ]);
        const query = services.read(ListCuratedCategories, {
          count: '1000',
          cursor,
          country_codes: countries?.toUpperCase(),
          with_deleted: String(!!withDeleted),
        });
        const found = await services.curatedCategories.list(query);
        const json = found.items.map(presentCuratedCategory);
        const nothing = 'There are no curated categories; `marquee curated-category create` creates one.';
        const text = table(json.map(shortened), nothing);
        return { json, text: found.nextCursor ? below(text, `There are more: --cursor ${found.nextCursor}`) : text };
      }),
    );
}

/** `curated-category delete`: existing targeting keeps it. */
function addDelete(category: Command, context: Context): void {
  category
    .command('delete')
    .summary('delete a curated category')
    .description('Deletes a curated category. Existing targeting keeps it.')
    .argument('<category>', 'the id of the curated category')
    .option('--json', 'print curated_category_id and deleted as JSON')
    .addHelpText('after', '\nExample:\n  $ marquee curated-category delete 2k0hx5m1q9zta')
    .action((id: string, options: OutputOptions) =>
      context.perform(options, async ({ curatedCategories }) => {
        const deleted = await curatedCategories.delete(id);
        if (!deleted)
          throw new CommandRefusal(`there is no curated category ${id}; \`marquee curated-category list\` lists them`);
        return {
          json: { curated_category_id: id, deleted: true },
          text: `The curated category ${deleted.name} (${id}) is deleted.`,
        };
      }),
    );
}

/** The columns of the table. */
const shortened = (view: CuratedCategoryView) => ({
  curated_category_id: view.id,
  name: view.name,
  description: view.description,
  countries: view.country_codes,
  publishers: view.publisher_user_ids,
  videos: view.videos_monetized_in_last_thirty_days,
});
