import type { Command } from 'commander';
import { wireTime } from '../common/db/postgres/stored-times.js';
import { SHOWN_ONCE } from './app.commands.js';
import type { Context, OutputOptions } from './context.js';
import { findAccount, findAdministrator } from './lookups.js';
import { textArgument } from './parsing.js';
import { fields, table } from './table.js';

const ACCOUNT_HELP = 'the id of the ad account';
const BY_HELP = 'act as this user, who must have a role on the account (default: its first administrator)';

/** A token as commands show it. */
const shown = (token: { id: string; name: string; createdAt: string; deletedAt: string | null }) => ({
  token_id: token.id,
  name: token.name,
  created_at: wireTime(token.createdAt),
  revoked_at: wireTime(token.deletedAt),
});

/** `marquee pixel ...` */
export function addPixelCommands(program: Command, context: Context): void {
  const tokens = program
    .command('pixel')
    .summary('pixels of ad accounts: tokens')
    .description('The pixel of an ad account receives the conversions of its website.')
    .command('tokens')
    .summary('tokens of a pixel: create, list, revoke')
    .description(
      'Tokens with which a server sends conversions to a pixel: the header X-Pixel-Token, without a signature. Several are ' +
        'valid at a time.',
    );
  addCreate(tokens, context);
  addList(tokens, context);
  addRevoke(tokens, context);
}

interface CreateToken extends OutputOptions {
  name: string;
  by?: string;
}

/** `pixel tokens create`: the token is shown once. */
function addCreate(tokens: Command, context: Context): void {
  tokens
    .command('create')
    .summary('create a token')
    .description('Creates a token of the pixel of an ad account, and prints it. It is shown only once.')
    .argument('<account>', ACCOUNT_HELP)
    .option('--name <name>', 'where the token is used, such as a server', textArgument(100), 'Server')
    .option('--by <username>', BY_HELP)
    .option('--json', 'print it as JSON')
    .addHelpText('after', '\nExample:\n  $ marquee pixel tokens create 2k0hx5m1q9zta --name "Tag server"')
    .action((id: string, options: CreateToken) =>
      context.perform(options, async (services) => {
        const { pixelIdOf } = await import('../measurement/entities/pixel-id.js');
        const account = await findAdministrator(services, id, options.by);
        const { token, stored } = await services.pixelTokens.create(account, options.name);
        const json = { pixel_id: pixelIdOf(id), token, ...shown(stored) };
        return { json, text: `${fields(json)}\n\n${SHOWN_ONCE}` };
      }),
    );
}

interface ListTokens extends OutputOptions {
  revoked?: boolean;
}

/** `pixel tokens list`: without the tokens themselves. */
function addList(tokens: Command, context: Context): void {
  tokens
    .command('list')
    .summary('list the tokens of a pixel')
    .description('Lists the newest 200 tokens of the pixel of an ad account, without their texts.')
    .argument('<account>', ACCOUNT_HELP)
    .option('--revoked', 'include revoked ones')
    .option('--json', 'print a JSON array')
    .addHelpText('after', '\nExample:\n  $ marquee pixel tokens list 2k0hx5m1q9zta --revoked')
    .action((id: string, { revoked, ...options }: ListTokens) =>
      context.perform(options, async (services) => {
        await findAccount(services, id);
        const account = { id, db: services.dataSource.manager };
        const json = (await services.pixelTokens.list(account, { withRevoked: revoked })).map(shown);
        const nothing = `The pixel of account ${id} has no tokens; \`marquee pixel tokens create ${id}\` creates one.`;
        return { json, text: table(json, nothing) };
      }),
    );
}

interface RevokeToken extends OutputOptions {
  by?: string;
}

/** `pixel tokens revoke`: other tokens of the pixel stay valid. */
function addRevoke(tokens: Command, context: Context): void {
  tokens
    .command('revoke')
    .summary('revoke a token')
    .description('Revokes a token of a pixel. Requests with it get 401 from then on; other tokens stay valid.')
    .argument('<account>', ACCOUNT_HELP)
    .argument('<token>', 'the id of the token')
    .option('--by <username>', BY_HELP)
    .option('--json', 'print it as JSON')
    .addHelpText('after', '\nExample:\n  $ marquee pixel tokens revoke 2k0hx5m1q9zta 2k0hx5m1q9ztb')
    .action((id: string, tokenId: string, { by, ...options }: RevokeToken) =>
      context.perform(options, async (services) => {
        const account = await findAdministrator(services, id, by);
        const json = shown(await services.pixelTokens.revoke(account, tokenId));
        return { json, text: `The token ${json.name} of account ${id} is revoked.` };
      }),
    );
}
