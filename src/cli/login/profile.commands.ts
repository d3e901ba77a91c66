import type { Command } from 'commander';
import { type OutputOptions, print } from '../context.js';
import { Refusal } from '../refusal.js';
import { consumerOf, requiredCredential, tokenOf } from '../credentials/credentials.js';
import { table } from '../table.js';
import type { Terminal } from '../terminal.js';
import { invalidate } from './flow.js';
import { profileName, Profiles } from '../credentials/profiles.js';

interface LogoutOptions extends OutputOptions {
  profile?: string;
  revoke?: boolean;
}

/** `marquee logout`: deletes a login. */
export function addLogoutCommand(program: Command, terminal: Terminal): void {
  program
    .command('logout')
    .summary('delete a login')
    .description(
      'Deletes the current or the named profile. Its access token stays valid unless --revoke is given, because other machines ' +
        'may use the same token.',
    )
    .option('-p, --profile <name>', 'the login to delete', profileName)
    .option('--revoke', 'revoke its access token first, also for other machines that use it')
    .option('--json', 'print it as JSON')
    .addHelpText('after', '\nExamples:\n  $ marquee logout\n  $ marquee logout --profile staging --revoke')
    .action(async (options: LogoutOptions) => {
      const profiles = new Profiles();
      const name = options.profile ?? profiles.current();
      if (name === undefined) throw new Refusal('nobody is logged in');
      const found = { credentials: profiles.get(name), from: `the profile ${name}` };
      const revoked =
        options.revoke === true &&
        (await invalidate(
          { consumer: consumerOf(found), baseUrl: requiredCredential(found, 'base_url'), from: found.from },
          tokenOf(found)!,
        ));
      profiles.remove(name);
      const ended = revoked ? ', and its access token is revoked' : '';
      print(terminal, options, { json: { profile: name, revoked }, text: `The profile ${name} is deleted${ended}.` });
    });
}

/** `marquee profile ...` */
export function addProfileCommands(program: Command, terminal: Terminal): void {
  const profile = program
    .command('profile')
    .summary('logins of this machine: list, use')
    .description('Profiles: the logins that `marquee login` keeps for this user of the machine.');
  profile
    .command('list')
    .summary('list the logins')
    .description('Lists the profiles with their users and services. Secrets are not shown.')
    .option('--json', 'print a JSON array')
    .addHelpText('after', '\nExample:\n  $ marquee profile list')
    .action((options: OutputOptions) => {
      const profiles = new Profiles();
      const current = profiles.current();
      const json = profiles.names().map((name) => {
        const { username = null, base_url = null } = profiles.find(name) ?? {};
        return { profile: name, current: name === current, username, base_url };
      });
      print(terminal, options, { json, text: table(json, 'There are no profiles; `marquee login` creates one.') });
    });
  profile
    .command('use')
    .summary('make a login the current one')
    .description('Makes a profile the current one, which is used when no other credentials are given.')
    .argument('<name>', 'the profile', profileName)
    .option('--json', 'print {"profile": <name>}')
    .addHelpText('after', '\nExample:\n  $ marquee profile use staging')
    .action((name: string, options: OutputOptions) => {
      const profiles = new Profiles();
      profiles.get(name);
      profiles.use(name);
      print(terminal, options, { json: { profile: name }, text: `The profile ${name} is now the current one.` });
    });
}
