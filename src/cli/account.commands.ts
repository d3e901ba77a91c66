import type { Command } from 'commander';
import { ROLES, type Role } from '../accounts/access/roles.js';
import { COUNTRIES } from '../audiences/locations/countries.js';
import { ACTIVE_CAMPAIGNS } from '../campaigns/entities/active-campaigns.js';
import { FEATURES, type Feature } from '../accounts/accounts.features.js';
import type { PromotableUserType } from '../accounts/promotable-users/promotable-user.entity.js';
import { wireTime } from '../common/db/postgres/stored-times.js';
import type { AdsEnvironment } from '../common/http/urls/public-urls.js';
import type { Context, OutputOptions } from './context.js';
import { asListing, listOutput, type ListingOptions, partOf } from './listing.js';
import { findAccount, findOrCreateBusiness, noAccount, findUser } from './lookups.js';
import { choice, someOf, startOfDateArgument, textArgument, timezone, wholeNumber } from './parsing.js';
import { Misuse, CommandRefusal } from './refusal.js';
import type { Services } from './services.js';
import { fields, table } from './table.js';
import { ENVIRONMENTS, PROMOTABLE_USER_TYPE_CHOICES } from './choices.js';

const JSON_HELP = 'print it as JSON';
const ACCOUNT_HELP = 'the id of the ad account';
const USER_HELP = 'a username';
const COUNTRY_CODES = COUNTRIES.map(({ code }) => code);

/** `marquee account ...` */
export function addAccountCommands(program: Command, context: Context): void {
  const account = program
    .command('account')
    .summary('ad accounts: create, list, show, grant, limit, feature, promotable-user, delete')
    .description('Ad accounts: who may act on them, and what they may do. Changes apply at once, in every replica.');
  addCreate(account, context);
  addList(account, context);
  addShow(account, context);
  addGrant(account, context);
  addLimit(account, context);
  addFeature(account, context);
  addPromotableUser(account, context);
}

interface CreateAccount extends OutputOptions {
  owner: string;
  name: string;
  environment: AdsEnvironment;
  business?: string;
  timezone: string;
  country?: string;
}

/** `account create`: an ad account whose owner is its admin and its FULL promotable user. */
function addCreate(account: Command, context: Context): void {
  account
    .command('create')
    .summary('create an ad account')
    .description('Creates an ad account. Its owner becomes ACCOUNT_ADMIN and the FULL promotable user.')
    .requiredOption('--owner <username>', 'the owner')
    .requiredOption('--name <name>', 'its name', textArgument())
    .option(
      '--environment <environment>',
      `the environment: ${ENVIRONMENTS.join(' or ')}`,
      choice(ENVIRONMENTS),
      'production',
    )
    .option('--business <name-or-id>', 'its business; a new name creates one', textArgument())
    .option('--timezone <zone>', 'its time zone, which decides when a day begins', timezone, 'America/Los_Angeles')
    .option('--country <code>', 'the country of the advertiser, such as US', choice(COUNTRY_CODES))
    .option('--json', JSON_HELP)
    .addHelpText('after', '\nExample:\n  $ marquee account create --owner alice --name "Acme Shoes" --business Acme')
    .action((options: CreateAccount) =>
      context.perform(options, async (services) => {
        const owner = await findUser(services, options.owner);
        const business =
          options.business === undefined ? undefined : await findOrCreateBusiness(services, options.business);
        const { environment } = options;
        const created = await services.accounts.create(owner.id, {
          environment,
          name: options.name,
          timezone: options.timezone,
          businessId: business?.id,
          countryCode: options.country,
          // Sandbox accounts have none.
          timezoneSwitchAt:
            environment === 'sandbox'
              ? null
              : startOfDateArgument(services.clock.now(), options.timezone).toISOString(),
        });
        const json = {
          account_id: created.id,
          name: created.name,
          environment,
          business_id: created.businessId,
          business_name: created.businessName,
          timezone: created.timezone,
          country_code: created.countryCode,
          owner: owner.username,
        };
        return { json, text: fields(json) };
      }),
    );
}

interface ListAccounts extends ListingOptions {
  user?: string;
  environment?: AdsEnvironment;
  name?: string;
}

/** `account list`: all ad accounts. */
function addList(account: Command, context: Context): void {
  asListing(account.command('list'))
    .summary('list ad accounts')
    .description('Lists ad accounts, the newest first.')
    .option('--user <username>', 'only those on which this user has a role')
    .option('--environment <environment>', `those of ${ENVIRONMENTS.join(' or ')}`, choice(ENVIRONMENTS))
    .option('--name <beginning>', 'only those whose name has this prefix, case-insensitive', textArgument())
    .addHelpText('after', '\nExample:\n  $ marquee account list --user alice --environment production')
    .action((options: ListAccounts) =>
      context.perform(options, async (services) => {
        const { user, environment, name } = options;
        const userId = user === undefined ? undefined : (await findUser(services, user)).id;
        const accounts = await services.administration.newestAccounts({
          ...partOf(options),
          userId,
          environment,
          name,
        });
        const json = accounts.map((each) => ({
          account_id: each.id,
          name: each.name,
          environment: each.environment,
          timezone: each.timezone,
          created_at: wireTime(each.createdAt),
        }));
        return listOutput(
          json,
          'account_id',
          options,
          'There are no matching ad accounts; `marquee account create` creates one.',
        );
      }),
    );
}

/** How much an account stores of each kind, and may store. */
async function storageOf({ quotas, conversions }: Services, id: string) {
  const [usage, received] = await Promise.all([
    quotas.usageOf(id, ['ACCOUNT_MEDIA_BYTES', 'AUDIENCE_ROWS', 'ENGAGEMENTS', 'LEADS']),
    conversions.usageOf(id),
  ]);
  return {
    media_bytes: usage.ACCOUNT_MEDIA_BYTES.used,
    media_bytes_limit: usage.ACCOUNT_MEDIA_BYTES.limit,
    audience_rows: usage.AUDIENCE_ROWS.used,
    audience_rows_limit: usage.AUDIENCE_ROWS.limit,
    conversions: received.used,
    conversions_limit: received.limit,
    engagements: usage.ENGAGEMENTS.used,
    engagements_limit: usage.ENGAGEMENTS.limit,
    leads: usage.LEADS.used,
    leads_limit: usage.LEADS.limit,
  };
}

/** `account show`: an account with its members, features and limits. */
function addShow(account: Command, context: Context): void {
  account
    .command('show')
    .summary('show an ad account')
    .description(
      'Shows an ad account: who may act on it, whose posts it may promote, its features and limits, and how much it stores.',
    )
    .argument('<account>', ACCOUNT_HELP)
    .option('--json', JSON_HELP)
    .addHelpText('after', '\nExample:\n  $ marquee account show 2k0hx5m1q9zta')
    .action((id: string, options: OutputOptions) =>
      context.perform(options, async (services) => {
        const { administration, campaignLimit } = services;
        const found = await findAccount(services, id);
        const [{ business, members, promotableUsers }, campaigns, storage] = await Promise.all([
          administration.partsOf(found),
          campaignLimit.get(id),
          storageOf(services, id),
        ]);
        const ids = new Set([...members, ...promotableUsers].map(({ userId }) => userId));
        const users = new Map((await services.users.findByIds([...ids])).map((user) => [user.id, user.username]));
        const json = {
          account_id: id,
          name: found.name,
          environment: found.environment,
          business_id: found.businessId,
          business_name: business?.name ?? null,
          timezone: found.timezone,
          industry_type: found.industryType,
          country_code: found.countryCode,
          approval_status: found.approvalStatus,
          created_at: wireTime(found.createdAt),
          active_campaigns: campaigns.active,
          active_campaign_limit: campaigns.limit,
          ...storage,
          features: found.features,
        };
        const roles = members.map(({ userId, role, postComposer }) => ({
          user_id: userId,
          username: users.get(userId) ?? null,
          role,
          post_composer: postComposer,
        }));
        const promotable = promotableUsers.map(({ userId, promotableUserType }) => ({
          user_id: userId,
          username: users.get(userId) ?? null,
          promotable_user_type: promotableUserType,
        }));
        const layouts = [table(roles, 'No user may act on it.'), table(promotable, 'It may promote no user.')];
        return {
          json: { ...json, members: roles, promotable_users: promotable },
          text: (width) => [fields(json), ...layouts.map((layout) => layout(width))].join('\n\n'),
        };
      }),
    );
}

interface Grant extends OutputOptions {
  postComposer: boolean;
  revoke?: boolean;
}

/** `account grant`: the roles of users on an account. */
function addGrant(account: Command, context: Context): void {
  account
    .command('grant')
    .summary('give a user a role on an account, or remove it')
    .description(
      'Gives a user a role on an ad account, replacing a previous one. The first three roles may also compose posts for ' +
        'the advertiser (POST_COMPOSER), unless --no-post-composer is given.',
    )
    .argument('<account>', ACCOUNT_HELP)
    .argument('<user>', USER_HELP)
    .argument('[role]', 'the role, as above', choice(ROLES))
    .option('--no-post-composer', 'the user may not compose posts')
    .option('--revoke', "remove the user's role")
    .option('--json', JSON_HELP)
    .addHelpText(
      'after',
      `\nRoles:\n  ${ROLES.join('\n  ')}\n\n` +
        'Examples:\n  $ marquee account grant 2k0hx5m1q9zta bob AD_MANAGER\n  $ marquee account grant 2k0hx5m1q9zta bob --revoke',
    )
    .action((id: string, who: string, role: Role | undefined, options: Grant) => {
      if (options.revoke && role) throw new Misuse('a role and --revoke cannot be combined');
      if (!options.revoke && !role)
        throw new Misuse(`a role is missing; allowed are ${ROLES.join(', ')} (or --revoke)`);
      return context.perform(options, async (services) => {
        const user = await findUser(services, who);
        await findAccount(services, id);
        const about = { account_id: id, user_id: user.id, username: user.username };
        if (!role) {
          if (!(await services.memberships.revoke(id, user.id)))
            throw new CommandRefusal(`${user.username} has no role on account ${id}`);
          return { json: { ...about, role: null }, text: `${user.username} no longer has a role on account ${id}.` };
        }
        if (!(await services.memberships.grant(id, user.id, role, options.postComposer))) throw noAccount(id);
        return {
          json: { ...about, role, post_composer: options.postComposer },
          text: `${user.username} is now ${role} on account ${id}.`,
        };
      });
    });
}

/** `account limit`: the maximum number of active campaigns. */
function addLimit(account: Command, context: Context): void {
  account
    .command('limit')
    .summary('set the maximum number of active campaigns')
    .description(
      `Sets how many campaigns of an ad account may be active at once: ${ACTIVE_CAMPAIGNS.limit} unless set, at most ${ACTIVE_CAMPAIGNS.highestLimit}. ` +
        'Campaigns that are active already stay active.',
    )
    .argument('<account>', ACCOUNT_HELP)
    .argument('<limit>', `1 to ${ACTIVE_CAMPAIGNS.highestLimit}`, wholeNumber(1, ACTIVE_CAMPAIGNS.highestLimit))
    .option('--json', JSON_HELP)
    .addHelpText('after', '\nExample:\n  $ marquee account limit 2k0hx5m1q9zta 400')
    .action((id: string, limit: number, options: OutputOptions) =>
      context.perform(options, async ({ administration, campaignLimit }) => {
        if (!(await administration.account(id))) throw noAccount(id);
        await campaignLimit.set(id, limit);
        return {
          json: { account_id: id, active_campaign_limit: limit },
          text: `Account ${id} may now have ${limit} active campaigns.`,
        };
      }),
    );
}

interface ChangeFeatures extends OutputOptions {
  add?: Feature[];
  remove?: Feature[];
}

/** `account feature`: beta and limited features. */
function addFeature(account: Command, context: Context): void {
  account
    .command('feature')
    .summary('add and remove features of an account')
    .description(
      'Adds and removes features of an ad account and prints the resulting list; without options it only prints the list.',
    )
    .addHelpText('after', `\nFeatures:\n  ${FEATURES.join('\n  ')}`)
    .argument('<account>', ACCOUNT_HELP)
    .option('--add <keys>', 'features to add, comma-separated; may be repeated', someOf(FEATURES))
    .option('--remove <keys>', 'features to remove, comma-separated; may be repeated', someOf(FEATURES))
    .option('--json', JSON_HELP)
    .addHelpText(
      'after',
      '\nExamples:\n  $ marquee account feature 2k0hx5m1q9zta\n  $ marquee account feature 2k0hx5m1q9zta --add DR_TAP,BRAND_TPN --remove EVENT_TARGETING',
    )
    .action((id: string, options: ChangeFeatures) => {
      const { add, remove } = options;
      const both = add?.find((each) => remove?.includes(each));
      if (both) throw new Misuse(`${both} cannot be both added and removed`);
      return context.perform(options, async (services) => {
        const features =
          add || remove
            ? await services.features.changeByOperator(id, { add, remove })
            : (await findAccount(services, id)).features;
        if (!features) throw noAccount(id);
        return { json: { account_id: id, features }, text: features.join('\n') || `Account ${id} has no features.` };
      });
    });
}

interface PromotableUser extends OutputOptions {
  type?: PromotableUserType;
  remove?: boolean;
}

/** `account promotable-user`: the users whose posts the account may promote. */
function addPromotableUser(account: Command, context: Context): void {
  account
    .command('promotable-user')
    .summary('add and remove promotable users of an account')
    .description(
      'Lets an ad account promote the posts of a user. At most one user is FULL: the advertiser, for whom the account ' +
        'can create posts. RETWEETS_ONLY users are others who agreed to have their posts promoted.',
    )
    .argument('<account>', ACCOUNT_HELP)
    .argument('<user>', USER_HELP)
    .option('--type <type>', PROMOTABLE_USER_TYPE_CHOICES.join(' or '), choice(PROMOTABLE_USER_TYPE_CHOICES))
    .option('--remove', 'remove the promotable user')
    .option('--json', JSON_HELP)
    .addHelpText(
      'after',
      '\nExamples:\n  $ marquee account promotable-user 2k0hx5m1q9zta bob --type RETWEETS_ONLY\n  $ marquee account promotable-user 2k0hx5m1q9zta bob --remove',
    )
    .action((id: string, who: string, options: PromotableUser) => {
      const { type, remove } = options;
      if (type && remove) throw new Misuse('--type and --remove cannot be combined');
      if (!type && !remove)
        throw new Misuse(`--type is missing; allowed are ${PROMOTABLE_USER_TYPE_CHOICES.join(', ')} (or --remove)`);
      return context.perform(options, async (services) => {
        const user = await findUser(services, who);
        await findAccount(services, id);
        const about = { account_id: id, user_id: user.id, username: user.username };
        if (!type) {
          if (!(await services.promotableUsers.remove(id, user.id)))
            throw new CommandRefusal(`${user.username} is not a promotable user of account ${id}`);
          return {
            json: { ...about, deleted: true },
            text: `${user.username} is no longer a promotable user of account ${id}.`,
          };
        }
        const added = await services.promotableUsers.add(id, user.id, type);
        if (!added) throw noAccount(id);
        return {
          json: { promotable_user_id: added.id, ...about, promotable_user_type: type },
          text: `${user.username} is now a ${type} promotable user of account ${id}.`,
        };
      });
    });
}
