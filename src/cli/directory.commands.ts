import type { Command } from 'commander';
import type { UserSet } from '../audiences/directory/user-sets.js';
import type { Context, OutputOptions } from './context.js';
import { findUser } from './lookups.js';
import { Misuse, CommandRefusal } from './refusal.js';
import type { Services } from './services.js';
import { fields } from './table.js';

/** `marquee directory ...` */
export function addDirectoryCommands(program: Command, context: Context): void {
  const directory = program
    .command('directory')
    .summary("the platform's users and their traits: import, show, count")
    .description(
      "The directory: the platform's users with their traits and identifiers. Uploaded audiences are matched against it, and " +
        'audience estimates count its users. Only users who were active in the last 90 days count.',
    );
  addImport(directory, context);
  addShow(directory, context);
  addCount(directory, context);
}

const FIELDS = `
Fields of a line. An absent field keeps its value; null or an empty list removes it:
  username               the user; created if no user has this name
  user_id                the user, by the platform's own id; together with username for a new user
  name                   the display name of a new user (default: the username)
  active_at              the time of the last activity, such as 2027-01-31T12:00:00Z (default for a new user: now)
  country, language      ISO 3166-1 alpha-2 and ISO 639-1 or BCP 47: US, en
  gender                 MALE or FEMALE
  age, age_bucket        years, of which only the bucket is stored; or AGE_13_TO_17, AGE_18_TO_20, AGE_21_TO_24,
                         AGE_25_TO_34, AGE_35_TO_49, AGE_50_TO_54, AGE_OVER_55
  platforms              a list of IOS, ANDROID, BLACKBERRY, MOBILE_WEB, DESKTOP
  interests, keywords, locations, conversations, events, tv_shows, devices, platform_versions, network_operators,
  app_store_categories, iab_categories
                         lists of targeting values; locations are places within a country
  follows                a list of usernames and user ids; missing users with these names are created
  email, phone_number, device_id, handle, platform_id, partner_user_id
                         one, or a list. Plain values are normalised and hashed (SHA-256), 64 hexadecimal digits are taken
                         as such a hash, except for partner_user_id, which is always hashed. Every user has the handle and
                         the platform_id of the platform itself. An identifier belongs to one user.

Example:
  $ cat users.ndjson
  {"username": "ann", "country": "US", "gender": "FEMALE", "age": 34, "platforms": ["IOS"], "email": "ann@example.com"}
  {"username": "ben", "country": "DE", "interests": ["11005"], "follows": ["@ann"], "phone_number": ["+49 30 123456"]}
  $ marquee directory import users.ndjson`;

interface ImportUsers extends OutputOptions {
  check?: boolean;
}

/** `directory import`: imports users and their traits from a file. */
function addImport(directory: Command, context: Context): void {
  directory
    .command('import')
    .summary('import users and their traits from a file')
    .description(
      'Reads users from a file with a JSON object on each line (NDJSON). The whole file is checked before anything is ' +
        'stored; mistakes are listed by line and field. Importing a file again changes nothing.',
    )
    .argument('<file>', 'the file; a running service with the embedded store must be able to read it')
    .option('--check', 'only check the file')
    .option('--json', 'print lines, made and updated as JSON')
    .addHelpText('after', FIELDS)
    .action(async (file: string, options: ImportUsers) => {
      const { terminal } = context;
      await context.perform(options, async ({ directoryImport }) => {
        const { importUsers } = await import('./directory-import.js');
        const { lines, made, known } = await importUsers(directoryImport, terminal.path(file), {
          checkOnly: options.check,
          terminal,
        });
        if (options.check) return { json: { lines }, text: `${lines} users can be imported.` };
        const text = `${lines} users were read: ${made} are new in the directory, ${known} were in it.`;
        return { json: { lines, made, updated: known }, text };
      });
    });
}

/** `directory show`: the directory entry of a user. */
function addShow(directory: Command, context: Context): void {
  directory
    .command('show')
    .summary('show the directory entry of a user')
    .description('Prints the directory entry of a user. Identifiers are hashed, so only their number is shown.')
    .argument('<user>', 'the username or id')
    .option('--json', 'print it as JSON, in the fields of an import')
    .addHelpText('after', '\nExample:\n  $ marquee directory show ann')
    .action((name: string, options: OutputOptions) =>
      context.perform(options, async (services) => {
        const user = await findUser(services, name);
        const found = await services.directory.of(user.id);
        if (!found)
          throw new CommandRefusal(`${user.username} is not in the directory; \`marquee directory import\` adds users`);
        const { presentKnown } = await import('./directory-profile.js');
        const json = presentKnown(user, found);
        const { identifiers, ...known } = json;
        const counts = Object.entries(identifiers).map(([kind, count]) => `${kind} (${count})`);
        return { json, text: fields({ ...known, identifiers: counts }) };
      }),
    );
}

const COUNT_HELP = `
A condition is a kind and values. A user must have one of the values, or none of them with !=. All conditions must be true.
  country, language, gender, age, platform        for example AGE_18_TO_34 for age
  interest, keyword, location, conversation, event, tv_show, device, platform_version, network_operator,
  app_store_category, iab_category                targeting values
  followers_of_user, similar_to_followers_of_user, user
                                                  names and ids of users
  custom_audience                                 ids of audiences

Examples:
  $ marquee directory count
  $ marquee directory count country=US,CA age=AGE_18_TO_34 interest=11005,11006
  $ marquee directory count followers_of_user=ann gender!=MALE`;

/** `directory count`: counts the active users who match conditions. */
function addCount(directory: Command, context: Context): void {
  directory
    .command('count')
    .summary('count the active users, all or those who match conditions')
    .description('Counts the users who were active in the last 90 days, as audience estimates do.')
    .argument('[condition...]', 'kind=value,value or kind!=value,value')
    .option('--json', 'print count as JSON')
    .addHelpText('after', COUNT_HELP)
    .action((conditions: string[], options: OutputOptions) =>
      context.perform(options, async (services) => {
        const groups: UserSet[][] = [];
        const without: UserSet[] = [];
        for (const condition of conditions) {
          const { set, not } = await readCondition(services, condition);
          if (not) without.push(set);
          else groups.push([set]);
        }
        const count = await services.directory.count({ groups, without });
        return { json: { count }, text: `${count}` };
      }),
    );
}

async function readCondition(services: Services, condition: string): Promise<{ set: UserSet; not: boolean }> {
  const { countryCodeHint } = await import('../audiences/locations/locations.js');
  const { MAX_SET_VALUES, SET_KINDS, isSetValue } = await import('../audiences/directory/user-sets.js');
  const [, name, not, list] = /^(\w+)(!?)=(.+)$/s.exec(condition) ?? [];
  const kind = SET_KINDS.find((each) => each === name?.toUpperCase());
  if (!kind)
    throw new Misuse(
      `"${condition}" is not a condition; kinds are ${SET_KINDS.map((each) => each.toLowerCase()).join(', ')}`,
    );
  const ofUsers = kind === 'USER' || kind.endsWith('FOLLOWERS_OF_USER');
  const given = list.split(',').map((each) => each.trim());
  if (given.length > MAX_SET_VALUES) throw new Misuse(`at most ${MAX_SET_VALUES} values can be counted`);
  const values = ofUsers ? await Promise.all(given.map(async (each) => (await findUser(services, each)).id)) : given;
  const shaped = WORDS.has(kind) ? values.map((each) => each.toUpperCase()) : values;
  const wrong = shaped.find((each) => !isSetValue(kind, each));
  if (wrong !== undefined) {
    const given = shaped === values ? wrong : values[shaped.indexOf(wrong)];
    const hint = kind === 'COUNTRY' ? countryCodeHint(given) : undefined;
    throw new Misuse(`${name} has no value "${given}"${hint === undefined ? '' : `. ${hint}`}`);
  }
  return { set: { kind, values: shaped }, not: not === '!' };
}

/** The kinds of traits whose values are closed sets. */
const WORDS: ReadonlySet<string> = new Set(['GENDER', 'AGE', 'PLATFORM', 'COUNTRY']);
